// From rotated test polynomials to the rows of RGSW ciphertexts: trace, then the same times the secret
// (`bootstrapping::circuit_bootstrapping` of the crate `leveled`, steps 2 and 3). Grid: (rows of one component, ciphertexts),
// 8F threads each.
//
// All log2 N automorphisms of a trace are in one kernel. Shared memory: 2N fractions, N more, and a polynomial for every
// digit, two at least.
#include "digit_product.cuh"

struct RgswRows {
    // Residues, body and mask.
    const u64* rotated;
    // For each automorphism: rows, components, points.
    const Complex* trace;
    const Complex* relinearization;
    const Complex* twiddles;
    // Of each bit: ℓ rows of the bit, ℓ of the bit times the secret; body and mask each.
    u64* out;
    const u64* half_weights;
    Modulus q;
    FractionModulus modulus;
    // 1/N modulo the prime.
    u64 inverse_degree;
    Decomposition trace_digits;
    Decomposition relinearization_digits;
    // ℓ, and the rows of all bits of a ciphertext.
    u32 length;
    u32 rows;
};

// The image of a polynomial of fractions under X -> X^g; `inverse` is 1/g modulo 2N.
struct Image {
    const u64* source;
    u32 inverse;
    u32 degree;

    DEVICE_MEMBER u64 at(u32 p) const {
        const u32 from = p * inverse & (2 * degree - 1);
        const u64 moved = source[from & (degree - 1)];
        return (from & degree) ? 0 - moved : moved;
    }
};

struct Fractions {
    const u64* source;

    DEVICE_MEMBER u64 at(u32 p) const { return source[p]; }
};

// 1/g modulo a power of two up to 2^32: every step doubles the bits that are right, from three.
DEVICE u32 odd_inverse(u32 g) {
    u32 x = g;
    for (u32 step = 0; step < 4; ++step) x *= 2 - g * x;
    return x;
}

// Coefficient p of a rotated polynomial, completed and moved by the row's position to the constant one; over N.
DEVICE u64 start_word(const RgswRows& args, u32 p, u32 degree) {
    const u32 part = p & degree, row = block_x();
    const u32 from = ((p & (degree - 1)) + row) & (2 * degree - 1), at = from & (degree - 1);
    const u64* const rotated = args.rotated + (u64)block_y() * 2 * degree;
    u64 v = rotated[part + at];
    if (part == 0 && at < args.rows) v = add_mod(args.q, v, args.half_weights[at % args.length]);
    v = mul_mod(args.q, v, args.inverse_degree);
    return (from & degree) ? neg_mod(args.q, v) : v;
}

template <u32 F>
DEVICE void make_rows(const RgswRows& args) {
    DYNAMIC_SHARED(u64, memory);
    const u32 M = 64 * F, N = 2 * M, T = 8 * F;
    u64 *const body = memory, *const mask = memory + N, *const image = memory + 2 * N;
    Complex* const points = (Complex*)(memory + 3 * N);
    // Rows are ordered by bits, then components: one of the bit, one of the bit times the secret.
    const u32 bit = block_x() / args.length, row = block_x() % args.length, bits = args.rows / args.length;
    u64* const out = args.out + (((u64)block_y() * bits + bit) * 2 * args.length + row) * 2 * N;
    FOR_THREADS(t) {
        for (u32 p = t; p < 2 * N; p += T) memory[p] = fraction_of_residue(args.modulus, start_word(args, p, N));
    }
    u32 step = 0;
    for (u32 exponent = N; exponent > 1; exponent /= 2) {
        const u32 rows = args.trace_digits.length, inverse = odd_inverse(exponent + 1);
        SYNCHRONIZE();
        FOR_THREADS(t) {
            const Image of_body = {body, inverse, N}, of_mask = {mask, inverse, N};
            for (u32 p = t; p < N; p += T) image[p] = of_body.at(p);
            for (u32 column = t; column < 64; column += T) {
                decompose<F>(of_mask, args.twiddles, points, args.trace_digits, column);
            }
        }
        SYNCHRONIZE();
        FOR_THREADS(t) {
            for (u32 p = t; p < N; p += T) body[p] += image[p];
        }
        finish_product<F>(args.twiddles, memory, points, args.trace + (u64)step * 2 * rows * M, rows);
        ++step;
    }
    FOR_THREADS(t) {
        for (u32 p = t; p < N; p += T) {
            const u64 b = residue_of_fraction(args.modulus, body[p]), a = residue_of_fraction(args.modulus, mask[p]);
            out[p] = b;
            out[N + p] = a;
            // The body becomes the mask; the mask, times the secret's square, is what is multiplied.
            body[p] = 0;
            mask[p] = fraction_of_residue(args.modulus, b);
            image[p] = fraction_of_residue(args.modulus, a);
        }
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        const Fractions square = {image};
        for (u32 column = t; column < 64; column += T) {
            decompose<F>(square, args.twiddles, points, args.relinearization_digits, column);
        }
    }
    finish_product<F>(args.twiddles, memory, points, args.relinearization, args.relinearization_digits.length);
    FOR_THREADS(t) {
        for (u32 p = t; p < 2 * N; p += T) {
            out[(u64)args.length * 2 * N + p] = residue_of_fraction(args.modulus, memory[p]);
        }
    }
}

BOUNDED_KERNEL(64, 1, rgsw_rows_1024, RgswRows, args) { make_rows<8>(args); }
BOUNDED_KERNEL(128, 1, rgsw_rows_2048, RgswRows, args) { make_rows<16>(args); }
