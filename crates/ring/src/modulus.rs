//! Arithmetic modulo one word-sized odd number.

use crate::Isa;

/// Moduli below this bound may use the vector kernels, whose products work on 52-bit words.
pub(crate) const VECTOR_BOUND: u64 = 1 << 50;

/// An odd modulus q, `2 < q < 2^62`, with the constants of its reductions.
///
/// Words are residues in `[0, q)` unless a function says otherwise. Reduction is Barrett's: with k
/// the bit length of q and `μ = floor(2^(2k)/q)`, the estimate `floor(floor(x/2^(k-1))·μ/2^(k+1))`
/// of `x/q` is at most 2 too small for `x < 2^(2k)`.
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
    wide_isa: Isa,
    /// `floor(2^(2k)/q)`, at most `2^(k+1)`.
    barrett: u64,
    /// `floor(2^64/q)`.
    reciprocal64: u64,
    /// `2^64 mod q`.
    radix64: Factor,
    #[cfg(target_arch = "x86_64")]
    radix52: Radix52,
    #[cfg(target_arch = "x86_64")]
    wide: WideConstants,
}

/// A constant factor c in `[0, q)` with `floor(c·2^64/q)`: Shoup's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor {
    pub(crate) value: u64,
    pub(crate) quotient: u64,
}

impl Factor {
    pub(crate) fn new(q: u64, value: u64) -> Self {
        Self { value, quotient: ((u128::from(value) << 64) / u128::from(q)) as u64 }
    }

    /// Returns a number in `[0, 2q)` that is `a·c` modulo q, for any word a.
    #[inline]
    pub(crate) const fn mul_lazy(self, q: u64, a: u64) -> u64 {
        // ac/q - a·quotient/2^64 < 1, and the floor subtracts less than 1.
        let estimate = ((a as u128 * self.quotient as u128) >> 64) as u64;
        a.wrapping_mul(self.value).wrapping_sub(estimate.wrapping_mul(q))
    }
}

/// The constants of reductions by 52-bit words, for moduli below `2^50` (zeros for others).
#[cfg(target_arch = "x86_64")]
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
    /// `q^-1 mod 2^52`.
    pub(crate) inverse: u64,
}

#[cfg(target_arch = "x86_64")]
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
            inverse: inverse_of_odd(q) % (1 << 52),
        }
    }
}

/// The constants of the vector kernels of words up to `2^62`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideConstants {
    /// `floor(k/2)` for the bit length k: residues are split there.
    pub(crate) lower_bits: u32,
    /// `floor(2^(63+2·lower_bits)/q)`, a word, since `q > 2^(2·lower_bits-1)`.
    pub(crate) barrett: u64,
    /// `2^32 mod q`.
    pub(crate) radix32: Factor,
}

#[cfg(target_arch = "x86_64")]
impl WideConstants {
    fn new(q: u64, bits: u32) -> Self {
        let lower_bits = bits / 2;
        let barrett = ((1u128 << (63 + 2 * lower_bits)) / u128::from(q)) as u64;
        Self { lower_bits, barrett, radix32: Factor::new(q, (1 << 32) % q) }
    }
}

impl Modulus {
    /// Returns the modulus `q`, for the fastest instruction set ([`Isa::detect`]).
    ///
    /// # Panics
    /// If `q` is even or outside `(2, 2^62)`.
    #[must_use]
    pub fn new(q: u64) -> Self {
        Self::with_isa(q, Isa::detect())
    }

