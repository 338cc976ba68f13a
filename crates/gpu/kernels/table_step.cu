// The table step of multiplexer trees: sums of columns by the rows of a table, and the products of them with selectors.
//
// How much: 2·limbs·N products of a word and an entry for every entry of the table (2.6e10 for 2^16 entries, three limbs and
// N = 2^16). For one, a card has
// - in doubles, two multiplications with a sum for entries of up to 17 to 21 bits: 64 a clock and multiprocessor, 0.14 ps on
//   132 multiprocessors at 1.7 GHz, 3.5 ms for 2^16 entries;
// - in products of four bytes (dp4a, 64 a clock), 7 bytes of a word for every byte of an entry: 1.75 instructions for entries
//   of one byte, 3.5 for two, and as much again to put sums together;
// - in words (32 x 32 bits with a sum of 64), two at half the speed.
// So doubles. Residues modulo numbers of a byte, which processors take, would need 2.5 dp4a for entries of two bytes. Tensor
// cores have more for bytes by far; nothing here uses them.
#include "sums.cuh"

// Rows whose sums a thread has in registers, in two pieces each.
static const u32 TILE_ROWS = 16;

struct TableSums {
    const Modulus* moduli;
    // Entries divided by their common factor, in signed pieces: [tile][piece][column][row], the lowest piece first. A piece of
    // b bits is at most 2^(b-1), and columns are at most 2^(29-b): see `table_sums`.
    const double* entries;
    // Where the columns are: first all parts c0, then all c1.
    const u64* const* columns;
    // [row][part][limb][word] of the rows of this turn, whole tiles.
    u64* sums;
    u64 factor;
    u32 column_count;
    u32 pieces;
    // Bits of a piece.
    u32 bits;
    // The first tile of this turn, and how many.
    u32 first_tile;
    u32 tiles;
    // Tiles that a block takes: words that one reads are in the first-level cache for the others.
    u32 block_tiles;
    u32 degree;
    Limbs limbs;
};

DEVICE void load_pair(const double* from, double& a, double& b) {
#ifdef __CUDACC__
    const double2 pair = *(const double2*)from;
    a = pair.x, b = pair.y;
#else
    a = from[0], b = from[1];
#endif
}

// An integer below 2^52: no conversion, of which cards do few.
DEVICE double small_double(u64 x) { return double_sum(bits_double(x | 0x4330000000000000ull), -4503599627370496.0); }

// low + high·2^25 modulo q, for integers of up to 2^53.
DEVICE u64 reduce_pieces(const Modulus& m, double low, double high) {
    const i64 a = (i64)low, b = (i64)high;
    Wide sum = {(u64)a, (u64)(a >> 63)};
    add_word(sum, (u64)b << PIECE_BITS);
    sum.high += (u64)(b >> (64 - PIECE_BITS));
    return reduce_signed(m, sum.low, sum.high);
}

// One piece of the entries of a tile: words are low + high·2^25, both below 2^25, and sums of up to 2^(29-b) products with
// pieces of up to 2^(b-1) stay within 2^53, where doubles are exact.
DEVICE void add_piece(
    const TableSums& args, const Modulus& m, const u64* const* columns, const double* entries, bool is_first, u64* sums, u64 at
) {
    double low[TILE_ROWS] = {}, high[TILE_ROWS] = {};
    u64 next = columns[0][at];
    // Twice the body would not fit the registers.
#pragma unroll 1
    for (u32 j = 0; j < args.column_count; ++j) {
        const u64 x = next;
        // Asked for before it is needed: the products below take as long.
        next = columns[j + 1 < args.column_count ? j + 1 : j][at];
        const double x_low = small_double(x & ((1u << PIECE_BITS) - 1)), x_high = small_double(x >> PIECE_BITS);
#pragma unroll
        for (u32 row = 0; row < TILE_ROWS; row += 2) {
            double a, b;
            load_pair(entries + (u64)j * TILE_ROWS + row, a, b);
            low[row] = double_fma(a, x_low, low[row]);
            high[row] = double_fma(a, x_high, high[row]);
            low[row + 1] = double_fma(b, x_low, low[row + 1]);
            high[row + 1] = double_fma(b, x_high, high[row + 1]);
        }
    }
    const u64 row_words = 2ull * args.limbs.count * args.degree;
#pragma unroll
    for (u32 row = 0; row < TILE_ROWS; ++row) {
        u64 sum = reduce_pieces(m, low[row], high[row]);
        if (!is_first) sum = add_mod(m, sum, mul_mod(m, sums[row * row_words], reduce_word(m, 1ull << args.bits)));
        sums[row * row_words] = sum;
    }
}

