// Words modulo a power of two to residues modulo a limb's modulus and back, and residues to other moduli, one word a thread:
// grid (N / threads, limbs).
#include "modular.cuh"

struct ModulusSwitch {
    const Modulus* moduli;
    u64* out;
    const u64* input;
    u32 degree;
    // log2 of the power of two.
    u32 bits;
    // The number of the input's modulus.
    u32 source;
    Limbs limbs;
};

// round(q·x / 2^bits) modulo q for words x below 2^bits, bits at most 62.
KERNEL(from_power_of_two, ModulusSwitch, args) {
    FOR_THREADS(t) {
        const u32 at = block_x() * block_threads() + t;
        const u64 q = args.moduli[args.source].value;
        Wide product = wide_product(args.input[at], q);
        u64 rounded = product.low;
        if (args.bits > 0) {
            add_word(product, 1ull << (args.bits - 1));
            rounded = product.low >> args.bits | product.high << (64 - args.bits);
        }
        args.out[at] = rounded == q ? 0 : rounded;
    }
}

// round(2^bits·x / q) modulo 2^bits for residues x modulo q, bits at most 62.
KERNEL(to_power_of_two, ModulusSwitch, args) {
    FOR_THREADS(t) {
        const u32 at = block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.source];
        const u64 x = args.input[at];
        Wide shifted = {x << args.bits, args.bits > 0 ? x >> (64 - args.bits) : 0};
        add_word(shifted, m.value / 2);
        u64 quotient = lower_quotient(m, shifted);
        u64 rest = shifted.low - quotient * m.value;
        for (u32 k = 0; k < 2; ++k) {
            if (rest >= m.value) {
                rest -= m.value;
                ++quotient;
            }
        }
        args.out[at] = quotient & ((1ull << args.bits) - 1);
    }
}

// Residues of one limb, read as integers in [-(q-1)/2, (q-1)/2], modulo every limb of the output.
KERNEL(lift_centered, ModulusSwitch, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y(), word = block_x() * block_threads() + t;
        const u64 q = args.moduli[args.source].value, x = args.input[word];
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        const u64 lifted = x > q / 2 ? neg_mod(m, reduce_word(m, q - x)) : reduce_word(m, x);
        args.out[(u64)limb * args.degree + word] = lifted;
    }
}
