// Transforms of limbs, and of copies of them: grid (tiles of a limb, limbs, copies). `ntt.cuh` says how.
#include "ntt_columns.cuh"
#include "ntt_rows.cuh"

#define PASS(name, function, Arithmetic, words) \
    BOUNDED_KERNEL(256, 3, name, Transform, args) { \
        SHARED(Arithmetic::Element, tile, words); \
        function(args, tile); \
    }
#define PASSES(direction, arithmetic, Arithmetic) \
    PASS(ntt_##direction##_few_##arithmetic, direction##_few_columns<Arithmetic>, Arithmetic, TILE_WORDS) \
    PASS(ntt_##direction##_128_##arithmetic, (direction##_columns<Arithmetic, 7>), Arithmetic, TILE_WORDS) \
    PASS(ntt_##direction##_256_##arithmetic, (direction##_columns<Arithmetic, 8>), Arithmetic, TILE_WORDS) \
    PASS(ntt_##direction##_512_##arithmetic, (direction##_columns<Arithmetic, 9>), Arithmetic, COLUMNS_WORDS) \
    PASS(ntt_##direction##_rows_##arithmetic, direction##_rows<Arithmetic>, Arithmetic, ROWS_WORDS)

PASSES(forward, doubles, Doubles)
PASSES(forward, integers, Integers)
PASSES(inverse, doubles, Doubles)
PASSES(inverse, integers, Integers)
