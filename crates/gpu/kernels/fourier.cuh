// Complex transforms modulo X^M - i over doubles, M = 64·F: what `kernels::digit_product::fourier` of the crate `ring`
// does on vectors of eight lanes, operation by operation, so that results are the same to the bit.
//
// A polynomial of degree 2M is M points: coefficient j + M is the imaginary part of coefficient j. Levels go in three
// passes, of F, 8 and 8 points that one thread has in registers. Nodes are numbered as there: 1 the root of the tree,
// 2k and 2k + 1 the children of k; the twiddle of an odd node is i times that of its even sibling, except where a group
// of up to three levels begins: there it is read.
#pragma once
#include "kernel.cuh"

struct alignas(16) Complex {
    double re, im;
};

// How a polynomial of fractions of 52 bits is decomposed: `FractionDigits` of the crate `ring`. Biases and offsets are for
// plain digits and for mirrored ones, which take turns every 64 coefficients.
struct Decomposition {
    u64 bias[2];
    // 2^52 and half of the base.
    double offset[2];
    u32 base_log2, length;
};

// Points of a polynomial in shared memory: neighbouring threads take points 1, 8 or 64 apart, and never the same banks.
DEVICE u32 place_of(u32 point) { return point ^ (point >> 3 & 7); }

// x·y of a twiddle x.
DEVICE Complex twiddle_product(Complex w, Complex v) {
    return {double_fma(-w.im, v.im, double_product(w.re, v.re)), double_fma(w.im, v.re, double_product(w.re, v.im))};
}

// (u + w·v, u - w·v), or with i·w in place of w.
DEVICE void butterfly(Complex& u, Complex& v, Complex w, bool turned) {
    const Complex p = twiddle_product(w, v), a = u;
    if (turned) {
        u = {double_sum(a.re, -p.im), double_sum(a.im, p.re)};
        v = {double_sum(a.re, p.im), double_sum(a.im, -p.re)};
    } else {
        u = {double_sum(a.re, p.re), double_sum(a.im, p.im)};
        v = {double_sum(a.re, -p.re), double_sum(a.im, -p.im)};
    }
}

// (u + v, (u - v)/w), or with i·w in place of w.
DEVICE void inverse_butterfly(Complex& u, Complex& v, Complex w, bool turned) {
    const Complex a = u, b = v;
    const double re = double_sum(a.re, -b.re), im = double_sum(a.im, -b.im);
    u = {double_sum(a.re, b.re), double_sum(a.im, b.im)};
    if (turned) {
        const double minus = double_sum(b.re, -a.re);
        v = {double_fma(w.im, minus, double_product(w.re, im)), double_fma(-w.im, im, double_product(w.re, minus))};
    } else {
        v = {double_fma(w.im, im, double_product(w.re, re)), double_fma(-w.im, re, double_product(w.re, im))};
    }
}

// LEVELS levels on 2^LEVELS points, `stride` apart; w: of the root, and of the even nodes below it.
template <u32 LEVELS>
DEVICE void group(Complex* x, u32 stride, const Complex* w) {
    UNROLL for (u32 level = 0; level < LEVELS; ++level) {
        const u32 half = (1u << LEVELS) >> (level + 1);
        UNROLL for (u32 k = 0; k < (1u << LEVELS) / 2; ++k) {
            const u32 i = k / half * 2 * half + k % half, node = (1u << level) + k / half;
            butterfly(x[i * stride], x[(i + half) * stride], w[node / 2], node > 1 && node % 2 == 1);
        }
    }
}

// The levels of `group` backwards: 2^LEVELS times its inverse.
template <u32 LEVELS>
DEVICE void inverse_group(Complex* x, u32 stride, const Complex* w) {
    UNROLL for (u32 done = 0; done < LEVELS; ++done) {
        const u32 level = LEVELS - 1 - done, half = (1u << LEVELS) >> (level + 1);
        UNROLL for (u32 k = 0; k < (1u << LEVELS) / 2; ++k) {
            const u32 i = k / half * 2 * half + k % half, node = (1u << level) + k / half;
            inverse_butterfly(x[i * stride], x[(i + half) * stride], w[node / 2], node > 1 && node % 2 == 1);
        }
    }
}

