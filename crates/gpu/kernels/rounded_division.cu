// The last step of a rounded division: grid (N / threads, limbs, polynomials).
#include "modular.cuh"

struct FinishDivision {
    const Modulus* moduli;
    const u64* dividends[2];
    // Evaluations of the remainder, which become the quotient.
    u64* remainders[2];
    // 1/D modulo every limb that is kept.
    u64 inverses[MAX_LIMBS];
    u32 degree;
    // The limb of which only the first prime is kept, if there is one: its dividend is not reduced yet.
    u32 split_limb;
    Limbs limbs;
};

KERNEL(finish_division, FinishDivision, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y(), part = block_z();
        const u64 at = (u64)limb * args.degree + block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        u64 dividend = args.dividends[part][at];
        if (limb == args.split_limb) dividend = reduce_word(m, dividend);
        u64* out = args.remainders[part] + at;
        *out = mul_mod(m, sub_mod(m, dividend, *out), args.inverses[limb]);
    }
}
