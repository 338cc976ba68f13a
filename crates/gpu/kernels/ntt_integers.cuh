// The arithmetic of transforms modulo numbers below 2^62, in integers, by Harvey's butterflies ("Faster arithmetic for
// number-theoretic transforms", 2014): twiddles come with their quotients, and a product by them is below 2q for any
// word. Forward, elements are below 4q < 2^64: the first operand loses 2q where it is not below 2q, and the product is added,
// and taken off 2q more. Backward, elements are below 2q: a sum loses 2q, a difference plus 2q is multiplied.
#pragma once
#include "tables.cuh"

struct Integers {
    typedef u64 Element;
    typedef WordPair Twiddle;
    static const u32 TWIDDLE_WORDS = 2;

    u64 q;

    DEVICE_METHOD static bool takes(u64 q, u64 bound) { return q >= bound; }

    DEVICE_METHOD explicit Integers(const Modulus& m) : q(m.value) {}

    DEVICE_METHOD static Twiddle twiddle(const u64* table, u32 index) { return constant_pair(table + 2 * index); }

    DEVICE_METHOD static Element from_memory(u64 word) { return word; }
    DEVICE_METHOD static u64 to_memory(Element x) { return x; }
    DEVICE_METHOD static Element enter(u64 word) { return word; }

    DEVICE_METHOD u64 product(u64 x, Twiddle w) const { return shoup_lazy(q, x, w.value, w.quotient); }

    template <u32 LOG, u32 LEVEL>
    DEVICE_METHOD void before_level(Element (&)[1 << LOG]) const {}

    DEVICE_METHOD void butterfly(Element& u, Element& v, Twiddle w) const {
        const u64 below_2q = subtract_once(u, 2 * q), p = product(v, w);
        u = below_2q + p;
        v = below_2q + 2 * q - p;
    }

    DEVICE_METHOD void scaled_butterfly(Element& u, Element& v, Twiddle w_u, Twiddle w_v) const {
        const u64 below_2q = product(u, w_u), p = product(v, w_v);
        u = below_2q + p;
        v = below_2q + 2 * q - p;
    }

    template <u32 LOG>
    DEVICE_METHOD void before_leave(Element (&)[1 << LOG]) const {}

    DEVICE_METHOD u64 leave(Element x) const { return subtract_once(subtract_once(x, 2 * q), q); }

    DEVICE_METHOD void inverse_butterfly(Element& u, Element& v, Twiddle w) const {
        const u64 difference = v + 2 * q - u;
        u = subtract_once(u + v, 2 * q);
        v = product(difference, w);
    }

    DEVICE_METHOD void scaled_inverse_butterfly(Element& u, Element& v, Twiddle w_u, Twiddle w_v) const {
        const u64 difference = v + 2 * q - u;
        u = product(u + v, w_u);
        v = product(difference, w_v);
    }

    template <u32 LOG, u32 LEVEL>
    DEVICE_METHOD void after_level(Element (&)[1 << LOG]) const {}

    typedef u64 Factor;
    DEVICE_METHOD Factor factor(u64 residue) const { return residue; }
    // x·factor in [0, q); the product is below 2q^2 < 2^125.
    DEVICE_METHOD u64 leave_scaled(const Modulus& m, Element x, Factor factor) const { return mul_mod(m, x, factor); }
};
