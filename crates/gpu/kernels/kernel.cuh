// How kernels are written, so that the same source runs on a card and, in tests, on the processor.
//
// A kernel takes one argument, a plain structure that Rust has the same of. Its body is a sequence of phases,
// `FOR_THREADS(t) { … }`, with `SYNCHRONIZE()` between them: on a card a phase is what every thread of a block does, on
// the processor a loop over the threads. Nothing but what is in shared memory lives on from one phase to the next.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// The most limbs that a polynomial may have.
static const u32 MAX_LIMBS = 96;

// The most shared memory that a block may ask for at its launch: 227 KB, of cards of 2022; earlier ones have less.
static const u32 MAX_SHARED_BYTES = 232448;

// The moduli of limbs, by number.
struct Limbs {
    u32 count;
    u16 modulus[MAX_LIMBS];
};

#ifdef __CUDACC__

#define DEVICE static __device__ __forceinline__
#define DEVICE_MEMBER __device__ __forceinline__
#define SHARED(type, name, count) __shared__ type name[count]
// Shared memory of as many bytes as the launch says; 16 bytes at a time.
#define DYNAMIC_SHARED(type, name) extern __shared__ __align__(16) type name[]
#define UNROLL _Pragma("unroll")
#define FOR_THREADS(thread) if (const u32 thread = threadIdx.x; true)
#define SYNCHRONIZE() __syncthreads()
#define KERNEL(name, Arguments, arguments) \
    extern "C" __global__ void name(const __grid_constant__ Arguments arguments)
// As KERNEL, for blocks of at most so many threads, of which at least so many are to fit a multiprocessor.
#define BOUNDED_KERNEL(threads, blocks, name, Arguments, arguments) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) \
        name(const __grid_constant__ Arguments arguments)

DEVICE u32 block_x() { return blockIdx.x; }
DEVICE u32 block_y() { return blockIdx.y; }
DEVICE u32 block_z() { return blockIdx.z; }
DEVICE u32 block_threads() { return blockDim.x; }
DEVICE u32 grid_x() { return gridDim.x; }
DEVICE u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
DEVICE double double_product(double a, double b) { return __dmul_rn(a, b); }
DEVICE double double_sum(double a, double b) { return __dadd_rn(a, b); }
DEVICE double double_fma(double a, double b, double c) { return __fma_rn(a, b, c); }
DEVICE double double_floor(double x) { return floor(x); }
DEVICE u64 double_bits(double x) { return __double_as_longlong(x); }
DEVICE double bits_double(u64 x) { return __longlong_as_double(x); }

#else

#include <cmath>
#include <cstring>

#define DEVICE static inline
#define DEVICE_MEMBER inline
#define SHARED(type, name, count) static thread_local type name[count]
// One for all kernels: it lies in the stacks of threads.
alignas(16) inline thread_local u64 dynamic_shared[MAX_SHARED_BYTES / sizeof(u64)];
#define DYNAMIC_SHARED(type, name) type* const name = (type*)dynamic_shared
#define UNROLL
#define FOR_THREADS(thread) for (u32 thread = 0; thread < emulated.threads; ++thread)
#define SYNCHRONIZE() (void)0
#define KERNEL(name, Arguments, arguments) \
    static void name##_block(const Arguments& arguments); \
    extern "C" void name##_emulated(const void* arguments, u32 x, u32 y, u32 z, u32 threads) { \
        for (u32 k = 0; k < z; ++k) \
            for (u32 j = 0; j < y; ++j) \
                for (u32 i = 0; i < x; ++i) { \
                    emulated = {i, j, k, threads, x}; \
                    name##_block(*(const Arguments*)arguments); \
                } \
    } \
    static void name##_block(const Arguments& arguments)
#define BOUNDED_KERNEL(threads, blocks, name, Arguments, arguments) KERNEL(name, Arguments, arguments)

// The block that is being emulated.
struct Emulated {
    u32 x, y, z, threads, grid;
};
static thread_local Emulated emulated;

DEVICE u32 block_x() { return emulated.x; }
DEVICE u32 block_y() { return emulated.y; }
DEVICE u32 block_z() { return emulated.z; }
DEVICE u32 block_threads() { return emulated.threads; }
DEVICE u32 grid_x() { return emulated.grid; }
DEVICE u64 high_product(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
DEVICE double double_product(double a, double b) { return a * b; }
DEVICE double double_sum(double a, double b) { return a + b; }
DEVICE double double_fma(double a, double b, double c) { return std::fma(a, b, c); }
DEVICE double double_floor(double x) { return std::floor(x); }
DEVICE u64 double_bits(double x) { u64 y; std::memcpy(&y, &x, 8); return y; }
DEVICE double bits_double(u64 x) { double y; std::memcpy(&y, &x, 8); return y; }

#endif
