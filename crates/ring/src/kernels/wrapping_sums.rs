//! Sums of rows of machine words modulo a power of two.
//!
//! These loops are written once and compiled for each instruction set; the compiler vectorizes
//! them.

#[cfg(target_arch = "x86_64")]
use crate::Isa;

/// Defines a function that runs a portable loop, compiled for the instruction set in use.
///
/// The loop has to be `#[inline(always)]`: only then is it compiled with its caller's instructions.
macro_rules! compile_for_every_isa {
    (
        $(#[$doc:meta])*
        $name:ident $(<$word:ident: $bound:ident>)?
        ($($argument:ident: $type:ty),*) = $portable:ident
    ) => {
        $(#[$doc])*
        pub(crate) fn $name $(<$word: $bound>)? ($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512 $(<$word: $bound>)? ($($argument: $type),*) {
                    $portable($($argument),*);
                }

                #[target_feature(enable = "avx2")]
                fn avx2 $(<$word: $bound>)? ($($argument: $type),*) {
                    $portable($($argument),*);
                }

                match Isa::detect() {
                    // SAFETY: `Isa::detect` returns only instruction sets that the processor has.
                    Isa::Avx512f | Isa::Avx512Ifma => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    Isa::Avx2 => return unsafe { avx2($($argument),*) },
                    Isa::Scalar | Isa::Neon => {}
                }
            }
            $portable($($argument),*);
        }
    };
}

/// An unsigned machine word with wrapping arithmetic.
pub trait Word: Copy + Send + Sync + 'static {
    /// Returns the low bits of a 64-bit word.
    fn from_u64(value: u64) -> Self;
    /// Returns the same number as a 64-bit word.
    fn to_u64(self) -> u64;
    /// Returns `self + a·factor`, wrapping.
    #[must_use]
    fn add_product(self, a: Self, factor: i32) -> Self;
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            #[inline(always)]
            fn from_u64(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn add_product(self, a: Self, factor: i32) -> Self {
                // The factor is sign-extended, then wraps: a negative factor is its residue.
                self.wrapping_add(a.wrapping_mul(factor as Self))
            }
        }
    };
}

word!(u16);
word!(u32);
word!(u64);

compile_for_every_isa! {
    /// `sum += Σ_r factors[r]·rows[r]`, for rows that are as long as the sum and contiguous.
    add_multiples<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) = add_multiples_portable
}

/// Adds four rows at a time, so that the sum is read and written only a quarter as often.
#[inline(always)]
pub(crate) fn add_multiples_portable<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) {
    let length = sum.len();
    let quads = factors.chunks_exact(4);
    let (tail_rows, tail) =
        (&rows[(factors.len() - quads.remainder().len()) * length..], quads.remainder());
    for (rows, f) in rows.chunks_exact(4 * length).zip(quads) {
        let (r0, rest) = rows.split_at(length);
        let (r1, rest) = rest.split_at(length);
        let (r2, r3) = rest.split_at(length);
        for ((((sum, &a), &b), &c), &d) in sum.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
            *sum = sum
                .add_product(a, f[0])
                .add_product(b, f[1])
                .add_product(c, f[2])
                .add_product(d, f[3]);
        }
    }
    for (row, &factor) in tail_rows.chunks_exact(length.max(1)).zip(tail) {
        for (sum, &a) in sum.iter_mut().zip(row) {
            *sum = sum.add_product(a, factor);
        }
    }
}

compile_for_every_isa! {
    /// `sum += Σ_r factors[r]·rows[r]` for rows of 24-bit words, given as low parts of 16 bits and high parts of 8.
    add_multiples_24(sum: &mut [u32], low: &[u16], high: &[u8], factors: &[i32])
        = add_multiples_24_portable
}

/// Adds two rows at a time.
#[inline(always)]
pub(crate) fn add_multiples_24_portable(
    sum: &mut [u32],
    low: &[u16],
    high: &[u8],
    factors: &[i32],
) {
    let length = sum.len().max(1);
    let word = |low: u16, high: u8| u32::from(low) | u32::from(high) << 16;
    let rows = low.chunks(2 * length).zip(high.chunks(2 * length));
    for ((low, high), f) in rows.zip(factors.chunks(2)) {
        let ((l0, l1), (h0, h1)) = (low.split_at(length), high.split_at(length));
        let Some(&second) = f.get(1) else {
            for ((sum, &l0), &h0) in sum.iter_mut().zip(l0).zip(h0) {
                *sum = sum.add_product(word(l0, h0), f[0]);
            }
            break;
        };
        for ((((sum, &l0), &h0), &l1), &h1) in sum.iter_mut().zip(l0).zip(h0).zip(l1).zip(h1) {
            *sum = sum.add_product(word(l0, h0), f[0]).add_product(word(l1, h1), second);
        }
    }
}
