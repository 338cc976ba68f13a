// Sums of products of words with words and with constants, reduced once.
#pragma once
#include "modular.cuh"

// Products of words below 2^50 may be added up to 2^28 at a time. Greater moduli, which are rare, have sums reduced after
// every product, or two: they are below 2^62, and sums below 2^126.
DEVICE bool is_narrow(const Modulus& m) { return m.value >> 50 == 0; }

DEVICE void keep_small(const Modulus& m, Wide& sum) {
    if (!is_narrow(m)) sum = {reduce_wide(m, sum), 0};
}

static const u32 PIECE_BITS = 25;

// An integer of Z[i]: words that Rust's `GaussianInteger` has, two's complement.
static const u32 CONSTANT_WORDS = 5;

DEVICE u64 reduce_signed(const Modulus& m, u64 low, u64 high) {
    const bool is_negative = high >> 63;
    if (is_negative) {
        high = ~high + (low == 0);
        low = 0 - low;
    }
    const u64 residue = reduce_wide(m, {low, high});
    return is_negative ? neg_mod(m, residue) : residue;
}

// 2^exponent.
DEVICE u64 power_of_two(const Modulus& m, u32 exponent) {
    u64 power = 1, square = 2;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) power = mul_mod(m, power, square);
        square = mul_mod(m, square, square);
    }
    return power;
}

// What a constant (re + i·im)·2^shift multiplies evaluations of the first half by, or of the second, as `add_constant_product`
// takes it: where the modulus is narrow, in two pieces.
DEVICE u64 constant_factor(const Modulus& m, const u64* constant, bool is_second) {
    const u64 re = reduce_signed(m, constant[0], constant[1]), im = reduce_signed(m, constant[2], constant[3]);
    const u64 rotated = mul_mod(m, im, m.imaginary_unit);
    u64 factor = is_second ? sub_mod(m, re, rotated) : add_mod(m, re, rotated);
    if (constant[4] > 0) factor = mul_mod(m, factor, power_of_two(m, (u32)constant[4]));
    if (!is_narrow(m)) return factor;
    return (factor >> PIECE_BITS) << 32 | (factor & ((1u << PIECE_BITS) - 1));
}

// A sum of products of words below 2^50, in pieces of 25 bits: four multiplications with a sum of 64 bits for a product,
// and no carries. The middle of 2^12 products stays below 2^63.
struct NarrowSum {
    u64 low, middle, high;
};

struct WideSum {
    Wide sum;
};

DEVICE void add_constant_product(const Modulus&, NarrowSum& sum, u64 x, u64 factor) {
    const u32 x_low = (u32)x & ((1u << PIECE_BITS) - 1), x_high = (u32)(x >> PIECE_BITS);
    const u32 f_low = (u32)factor, f_high = (u32)(factor >> 32);
    sum.low += (u64)x_low * f_low;
    sum.middle += (u64)x_low * f_high;
    sum.middle += (u64)x_high * f_low;
    sum.high += (u64)x_high * f_high;
}

DEVICE void add_constant_product(const Modulus& m, WideSum& sum, u64 x, u64 factor) {
    add_product(sum.sum, x, factor);
    keep_small(m, sum.sum);
}

DEVICE Wide total(const NarrowSum& sum) {
    Wide out = {sum.low, 0};
    add_word(out, sum.middle << PIECE_BITS);
    add_word(out, sum.high << 2 * PIECE_BITS);
    out.high += (sum.middle >> (64 - PIECE_BITS)) + (sum.high >> (64 - 2 * PIECE_BITS));
    return out;
}

DEVICE Wide total(const WideSum& sum) { return sum.sum; }
