//! Dumezy, Alexandru, Polyakov, Clet, Chakraborty, Boudguiga: Evaluating Larger Lookup Tables using CKKS
//! (TCHES 2026(1), ePrint 2025/1301): running times and memory on one thread of a server with two AMD EPYC 7302 at
//! 3 GHz and 128 GB of memory.

/// A lookup of a random table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedLookup {
    /// Bits of the table's inputs.
    pub bits: f64,
    /// Seconds a lookup.
    pub seconds: f64,
    /// Milliseconds a value: seconds over slots.
    pub milliseconds_a_value: f64,
}

const fn lookup(bits: f64, seconds: f64, milliseconds_a_value: f64) -> PublishedLookup {
    PublishedLookup { bits, seconds, milliseconds_a_value }
}

/// Table A1, AKP-FBT: bits, seconds per lookup, milliseconds per value. Its 16-bit line evaluates a modular reduction
/// instead of a random table, below 128 bits of security.
pub const AKP_LOOKUPS: [PublishedLookup; 15] = [
    lookup(1.0, 16.685, 0.2546),
    lookup(2.0, 24.392, 0.3722),
    lookup(3.0, 25.768, 0.3932),
    lookup(4.0, 30.181, 0.4605),
    lookup(5.0, 32.871, 0.5016),
    lookup(6.0, 39.933, 0.6093),
    lookup(7.0, 45.681, 0.6970),
    lookup(8.0, 56.593, 0.8635),
    lookup(9.0, 75.036, 1.1450),
    lookup(10.0, 243.95, 1.8612),
    lookup(11.0, 401.51, 3.0632),
    lookup(12.0, 706.98, 5.3938),
    lookup(13.0, 1347.9, 10.284),
    lookup(14.0, 2479.2, 18.915),
    lookup(16.0, 45722.0, 348.83),
];

/// Table 3, CMT-FBT with its best digits: bits, seconds per lookup, milliseconds per value.
pub const CMT_LOOKUPS: [PublishedLookup; 9] = [
    lookup(8.0, 115.02, 1.76),
    lookup(10.0, 151.71, 2.31),
    lookup(11.0, 156.38, 2.39),
    lookup(12.0, 167.27, 2.55),
    lookup(13.0, 315.04, 4.81),
    lookup(14.0, 335.88, 5.13),
    lookup(16.0, 480.80, 7.34),
    lookup(18.0, 1290.5, 19.69),
    lookup(20.0, 8447.0, 64.45),
];

/// Table 5, peak memory of an evaluation: bits, and GB of AKP-FBT, BMT-FBT and CMT-FBT.
pub const PEAK_MEMORY: [(f64, [f64; 3]); 4] = [
    (10.0, [22.9, 22.4, 13.8]),
    (12.0, [27.4, 22.6, 13.9]),
    (14.0, [32.3, 24.8, 27.3]),
    (16.0, [110.2, 26.2, 28.5]),
];

/// Ciphertext multiplications of both Kronecker products of a tree over an input of `bits` bits in digits of `digit_bits`
/// bits (Figure 2): digits are halved, and each half is multiplied out as a balanced binary tree, without the last product
/// between the halves. Digits of one bit are a BMT.
///
/// ```
/// use cryptable_papers::dumezy_2026::kronecker_products;
/// // 16 bits: two trees over four digits' deltas of 16 entries have a product of 16 x 16 each, over bits many more.
/// assert_eq!(kronecker_products(16, 4), 2 * 256);
/// assert_eq!(kronecker_products(16, 1), 2 * (4 * 4 + 2 * 16 + 256));
/// ```
///
/// # Panics
/// If there are no bits, or no bits per digit.
#[must_use]
pub fn kronecker_products(bits: u32, digit_bits: u32) -> u64 {
    let digits = bits.div_ceil(digit_bits);
    let upper = digits / 2;
    product_of_digits(upper, digit_bits) + product_of_digits(digits - upper, digit_bits)
}

/// Multiplications of the Kronecker product of the deltas of `digits` digits.
fn product_of_digits(digits: u32, digit_bits: u32) -> u64 {
    if digits < 2 {
        return 0;
    }
    let half = digits / 2;
    let both = product_of_digits(half, digit_bits) + product_of_digits(digits - half, digit_bits);
    both + (1 << (digits * digit_bits))
}