// The twiddles of a group of up to three levels with this root, of the nodes by number.
template <u32 LEVELS>
DEVICE void node_twiddles(Complex* w, const Complex* nodes, u32 root) {
    w[0] = nodes[root];
    if (LEVELS > 1) w[1] = nodes[2 * root];
    if (LEVELS > 2) {
        w[2] = nodes[4 * root];
        w[3] = nodes[4 * root + 2];
    }
}

// The twiddles of the last three levels of sub-block `index` of 8F: they follow the 8F nodes, one after the other of all
// sub-blocks.
template <u32 F>
DEVICE void last_twiddles(Complex* w, const Complex* nodes, u32 index) {
    UNROLL for (u32 k = 0; k < 4; ++k) w[k] = nodes[8 * F * (k + 1) + index];
}

// log2 of the first of the groups that the first pass is made of, and of the second: the processor's passes before its
// blocks of 64 points.
template <u32 F> struct First;
template <> struct First<2> { static const u32 OUTER = 1, INNER = 0; };
template <> struct First<4> { static const u32 OUTER = 2, INNER = 0; };
template <> struct First<8> { static const u32 OUTER = 3, INNER = 0; };
template <> struct First<16> { static const u32 OUTER = 2, INNER = 2; };
template <> struct First<32> { static const u32 OUTER = 3, INNER = 2; };

// The first pass of a transform, on F points 64 apart.
template <u32 F>
DEVICE void first_pass(Complex* x, const Complex* nodes) {
    const u32 OUTER = First<F>::OUTER, INNER = First<F>::INNER, inner = 1u << INNER, outer = 1u << OUTER;
    Complex w[4];
    node_twiddles<OUTER>(w, nodes, 1);
    UNROLL for (u32 j = 0; j < inner; ++j) group<OUTER>(x + j, inner, w);
    if constexpr (INNER > 0) {
        UNROLL for (u32 b = 0; b < outer; ++b) {
            node_twiddles<INNER>(w, nodes, outer + b);
            group<INNER>(x + b * inner, 1, w);
        }
    }
}

// The last pass of an inverse transform, on F points 64 apart.
template <u32 F>
DEVICE void inverse_first_pass(Complex* x, const Complex* nodes) {
    const u32 OUTER = First<F>::OUTER, INNER = First<F>::INNER, inner = 1u << INNER, outer = 1u << OUTER;
    Complex w[4];
    if constexpr (INNER > 0) {
        UNROLL for (u32 b = 0; b < outer; ++b) {
            node_twiddles<INNER>(w, nodes, outer + b);
            inverse_group<INNER>(x + b * inner, 1, w);
        }
    }
    node_twiddles<OUTER>(w, nodes, 1);
    UNROLL for (u32 j = 0; j < inner; ++j) inverse_group<OUTER>(x + j, inner, w);
}

// The second pass, or its inverse: 8 points, 8 apart, of block item/8 of 64 points.
template <u32 F, bool INVERSE>
DEVICE void second_pass(Complex* points, const Complex* w, u32 item) {
    const u32 start = item / 8 * 64 + item % 8;
    Complex x[8];
    UNROLL for (u32 i = 0; i < 8; ++i) x[i] = points[place_of(start + 8 * i)];
    if (INVERSE) inverse_group<3>(x, 1, w);
    else group<3>(x, 1, w);
    UNROLL for (u32 i = 0; i < 8; ++i) points[place_of(start + 8 * i)] = x[i];
}

// The fraction of 52 bits of x modulo 1, |x| below 2^51, in the low bits of a word.
DEVICE u64 fraction_of(double x) { return double_bits(double_sum(double_sum(x, -double_floor(x)), 1.0)); }