    /// Returns the modulus `q` for a chosen instruction set. From `2^50` on, only some kernels use it
    /// ([`Modulus::wide_isa`]).
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
            wide_isa: isa,
            barrett: ((1u128 << (2 * bits)) / wide) as u64,
            reciprocal64: ((1u128 << 64) / wide) as u64,
            radix64: Factor::new(q, ((1u128 << 64) % wide) as u64),
            #[cfg(target_arch = "x86_64")]
            radix52: Radix52::new(q, bits),
            #[cfg(target_arch = "x86_64")]
            wide: WideConstants::new(q, bits),
        }
    }

    /// Returns the same modulus for the kernels of words up to `2^62`, which moduli from `2^50` on use anyway.
    #[must_use]
    pub fn for_wide_words(&self) -> Self {
        Self { isa: Isa::Scalar, ..*self }
    }

    /// Returns the modulus q.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// Returns the bit length k of q: `2^(k-1) < q < 2^k`.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the instruction set that kernels of words below `2^50` use for this modulus, which the processor has. It
    /// is [`Isa::Scalar`] if words may be longer.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the instruction set that kernels of words up to `2^62` use where [`Modulus::isa`] is [`Isa::Scalar`]:
    /// sums of products, products with constants, reductions. The processor has it.
    #[must_use]
    pub const fn wide_isa(&self) -> Isa {
        self.wide_isa
    }

    /// The constants of the 52-bit kernels.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn radix52(&self) -> &Radix52 {
        &self.radix52
    }

    /// The constants of the vector kernels of wide words.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn wide_constants(&self) -> &WideConstants {
        &self.wide
    }

    /// 1, as a factor: its product with a word is the word's residue.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn one(&self) -> Factor {
        Factor { value: 1, quotient: self.reciprocal64 }
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

    /// `1/a`, by Euclid's extended algorithm; q need not be prime. The time depends on the operand, so use it for
    /// public numbers only.
    ///
    /// # Panics
    /// If a and q have a common divisor.
    #[must_use]
    pub fn inv(&self, a: u64) -> u64 {
        self.try_inv(a).unwrap_or_else(|| panic!("{a} has no inverse modulo {}", self.value))
    }

    /// `1/a` by Euclid's extended algorithm, or `None` if a and q share a factor.
    ///
    /// ```
    /// use cryptable_ring::Modulus;
    /// let m = Modulus::new(97 * 193);
    /// assert_eq!(m.try_inv(193), None);
    /// assert_eq!(m.mul(m.try_inv(5).unwrap(), 5), 1);
    /// ```
    #[must_use]
    pub fn try_inv(&self, a: u64) -> Option<u64> {
        // Modulo q, `next` is ±following·a, with a sign that changes every time, and `remainder` is
        // coefficient·a with the other sign; coefficients grow to at most q.
        let (mut remainder, mut next) = (self.value, self.reduce(a));
        let (mut coefficient, mut following) = (0, 1);
        let mut next_is_negative = false;
        while next != 0 {
            let quotient = remainder / next;
            (remainder, next) = (next, remainder % next);
            (coefficient, following) = (following, coefficient + quotient * following);
            next_is_negative = !next_is_negative;
        }
        let inverse = if next_is_negative { coefficient } else { self.neg(coefficient) };
        (remainder == 1).then_some(inverse)
    }

    /// `x mod q` for any word.
    #[must_use]
    #[inline]
    pub const fn reduce(&self, x: u64) -> u64 {
        // x/q - x·reciprocal64/2^64 < 1 and the floor subtracts less than 1: the remainder is below 2q.
        let quotient = ((x as u128 * self.reciprocal64 as u128) >> 64) as u64;
        self.subtract_once(x - quotient * self.value)
    }

    /// `x mod q` for any double word.
    #[must_use]
    #[inline]
    pub const fn reduce_u128(&self, x: u128) -> u64 {
        let high = self.radix64.mul_lazy(self.value, (x >> 64) as u64);
        self.add(self.subtract_once(high), self.reduce(x as u64))
    }

    /// Returns the residue of any signed word.
    #[must_use]
    #[inline]
    pub const fn reduce_i64(&self, x: i64) -> u64 {
        self.negate_if(self.reduce(x.unsigned_abs()), (x >> 63).cast_unsigned())
    }

    /// Returns the residue of any signed double word.
    #[must_use]
    #[inline]
    pub const fn reduce_i128(&self, x: i128) -> u64 {
        self.negate_if(self.reduce_u128(x.unsigned_abs()), (x >> 127).cast_unsigned() as u64)
    }

    /// Returns `-a` if all bits of the mask are set, and a if none is. Does not branch, as signs may be secret.
    #[inline]
    const fn negate_if(&self, a: u64, mask: u64) -> u64 {
        a ^ ((a ^ self.neg(a)) & mask)
    }

    /// Returns the representative of `a` in `[-(q-1)/2, (q-1)/2]`.
    #[must_use]
    #[inline]
    pub const fn center(&self, a: u64) -> i64 {
        // Without a branch: all bits of the mask are set exactly if a > q/2.
        let is_above = (self.value / 2).wrapping_sub(a).cast_signed() >> 63;
        a.cast_signed() - (self.value.cast_signed() & is_above)
    }

    /// `x mod q` for `x < 2^(2k)`, in particular for a product of two residues.
    #[inline]
    const fn reduce_product(&self, x: u128) -> u64 {
        // The estimate is at most 2 too small, so the remainder is below 3q < 2^64.
        let estimate = shift_right(x, self.bits - 1);
        let quotient = shift_right(estimate as u128 * self.barrett as u128, self.bits + 1);
        let remainder = (x as u64).wrapping_sub(quotient.wrapping_mul(self.value));
        self.subtract_once(self.subtract_once(remainder))
    }

    /// Returns x for `x < q` and `x - q` for `q <= x < 3q`, without a branch, which random words would mispredict.
    #[inline]
    pub(crate) const fn subtract_once(&self, x: u64) -> u64 {
        // Since 2q < 2^63, the difference has its top bit set exactly if x < q.
        let difference = x.wrapping_sub(self.value);
        let borrow = (difference.cast_signed() >> 63).cast_unsigned();
        difference.wrapping_add(self.value & borrow)
    }
}

