// Operations on the words of limbs, one word a thread: grid (N / threads, limbs).
#include "modular.cuh"

struct Elementwise {
    const Modulus* moduli;
    u64* out;
    const u64* a;
    const u64* b;
    u32 degree;
    Limbs limbs;
};

#define ELEMENTWISE(name, expression) \
    KERNEL(name, Elementwise, args) { \
        FOR_THREADS(t) { \
            const u32 limb = block_y(); \
            const u64 at = (u64)limb * args.degree + block_x() * block_threads() + t; \
            const Modulus& m = args.moduli[args.limbs.modulus[limb]]; \
            args.out[at] = expression; \
        } \
    }

ELEMENTWISE(add, add_mod(m, args.a[at], args.b[at]))
ELEMENTWISE(subtract, sub_mod(m, args.a[at], args.b[at]))
ELEMENTWISE(multiply, mul_mod(m, args.a[at], args.b[at]))
ELEMENTWISE(reduce, reduce_word(m, args.a[at]))
ELEMENTWISE(negate, neg_mod(m, args.a[at]))
ELEMENTWISE(set_zero, ((void)m, (u64)0))
