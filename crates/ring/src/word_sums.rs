//! Sums of rows of machine words times small factors, modulo 2^32 or 2^64: LWE key switching.
//!
//! A key switch of dimension 2,048 reads tens of megabytes once. So rows are as narrow as their modulus
//! allows, and four are added at a time: the sum stays in the first-level cache.
//!
//! Words of up to 24 bits are kept as [`Words24`], three bytes each in two planes, and summed as 32-bit ones.

/// An unsigned machine word with wrapping arithmetic.
pub trait Word: Copy + Send + Sync + 'static {
    /// Truncates.
    fn from_u64(value: u64) -> Self;
    /// Widens.
    fn to_u64(self) -> u64;
    /// `self + a·factor`, wrapping.
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
                // Sign extension, then wrapping: a negative factor is its residue.
                self.wrapping_add(a.wrapping_mul(factor as Self))
            }
        }
    };
}

word!(u16);
word!(u32);
word!(u64);

/// `sum += Σ_r factors[r]·rows[r]`, wrapping; rows are as long as the sum and side by side.
///
/// ```
/// use cryptable_ring::word_sums::add_multiples;
/// let mut sum = [1u32, 2];
/// add_multiples(&mut sum, &[10, 20, 100, 200], &[3, -1]);
/// assert_eq!(sum, [1 + 30u32.wrapping_sub(100), 2 + 60u32.wrapping_sub(200)].map(|x| x));
/// ```
///
/// # Panics
/// If there are not as many rows as factors.
pub fn add_multiples<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) {
    assert_eq!(rows.len(), sum.len() * factors.len());
    #[cfg(target_arch = "x86_64")]
    {
        use crate::Isa;
        match Isa::detect() {
            // SAFETY: `Isa::detect` names only what the processor has.
            Isa::Avx512Ifma => return unsafe { add_multiples_avx512(sum, rows, factors) },
            // SAFETY: as above.
            Isa::Avx2 => return unsafe { add_multiples_avx2(sum, rows, factors) },
            Isa::Scalar => {}
        }
    }
    add_multiples_portable(sum, rows, factors);
}

/// The portable loop, which the compiler vectorizes for the instruction set of its caller.
#[inline(always)]
fn add_multiples_portable<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) {
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

/// # Safety
/// The processor must have AVX-512 F, BW, DQ and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn add_multiples_avx512<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) {
    add_multiples_portable(sum, rows, factors);
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn add_multiples_avx2<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) {
    add_multiples_portable(sum, rows, factors);
}

/// Words of 24 bits: the lower 16, and the upper 8, side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words24 {
    low: Vec<u16>,
    high: Vec<u8>,
}

impl FromIterator<u32> for Words24 {
    /// From words; bits from 24 on are dropped.
    fn from_iter<I: IntoIterator<Item = u32>>(words: I) -> Self {
        let (low, high) = words.into_iter().map(|word| (word as u16, (word >> 16) as u8)).unzip();
        Self { low, high }
    }
}

impl Words24 {
    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        2 * self.low.len() + self.high.len()
    }

    /// `sum += Σ_r factors[r]·rows[r]`, wrapping, of these words as rows as long as the sum.
    ///
    /// ```
    /// use cryptable_ring::word_sums::Words24;
    /// let rows: Words24 = [10, 20, 70_000, 200].into_iter().collect();
    /// let mut sum = [1u32, 2];
    /// rows.add_multiples(&mut sum, &[3, 2]);
    /// assert_eq!(sum, [140_031, 462]);
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as factors.
    pub fn add_multiples(&self, sum: &mut [u32], factors: &[i32]) {
        assert_eq!(self.low.len(), sum.len() * factors.len());
        #[cfg(target_arch = "x86_64")]
        {
            use crate::Isa;
            match Isa::detect() {
                // SAFETY: `Isa::detect` names only what the processor has.
                Isa::Avx512Ifma => return unsafe { self.add_multiples_avx512(sum, factors) },
                // SAFETY: as above.
                Isa::Avx2 => return unsafe { self.add_multiples_avx2(sum, factors) },
                Isa::Scalar => {}
            }
        }
        self.add_multiples_portable(sum, factors);
    }

    /// The portable loop, two rows at a time.
    #[inline(always)]
    fn add_multiples_portable(&self, sum: &mut [u32], factors: &[i32]) {
        let length = sum.len().max(1);
        let word = |low: u16, high: u8| u32::from(low) | u32::from(high) << 16;
        let rows = self.low.chunks(2 * length).zip(self.high.chunks(2 * length));
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

    /// # Safety
    /// The processor must have AVX-512 F, BW, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn add_multiples_avx512(&self, sum: &mut [u32], factors: &[i32]) {
        self.add_multiples_portable(sum, factors);
    }

    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn add_multiples_avx2(&self, sum: &mut [u32], factors: &[i32]) {
        self.add_multiples_portable(sum, factors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<W: Word + PartialEq + std::fmt::Debug>(length: usize, factors: &[i32], words: &[u64]) {
        let word = |i: usize| W::from_u64(words[i % words.len()].wrapping_mul(2 * i as u64 + 1));
        let rows: Vec<W> = (0..length * factors.len()).map(word).collect();
        let start: Vec<W> = (0..length).map(|j| word(7 * j + 3)).collect();
        let expected: Vec<W> = (0..length)
            .map(|j| {
                let terms = factors.iter().enumerate();
                let products =
                    terms.map(|(r, &f)| i128::from(rows[r * length + j].to_u64()) * i128::from(f));
                W::from_u64((i128::from(start[j].to_u64()) + products.sum::<i128>()) as u64)
            })
            .collect();
        for of in [add_multiples::<W>, add_multiples_portable::<W>] {
            let mut sum = start.clone();
            of(&mut sum, &rows, factors);
            assert_eq!(sum, expected);
        }
    }

    fn check_24(length: usize, factors: &[i32], words: &[u64]) {
        let word = |i: usize| words[i % words.len()].wrapping_mul(2 * i as u64 + 1) as u32 >> 8;
        let rows: Vec<u32> = (0..length * factors.len()).map(word).collect();
        let mut expected: Vec<u32> = (0..length).map(word).collect();
        let (mut sum, mut portable) = (expected.clone(), expected.clone());
        add_multiples(&mut expected, &rows, factors);
        let rows: Words24 = rows.into_iter().collect();
        rows.add_multiples(&mut sum, factors);
        rows.add_multiples_portable(&mut portable, factors);
        assert_eq!(sum, expected);
        assert_eq!(portable, expected);
        assert_eq!(rows.bytes(), 3 * length * factors.len());
    }

    proptest! {
        #[test]
        fn sums_are_those_of_wide_integers(
            length in 1usize..100,
            factors in prop::collection::vec(any::<i32>(), 0..11),
            words in prop::collection::vec(any::<u64>(), 1..20),
        ) {
            check::<u16>(length, &factors, &words);
            check::<u32>(length, &factors, &words);
            check::<u64>(length, &factors, &words);
            check_24(length, &factors, &words);
        }
    }
}
