//! Arithmetic modulo one word-sized odd number, and the instruction set that vector kernels use for it.

use std::sync::OnceLock;

/// Moduli below this bound may use the vector kernels, whose products work on 52-bit words.
pub(crate) const VECTOR_BOUND: u64 = 1 << 50;

/// An instruction set for which the kernels have an implementation, from slowest to fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Portable code with 128-bit products; the only one for moduli of 50 bits and more.
    Scalar,
    /// AVX2 with FMA: four lanes, products in double precision.
    Avx2,
    /// AVX-512 with IFMA: eight lanes, products of 52-bit integers.
    Avx512Ifma,
}

impl Isa {
    /// The fastest instruction set to use: what the processor has, unless the environment variable
    /// `CRYPTABLE_SIMD` (`scalar`, `avx2` or `avx512`) names a slower one.
    ///
    /// Read once; later changes of the environment have no effect.
    ///
    /// # Panics
    /// If `CRYPTABLE_SIMD` is set to anything else, so that a misspelt test run does not pass
    /// unnoticed.
    #[must_use]
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Isa> = OnceLock::new();
        *DETECTED.get_or_init(|| match std::env::var("CRYPTABLE_SIMD").as_deref() {
            Ok("scalar") => Self::Scalar,
            Ok("avx2") => Self::Avx2.min(Self::of_processor()),
            Ok("avx512") | Err(_) => Self::of_processor(),
            Ok(other) => panic!("CRYPTABLE_SIMD={other}: want scalar, avx2 or avx512"),
        })
    }

    /// Every instruction set that this processor has, slowest first, whatever the environment says.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let all = [Self::Scalar, Self::Avx2, Self::Avx512Ifma];
        all.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        self <= Self::of_processor()
    }

    /// The fastest instruction set of this processor.
    fn of_processor() -> Self {
        static PROCESSOR: OnceLock<Isa> = OnceLock::new();
        *PROCESSOR.get_or_init(|| {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                let avx512 = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512ifma");
                return if avx512 { Self::Avx512Ifma } else { Self::Avx2 };
            }
            Self::Scalar
        })
    }
}

/// An odd modulus q, `2 < q < 2^62`, with the constants of its reductions.
///
/// Words are residues in `[0, q)` unless a function says otherwise. Reduction is Barrett's: with k the
/// bit length of q and `μ = floor(2^(2k)/q)`, the estimate `floor(floor(x/2^(k-1))·μ/2^(k+1))` of
/// `x/q` is at most 2 too small for `x < 2^(2k)`.
///
/// ```
/// use cryptable_ring::Modulus;
/// let m = Modulus::new(97);
/// assert_eq!(m.mul(96, 96), 1);
/// assert_eq!(m.mul(5, m.inv(5)), 1);
/// assert_eq!(m.center(96), -1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulus {
    value: u64,
    bits: u32,
    isa: Isa,
    /// `floor(2^(2k)/q)`, at most `2^(k+1)`.
    barrett: u64,
    /// `floor(2^64/q)`.
    reciprocal64: u64,
    /// `2^64 mod q`.
    radix64: u64,
    radix52: Radix52,
}

/// The constants of reductions by 52-bit words, for moduli below `2^50` (zeros for others).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Radix52 {
    /// `floor(2^(51+k)/q)`, below `2^52`.
    pub(crate) barrett: u64,
    /// `floor(2^52/q)`.
    pub(crate) reciprocal: u64,
    /// `2^52 mod q`.
    pub(crate) radix: u64,
    /// `floor(radix·2^52/q)`.
    pub(crate) radix_quotient: u64,
}

impl Radix52 {
    fn new(q: u64, bits: u32) -> Self {
        if q >= VECTOR_BOUND {
            return Self::default();
        }
        let radix = (1 << 52) % q;
        Self {
            barrett: ((1u128 << (51 + bits)) / u128::from(q)) as u64,
            reciprocal: (1 << 52) / q,
            radix,
            radix_quotient: ((u128::from(radix) << 52) / u128::from(q)) as u64,
        }
    }
}

impl Modulus {
    /// The modulus `q`, for the fastest instruction set ([`Isa::detect`]).
    ///
    /// # Panics
    /// If `q` is even or outside `(2, 2^62)`.
    #[must_use]
    pub fn new(q: u64) -> Self {
        Self::with_isa(q, Isa::detect())
    }

