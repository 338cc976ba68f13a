// Base conversion between residue number systems (crates/ring/src/base_conversion.rs), with the same roundings.
#pragma once
#include "modular.cuh"

// Coefficients that a block converts, and the most source limbs: what it keeps of them takes 32 KiB of shared memory.
static const u32 CONVERTED = 128;
static const u32 MAX_SOURCES = 31;

// round(Σ y_i/q_i) of the words that a thread keeps, `CONVERTED` apart: products and sums are rounded one by one, and in
// this order, on every processor. Of one source, what makes the residue of least absolute value, exactly.
DEVICE u64 conversion_overflow(const u64* ys, u32 sources, const double* reciprocals, u64 first_modulus) {
    if (sources == 1) return ys[0] > first_modulus / 2;
    double sum = 0;
    for (u32 i = 0; i < sources; ++i)
        sum = double_sum(sum, double_product((double)(i64)ys[i * CONVERTED], reciprocals[i]));
    return (u64)(i64)double_sum(sum, 0.5);
}

// Σ y_i·f_i + v·f_k modulo m, with k factors for k sources and one for the overflow v = ys[k].
DEVICE u64 converted_word(const Modulus& m, const u64* ys, u32 sources, const u64* factors) {
    Wide sum = {0, 0};
    for (u32 i = 0; i <= sources; ++i) add_product(sum, ys[i * CONVERTED], factors[i]);
    return reduce_wide(m, sum);
}
