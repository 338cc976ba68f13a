// Negacyclic transforms in two passes over memory, N = R·C with C = 256 coefficients a row.
//
// Level l of the forward transform takes polynomials modulo X^2h - w^2 to residues modulo X^h - w and X^h + w; its 2^l blocks are
// the nodes 2^l + b of a tree, with twiddle psi^bitrev(node). The pass over columns does the first log R levels, on tiles of
// R rows by up to 256 neighbouring columns; the other one does the last 8 levels, on up to 16 rows a block. A pass is a sequence of
// phases, each of up to 4 levels on 16 elements a thread in registers; between them elements are exchanged in shared
// memory, so that neighbouring threads have neighbouring words whenever they read or write global memory. Between the passes
// memory has elements of the arithmetic (`Doubles`, `Integers`), not residues.
//
// The last 4 levels would need N - N/16 different twiddles. A row's residue is modulo X^256 - s^256, s the point of its first evaluation;
// with Y = X/s, what is left of it after 4 levels is 16 residues modulo Y^16 - c, the same c in all rows. So column k of 16 is multiplied by
// s^k, which half of the elements are for one product with the row's twiddle, and the last 4 levels have 256 constants.
// Backward, the twiddles are those of the node's mirror image in its level, which are negative inverses, the row's factors those of the mirror image
// as well, and the point is s times a root of unity of order 256 less: the constants are others.
//
// Tables of a modulus, in twiddles: R of the nodes below R (from number 1 on); for each row 16 of s^k, 16 of the same times
// the row's twiddle, and the row's 16 descendants (from number 2 on); 256 constants forward and 256 backward, constant h of
// sub-block a at 16·h + a. A transform reads 16·N bytes and writes 16·N; twiddles are 48/256 of a row's words, in doubles 1.5·N
// bytes through the second-level cache.
#pragma once
#include "ntt_doubles.cuh"
#include "ntt_integers.cuh"

// What all passes take; Rust's `Transform`.
struct Transform {
    const Modulus* moduli;
    // Tables of all moduli, one after the other.
    const u64* tables;
    const u64* from;
    u64* to;
    // Backward: a residue a limb, or a modulus.
    const u64* factors;
    // Doubles are for moduli below it, integers for the others.
    u64 bound;
    // Words from a copy to the next; it may be negative, modulo 2^64.
    u64 copy_stride;
    u32 log_degree;
    // Blocks z are copies from this one on.
    u32 first_copy;
    // In copy d limbs from d·digit_limbs on, so many, are left out if they are below main_limbs.
    u32 digit_limbs, main_limbs;
    // Whether factors are by modulus.
    u32 by_modulus;
    Limbs limbs;
};

// log2 of the words of a row, and of the levels of a phase on rows.
static const u32 LOG_ROW = 8;
static const u32 LOG_PART = 4;
static const u32 ROW = 1 << LOG_ROW;
static const u32 PART = 1 << LOG_PART;
// Twiddles of a row.
static const u32 ROW_TWIDDLES = 48;
static const u32 TILE_WORDS = 4096;

// Where a limb of a copy is, and its tables.
template <class A>
struct Place {
    const Modulus& modulus;
    const u64* nodes;
    const u64* rows;
    const u64* constants;
    u64 offset;
    u32 limb, log_rows;

    DEVICE_METHOD explicit Place(const Transform& args)
        : modulus(args.moduli[args.limbs.modulus[block_y()]]), limb(block_y()), log_rows(args.log_degree - LOG_ROW) {
        const u32 rows_count = 1 << log_rows;
        const u64 words = (u64)(rows_count * (1 + ROW_TWIDDLES) + 2 * ROW) * A::TWIDDLE_WORDS;
        nodes = args.tables + args.limbs.modulus[limb] * words;
        rows = nodes + rows_count * A::TWIDDLE_WORDS;
        constants = rows + rows_count * ROW_TWIDDLES * A::TWIDDLE_WORDS;
        const u64 copy = args.first_copy + block_z();
        offset = copy * args.copy_stride + ((u64)limb << args.log_degree);
    }

    DEVICE_METHOD bool is_left_out(const Transform& args) const {
        const u32 copy = args.first_copy + block_z();
        const bool is_own = limb < args.main_limbs && args.digit_limbs > 0 && limb / args.digit_limbs == copy;
        return is_own || !A::takes(modulus.value, args.bound);
    }
};

// Levels of a forward phase on 2^LOG elements, from LEVEL on; `twiddle` gives that of a node of their own tree.
template <class A, u32 LOG, u32 LEVEL, bool IS_LAST, class Twiddles>
DEVICE void forward_levels(const A& a, typename A::Element (&x)[1 << LOG], const Twiddles& twiddle) {
    if constexpr (LEVEL < LOG) {
        a.template before_level<LOG, LEVEL>(x);
        if constexpr (IS_LAST && LEVEL + 2 == LOG) a.template before_leave<LOG>(x);
        constexpr u32 half = (1 << LOG) >> (LEVEL + 1);
#pragma unroll
        for (u32 block = 0; block < 1 << LEVEL; ++block) {
            const typename A::Twiddle w = twiddle((1 << LEVEL) + block);
#pragma unroll
            for (u32 k = 0; k < half; ++k) a.butterfly(x[2 * half * block + k], x[2 * half * block + k + half], w);
        }
        forward_levels<A, LOG, LEVEL + 1, IS_LAST>(a, x, twiddle);
    }
}

// Levels of an inverse phase, from LEVEL on to before END.
template <class A, u32 LOG, u32 LEVEL, u32 END, class Twiddles>
DEVICE void inverse_levels(const A& a, typename A::Element (&x)[1 << LOG], const Twiddles& twiddle) {
    if constexpr (LEVEL < END) {
        constexpr u32 half = 1 << LEVEL, blocks = (1 << LOG) >> (LEVEL + 1);
#pragma unroll
        for (u32 block = 0; block < blocks; ++block) {
            const typename A::Twiddle w = twiddle(blocks + block);
#pragma unroll
            for (u32 k = 0; k < half; ++k) a.inverse_butterfly(x[2 * half * block + k], x[2 * half * block + k + half], w);
        }
        a.template after_level<LOG, LEVEL>(x);
        inverse_levels<A, LOG, LEVEL + 1, END>(a, x, twiddle);
    }
}

// The mirror image of a node in its level: the last for the first.
DEVICE u32 mirror(u32 level, u32 node) { return (3u << level) - 1 - node; }

// The descendant of a node that is node h, of a level, in a tree of its own.
DEVICE u32 descendant(u32 node, u32 level, u32 h) { return ((node - 1) << level) + h; }

// The level of a node below 16; a constant after loops are unrolled.
DEVICE constexpr u32 level_of(u32 node) { return node < 2 ? 0 : node < 4 ? 1 : node < 8 ? 2 : 3; }
