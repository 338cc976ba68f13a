// Where automorphisms take evaluations from.
#pragma once
#include "kernel.cuh"

// The lowest `bits` bits of x in reverse order.
DEVICE u32 galois_reverse(u32 x, u32 bits) {
#ifdef __CUDACC__
    return __brev(x) >> (32 - bits);
#else
    u32 reversed = 0;
    for (u32 bit = 0; bit < bits; ++bit) reversed |= (x >> bit & 1) << (bits - 1 - bit);
    return reversed;
#endif
}

// The evaluation of a polynomial that is evaluation i of its image under X -> X^element, for an odd element below 2N:
// evaluation i is the value at psi^(2·reverse(i) + 1), so the image has there what stood at the exponent times the element.
// Eight evaluations in a row are permuted eight in a row: reads are of whole sectors of memory.
DEVICE u32 galois_index(u32 i, u32 element, u32 log_degree) {
    // Modulo 2^32, of which 2N is a divisor.
    const u32 exponent = (2 * galois_reverse(i, log_degree) + 1) * element;
    return galois_reverse(exponent >> 1 & ((1u << log_degree) - 1), log_degree);
}
