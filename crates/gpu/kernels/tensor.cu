// Sums of products of pairs of polynomials, one word a thread: grid (N / threads, limbs).
#include "sums.cuh"

static const u32 MAX_PAIRS = 64;

struct TensorSum {
    const Modulus* moduli;
    u64* d0;
    u64* d1;
    u64* d2;
    // a0, a1, b0, b1 of each pair; for products with polynomials, the polynomial in place of b0.
    const u64* parts[MAX_PAIRS][4];
    u32 pairs;
    // Whether to add to what the results are.
    u32 accumulate;
    u32 degree;
    Limbs limbs;
};

// Operands may be residues modulo a multiple of a limb's modulus, where both are below 2^50.
KERNEL(tensor, TensorSum, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y();
        const u64 at = (u64)limb * args.degree + block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        Wide d0 = {0, 0}, d1 = {0, 0}, d2 = {0, 0};
        if (args.accumulate) d0.low = args.d0[at], d1.low = args.d1[at], d2.low = args.d2[at];
        for (u32 k = 0; k < args.pairs; ++k) {
            const u64 a0 = args.parts[k][0][at], a1 = args.parts[k][1][at];
            const u64 b0 = args.parts[k][2][at], b1 = args.parts[k][3][at];
            add_product(d0, a0, b0);
            add_product(d1, a0, b1);
            add_product(d1, a1, b0);
            add_product(d2, a1, b1);
            keep_small(m, d0), keep_small(m, d1), keep_small(m, d2);
        }
        args.d0[at] = reduce_wide(m, d0);
        args.d1[at] = reduce_wide(m, d1);
        args.d2[at] = reduce_wide(m, d2);
    }
}

// (d0, d1) = sum of (a0, a1)·b0.
KERNEL(plain_products, TensorSum, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y();
        const u64 at = (u64)limb * args.degree + block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        Wide d0 = {0, 0}, d1 = {0, 0};
        if (args.accumulate) d0.low = args.d0[at], d1.low = args.d1[at];
        for (u32 k = 0; k < args.pairs; ++k) {
            const u64 b = args.parts[k][2][at];
            add_product(d0, args.parts[k][0][at], b);
            add_product(d1, args.parts[k][1][at], b);
            keep_small(m, d0), keep_small(m, d1);
        }
        args.d0[at] = reduce_wide(m, d0);
        args.d1[at] = reduce_wide(m, d1);
    }
}