// Moduli of more than 50 bits, which are rare: row after row, positive entries apart from negative ones. Entries are below
// 2^39 and columns at most 2^12, so that sums stay below 2^113.
DEVICE void add_wide_rows(
    const TableSums& args, const Modulus& m, const u64* const* columns, const double* entries, u64* sums, u64 at
) {
    const u64 row_words = 2ull * args.limbs.count * args.degree;
    for (u32 row = 0; row < TILE_ROWS; ++row) {
        Wide positive = {0, 0}, negative = {0, 0};
        for (u32 j = 0; j < args.column_count; ++j) {
            i64 entry = 0;
            for (u32 piece = args.pieces; piece-- > 0;)
                entry = entry * ((i64)1 << args.bits) + (i64)entries[((u64)piece * args.column_count + j) * TILE_ROWS + row];
            const u64 x = columns[j][at];
            if (entry < 0)
                add_product(negative, (u64)-entry, x);
            else
                add_product(positive, (u64)entry, x);
        }
        sums[row * row_words] = sub_mod(m, reduce_wide(m, positive), reduce_wide(m, negative));
    }
}

// Grid (groups of tiles, 2·N / words of a block, limbs): blocks that run side by side read the same words. Threads of a block:
// words times tiles.
BOUNDED_KERNEL(256, 2, table_sums, TableSums, args) {
    FOR_THREADS(t) {
        const u32 limb = block_z(), words = block_threads() / args.block_tiles;
        const u32 tile = block_x() * args.block_tiles + t / words;
        const u32 word = block_y() * words + t % words, part = word / args.degree;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        if (tile < args.tiles) {
            const u64 at = (u64)limb * args.degree + word % args.degree;
            const u64* const* columns = args.columns + part * args.column_count;
            const u64 piece_entries = (u64)args.column_count * TILE_ROWS;
            const double* entries = args.entries + (u64)(args.first_tile + tile) * args.pieces * piece_entries;
            const u64 first_row = (u64)tile * TILE_ROWS;
            u64* sums = args.sums + (2 * first_row + part) * args.limbs.count * args.degree + at;
            if (is_narrow(m)) {
                for (u32 piece = args.pieces; piece-- > 0;)
                    add_piece(args, m, columns, entries + piece * piece_entries, piece + 1 == args.pieces, sums, at);
            } else {
                add_wide_rows(args, m, columns, entries, sums, at);
            }
            if (args.factor != 1) {
                const u64 factor = reduce_word(m, args.factor), row_words = 2ull * args.limbs.count * args.degree;
                for (u32 row = 0; row < TILE_ROWS; ++row) sums[row * row_words] = mul_mod(m, sums[row * row_words], factor);
            }
        }
    }
}

struct TableProducts {
    const Modulus* moduli;
    // As `TableSums` leaves them.
    const u64* sums;
    // Where the selectors are, [set][row of an output][part], and the results, [output][set][d0, d1, d2].
    const u64* const* selectors;
    u64* const* results;
    // The first row of this turn, and how many.
    u32 first_row;
    u32 rows;
    // Rows of an output.
    u32 inner;
    u32 sets;
    // The first output that has rows in this turn.
    u32 first_output;
    u32 degree;
    Limbs limbs;
};

// Adds the products of the rows of this turn to the results, grid (N / threads, limbs, outputs·sets).
KERNEL(table_products, TableProducts, args) {
    FOR_THREADS(t) {
        const u32 limb = block_y(), set = block_z() % args.sets, output = args.first_output + block_z() / args.sets;
        const u64 at = (u64)limb * args.degree + block_x() * block_threads() + t;
        const Modulus& m = args.moduli[args.limbs.modulus[limb]];
        u64* const* results = args.results + 3 * ((u64)output * args.sets + set);
        const u64 part_words = (u64)args.limbs.count * args.degree;
        const u32 first = output * args.inner, end = first + args.inner;
        const u32 turn_end = args.first_row + args.rows;
        Wide d0 = {0, 0}, d1 = {0, 0}, d2 = {0, 0};
        u32 row = first;
        if (first < args.first_row) {
            row = args.first_row;
            d0.low = results[0][at], d1.low = results[1][at], d2.low = results[2][at];
        }
        for (; row < end && row < turn_end; ++row) {
            const u64* sums = args.sums + 2 * (row - args.first_row) * part_words + at;
            const u64* const* selector = args.selectors + 2 * ((u64)set * args.inner + row - first);
            const u64 a0 = sums[0], a1 = sums[part_words], b0 = selector[0][at], b1 = selector[1][at];
            add_product(d0, a0, b0);
            add_product(d1, a0, b1);
            add_product(d1, a1, b0);
            add_product(d2, a1, b1);
            keep_small(m, d0), keep_small(m, d1), keep_small(m, d2);
        }
        results[0][at] = reduce_wide(m, d0);
        results[1][at] = reduce_wide(m, d1);
        results[2][at] = reduce_wide(m, d2);
    }
}
