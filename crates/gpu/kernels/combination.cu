// Linear combinations of polynomials by integers of Z[i]: out[r] = sum_k rows[r][k]·inputs[k].
//
// Grid (groups of rows, N / (threads·passes), limbs): blocks that run side by side read the same words of the inputs, which
// are then in the second-level cache. A block first reduces the constants of its rows modulo the limb's modulus.
#include "sums.cuh"

static const u32 FEW_WORDS = 384;
static const u32 MAX_INPUTS = 256;

struct Combination {
    const Modulus* moduli;
    // The words of `few`, where there are more: addresses of inputs, addresses of outputs, constants row by row.
    const u64* many;
    u64 few[FEW_WORDS];
    u32 inputs;
    u32 rows;
    // Words that a thread takes.
    u32 passes;
    // Whether to add to what the outputs are.
    u32 accumulate;
    u32 degree;
    Limbs limbs;
};

template <u32 GROUP, class Sum>
DEVICE void combine(const Combination& args, const Modulus& m, const u64* words, const u64* factors, u64 at) {
    Sum sums[GROUP] = {};
    for (u32 k = 0; k < args.inputs; ++k) {
        const u64 x = ((const u64*)words[k])[at];
#pragma unroll
        for (u32 row = 0; row < GROUP; ++row) add_constant_product(m, sums[row], x, factors[k * GROUP + row]);
    }
    const u32 first = block_x() * GROUP;
#pragma unroll
    for (u32 row = 0; row < GROUP; ++row) {
        if (first + row < args.rows) {
            u64* out = (u64*)words[args.inputs + first + row];
            Wide sum = total(sums[row]);
            if (args.accumulate) add_word(sum, out[at]);
            out[at] = reduce_wide(m, sum);
        }
    }
}

// Inputs may be residues modulo a multiple of a limb's modulus, where both are below 2^50.
#define LINEAR_COMBINATIONS(name, GROUP) \
    KERNEL(name, Combination, args) { \
        SHARED(u64, factors, GROUP * MAX_INPUTS); \
        const u32 limb = block_z(), start = block_y() * block_threads() * args.passes; \
        const Modulus& m = args.moduli[args.limbs.modulus[limb]]; \
        const u64* words = args.many ? args.many : args.few; \
        FOR_THREADS(t) { \
            const u64* constants = words + args.inputs + args.rows; \
            for (u32 i = t; i < GROUP * args.inputs; i += block_threads()) { \
                const u32 k = i / GROUP, row = block_x() * GROUP + i % GROUP; \
                const u64* constant = constants + CONSTANT_WORDS * ((u64)row * args.inputs + k); \
                factors[i] = row < args.rows ? constant_factor(m, constant, start >= args.degree / 2) : 0; \
            } \
        } \
        SYNCHRONIZE(); \
        FOR_THREADS(t) { \
            for (u32 pass = 0; pass < args.passes; ++pass) { \
                const u64 at = (u64)limb * args.degree + start + pass * block_threads() + t; \
                if (is_narrow(m)) \
                    combine<GROUP, NarrowSum>(args, m, words, factors, at); \
                else \
                    combine<GROUP, WideSum>(args, m, words, factors, at); \
            } \
        } \
    }

LINEAR_COMBINATIONS(linear_combinations_1, 1)
LINEAR_COMBINATIONS(linear_combinations_4, 4)
LINEAR_COMBINATIONS(linear_combinations_8, 8)
