// Products with linear combinations that are never stored: sum_k left_k·(sum_j rows[k][j]·right_j), grid
// (N / (threads·passes), limbs).
#include "sums.cuh"

static const u32 FEW_WORDS = 384;
// Rows that are combined at a time: every word of the right operands is read once for them.
static const u32 GROUP = 4;
static const u32 MAX_LEFT = 32, MAX_RIGHT = 64;

struct CombinedTensor {
    const Modulus* moduli;
    u64* d0;
    u64* d1;
    u64* d2;
    // The words of `few`, where there are more: addresses of both parts of the left operands, of the right ones, constants
    // row by row.
    const u64* many;
    u64 few[FEW_WORDS];
    u32 left;
    u32 right;
    // Words that a thread takes.
    u32 passes;
    // Whether to add to what the results are.
    u32 accumulate;
    u32 degree;
    Limbs limbs;
};

template <class Sum>
DEVICE void multiply_combined(const CombinedTensor& args, const Modulus& m, const u64* words, const u64* factors, u64 at) {
    const u64* const* left = (const u64* const*)words;
    const u64* const* right = left + 2 * args.left;
    Wide d0 = {0, 0}, d1 = {0, 0}, d2 = {0, 0};
    if (args.accumulate) d0.low = args.d0[at], d1.low = args.d1[at], d2.low = args.d2[at];
    for (u32 first = 0; first < args.left; first += GROUP) {
        Sum sums[2][GROUP] = {};
        for (u32 j = 0; j < args.right; ++j) {
            const u64 x0 = right[2 * j][at], x1 = right[2 * j + 1][at];
#pragma unroll
            for (u32 k = 0; k < GROUP; ++k) {
                const u64 factor = factors[j * MAX_LEFT + first + k];
                add_constant_product(m, sums[0][k], x0, factor);
                add_constant_product(m, sums[1][k], x1, factor);
            }
        }
#pragma unroll
        for (u32 k = 0; k < GROUP; ++k) {
            if (first + k < args.left) {
                const u64 a0 = left[2 * (first + k)][at], a1 = left[2 * (first + k) + 1][at];
                const u64 b0 = reduce_wide(m, total(sums[0][k])), b1 = reduce_wide(m, total(sums[1][k]));
                add_product(d0, a0, b0);
                add_product(d1, a0, b1);
                add_product(d1, a1, b0);
                add_product(d2, a1, b1);
                keep_small(m, d0), keep_small(m, d1), keep_small(m, d2);
            }
        }
    }
    args.d0[at] = reduce_wide(m, d0);
    args.d1[at] = reduce_wide(m, d1);
    args.d2[at] = reduce_wide(m, d2);
}

KERNEL(combined_tensor, CombinedTensor, args) {
    SHARED(u64, factors, MAX_LEFT * MAX_RIGHT);
    const u32 limb = block_y(), start = block_x() * block_threads() * args.passes;
    const Modulus& m = args.moduli[args.limbs.modulus[limb]];
    const u64* words = args.many ? args.many : args.few;
    FOR_THREADS(t) {
        const u64* constants = words + 2 * (args.left + args.right);
        const u32 rows = (args.left + GROUP - 1) / GROUP * GROUP;
        for (u32 i = t; i < rows * args.right; i += block_threads()) {
            const u32 k = i % rows, j = i / rows;
            const u64* constant = constants + CONSTANT_WORDS * (k * args.right + j);
            factors[j * MAX_LEFT + k] =
                k < args.left ? constant_factor(m, constant, start >= args.degree / 2) : 0;
        }
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        for (u32 pass = 0; pass < args.passes; ++pass) {
            const u64 at = (u64)limb * args.degree + start + pass * block_threads() + t;
            if (is_narrow(m))
                multiply_combined<NarrowSum>(args, m, words, factors, at);
            else
                multiply_combined<WideSum>(args, m, words, factors, at);
        }
    }
}