/// The paper's sum N_BMT for 2^b bits, one of the two products (Section 6.2): `Σ 2^(b-i-1+2^i)` over i from 1 to b - 1.
#[must_use]
pub fn n_bmt(b: u32) -> u64 {
    (1..b).map(|i| 1 << (b - i - 1 + (1 << i))).sum()
}

/// The paper's sum N_CMT for 2^b bits in 2^a digits of p, one of the two products: `Σ 2^(a-i-1)·p^(2^i)` over i from 1 to
/// a - 1.
#[must_use]
pub fn n_cmt(a: u32, p: u64) -> u64 {
    (1..a).map(|i| (1 << (a - i - 1)) * p.pow(1 << i)).sum()
}

/// Runtimes from which the paper models digit decomposition (Section 6.1), in any unit: α per bit and β of a bootstrap, γ of
/// SlotsToCoeffs, and that of a polynomial of degree p - 1 whose powers are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecompositionModel {
    /// α.
    pub per_bit: f64,
    /// β.
    pub fixed: f64,
    /// γ.
    pub slots_to_coeffs: f64,
}

impl DecompositionModel {
    /// C_PreBMT = (α + β)·log P - γ.
    #[must_use]
    pub fn binary(&self, bits: f64) -> f64 {
        (self.per_bit + self.fixed) * bits - self.slots_to_coeffs
    }

    /// C_PreCMT(p) = (α·log p + β + p·C_PolyPS(p - 1))·log_p P - γ; with all cores that could help, the polynomials, which are
    /// independent, take no time.
    #[must_use]
    pub fn collapsed(&self, bits: f64, digit_bits: f64, polynomial: f64) -> f64 {
        let digit = self.per_bit * digit_bits + self.fixed + digit_bits.exp2() * polynomial;
        digit * bits / digit_bits - self.slots_to_coeffs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed sums of Section 6.2 are the counts of balanced trees, and their difference is the paper's.
    #[test]
    fn counts_of_products_are_the_papers_sums() {
        for b in 2..5 {
            assert_eq!(kronecker_products(1 << b, 1), 2 * n_bmt(b), "2^{b} bits");
            for a in 1..b {
                let digit_bits = 1 << (b - a);
                assert_eq!(kronecker_products(1 << b, digit_bits), 2 * n_cmt(a, 1 << digit_bits));
                let difference: u64 = (1..=b - a).map(|i| 1 << (b - i - 1 + (1 << i))).sum();
                assert_eq!(n_bmt(b) - n_cmt(a, 1 << digit_bits), difference, "{a} {b}");
            }
        }
    }

    /// Digits of 2 to 5 bits decompose faster than bits, by the paper's condition on the fit to its Table A1.
    #[test]
    fn larger_digits_decompose_faster() {
        // α and β of seconds by Table A1 from 1 to 8 bits; a polynomial of degree 31 within β/10 keeps the condition.
        let model = DecompositionModel { per_bit: 5.2, fixed: 11.0, slots_to_coeffs: 2.0 };
        for digit_bits in [2.0, 4.0] {
            let polynomial = 0.9 * model.fixed * (digit_bits - 1.0) / f64::exp2(digit_bits);
            assert!(model.collapsed(16.0, digit_bits, polynomial) < model.binary(16.0));
            assert!(model.collapsed(16.0, digit_bits, 1.3 * polynomial) > model.binary(16.0));
        }
    }

    /// A slip of a digit in either column would break the bond between them: time a value is latency over the
    /// number of slots, 2^16 or, for AKP from 10 bits and CMT from 20 bits on, 2^17.
    #[test]
    fn columns_agree() {
        for (table, larger_from) in [(&AKP_LOOKUPS[..], 10.0), (&CMT_LOOKUPS[..], 20.0)] {
            for PublishedLookup { bits, seconds, milliseconds_a_value } in table {
                let slots = if *bits < larger_from { 65536.0 } else { 131072.0 };
                let error: f64 = seconds * 1e3 / slots / milliseconds_a_value - 1.0;
                assert!(error.abs() < 4e-3, "{bits} bits: {error}");
            }
        }
    }
}
