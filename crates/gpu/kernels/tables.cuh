// Reads of tables that no kernel writes, and methods of structures that kernels compute with.
#pragma once
#include "modular.cuh"

// A word with its Shoup quotient, or two words that are read at once.
struct alignas(16) WordPair {
    u64 value, quotient;
};

#ifdef __CUDACC__

#define DEVICE_METHOD __device__ __forceinline__

DEVICE u64 constant_word(const u64* address) { return __ldg(address); }
DEVICE WordPair constant_pair(const u64* address) {
    const ulonglong2 pair = __ldg((const ulonglong2*)address);
    return {pair.x, pair.y};
}

#else

#define DEVICE_METHOD inline

DEVICE u64 constant_word(const u64* address) { return *address; }
DEVICE WordPair constant_pair(const u64* address) { return {address[0], address[1]}; }

#endif
