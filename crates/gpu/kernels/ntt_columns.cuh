// The pass over columns: the first log R levels of a transform, the same twiddles in all columns.
#pragma once
#include "ntt.cuh"

// Tiles of 8 columns have 8 words of padding after 64, for the phase in which a half-warp has columns of rows 64 words apart.
static const u32 COLUMNS_WORDS = TILE_WORDS + TILE_WORDS / 8;

// A phase of the levels on columns: constants of most kernels, where all that follows from them is one.
struct ColumnPhase {
    // Levels of the pass, and those before this phase.
    u32 levels, before;
    // Whether words are read from memory, and written there; otherwise from and to the tile.
    bool is_first, is_last;

    // log2 of the columns of a tile.
    DEVICE_METHOD u32 log_width() const { return levels <= 4 ? LOG_ROW : 12 - levels; }
    // Where a word of the tile is in shared memory.
    DEVICE_METHOD u32 padded(u32 index) const { return log_width() < 4 ? index + (index >> 6 << 3) : index; }
};

// The 2^LOG elements of a group of a phase: every 2^log_stride-th row of a column, from `row` on.
template <u32 LOG>
struct ColumnGroup {
    ColumnPhase phase;
    u32 log_stride, row, column, node;

    DEVICE_METHOD ColumnGroup(ColumnPhase phase, u32 slot) : phase(phase), log_stride(phase.levels - phase.before - LOG) {
        const u32 line = slot >> phase.log_width(), block = line >> log_stride;
        column = slot & ((1 << phase.log_width()) - 1);
        row = (block << (log_stride + LOG)) + (line & ((1 << log_stride) - 1));
        node = (1 << phase.before) + block;
    }
    // Where element i is in memory, and in the tile.
    DEVICE_METHOD u32 word(u32 i) const {
        return ((row + (i << log_stride)) << LOG_ROW) + (block_x() << phase.log_width()) + column;
    }
    DEVICE_METHOD u32 tile(u32 i) const { return phase.padded(((row + (i << log_stride)) << phase.log_width()) + column); }
};

template <class A, u32 LOG>
DEVICE void forward_columns_phase(
    const Transform& args, const Place<A>& place, typename A::Element* tile, ColumnPhase phase) {
    FOR_THREADS(t) {
        const A a(place.modulus);
#pragma unroll(LOG < 3 ? 1 : 2)
        for (u32 group = 0; group < 16 >> LOG; ++group) {
            const ColumnGroup<LOG> g(phase, group * block_threads() + t);
            typename A::Element x[1 << LOG];
#pragma unroll
            for (u32 i = 0; i < 1 << LOG; ++i)
                x[i] = phase.is_first ? A::enter(args.from[place.offset + g.word(i)]) : tile[g.tile(i)];
            forward_levels<A, LOG, 0, false>(a, x, [&](u32 h) {
                return A::twiddle(place.nodes, descendant(g.node, level_of(h), h));
            });
#pragma unroll
            for (u32 i = 0; i < 1 << LOG; ++i)
                if (phase.is_last) args.to[place.offset + g.word(i)] = A::to_memory(x[i]);
                else tile[g.tile(i)] = x[i];
        }
    }
}

// The levels of a forward phase backwards: the last phase comes first.
template <class A, u32 LOG>
DEVICE void inverse_columns_phase(
    const Transform& args, const Place<A>& place, typename A::Element* tile, ColumnPhase phase) {
    FOR_THREADS(t) {
        const A a(place.modulus);
#pragma unroll(LOG < 3 ? 1 : 2)
        for (u32 group = 0; group < 16 >> LOG; ++group) {
            const ColumnGroup<LOG> g(phase, group * block_threads() + t);
            typename A::Element x[1 << LOG];
#pragma unroll
            for (u32 i = 0; i < 1 << LOG; ++i)
                x[i] = phase.is_last ? A::from_memory(args.to[place.offset + g.word(i)]) : tile[g.tile(i)];
            const u32 mirrored = mirror(phase.before, g.node);
            inverse_levels<A, LOG, 0, LOG>(a, x, [&](u32 h) {
                return A::twiddle(place.nodes, descendant(mirrored, level_of(h), mirror(level_of(h), h)));
            });
            const typename A::Factor factor = a.factor(phase.is_first ? place.factor(args) : 0);
#pragma unroll
            for (u32 i = 0; i < 1 << LOG; ++i)
                if (phase.is_first) args.to[place.offset + g.word(i)] = a.leave_scaled(place.modulus, x[i], factor);
                else tile[g.tile(i)] = x[i];
        }
    }
}

// 7 to 9 levels.
template <class A, u32 LEVELS>
DEVICE void forward_columns(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    if constexpr (LEVELS <= 8) {
        forward_columns_phase<A, 4>(args, place, tile, {LEVELS, 0, true, false});
        SYNCHRONIZE();
        forward_columns_phase<A, LEVELS - 4>(args, place, tile, {LEVELS, 4, false, true});
    } else {
        forward_columns_phase<A, 3>(args, place, tile, {LEVELS, 0, true, false});
        SYNCHRONIZE();
        forward_columns_phase<A, 3>(args, place, tile, {LEVELS, 3, false, false});
        SYNCHRONIZE();
        forward_columns_phase<A, 3>(args, place, tile, {LEVELS, 6, false, true});
    }
}

template <class A, u32 LEVELS>
DEVICE void inverse_columns(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    if constexpr (LEVELS <= 8) {
        inverse_columns_phase<A, LEVELS - 4>(args, place, tile, {LEVELS, 4, false, true});
        SYNCHRONIZE();
        inverse_columns_phase<A, 4>(args, place, tile, {LEVELS, 0, true, false});
    } else {
        inverse_columns_phase<A, 3>(args, place, tile, {LEVELS, 6, false, true});
        SYNCHRONIZE();
        inverse_columns_phase<A, 3>(args, place, tile, {LEVELS, 3, false, false});
        SYNCHRONIZE();
        inverse_columns_phase<A, 3>(args, place, tile, {LEVELS, 0, true, false});
    }
}

// Up to 6 levels, of small degrees: one of the first if they are odd, then two at a time. Short rather than fast.
template <class A>
DEVICE void forward_few_columns(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    const u32 levels = place.log_rows;
    if (levels % 2 == 1) {
        forward_columns_phase<A, 1>(args, place, tile, {levels, 0, true, levels == 1});
        SYNCHRONIZE();
    }
    for (u32 before = levels % 2; before < levels; before += 2) {
        forward_columns_phase<A, 2>(args, place, tile, {levels, before, before == 0, before + 2 == levels});
        SYNCHRONIZE();
    }
}

template <class A>
DEVICE void inverse_few_columns(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    const u32 levels = place.log_rows;
    for (u32 end = levels; end > levels % 2; end -= 2) {
        inverse_columns_phase<A, 2>(args, place, tile, {levels, end - 2, end == 2, end == levels});
        SYNCHRONIZE();
    }
    if (levels % 2 == 1) inverse_columns_phase<A, 1>(args, place, tile, {levels, 0, true, levels == 1});
}
