// Torus fractions of 52 bits: `torus` of the crate `ring`. Bits of a word above the fraction are arbitrary.
#pragma once
#include "modular.cuh"

// A prime with floor(2^116/q) in two words.
struct FractionModulus {
    u64 value;
    u64 whole, part;
};

// The fraction of a residue, its 52 bits rounded to nearest.
DEVICE u64 fraction_of_residue(const FractionModulus& m, u64 v) {
    Wide low = wide_product(v, m.part);
    add_word(low, 1ull << 63);
    return v * m.whole + low.high;
}

// The residue of a fraction, rounded to nearest.
DEVICE u64 residue_of_fraction(const FractionModulus& m, u64 fraction) {
    Wide product = wide_product(fraction << 12, m.value);
    add_word(product, 1ull << 63);
    return product.high == m.value ? 0 : product.high;
}
