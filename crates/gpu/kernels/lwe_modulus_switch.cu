// Changes of the modulus of LWE ciphertexts of a batch, with what they come from: sums of inputs of gates, coefficients
// of rotated accumulators. Grid: one block of 256 threads a ciphertext.
#include "fraction.cuh"

// `Scale` of the crate `lattice`: word·to/from in units of 2^-32, to below 2^31.
struct Scale {
    u64 reciprocal;
    u64 modulus;
    // The scale's shift less 32.
    u32 shift;
    // Whether the mean of roundings is taken back in the body: of binary secrets.
    u32 compensated;
};

struct GateInputs {
    const u32* a;
    // None: a alone.
    const u32* b;
    u32* out;
    Scale scale;
    u32 stride;
    u32 out_stride;
    u32 dimension;
    // A modulus that is a power of two, less 1.
    u32 mask;
    u32 factor;
    u32 constant;
    // Results are multiplied by this power of two.
    u32 shift;
    u32 padding;
};

struct Extraction {
    // Residues, body and mask, N each; or LWE ciphertexts of dimension N, if so.
    const u64* source;
    u32* out;
    u64 modulus;
    Scale scale;
    u32 degree;
    u32 position;
    u32 out_stride;
    u32 is_lwe;
};

static const u32 SWITCH_THREADS = 256;
static const u64 HALF = 1ull << 31;

DEVICE u64 apply(const Scale& scale, u64 word) {
    const Wide product = wide_product(word, scale.reciprocal);
    if (scale.shift >= 64) return product.high >> (scale.shift - 64);
    return product.low >> scale.shift | product.high << (64 - scale.shift);
}

// A word of a mask; adds what rounding adds to the excess.
DEVICE u32 switch_word(const Scale& scale, u64 word, i64& excess) {
    const u64 exact = apply(scale, word), rounded = (exact + HALF) >> 32;
    excess += (i64)((rounded << 32) - exact);
    return (u32)(rounded >= scale.modulus ? rounded - scale.modulus : rounded);
}

DEVICE u32 switch_body(const Scale& scale, u64 word, i64 excess) {
    const i64 body = (i64)apply(scale, word) - (scale.compensated ? excess / 2 : 0);
    const i64 modulus = (i64)scale.modulus, rounded = (body + (i64)HALF) >> 32, rest = rounded % modulus;
    return (u32)(rest < 0 ? rest + modulus : rest);
}

// A word of the sum of a gate's inputs, before its constant.
DEVICE u32 gate_word(const GateInputs& args, u32 index) {
    const u64 at = (u64)block_x() * args.stride + index;
    return args.factor * (args.a[at] + (args.b ? args.b[at] : 0)) & args.mask;
}

// A word of the mask of LWE of one coefficient of the phase.
DEVICE u64 extracted_word(const Extraction& args, u32 index) {
    if (args.is_lwe) return args.source[(u64)block_x() * (args.degree + 1) + index];
    const u64* mask = args.source + (u64)block_x() * 2 * args.degree + args.degree;
    if (index <= args.position) return mask[args.position - index];
    const u64 word = mask[args.degree + args.position - index];
    return word == 0 ? 0 : args.modulus - word;
}

// The sum of all threads' parts, in the first. A phase for each halving.
#define SUM_PARTS(parts) \
    for (u32 half = SWITCH_THREADS / 2; half > 0; half /= 2) { \
        FOR_THREADS(t) { \
            if (t < half) parts[t] += parts[t + half]; \
        } \
        SYNCHRONIZE(); \
    }

KERNEL(switch_gate_inputs, GateInputs, args) {
    SHARED(i64, parts, SWITCH_THREADS);
    u32* const out = args.out + (u64)block_x() * args.out_stride;
    FOR_THREADS(t) {
        i64 excess = 0;
        for (u32 i = t; i < args.dimension; i += SWITCH_THREADS) {
            out[i] = switch_word(args.scale, gate_word(args, i), excess) << args.shift;
        }
        parts[t] = excess;
    }
    SYNCHRONIZE();
    SUM_PARTS(parts)
    FOR_THREADS(t) {
        if (t == 0) {
            const u32 body = (gate_word(args, args.dimension) + args.constant) & args.mask;
            out[args.dimension] = switch_body(args.scale, body, parts[0]) << args.shift;
        }
    }
}

KERNEL(extract_and_switch, Extraction, args) {
    SHARED(i64, parts, SWITCH_THREADS);
    u32* const out = args.out + (u64)block_x() * args.out_stride;
    FOR_THREADS(t) {
        i64 excess = 0;
        for (u32 i = t; i < args.degree; i += SWITCH_THREADS) {
            out[i] = switch_word(args.scale, extracted_word(args, i), excess);
        }
        parts[t] = excess;
    }
    SYNCHRONIZE();
    SUM_PARTS(parts)
    FOR_THREADS(t) {
        if (t == 0) {
            const u64 body = args.is_lwe ? args.source[(u64)block_x() * (args.degree + 1) + args.degree]
                                         : args.source[(u64)block_x() * 2 * args.degree + args.position];
            out[args.degree] = switch_body(args.scale, body, parts[0]);
        }
    }
}

struct ExtractLwe {
    // Residues, body and mask, N each.
    const u64* source;
    u64* out;
    u64 modulus;
    u32 degree;
    // Output k is coefficient k·2^shift.
    u32 shift;
    u32 outputs;
    u32 padding;
};

// LWE ciphertexts of coefficients, N + 1 words each. Grid: (words / 256, coefficients, ciphertexts).
KERNEL(extract_lwe, ExtractLwe, args) {
    FOR_THREADS(t) {
        const u32 index = block_x() * SWITCH_THREADS + t, position = block_y() << args.shift, N = args.degree;
        const u64* const source = args.source + (u64)block_z() * 2 * N;
        u64* const out = args.out + ((u64)block_z() * args.outputs + block_y()) * (N + 1);
        if (index == N) {
            out[N] = source[position];
        } else if (index <= position) {
            out[index] = source[N + position - index];
        } else if (index < N) {
            const u64 word = source[2 * N + position - index];
            out[index] = word == 0 ? 0 : args.modulus - word;
        }
    }
}
