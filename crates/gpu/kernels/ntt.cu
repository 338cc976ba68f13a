// Transforms of limbs and copies of them: grid (tiles of a limb, limbs, copies). Headers say how.
#include "ntt_columns.cuh"
#include "ntt_rows.cuh"

// Polynomials of few rows.
template <class A>
DEVICE void forward_few_rows(const Transform& args, typename A::Element* tile) {
    switch (args.log_degree - LOG_ROW) {
        case 1: return forward_columns<A, 1>(args, tile);
        case 2: return forward_columns<A, 2>(args, tile);
        case 3: return forward_columns<A, 3>(args, tile);
        case 4: return forward_columns<A, 4>(args, tile);
        case 5: return forward_columns<A, 5>(args, tile);
        default: return forward_columns<A, 6>(args, tile);
    }
}

template <class A>
DEVICE void inverse_few_rows(const Transform& args, typename A::Element* tile) {
    switch (args.log_degree - LOG_ROW) {
        case 1: return inverse_columns<A, 1>(args, tile);
        case 2: return inverse_columns<A, 2>(args, tile);
        case 3: return inverse_columns<A, 3>(args, tile);
        case 4: return inverse_columns<A, 4>(args, tile);
        case 5: return inverse_columns<A, 5>(args, tile);
        default: return inverse_columns<A, 6>(args, tile);
    }
}

#define PASS(name, function, Arithmetic, words) \
    BOUNDED_KERNEL(256, 3, name, Transform, args) { \
        SHARED(Arithmetic::Element, tile, words); \
        function(args, tile); \
    }
#define PASSES(direction, arithmetic, Arithmetic) \
    PASS(ntt_##direction##_few_##arithmetic, direction##_few_rows<Arithmetic>, Arithmetic, TILE_WORDS) \
    PASS(ntt_##direction##_128_##arithmetic, (direction##_columns<Arithmetic, 7>), Arithmetic, Columns<7>::WORDS) \
    PASS(ntt_##direction##_256_##arithmetic, (direction##_columns<Arithmetic, 8>), Arithmetic, Columns<8>::WORDS) \
    PASS(ntt_##direction##_512_##arithmetic, (direction##_columns<Arithmetic, 9>), Arithmetic, Columns<9>::WORDS) \
    PASS(ntt_##direction##_rows_##arithmetic, direction##_rows<Arithmetic>, Arithmetic, ROWS_WORDS)

PASSES(forward, doubles, Doubles)
PASSES(forward, integers, Integers)
PASSES(inverse, doubles, Doubles)
PASSES(inverse, integers, Integers)
