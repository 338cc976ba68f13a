// Operations of the words of limbs with constants, one word a thread: grid (N / threads, limbs).
#include "modular.cuh"

// A constant a limb and half: those of the first N/2 evaluations, and of the others. They come with the arguments, since an
// upload would take longer than the kernel.
struct Constants {
    const Modulus* moduli;
    u64* out;
    const u64* a;
    const u64* b;
    u64 first[MAX_LIMBS];
    u64 second[MAX_LIMBS];
    u32 degree;
    Limbs limbs;
};

#define WITH_CONSTANTS(name, expression) \
    KERNEL(name, Constants, args) { \
        FOR_THREADS(t) { \
            const u32 limb = block_y(), word = block_x() * block_threads() + t; \
            const u64 at = (u64)limb * args.degree + word; \
            const Modulus& m = args.moduli[args.limbs.modulus[limb]]; \
            const u64 constant = word < args.degree / 2 ? args.first[limb] : args.second[limb]; \
            args.out[at] = expression; \
        } \
    }

WITH_CONSTANTS(multiply_constants, mul_mod(m, args.a[at], constant))
WITH_CONSTANTS(add_constants, add_mod(m, args.a[at], constant))
// out = a + constant·b; words of b may be residues modulo a multiple of the modulus.
WITH_CONSTANTS(add_constant_multiple, add_mod(m, args.a[at], mul_mod(m, args.b[at], constant)))