    /// The modulus `q` for a chosen instruction set; [`Isa::Scalar`] if `q >= 2^50`.
    ///
    /// # Panics
    /// If `q` is even or outside `(2, 2^62)`, or the processor lacks the instruction set.
    #[must_use]
    pub fn with_isa(q: u64, isa: Isa) -> Self {
        assert!(q > 2 && q >> 62 == 0 && q & 1 == 1, "modulus {q} is not odd and in (2, 2^62)");
        assert!(isa.is_available(), "this processor lacks {isa:?}");
        let bits = 64 - q.leading_zeros();
        let wide = u128::from(q);
        Self {
            value: q,
            bits,
            isa: if q < VECTOR_BOUND { isa } else { Isa::Scalar },
            barrett: ((1u128 << (2 * bits)) / wide) as u64,
            reciprocal64: ((1u128 << 64) / wide) as u64,
            radix64: ((1u128 << 64) % wide) as u64,
            radix52: Radix52::new(q, bits),
        }
    }

    /// The modulus q.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The bit length k of q: `2^(k-1) < q < 2^k`.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The instruction set that kernels use for this modulus; the processor has it.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// The constants of the 52-bit kernels.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn radix52(&self) -> &Radix52 {
        &self.radix52
    }

    /// `a + b`.
    #[must_use]
    #[inline]
    pub const fn add(&self, a: u64, b: u64) -> u64 {
        self.subtract_once(a + b)
    }

    /// `a - b`.
    #[must_use]
    #[inline]
    pub const fn sub(&self, a: u64, b: u64) -> u64 {
        self.subtract_once(a + self.value - b)
    }

    /// `-a`.
    #[must_use]
    #[inline]
    pub const fn neg(&self, a: u64) -> u64 {
        self.subtract_once(self.value - a)
    }

    /// `a·b`.
    #[must_use]
    #[inline]
    pub const fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce_product(a as u128 * b as u128)
    }

    /// `base^exponent`, with `0^0 = 1`.
    #[must_use]
    pub const fn pow(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut result, mut square) = (1, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, square);
            }
            square = self.mul(square, square);
            exponent >>= 1;
        }
        result
    }

    /// `1/a` for prime q, by Fermat's little theorem.
    ///
    /// # Panics
    /// If `a·a^(q-2)` is not 1: `a` is 0, or q is not prime.
    #[must_use]
    pub fn inv(&self, a: u64) -> u64 {
        let a = self.reduce(a);
        let inverse = self.pow(a, self.value - 2);
        assert_eq!(self.mul(a, inverse), 1, "{a} has no inverse modulo {}", self.value);
        inverse
    }

    /// `x mod q` for any word.
    #[must_use]
    #[inline]
    pub const fn reduce(&self, x: u64) -> u64 {
        // x/q - x·reciprocal64/2^64 < 1 and the floor takes less than 1: the remainder is below 2q.
        let quotient = ((x as u128 * self.reciprocal64 as u128) >> 64) as u64;
        self.subtract_once(x - quotient * self.value)
    }

    /// `x mod q` for any double word.
    #[must_use]
    #[inline]
    pub const fn reduce_u128(&self, x: u128) -> u64 {
        let high = self.mul(self.reduce((x >> 64) as u64), self.radix64);
        self.add(high, self.reduce(x as u64))
    }

    /// The residue of any signed word.
    #[must_use]
    #[inline]
    pub const fn reduce_i64(&self, x: i64) -> u64 {
        let magnitude = self.reduce(x.unsigned_abs());
        if x < 0 { self.neg(magnitude) } else { magnitude }
    }

    /// The residue of any signed double word.
    #[must_use]
    #[inline]
    pub const fn reduce_i128(&self, x: i128) -> u64 {
        let magnitude = self.reduce_u128(x.unsigned_abs());
        if x < 0 { self.neg(magnitude) } else { magnitude }
    }

    /// The representative of `a` in `[-(q-1)/2, (q-1)/2]`.
    #[must_use]
    #[inline]
    pub const fn center(&self, a: u64) -> i64 {
        if a > self.value / 2 { a as i64 - self.value as i64 } else { a as i64 }
    }

    /// `x mod q` for `x < 2^(2k)`, in particular for a product of two residues.
    #[inline]
    const fn reduce_product(&self, x: u128) -> u64 {
        // The estimate is at most 2 too small, so the remainder is below 3q < 2^64.
        let estimate = (x >> (self.bits - 1)) as u64;
        let quotient = ((estimate as u128 * self.barrett as u128) >> (self.bits + 1)) as u64;
        let remainder = (x as u64).wrapping_sub(quotient.wrapping_mul(self.value));
        self.subtract_once(self.subtract_once(remainder))
    }

    /// `x - q` if that is not negative.
    #[inline]
    const fn subtract_once(&self, x: u64) -> u64 {
        if x >= self.value { x - self.value } else { x }
    }
}
