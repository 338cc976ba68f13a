// Products of digits with rows of keys, added to fractions: `digit_product` of the crate `ring`.
#pragma once
#include "fourier.cuh"
#include "fraction.cuh"

// Coefficient p of source·X^exponent: its place in the source, and N if its sign changes.
DEVICE u32 rotated_place(u32 p, u32 exponent, u32 degree) { return (p + 2 * degree - exponent) & (2 * degree - 1); }

// A polynomial of fractions times X^exponent - 1.
struct RotationDifference {
    const u64* source;
    u32 exponent;
    u32 degree;

    DEVICE_MEMBER u64 at(u32 p) const {
        const u32 from = rotated_place(p, exponent, degree);
        const u64 moved = source[from & (degree - 1)];
        return ((from & degree) ? 0 - moved : moved) - source[p];
    }
};

// The digits of a polynomial of fractions, after the first pass of their transforms: those of one column of 64.
template <u32 F, typename Source>
DEVICE void decompose(const Source& source, const Complex* twiddles, Complex* points, const Decomposition& digits,
                      u32 column) {
    const u32 M = 64 * F;
    u64 biased[2 * F];
    UNROLL for (u32 k = 0; k < 2 * F; ++k) biased[k] = digits.bias[k & 1] + source.at(64 * k + column);
    const u64 mask = (1ull << digits.base_log2) - 1;
    for (u32 digit = 0; digit < digits.length; ++digit) {
        const u32 shift = 52 - digits.base_log2 * (digits.length - digit);
        Complex x[F];
        UNROLL for (u32 k = 0; k < F; ++k) {
            const double offset = digits.offset[k & 1];
            const u64 one = 0x4330000000000000ull;
            x[k].re = double_sum(bits_double((biased[k] >> shift & mask) | one), -offset);
            x[k].im = double_sum(bits_double((biased[k + F] >> shift & mask) | one), -offset);
        }
        first_pass<F>(x, twiddles);
        UNROLL for (u32 k = 0; k < F; ++k) points[digit * M + place_of(64 * k + column)] = x[k];
    }
}

// The last pass of all rows' transforms in a sub-block, the products with the key, and the first pass of the inverse
// transforms of both sums, which take the place of the first two rows.
template <u32 F>
DEVICE void multiply(const Complex* twiddles, Complex* points, const Complex* key, u32 rows, u32 item) {
    const u32 M = 64 * F;
    Complex w[4], sums[2][8];
    last_twiddles<F>(w, twiddles, item);
    UNROLL for (u32 i = 0; i < 8; ++i) sums[0][i] = sums[1][i] = {0.0, 0.0};
    for (u32 row = 0; row < rows; ++row) {
        Complex x[8];
        UNROLL for (u32 i = 0; i < 8; ++i) x[i] = points[row * M + place_of(8 * item + i)];
        group<3>(x, 1, w);
        UNROLL for (u32 part = 0; part < 2; ++part) {
            UNROLL for (u32 i = 0; i < 8; ++i) {
                const Complex k = key[(2 * row + part) * M + i * 8 * F + item];
                Complex& sum = sums[part][i];
                sum.re = double_fma(-x[i].im, k.im, double_fma(x[i].re, k.re, sum.re));
                sum.im = double_fma(x[i].im, k.re, double_fma(x[i].re, k.im, sum.im));
            }
        }
    }
    UNROLL for (u32 part = 0; part < 2; ++part) {
        inverse_group<3>(sums[part], 1, w);
        UNROLL for (u32 i = 0; i < 8; ++i) points[part * M + place_of(8 * item + i)] = sums[part][i];
    }
}

// The last pass of an inverse transform, added to fractions.
template <u32 F>
DEVICE void accumulate(const Complex* twiddles, u64* fractions, const Complex* points, u32 column) {
    Complex x[F];
    UNROLL for (u32 k = 0; k < F; ++k) x[k] = points[place_of(64 * k + column)];
    inverse_first_pass<F>(x, twiddles);
    UNROLL for (u32 k = 0; k < F; ++k) {
        fractions[64 * k + column] += fraction_of(x[k].re);
        fractions[64 * (k + F) + column] += fraction_of(x[k].im);
    }
}

// The rest of a gadget product after `decompose`, by a block of 8F threads for one polynomial: `fractions` is body and mask.
// There is room for two rows at least. Begins and ends with a barrier.
template <u32 F>
DEVICE void finish_product(const Complex* twiddles, u64* fractions, Complex* points, const Complex* key, u32 rows) {
    const u32 M = 64 * F, N = 2 * M;
    SYNCHRONIZE();
    FOR_THREADS(t) {
        Complex w[4];
        node_twiddles<3>(w, twiddles, F + t / 8);
        for (u32 row = 0; row < rows; ++row) second_pass<F, false>(points + row * M, w, t);
    }
    SYNCHRONIZE();
    FOR_THREADS(t) { multiply<F>(twiddles, points, key, rows, t); }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        Complex w[4];
        node_twiddles<3>(w, twiddles, F + t / 8);
        for (u32 part = 0; part < 2; ++part) second_pass<F, true>(points + part * M, w, t);
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        for (u32 item = t; item < 128; item += 8 * F) {
            const u32 part = item / 64;
            accumulate<F>(twiddles, fractions + part * N, points + part * M, item % 64);
        }
    }
    SYNCHRONIZE();
}
