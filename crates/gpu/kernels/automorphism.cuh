// Where automorphisms take evaluations.
#pragma once
#include "kernel.cuh"

DEVICE u32 reverse_bits(u32 x, u32 bits) {
#ifdef __CUDACC__
    return __brev(x) >> (32 - bits);
#else
    u32 y = 0;
    for (u32 i = 0; i < bits; ++i) y |= (x >> i & 1) << (bits - 1 - i);
    return y;
#endif
}

// The evaluation that stands at index i after X -> X^element was at this index before (Ring::galois_permutation).
DEVICE u32 galois_index(u32 i, u32 element, u32 log_degree) {
    const u32 exponent = (2 * reverse_bits(i, log_degree) + 1) * element & ((2u << log_degree) - 1);
    return reverse_bits(exponent >> 1, log_degree);
}
