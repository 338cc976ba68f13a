// From the ring secret to that of a ring of lower degree N' = 128·F: `ring_dimension_switching` of the crate `fhew`. Grid:
// one block of 8F threads a ciphertext. Shared memory: 2N' fractions, and a polynomial for every digit.
#include "digit_product.cuh"

struct RingDimensionSwitch {
    // Words of masks of dimension blocks·N', and bodies, modulo the ring's prime.
    const u32* source;
    // For each block: rows, components, points.
    const Complex* key;
    const Complex* twiddles;
    // Residues, body and mask.
    u64* out;
    FractionModulus modulus;
    Decomposition digits;
    u32 source_stride;
    u32 blocks;
};

// Block of a mask as a polynomial whose product with the block of the secret has the block's part of the phase as its
// constant coefficient.
struct EmbeddedBlock {
    const u32* mask;
    const FractionModulus& modulus;
    u32 degree;

    DEVICE_MEMBER u64 at(u32 p) const {
        const u64 v = p == 0 ? mask[0] : mask[degree - p];
        return fraction_of_residue(modulus, p == 0 || v == 0 ? v : modulus.value - v);
    }
};

template <u32 F>
DEVICE void switch_ring(const RingDimensionSwitch& args) {
    DYNAMIC_SHARED(u64, memory);
    const u32 M = 64 * F, N = 2 * M, rows = args.digits.length;
    Complex* const points = (Complex*)(memory + 2 * N);
    const u32* const source = args.source + (u64)block_x() * args.source_stride;
    FOR_THREADS(t) {
        for (u32 p = t; p < 2 * N; p += 8 * F) {
            memory[p] = p == 0 ? fraction_of_residue(args.modulus, source[args.blocks * N]) : 0;
        }
    }
    for (u32 block = 0; block < args.blocks; ++block) {
        FOR_THREADS(t) {
            const EmbeddedBlock polynomial = {source + block * N, args.modulus, N};
            for (u32 column = t; column < 64; column += 8 * F) {
                decompose<F>(polynomial, args.twiddles, points, args.digits, column);
            }
        }
        finish_product<F>(args.twiddles, memory, points, args.key + (u64)block * 2 * rows * M, rows);
    }
    FOR_THREADS(t) {
        for (u32 p = t; p < 2 * N; p += 8 * F) {
            args.out[(u64)block_x() * 2 * N + p] = residue_of_fraction(args.modulus, memory[p]);
        }
    }
}

BOUNDED_KERNEL(64, 1, switch_ring_256, RingDimensionSwitch, args) { switch_ring<2>(args); }
BOUNDED_KERNEL(64, 1, switch_ring_512, RingDimensionSwitch, args) { switch_ring<4>(args); }
BOUNDED_KERNEL(64, 1, switch_ring_1024, RingDimensionSwitch, args) { switch_ring<8>(args); }
