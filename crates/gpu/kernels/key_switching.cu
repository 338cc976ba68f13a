// The inner product of a polynomial's digits with switching keys, and what follows it at once
// (crates/lattice/src/key_switching.rs): grid (N / threads, limbs, 1).
#include "automorphism.cuh"
#include "modular.cuh"

// Keys of one launch, and digits of a polynomial, at most.
static const u32 MAX_KEYS = 32;
static const u32 MAX_DIGITS = 24;
static const u32 KEY_THREADS = 128;

// One key: bodies and masks, [digit][limb][coefficient], limbs those of the key's own basis.
struct KeyRows {
    const u64* b;
    const u64* a;
    // Where the two sums go, [limb][coefficient].
    u64* out0;
    u64* out1;
    // Results are images under an automorphism X -> X^element: its inverse says where a word goes. 1 leaves them.
    u32 inverse_element;
    // Whether sums are added to what is in the outputs.
    u32 adds;
};

struct KeySwitching {
    const Modulus* moduli;
    // [digit][limb][coefficient], but for a digit's own limbs.
    const u64* digits;
    // The polynomial itself: its limbs are those of the digits that own them. Null where no digit owns any.
    const u64* own;
    // Added to the first and to the second sum, times `factors`: limbs of the polynomial's moduli only, if they stop there.
    const u64* add0;
    const u64* add1;
    u64 factors[MAX_LIMBS];
    u32 degree, log_degree;
    u32 digit_count, digit_limbs;
    u32 main_limbs, key_limbs;
    u32 keys;
    // Limbs from here on are zero in what is added.
    u32 add_limbs;
    Limbs limbs;
    // Which limb of the key each is.
    u16 key_limb[MAX_LIMBS];
    KeyRows rows[MAX_KEYS];
};

// All keys of one thread's coefficient, whose digits it keeps.
KERNEL(multiply_by_keys, KeySwitching, args) {
    SHARED(u64, kept, KEY_THREADS * MAX_DIGITS);
    FOR_THREADS(t) {
        const u32 limb = block_y();
        const u32 i = block_x() * block_threads() + t;
        const u64 at = (u64)limb * args.degree + i;
        const u32 own_digit = args.own && limb < args.main_limbs ? limb / args.digit_limbs : args.digit_count;
        u64* xs = kept + t;
        for (u32 d = 0; d < args.digit_count; ++d)
            xs[d * KEY_THREADS] = d == own_digit ? args.own[at] : args.digits[(u64)d * args.limbs.count * args.degree + at];
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        const u64 stride = (u64)args.key_limbs * args.degree;
        const u64 first = (u64)args.key_limb[limb] * args.degree + i;
        u64 add0 = 0, add1 = 0;
        if (limb < args.add_limbs) {
            if (args.add0) add0 = mul_mod(m, args.add0[at], args.factors[limb]);
            if (args.add1) add1 = mul_mod(m, args.add1[at], args.factors[limb]);
        }
        for (u32 k = 0; k < args.keys; ++k) {
            const KeyRows& row = args.rows[k];
            Wide sum0 = {add0, 0}, sum1 = {add1, 0};
            for (u32 d = 0; d < args.digit_count; ++d) {
                const u64 x = xs[d * KEY_THREADS];
                add_product(sum0, x, row.b[d * stride + first]);
                add_product(sum1, x, row.a[d * stride + first]);
            }
            // A key may still have the second prime of a limb: its residues are right modulo the first, too.
            u64 word0 = reduce_wide(m, sum0), word1 = reduce_wide(m, sum1);
            const u64 to = (u64)limb * args.degree + galois_index(i, row.inverse_element, args.log_degree);
            if (row.adds) {
                word0 = add_mod(m, word0, row.out0[to]);
                word1 = add_mod(m, word1, row.out1[to]);
            }
            row.out0[to] = word0;
            row.out1[to] = word1;
        }
    }
}
