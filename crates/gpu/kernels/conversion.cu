// Limbs of one set of moduli to those of another: grid (N / CONVERTED, groups of targets, parts).
//
// A part is a conversion of its own, from its sources to all targets but a range: the digits of a polynomial, which are
// raised to all limbs but their own, or the two polynomials of a ciphertext.
#include "conversion.cuh"

static const u32 MAX_PARTS = 24;

struct ConversionPart {
    // The words y_i, limb after limb.
    const u64* from;
    // The first target's limb.
    u64* to;
    // [modulus][source], and the overflow's factor after the sources'.
    const u64* factors;
    const double* reciprocals;
    // The modulus of the first source.
    u64 first_modulus;
    u32 sources;
    // Targets that are left out.
    u32 own_start, own_end, unused;
};

struct Conversion {
    const Modulus* moduli;
    u32 degree;
    // Targets of one group.
    u32 group;
    Limbs targets;
    ConversionPart parts[MAX_PARTS];
};

KERNEL(convert_base, Conversion, args) {
    SHARED(u64, ys, CONVERTED * (MAX_SOURCES + 1));
    FOR_THREADS(t) {
        const ConversionPart& part = args.parts[block_z()];
        const u64 at = block_x() * block_threads() + t;
        u64* own = ys + t;
        for (u32 i = 0; i < part.sources; ++i) own[i * CONVERTED] = part.from[(u64)i * args.degree + at];
        own[part.sources * CONVERTED] =
            conversion_overflow(own, part.sources, part.reciprocals, part.first_modulus);
        const u32 start = block_y() * args.group;
        const u32 end = start + args.group < args.targets.count ? start + args.group : args.targets.count;
        for (u32 target = start; target < end; ++target) {
            if (target >= part.own_start && target < part.own_end) continue;
            const u32 modulus = args.targets.modulus[target];
            const Modulus& m = args.moduli[modulus];
            const u64* factors = part.factors + modulus * (part.sources + 1);
            part.to[(u64)target * args.degree + at] = converted_word(m, own, part.sources, factors);
        }
    }
}
