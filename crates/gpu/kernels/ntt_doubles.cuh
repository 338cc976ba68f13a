// The arithmetic of transforms modulo numbers below 2^50, in doubles: the formulas and proofs of `kernels/ntt/doubles.rs`
// in crate `cryptable-ring`.
//
// Elements are integers of magnitude at most 4q < 2^52. A product with a twiddle w, |w| <= q/2, is `h + l` exactly, h its
// rounding; its quotient c is h·(1/q), rounded to an integer by adding and subtracting 1.5·2^52; the result
// `(h - c·q) + l` is below 2^53 throughout, so exact. For an element within a·q it is within (1/2 + a/8)·q: the error of
// the quotient is half a unit in the last place of each of h, 1/q and the product, of numbers below a·2^49, and rounding
// adds 1/2.
//
// Levels come in pairs. Forward, before each pair, what is the first of its butterfly at both levels is reduced, to q/2: from
// B·q, sums of the first level are within 1 + B/8 where an operand was reduced, A = 9B/8 + 1/2 elsewhere, and those of the second
// within 3/2 + B/8 + A/8 = 1.5625 + 0.2657·B. A level that has no partner reduces nothing. Backward, the sums of
// the first level of a pair are reduced: from 2q, which makes sums of 4q, both are within q afterwards, and within 2q after the
// second level. `ntt::tests::ranges_hold` follows these bounds through all passes.
#pragma once
#include "tables.cuh"

struct Doubles {
    typedef double Element;
    typedef double Twiddle;
    // Words of a twiddle in the tables.
    static const u32 TWIDDLE_WORDS = 1;

    double q, reciprocal;
    u64 word;

    DEVICE_METHOD static bool takes(u64 q, u64 bound) { return q < bound; }

    DEVICE_METHOD explicit Doubles(const Modulus& m) : q(of_word(m.value)), reciprocal(m.reciprocal), word(m.value) {}

    // Rounds to integers when added and subtracted, for magnitudes up to 2^51.
    static constexpr double ROUNDER = 6755399441055744.0;

    // A word below 2^52, by the bits of 2^52 + word.
    DEVICE_METHOD static double of_word(u64 word) {
        return double_sum(bits_double(word | 0x4330000000000000), -4503599627370496.0);
    }

    DEVICE_METHOD static Twiddle twiddle(const u64* table, u32 index) { return bits_double(constant_word(table + index)); }

    DEVICE_METHOD static Element from_memory(u64 word) { return bits_double(word); }
    DEVICE_METHOD static u64 to_memory(Element x) { return double_bits(x); }
    DEVICE_METHOD static Element enter(u64 word) { return of_word(word); }

    DEVICE_METHOD double product(double x, double w) const {
        const double high = double_product(x, w);
        const double quotient = double_sum(double_fma(high, reciprocal, ROUNDER), -ROUNDER);
        const double low = double_fma(x, w, -high);
        return double_sum(double_fma(-quotient, q, high), low);
    }

    // Within q/2, for magnitudes up to 4q.
    DEVICE_METHOD double reduce(double x) const {
        const double quotient = double_sum(double_fma(x, reciprocal, ROUNDER), -ROUNDER);
        return double_fma(-quotient, q, x);
    }

    // Whether a forward level is the first of a pair, and x[index] the first of its butterfly at both levels.
    DEVICE_METHOD static constexpr bool is_reduced(u32 log_radix, u32 level, u32 index) {
        return level % 2 == 0 && level + 2 <= log_radix && (index >> (log_radix - level - 2) & 3) == 0;
    }

    template <u32 LOG, u32 LEVEL>
    DEVICE_METHOD void before_level(Element (&x)[1 << LOG]) const {
#pragma unroll
        for (u32 i = 0; i < 1 << LOG; ++i)
            if (is_reduced(LOG, LEVEL, i)) x[i] = reduce(x[i]);
    }

    DEVICE_METHOD void butterfly(Element& u, Element& v, Twiddle w) const {
        const double p = product(v, w);
        v = double_sum(u, -p);
        u = double_sum(u, p);
    }

    // The first level of a row: both operands are multiplied.
    DEVICE_METHOD void scaled_butterfly(Element& u, Element& v, Twiddle w_u, Twiddle w_v) const {
        u = product(u, w_u);
        butterfly(u, v, w_v);
    }

    // Before the last pair of levels: what all results of the pair have once goes down by (q - 1)/2.
    template <u32 LOG>
    DEVICE_METHOD void before_leave(Element (&x)[1 << LOG]) const {
        const double half = of_word((word - 1) / 2);
#pragma unroll
        for (u32 i = 0; i < 1 << LOG; ++i)
            if (is_reduced(LOG, LOG - 2, i)) x[i] = double_sum(x[i], -half);
    }

    // The residue of x + (q - 1)/2, for |x| <= 3.2·q. The integer nearest to x/q is the one that leads to [0, q), and it is
    // found exactly: x/q is 1/(2q) or more from every half of an odd integer, and its computed argument off by
    // |x/q|·2^-53 < 1/(2q). With `multiple` taken off it the remainder is above 2^52, where bits count integers.
    DEVICE_METHOD u64 leave(Element x) const {
        const u64 half = (word - 1) / 2;
        // An integer, by one or two above 2^52/q: q times it is at least 2^52 + q/2, and below 2^53.
        const double multiple = double_sum(double_sum(double_fma(4503599627370496.0, reciprocal, 1.5), ROUNDER), -ROUNDER);
        const double quotient = double_sum(double_fma(x, reciprocal, ROUNDER), -double_sum(ROUNDER, multiple));
        const double rest = double_fma(-quotient, q, x);
        return double_bits(rest) - double_bits(double_product(multiple, q)) + half;
    }

    DEVICE_METHOD void inverse_butterfly(Element& u, Element& v, Twiddle w) const {
        const double difference = double_sum(v, -u);
        u = double_sum(u, v);
        v = product(difference, w);
    }

    // The last level of a row: both results are multiplied.
    DEVICE_METHOD void scaled_inverse_butterfly(Element& u, Element& v, Twiddle w_u, Twiddle w_v) const {
        inverse_butterfly(u, v, w_v);
        u = product(u, w_u);
    }

    template <u32 LOG, u32 LEVEL>
    DEVICE_METHOD void after_level(Element (&x)[1 << LOG]) const {
#pragma unroll
        for (u32 i = 0; i < 1 << LOG; ++i)
            if (LEVEL % 2 == 0 && (i >> LEVEL & 1) == 0) x[i] = reduce(x[i]);
    }

    // A residue as the nearest to zero.
    typedef double Factor;
    DEVICE_METHOD Factor factor(u64 residue) const {
        const double x = of_word(residue);
        return residue > word / 2 ? double_sum(x, -q) : x;
    }

    // x·factor in [0, q), for |x| <= 4q: the product is within q.
    DEVICE_METHOD u64 leave_scaled(const Modulus&, Element x, Factor factor) const {
        const u64 bits = double_bits(double_sum(product(x, factor), ROUNDER)) - double_bits(ROUNDER);
        return bits + ((i64)bits < 0 ? word : 0);
    }
};
