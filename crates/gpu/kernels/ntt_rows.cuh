// The pass over rows of 256 words: the last 8 levels of a transform, two phases of 4, up to 16 rows a block.
#pragma once
#include "ntt.cuh"

// Words of a block in shared memory: one of padding after 16, so that 16 threads reach words 16 apart at once.
static const u32 ROWS_WORDS = TILE_WORDS + TILE_WORDS / PART;

DEVICE u32 padded_row_word(u32 index) { return index + (index >> LOG_PART); }

// The twiddles of a row.
template <class A>
struct RowTwiddles {
    const u64* row;
    u32 column;

    DEVICE_METHOD RowTwiddles(const Place<A>& place, u32 row, u32 column)
        : row(place.rows + row * ROW_TWIDDLES * A::TWIDDLE_WORDS), column(column) {}
    // s^column, and the same times the row's twiddle.
    DEVICE_METHOD typename A::Twiddle power() const { return A::twiddle(row, column); }
    DEVICE_METHOD typename A::Twiddle product() const { return A::twiddle(row, PART + column); }
    // The twiddle of a descendant, h > 1.
    DEVICE_METHOD typename A::Twiddle node(u32 h) const { return A::twiddle(row, 2 * PART + h); }
};

// The first 4 levels: a thread has every 16th word of a row.
template <class A>
DEVICE void forward_rows_first(const Transform& args, const Place<A>& place, typename A::Element* tile) {
    FOR_THREADS(t) {
        const A a(place.modulus);
        const u32 column = t % PART, row = t / PART, first = row * ROW + column;
        const u32 rows = block_threads() / PART;
        const u64 from = place.offset + (u64)block_x() * rows * ROW + first;
        // Rows of one alone had no pass before.
        const u64* source = place.log_rows == 0 ? args.from : args.to;
        const RowTwiddles<A> w(place, block_x() * rows + row, column);
        typename A::Element x[PART];
#pragma unroll
        for (u32 i = 0; i < PART; ++i) {
            const u64 word = source[from + i * PART];
            x[i] = place.log_rows == 0 ? A::enter(word) : A::from_memory(word);
        }
        const typename A::Twiddle power = w.power(), product = w.product();
#pragma unroll
        for (u32 i = 0; i < PART / 2; ++i) a.scaled_butterfly(x[i], x[i + PART / 2], power, product);
        forward_levels<A, LOG_PART, 1, false>(a, x, [&](u32 h) { return w.node(h); });
#pragma unroll
        for (u32 i = 0; i < PART; ++i) tile[padded_row_word(first + i * PART)] = x[i];
    }
}

template <class A>
DEVICE void forward_rows(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    forward_rows_first(args, place, tile);
    SYNCHRONIZE();
    FOR_THREADS(t) {
        const A a(place.modulus);
        const u32 part = t % PART;
        typename A::Element x[PART];
#pragma unroll
        for (u32 i = 0; i < PART; ++i) x[i] = tile[padded_row_word(t * PART + i)];
        forward_levels<A, LOG_PART, 0, true>(a, x, [&](u32 h) { return A::twiddle(place.constants, h * PART + part); });
#pragma unroll
        for (u32 i = 0; i < PART; ++i) tile[padded_row_word(t * PART + i)] = x[i];
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        const A a(place.modulus);
        u64* to = args.to + place.offset + (u64)block_x() * block_threads() * PART;
#pragma unroll
        for (u32 i = 0; i < PART; ++i) {
            const u32 at = i * block_threads() + t;
            to[at] = a.leave(tile[padded_row_word(at)]);
        }
    }
}

// The last 4 levels of a row, from the tile to memory: of a row alone with the factor.
template <class A>
DEVICE void inverse_rows_last(const Transform& args, const Place<A>& place, typename A::Element* tile) {
    FOR_THREADS(t) {
        const A a(place.modulus);
        const u32 column = t % PART, row = t / PART, first = row * ROW + column;
        const u32 rows = block_threads() / PART;
        const RowTwiddles<A> w(place, (1 << place.log_rows) - 1 - (block_x() * rows + row), column);
        typename A::Element x[PART];
#pragma unroll
        for (u32 i = 0; i < PART; ++i) x[i] = tile[padded_row_word(first + i * PART)];
        inverse_levels<A, LOG_PART, 0, LOG_PART - 1>(a, x, [&](u32 h) { return w.node(mirror(level_of(h), h)); });
        const typename A::Twiddle power = w.power(), product = w.product();
#pragma unroll
        for (u32 i = 0; i < PART / 2; ++i) a.scaled_inverse_butterfly(x[i], x[i + PART / 2], power, product);
        u64* to = args.to + place.offset + (u64)block_x() * rows * ROW + first;
        if (place.log_rows == 0) {
            const u32 at = args.by_modulus ? args.limbs.modulus[place.limb] : place.limb;
            const typename A::Factor factor = a.factor(args.factors[at]);
#pragma unroll
            for (u32 i = 0; i < PART; ++i) to[i * PART] = a.leave_scaled(place.modulus, x[i], factor);
        } else {
#pragma unroll
            for (u32 i = 0; i < PART; ++i) to[i * PART] = A::to_memory(x[i]);
        }
    }
}

template <class A>
DEVICE void inverse_rows(const Transform& args, typename A::Element* tile) {
    const Place<A> place(args);
    if (place.is_left_out(args)) return;
    FOR_THREADS(t) {
        const u64* from = args.from + place.offset + (u64)block_x() * block_threads() * PART;
#pragma unroll
        for (u32 i = 0; i < PART; ++i) {
            const u32 at = i * block_threads() + t;
            tile[padded_row_word(at)] = A::enter(from[at]);
        }
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        const A a(place.modulus);
        const u32 part = t % PART;
        const u64* constants = place.constants + ROW * A::TWIDDLE_WORDS;
        typename A::Element x[PART];
#pragma unroll
        for (u32 i = 0; i < PART; ++i) x[i] = tile[padded_row_word(t * PART + i)];
        inverse_levels<A, LOG_PART, 0, LOG_PART>(a, x, [&](u32 h) { return A::twiddle(constants, h * PART + part); });
#pragma unroll
        for (u32 i = 0; i < PART; ++i) tile[padded_row_word(t * PART + i)] = x[i];
    }
    SYNCHRONIZE();
    inverse_rows_last(args, place, tile);
}
