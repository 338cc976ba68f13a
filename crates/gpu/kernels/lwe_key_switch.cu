// LWE key switching of a batch, modulo a power of two up to 2^32: the product of a matrix of digits, a row a ciphertext,
// with the key. Grid: (16 ciphertexts, 256 words of results).
//
// A thread has one word of 16 ciphertexts, so that each word of the key is read once for 16; digits come from shared
// memory, all threads the same.
#include "kernel.cuh"

struct LweKeySwitch {
    // D words of a mask and the body.
    const u32* source;
    // Rows of n words of a mask and the body.
    const u32* key;
    u32* out;
    // Of plain digits and of mirrored ones.
    u64 bias[2];
    u32 halves[2];
    u32 base_log2;
    u32 length;
    u32 log2_modulus;
    u32 offset;
    // D and n.
    u32 source_dimension;
    u32 dimension;
    u32 source_stride;
    u32 key_stride;
    u32 out_stride;
    u32 count;
};

static const u32 CIPHERTEXTS = 16;
static const u32 COLUMNS = 256;
static const u32 DIGITS = 512;

// The digits of coefficient `index`, the least significant first; whether they are mirrored, a bit of the next word says.
DEVICE void write_digits(const LweKeySwitch& args, const u32* mask, u32 index, u32* digits) {
    const u32 next = index + 1 < args.source_dimension ? index + 1 : 0, mirrored = mask[next] & 1;
    const u64 biased = ((u64)mask[index] << (52 - args.log2_modulus)) + args.bias[mirrored];
    for (u32 k = 0; k < args.length; ++k) {
        const u64 bits = biased >> (52 - args.base_log2 * (args.length - k));
        digits[k * CIPHERTEXTS] = ((u32)bits & (u32)((1ull << args.base_log2) - 1)) - args.halves[mirrored];
    }
}

BOUNDED_KERNEL(256, 1, lwe_key_switch, LweKeySwitch, args) {
    SHARED(u32, digits, DIGITS * CIPHERTEXTS);
    SHARED(u32, sums, CIPHERTEXTS * COLUMNS);
    const u32 first = block_x() * CIPHERTEXTS, body = args.dimension;
    const u32 left = args.count - first, count = left < CIPHERTEXTS ? left : CIPHERTEXTS;
    const u32 chunk = DIGITS / args.length;
    FOR_THREADS(t) {
        const u32 column = block_y() * COLUMNS + t;
        for (u32 c = 0; c < CIPHERTEXTS; ++c) {
            u32 start = 0;
            if (column == body && c < count) {
                start = args.source[(u64)(first + c) * args.source_stride + args.source_dimension] - args.offset;
            }
            sums[c * COLUMNS + t] = start;
        }
    }
    for (u32 start = 0; start < args.source_dimension; start += chunk) {
        const u32 rest = args.source_dimension - start, length = rest < chunk ? rest : chunk;
        SYNCHRONIZE();
        FOR_THREADS(t) {
            for (u32 item = t; item < length * CIPHERTEXTS; item += COLUMNS) {
                const u32 index = item % length, c = item / length;
                // Beyond the last ciphertext it is that one's again, and dropped.
                const u32 ciphertext = first + (c < count ? c : count - 1);
                write_digits(args, args.source + (u64)ciphertext * args.source_stride, start + index,
                             digits + index * args.length * CIPHERTEXTS + c);
            }
        }
        SYNCHRONIZE();
        FOR_THREADS(t) {
            const u32 column = block_y() * COLUMNS + t;
            if (column <= body) {
                u32 sum[CIPHERTEXTS];
                UNROLL for (u32 c = 0; c < CIPHERTEXTS; ++c) sum[c] = sums[c * COLUMNS + t];
                const u32* key = args.key + (u64)start * args.length * args.key_stride + column;
                for (u32 row = 0; row < length * args.length; ++row) {
                    const u32 word = key[(u64)row * args.key_stride];
                    UNROLL for (u32 c = 0; c < CIPHERTEXTS; ++c) sum[c] += digits[row * CIPHERTEXTS + c] * word;
                }
                UNROLL for (u32 c = 0; c < CIPHERTEXTS; ++c) sums[c * COLUMNS + t] = sum[c];
            }
        }
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        const u32 column = block_y() * COLUMNS + t, mask = (u32)((1ull << args.log2_modulus) - 1);
        if (column <= body) {
            for (u32 c = 0; c < count; ++c) {
                args.out[(u64)(first + c) * args.out_stride + column] = sums[c * COLUMNS + t] & mask;
            }
        }
    }
}
