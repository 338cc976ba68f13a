// Automorphisms on evaluations, one word a thread: grid (N / threads, limbs).
#include "automorphism.cuh"

struct Automorphism {
    u64* out;
    const u64* input;
    u32 element;
    u32 log_degree;
};

KERNEL(automorphism, Automorphism, args) {
    FOR_THREADS(t) {
        const u32 word = block_x() * block_threads() + t;
        const u64 limb = (u64)block_y() << args.log_degree;
        args.out[limb + word] = args.input[limb + galois_index(word, args.element, args.log_degree)];
    }
}
