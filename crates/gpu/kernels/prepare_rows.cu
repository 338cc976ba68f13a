// Rows of keys to the evaluations that products read. Grid: (polynomials), 8F threads; a polynomial is a component of a row.
#include "fourier.cuh"

struct PrepareRows {
    // Coefficients in [0, q), N words a polynomial.
    const u64* coefficients;
    Complex* out;
    const Complex* twiddles;
    u64 modulus;
    // 1/(q·M): inverse transforms multiply by M.
    double scale;
};

// A residue between -q/2 and q/2, over q·M.
DEVICE double scaled(const PrepareRows& args, u64 word) {
    const i64 centred = word > args.modulus / 2 ? (i64)(word - args.modulus) : (i64)word;
    return double_product((double)centred, args.scale);
}

template <u32 F>
DEVICE void prepare(const PrepareRows& args) {
    SHARED(Complex, points, 64 * F);
    const u32 M = 64 * F;
    FOR_THREADS(t) {
        for (u32 column = t; column < 64; column += 8 * F) {
            const u64* source = args.coefficients + (u64)block_x() * 2 * M;
            Complex x[F];
            UNROLL for (u32 k = 0; k < F; ++k) {
                x[k] = {scaled(args, source[64 * k + column]), scaled(args, source[64 * k + column + M])};
            }
            first_pass<F>(x, args.twiddles);
            UNROLL for (u32 k = 0; k < F; ++k) points[place_of(64 * k + column)] = x[k];
        }
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        Complex w[4];
        node_twiddles<3>(w, args.twiddles, F + t / 8);
        second_pass<F, false>(points, w, t);
    }
    SYNCHRONIZE();
    FOR_THREADS(t) {
        Complex w[4], x[8];
        last_twiddles<F>(w, args.twiddles, t);
        UNROLL for (u32 i = 0; i < 8; ++i) x[i] = points[place_of(8 * t + i)];
        group<3>(x, 1, w);
        UNROLL for (u32 i = 0; i < 8; ++i) args.out[(u64)block_x() * M + i * 8 * F + t] = x[i];
    }
}

BOUNDED_KERNEL(256, 1, prepare_rows_256, PrepareRows, args) { prepare<2>(args); }
BOUNDED_KERNEL(256, 1, prepare_rows_512, PrepareRows, args) { prepare<4>(args); }
BOUNDED_KERNEL(256, 1, prepare_rows_1024, PrepareRows, args) { prepare<8>(args); }
BOUNDED_KERNEL(256, 1, prepare_rows_2048, PrepareRows, args) { prepare<16>(args); }
BOUNDED_KERNEL(256, 1, prepare_rows_4096, PrepareRows, args) { prepare<32>(args); }
