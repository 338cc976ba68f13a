// Blind rotation of a batch by CMUXes: all steps in one kernel, accumulators in shared memory.
//
// Degree N = 2M, M = 64·F: 8F threads take one ciphertext, and a block takes several, which read the same rows of the key
// at the same time: one reads them from the card's second-level cache, the others from the first. Grid: one block for
// each `block threads / 8F` ciphertexts.
//
// A step of a launch for each coefficient of the secret would move 4N words of each accumulator through memory; here it
// moves 2N·rows words of the key, from the cache.
//
// Shared memory of a ciphertext: 2N words of fractions, then the points of a polynomial for every row of the key.
#include "digit_product.cuh"

struct BlindRotation {
    // For each step: rows, components, M points each, point i of sub-block g at i·8F + g.
    const Complex* key;
    // Points from one key to the next, and ciphertexts that take the same.
    u64 key_stride;
    // 8F nodes, then four times 8F of the sub-blocks.
    const Complex* twiddles;
    // Residues, body and mask, of what is rotated: `tests` of them, that ciphertexts take in turn; or fractions.
    const u64* test;
    // Masks and bodies modulo 2N, `phase_stride` words from one to the next: 0 for one of all.
    const u32* phases;
    // Residues, body and mask.
    u64* out;
    FractionModulus modulus;
    Decomposition digits[2];
    u32 phase_stride;
    u32 steps;
    u32 count;
    u32 per_key;
    u32 tests;
    u32 are_fractions;
};

// A thread's ciphertext, its number among the ciphertext's threads, and the ciphertext's memory.
struct Share {
    u32 index, lane;
    u64* fractions;
    Complex* points;
};

template <u32 F>
DEVICE Share share_of(u64* memory, u32 t, u32 rows) {
    const u32 M = 64 * F, each = t / (8 * F);
    u64* fractions = memory + each * (4 * M + 2 * M * rows);
    return {block_x() * (block_threads() / (8 * F)) + each, t % (8 * F), fractions, (Complex*)(fractions + 4 * M)};
}

template <u32 F>
DEVICE void rotate(const BlindRotation& args) {
    DYNAMIC_SHARED(u64, memory);
    const u32 M = 64 * F, N = 2 * M, T = 8 * F, rows = args.digits[0].length + args.digits[1].length;
    FOR_THREADS(t) {
        const Share own = share_of<F>(memory, t, rows);
        if (own.index < args.count) {
            const u32 body = args.phases[(u64)own.index * args.phase_stride + args.steps];
            const u32 exponent = (2 * N - body) & (2 * N - 1);
            const u64* test = args.test + (u64)(own.index % args.tests) * 2 * N;
            for (u32 p = own.lane; p < 2 * N; p += T) {
                const u32 from = rotated_place(p & (N - 1), exponent, N);
                const u64 v = test[(p & N) + (from & (N - 1))];
                const u64 moved = (from & N) && v != 0 ? args.modulus.value - v : v;
                own.fractions[p] = args.are_fractions ? v : fraction_of_residue(args.modulus, moved);
            }
        }
    }
    SYNCHRONIZE();
    for (u32 step = 0; step < args.steps; ++step) {
        // Rotations by X^0 leave no digits, and change nothing.
        FOR_THREADS(t) {
            const Share own = share_of<F>(memory, t, rows);
            if (own.index < args.count) {
                const u32 word = args.phases[(u64)own.index * args.phase_stride + step];
                const u32 exponent = (2 * N - word) & (2 * N - 1);
                for (u32 item = own.lane; item < 128; item += T) {
                    const u32 part = item / 64, first = part * args.digits[0].length;
                    const RotationDifference source = {own.fractions + part * N, exponent, N};
                    decompose<F>(source, args.twiddles, own.points + first * M, args.digits[part], item % 64);
                }
            }
        }
        SYNCHRONIZE();
        FOR_THREADS(t) {
            const Share own = share_of<F>(memory, t, rows);
            if (own.index < args.count) {
                Complex w[4];
                node_twiddles<3>(w, args.twiddles, F + own.lane / 8);
                for (u32 row = 0; row < rows; ++row) second_pass<F, false>(own.points + row * M, w, own.lane);
            }
        }
        SYNCHRONIZE();
        FOR_THREADS(t) {
            const Share own = share_of<F>(memory, t, rows);
            if (own.index < args.count) {
                const Complex* key = args.key + own.index / args.per_key * args.key_stride;
                multiply<F>(args.twiddles, own.points, key + (u64)step * 2 * rows * M, rows, own.lane);
            }
        }
        SYNCHRONIZE();
        FOR_THREADS(t) {
            const Share own = share_of<F>(memory, t, rows);
            if (own.index < args.count) {
                Complex w[4];
                node_twiddles<3>(w, args.twiddles, F + own.lane / 8);
                for (u32 part = 0; part < 2; ++part) second_pass<F, true>(own.points + part * M, w, own.lane);
            }
        }
        SYNCHRONIZE();
        FOR_THREADS(t) {
            const Share own = share_of<F>(memory, t, rows);
            if (own.index < args.count) {
                for (u32 item = own.lane; item < 128; item += T) {
                    const u32 part = item / 64;
                    accumulate<F>(args.twiddles, own.fractions + part * N, own.points + part * M, item % 64);
                }
            }
        }
        SYNCHRONIZE();
    }
    FOR_THREADS(t) {
        const Share own = share_of<F>(memory, t, rows);
        if (own.index < args.count) {
            for (u32 p = own.lane; p < 2 * N; p += T) {
                args.out[(u64)own.index * 2 * N + p] = residue_of_fraction(args.modulus, own.fractions[p]);
            }
        }
    }
}

BOUNDED_KERNEL(256, 1, blind_rotate_256, BlindRotation, args) { rotate<2>(args); }
BOUNDED_KERNEL(256, 1, blind_rotate_512, BlindRotation, args) { rotate<4>(args); }
BOUNDED_KERNEL(256, 1, blind_rotate_1024, BlindRotation, args) { rotate<8>(args); }
BOUNDED_KERNEL(256, 1, blind_rotate_2048, BlindRotation, args) { rotate<16>(args); }
BOUNDED_KERNEL(256, 1, blind_rotate_4096, BlindRotation, args) { rotate<32>(args); }
