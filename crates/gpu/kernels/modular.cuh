// Arithmetic modulo an odd number below 2^62, on words in [0, q).
#pragma once
#include "kernel.cuh"

// A modulus with its constants; Rust's `ModulusConstants`.
struct Modulus {
    u64 value;
    // floor(2^128/q).
    u64 barrett_low, barrett_high;
    // 1/q.
    double reciprocal;
    // The value of X^(N/2) in the first half of the evaluations.
    u64 imaginary_unit;
};

// A number of two words.
struct Wide {
    u64 low, high;
};

DEVICE Wide wide_product(u64 a, u64 b) { return {a * b, high_product(a, b)}; }

// sum + a·b; the sum stays below 2^128.
DEVICE void add_product(Wide& sum, u64 a, u64 b) {
#ifdef __CUDACC__
    asm("mad.lo.cc.u64 %0, %2, %3, %0;\n\tmadc.hi.u64 %1, %2, %3, %1;" : "+l"(sum.low), "+l"(sum.high) : "l"(a), "l"(b));
#else
    unsigned __int128 total = ((unsigned __int128)sum.high << 64) + sum.low + (unsigned __int128)a * b;
    sum = {(u64)total, (u64)(total >> 64)};
#endif
}

DEVICE void add_word(Wide& sum, u64 a) {
    sum.low += a;
    sum.high += sum.low < a;
}

DEVICE u64 subtract_once(u64 x, u64 q) { return x >= q ? x - q : x; }

// floor(x/q) modulo 2^64, or up to 2 less, for any x below 2^128.
DEVICE u64 lower_quotient(const Modulus& m, Wide x) {
    u64 a_low = x.high * m.barrett_low, a_high = high_product(x.high, m.barrett_low);
    u64 b_low = x.low * m.barrett_high, b_high = high_product(x.low, m.barrett_high);
    u64 c_high = high_product(x.low, m.barrett_low);
    u64 sum = a_low + b_low;
    u64 carry = sum < a_low;
    sum += c_high;
    carry += sum < c_high;
    return x.high * m.barrett_high + a_high + b_high + carry;
}

// x modulo q, for any x below 2^128.
DEVICE u64 reduce_wide(const Modulus& m, Wide x) {
    u64 rest = x.low - lower_quotient(m, x) * m.value;
    return subtract_once(subtract_once(rest, m.value), m.value);
}

DEVICE u64 reduce_word(const Modulus& m, u64 x) {
    u64 rest = x - high_product(x, m.barrett_high) * m.value;
    return subtract_once(subtract_once(rest, m.value), m.value);
}

DEVICE u64 mul_mod(const Modulus& m, u64 a, u64 b) { return reduce_wide(m, wide_product(a, b)); }
DEVICE u64 add_mod(const Modulus& m, u64 a, u64 b) { return subtract_once(a + b, m.value); }
DEVICE u64 sub_mod(const Modulus& m, u64 a, u64 b) { return a >= b ? a - b : a + m.value - b; }
DEVICE u64 neg_mod(const Modulus& m, u64 a) { return a == 0 ? 0 : m.value - a; }

// a·c modulo q in [0, 2q), for any word a, with quotient = floor(c·2^64/q): Shoup's product.
DEVICE u64 shoup_lazy(u64 q, u64 a, u64 c, u64 quotient) { return a * c - high_product(a, quotient) * q; }
