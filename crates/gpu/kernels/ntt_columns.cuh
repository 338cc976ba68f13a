// The pass over columns: the first log R levels of a transform, the same twiddles in all columns.
#pragma once
#include "ntt.cuh"

// How a tile of 2^LEVELS rows is worked on.
template <u32 LEVELS>
struct Columns {
    // log2 of its columns.
    static const u32 LOG_WIDTH = LEVELS <= 4 ? LOG_ROW : 12 - LEVELS;
    static const u32 THREADS = (1 << (LEVELS + LOG_WIDTH)) / 16;
    static const u32 PHASES = LEVELS <= 4 ? 1 : LEVELS <= 8 ? 2 : 3;
    // Tiles of 8 columns have 8 words of padding after 64, for the phase in which a half-warp has two columns 64 words apart.
    static const u32 WORDS = LOG_WIDTH < 4 ? TILE_WORDS + TILE_WORDS / 8 : TILE_WORDS;

    // The levels of a phase, and before it.
    DEVICE_METHOD static constexpr u32 levels(u32 phase) {
        if (PHASES == 1) return LEVELS;
        if (PHASES == 3) return LEVELS / 3;
        return phase == 0 ? (LEVELS + 1) / 2 : LEVELS / 2;
    }
    DEVICE_METHOD static constexpr u32 before(u32 phase) { return phase == 0 ? 0 : before(phase - 1) + levels(phase - 1); }

    // Where a word of the tile is in shared memory.
    DEVICE_METHOD static u32 padded(u32 index) { return LOG_WIDTH < 4 ? index + (index >> 6 << 3) : index; }
};

// The elements of one group of a phase: every 2^stride_log-th row from `row` on, of a column.
template <u32 LEVELS, u32 PHASE>
struct ColumnGroup {
    typedef Columns<LEVELS> Shape;
    static const u32 LOG = Shape::levels(PHASE);
    static const u32 LOG_STRIDE = LEVELS - Shape::before(PHASE) - LOG;
    u32 row, column, node;

    DEVICE_METHOD explicit ColumnGroup(u32 slot) {
        const u32 line = slot >> Shape::LOG_WIDTH, block = line >> LOG_STRIDE;
        column = slot & ((1 << Shape::LOG_WIDTH) - 1);
        row = (block << (LOG_STRIDE + LOG)) + (line & ((1 << LOG_STRIDE) - 1));
        node = (1 << Shape::before(PHASE)) + block;
    }
    // Where element i is in memory, and in the tile.
    DEVICE_METHOD u32 word(u32 i) const {
        return ((row + (i << LOG_STRIDE)) << LOG_ROW) + (block_x() << Shape::LOG_WIDTH) + column;
    }
    DEVICE_METHOD u32 tile(u32 i) const { return Shape::padded(((row + (i << LOG_STRIDE)) << Shape::LOG_WIDTH) + column); }
};

template <class A, u32 LEVELS, u32 PHASE>
DEVICE void forward_columns_phase(const Transform& args, const Place<A>& place, typename A::Element* tile) {
    typedef ColumnGroup<LEVELS, PHASE> Group;
    FOR_THREADS(t) {
        const A a(place.modulus);
#pragma unroll
        for (u32 group = 0; group < 16 >> Group::LOG; ++group) {
            const Group g(group * Columns<LEVELS>::THREADS + t);
            typename A::Element x[1 << Group::LOG];
#pragma unroll
            for (u32 i = 0; i < 1 << Group::LOG; ++i)
                x[i] = PHASE == 0 ? A::enter(args.from[place.offset + g.word(i)]) : tile[g.tile(i)];
            forward_levels<A, Group::LOG, 0, false>(a, x, [&](u32 h) {
                return A::twiddle(place.nodes, descendant(g.node, level_of(h), h));
            });
#pragma unroll
            for (u32 i = 0; i < 1 << Group::LOG; ++i)
                if (PHASE + 1 == Columns<LEVELS>::PHASES) args.to[place.offset + g.word(i)] = A::to_memory(x[i]);
                else tile[g.tile(i)] = x[i];
        }
    }
}

template <class A, u32 LEVELS, u32 PHASE>
DEVICE void inverse_columns_phase(const Transform& args, const Place<A>& place, typename A::Element* tile) {
    typedef ColumnGroup<LEVELS, PHASE> Group;
    FOR_THREADS(t) {
        const A a(place.modulus);
#pragma unroll
        for (u32 group = 0; group < 16 >> Group::LOG; ++group) {
            const Group g(group * Columns<LEVELS>::THREADS + t);
            typename A::Element x[1 << Group::LOG];
#pragma unroll
            for (u32 i = 0; i < 1 << Group::LOG; ++i)
                x[i] = PHASE + 1 == Columns<LEVELS>::PHASES ? A::from_memory(args.to[place.offset + g.word(i)]) : tile[g.tile(i)];
            const u32 mirrored = mirror(Columns<LEVELS>::before(PHASE), g.node);
            inverse_levels<A, Group::LOG, 0, Group::LOG>(a, x, [&](u32 h) {
                return A::twiddle(place.nodes, descendant(mirrored, level_of(h), mirror(level_of(h), h)));
            });
            const u32 at = args.by_modulus ? args.limbs.modulus[place.limb] : place.limb;
            const typename A::Factor factor = a.factor(PHASE == 0 ? args.factors[at] : 0);
#pragma unroll
            for (u32 i = 0; i < 1 << Group::LOG; ++i)
                if (PHASE == 0) args.to[place.offset + g.word(i)] = a.leave_scaled(place.modulus, x[i], factor);
                else tile[g.tile(i)] = x[i];
        }
    }
}

template <class A, u32 LEVELS>
DEVICE void forward_columns(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    forward_columns_phase<A, LEVELS, 0>(args, place, tile);
    if constexpr (Columns<LEVELS>::PHASES > 1) {
        SYNCHRONIZE();
        forward_columns_phase<A, LEVELS, 1>(args, place, tile);
    }
    if constexpr (Columns<LEVELS>::PHASES > 2) {
        SYNCHRONIZE();
        forward_columns_phase<A, LEVELS, 2>(args, place, tile);
    }
}

template <class A, u32 LEVELS>
DEVICE void inverse_columns(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    if constexpr (Columns<LEVELS>::PHASES > 2) {
        inverse_columns_phase<A, LEVELS, 2>(args, place, tile);
        SYNCHRONIZE();
    }
    if constexpr (Columns<LEVELS>::PHASES > 1) {
        inverse_columns_phase<A, LEVELS, 1>(args, place, tile);
        SYNCHRONIZE();
    }
    inverse_columns_phase<A, LEVELS, 0>(args, place, tile);
}
