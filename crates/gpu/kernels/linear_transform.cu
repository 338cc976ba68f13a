// Sums of products of baby steps with diagonals, one giant step after the other (crates/ckks/src/linear_transform.rs):
// grid (N / threads, limbs, 1).
#include "modular.cuh"

struct DiagonalRow {
    // [limb][N >> log_run]: one word a run of equal evaluations.
    const u64* words;
    u32 baby, log_run;
};

// Giant steps of a matrix, at most.
static const u32 MAX_GIANTS = 32;

struct DiagonalSums {
    const Modulus* moduli;
    // [baby][part][limb][coefficient].
    const u64* babies;
    const DiagonalRow* diagonals;
    // Where the diagonals of each giant step begin, and at the end their number.
    const u64* starts;
    // The first limbs of both parts of each giant step's sum.
    u64* sums[2 * MAX_GIANTS];
    u32 degree, giants;
    Limbs limbs;
};

KERNEL(multiply_by_diagonals, DiagonalSums, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y();
        const u32 i = block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        const u64 part = (u64)args.limbs.count * args.degree, at = (u64)limb * args.degree + i;
        for (u32 giant = 0; giant < args.giants; ++giant) {
            Wide sum0 = {0, 0}, sum1 = {0, 0};
            for (u64 index = args.starts[giant]; index < args.starts[giant + 1]; ++index) {
                const DiagonalRow& row = args.diagonals[index];
                const u64 factor = row.words[((u64)limb * args.degree + i) >> row.log_run];
                const u64* baby = args.babies + 2 * row.baby * part + at;
                add_product(sum0, baby[0], factor);
                add_product(sum1, baby[part], factor);
            }
            args.sums[2 * giant][at] = reduce_wide(m, sum0);
            args.sums[2 * giant + 1][at] = reduce_wide(m, sum1);
        }
    }
}

struct TimesSpecial {
    const Modulus* moduli;
    const u64* from[2];
    u64* to[2];
    // P modulo every main limb.
    u64 factors[MAX_LIMBS];
    u32 degree, main_limbs;
    Limbs limbs;
};

// P times two polynomials, modulo Q·P: zeros in the special limbs. Grid (N / threads, limbs, 2).
KERNEL(times_special, TimesSpecial, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y(), part = block_z();
        const u64 at = (u64)limb * args.degree + block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        args.to[part][at] = limb < args.main_limbs ? mul_mod(m, args.from[part][at], args.factors[limb]) : 0;
    }
}