/// Returns the low word of `x >> shift` for `0 < shift < 64`. This is cheaper than a shift of a double word by an
/// amount that the compiler does not know.
#[inline]
const fn shift_right(x: u128, shift: u32) -> u64 {
    ((x >> 64) as u64) << (64 - shift) | (x as u64) >> shift
}

/// The inverse of an odd number modulo 2^64.
#[cfg(target_arch = "x86_64")]
pub(crate) fn inverse_of_odd(number: u64) -> u64 {
    debug_assert!(number % 2 == 1, "{number} is even");
    // Newton's iteration doubles the number of correct low bits, which starts at three.
    let step = |x: u64| x.wrapping_mul(2u64.wrapping_sub(number.wrapping_mul(x)));
    (0..5).fold(number, |x, _| step(x))
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;

    /// Moduli of all sizes, some next to powers of two, some not prime.
    const MODULI: [u64; 9] = [
        3,
        97,
        65_537,
        (1 << 49) + 1,
        (1 << 50) - 27,
        (1 << 50) + 1,
        (1 << 61) + 1,
        (1 << 62) - 57,
        (1 << 62) - 1,
    ];

    fn remainder(x: BigInt, q: u64) -> u64 {
        u64::try_from(((x % q) + q) % q).unwrap()
    }

    #[test]
    fn extreme_operands() {
        for q in MODULI {
            let m = Modulus::new(q);
            for x in [0, 1, q - 1, q, q + 1, 2 * q - 1, 1 << 62, 1 << 63, u64::MAX] {
                assert_eq!(m.reduce(x), x % q);
                assert_eq!(m.reduce_u128(u128::from(x) << 64 | u128::from(x)), {
                    remainder((BigInt::from(x) << 64) + x, q)
                });
            }
            assert_eq!(m.reduce_u128(u128::MAX), remainder(BigInt::from(u128::MAX), q));
            for x in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX] {
                assert_eq!(m.reduce_i64(x), remainder(BigInt::from(x), q));
            }
            for x in [i128::MIN, i128::MIN + 1, -1, 0, 1, i128::MAX] {
                assert_eq!(m.reduce_i128(x), remainder(BigInt::from(x), q));
            }
            for a in [0, 1, q / 2, q / 2 + 1, q - 1] {
                assert_eq!(m.neg(a), remainder(-BigInt::from(a), q));
                assert_eq!(m.reduce_i64(m.center(a)), a);
                assert!(m.center(a).unsigned_abs() <= (q - 1) / 2);
                for b in [0, 1, q / 2, q - 2, q - 1] {
                    assert_eq!(m.add(a, b), remainder(BigInt::from(a) + b, q));
                    assert_eq!(m.sub(a, b), remainder(BigInt::from(a) - b, q));
                    assert_eq!(m.mul(a, b), remainder(BigInt::from(a) * b, q));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn random_operands(
            q in 3u64..1 << 62, shift in 0u32..61, a: u64, b: u64, wide: u128, signed: i128,
        ) {
            let q = ((q >> shift) | 1).max(3);
            let m = Modulus::new(q);
            prop_assert_eq!(m.reduce(a), a % q);
            prop_assert_eq!(m.reduce_u128(wide), remainder(BigInt::from(wide), q));
            prop_assert_eq!(m.reduce_i128(signed), remainder(BigInt::from(signed), q));
            let (a, b) = (a % q, b % q);
            prop_assert_eq!(m.mul(a, b), remainder(BigInt::from(a) * b, q));
            prop_assert_eq!(m.add(a, b), remainder(BigInt::from(a) + b, q));
            prop_assert_eq!(m.sub(a, b), remainder(BigInt::from(a) - b, q));
        }
    }

    #[cfg(target_arch = "x86_64")]
    proptest! {
        #[test]
        fn inverses_of_odd_words(word in any::<u64>()) {
            prop_assert_eq!((word | 1).wrapping_mul(inverse_of_odd(word | 1)), 1);
        }
    }

    #[test]
    fn powers_and_inverses() {
        for q in [3, 97, 65_537, (1 << 50) - 27, (1 << 62) - 57] {
            let m = Modulus::new(q);
            for a in [1, 2, q / 3 + 1, q - 2, q - 1] {
                let cube = BigInt::from(a).pow(3);
                assert_eq!((m.pow(a, 0), m.pow(a, 3)), (1, remainder(cube, q)));
                assert_eq!(m.pow(a, q - 1), 1, "Fermat's little theorem");
                assert_eq!(remainder(BigInt::from(m.inv(a)) * a, q), 1);
            }
        }
    }

    #[test]
    fn inverses_modulo_products() {
        for q in [15, 97 * 193, (1 << 50) + 1, (1 << 62) - 1] {
            let m = Modulus::new(q);
            for a in [1, 2, 4, q / 2, q - 1, q - 2, q - 4] {
                assert_eq!(m.mul(a, m.inv(a)), 1, "{a} modulo {q}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "no inverse")]
    fn common_divisors_have_no_inverse() {
        let _ = Modulus::new(97 * 193).inv(2 * 193);
    }

    #[test]
    #[should_panic(expected = "no inverse")]
    fn zero_has_no_inverse() {
        let _ = Modulus::new(97).inv(97);
    }

    #[test]
    #[should_panic(expected = "not odd")]
    fn even_moduli_are_refused() {
        let _ = Modulus::new(1 << 40);
    }

    #[test]
    #[should_panic(expected = "in (2, 2^62)")]
    fn large_moduli_are_refused() {
        let _ = Modulus::new((1 << 62) + 1);
    }

    #[test]
    fn instruction_sets_of_short_and_wide_words() {
        for isa in Isa::available() {
            let [short, wide] = [(1 << 50) - 27, (1 << 50) + 1].map(|q| Modulus::with_isa(q, isa));
            assert_eq!([short, wide].map(|m| m.isa()), [isa, Isa::Scalar]);
            for m in [short.for_wide_words(), wide.for_wide_words(), wide] {
                assert_eq!([m.isa(), m.wide_isa()], [Isa::Scalar, isa]);
            }
        }
    }
}
