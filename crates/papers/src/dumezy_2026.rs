//! Dumezy, Alexandru, Polyakov, Clet, Chakraborty, Boudguiga: Evaluating Larger Lookup Tables using CKKS
//! (TCHES 2026(1), ePrint 2025/1301): running times and memory on one thread of a server with two AMD EPYC 7302 at
//! 3 GHz and 128 GB of memory, and cost formulas.

/// A lookup in a random table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedLookup {
    /// Bits of the table's inputs.
    pub bits: f64,
    /// Seconds per lookup.
    pub seconds: f64,
    /// Milliseconds per value: seconds divided by the number of slots.
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

/// Shares of AKP's time, Table 2: ModRaise with CoeffsToSlots, the exponential, its powers, the polynomial, SlotsToCoeffs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Bits of the table's inputs.
    pub bits: f64,
    /// Seconds per lookup.
    pub seconds: f64,
    /// Percent of these seconds, by step.
    pub percent: [f64; 5],
}

const fn profile(bits: f64, seconds: f64, percent: [f64; 5]) -> Profile {
    Profile { bits, seconds, percent }
}

/// Table 2, the profile of AKP-FBT on one thread.
pub const AKP_PROFILE: [Profile; 9] = [
    profile(1.0, 16.69, [43.79, 44.15, 0.05, 0.01, 10.69]),
    profile(2.0, 24.39, [36.55, 51.20, 2.49, 1.41, 7.03]),
    profile(4.0, 30.12, [33.73, 49.20, 5.85, 2.62, 7.48]),
    profile(6.0, 39.93, [30.27, 45.26, 9.68, 8.32, 5.62]),
    profile(8.0, 56.59, [28.84, 32.61, 12.49, 21.20, 4.29]),
    profile(10.0, 243.95, [12.34, 18.90, 15.01, 50.59, 2.83]),
    profile(12.0, 706.98, [4.87, 7.66, 11.44, 74.79, 1.12]),
    profile(14.0, 2479.2, [1.49, 2.39, 7.02, 88.74, 0.33]),
    profile(16.0, 45722.0, [0.47, 0.90, 4.80, 93.78, 0.04]),
];

/// Counts the ciphertext multiplications of the Kronecker product of vectors of these lengths by Algorithm 3: neighbours are
/// multiplied, while a last vector without a neighbour waits, and so on until one vector is left.
///
/// ```
/// use cryptable_papers::dumezy_2026::kronecker_product;
/// assert_eq!(kronecker_product(&[4, 4, 4]), 4 * 4 + 16 * 4);
/// assert_eq!(kronecker_product(&[4]), 0);
/// ```
#[must_use]
pub fn kronecker_product(lengths: &[u64]) -> u64 {
    let (mut count, mut lengths) = (0, lengths.to_vec());
    while lengths.len() > 1 {
        let pairs = lengths.chunks_exact(2);
        count += pairs.map(|pair| pair[0] * pair[1]).sum::<u64>();
        lengths = lengths.chunks(2).map(|pair| pair.iter().product()).collect();
    }
    count
}

/// Counts the ciphertext multiplications of both Kronecker products of a tree over an input of `bits` bits in digits of
/// `digit_bits` bits (Figure 2): the lower half of the digits, with the middle one, and the upper half. With digits of one
/// bit, the tree is a BMT. All digits count 2^`digit_bits` values, also the last one of a width that is not a multiple.
///
/// ```
/// use cryptable_papers::dumezy_2026::kronecker_products;
/// // 16 bits: two trees, each over two digits' deltas of 16 entries, have one product of 16 x 16 each; over bits, many more.
/// assert_eq!(kronecker_products(16, 4), 2 * 256);
/// assert_eq!(kronecker_products(16, 1), 2 * (4 * 4 + 2 * 16 + 256));
/// ```
///
/// # Panics
/// If there are no bits per digit.
#[must_use]
pub fn kronecker_products(bits: u32, digit_bits: u32) -> u64 {
    let digits = vec![1 << digit_bits; bits.div_ceil(digit_bits) as usize];
    let (lower, upper) = digits.split_at(digits.len().div_ceil(2));
    kronecker_product(lower) + kronecker_product(upper)
}

/// Returns the paper's sum N_BMT for 2^b bits, for one of the two products (Section 6.2): `Σ 2^(b-i-1+2^i)` over i from 1
/// to b - 1.
#[must_use]
pub fn n_bmt(b: u32) -> u64 {
    (1..b).map(|i| 1 << (b - i - 1 + (1 << i))).sum()
}

/// Returns the paper's sum N_CMT for 2^a digits of size p, for one of the two products:
/// `Σ 2^(a-i-1)·p^(2^i)` over i from 1 to a - 1.
#[must_use]
pub fn n_cmt(a: u32, p: u64) -> u64 {
    (1..a).map(|i| (1 << (a - i - 1)) * p.pow(1 << i)).sum()
}

/// The running times from which the paper models digit decomposition (Section 6.1), in any unit: a bootstrap takes β plus α
/// per bit, SlotsToCoeffs takes γ; the time of a polynomial of degree p - 1, given its powers, is an argument.
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
    /// Returns the model of the paper's machine, in seconds: the least-squares line through Table A1 from 1 to 8 bits, and the
    /// mean of SlotsToCoeffs in Table 2 from 1 to 8 bits.
    ///
    /// ```
    /// use cryptable_papers::dumezy_2026::DecompositionModel;
    /// let model = DecompositionModel::published();
    /// assert!((4.0..6.0).contains(&model.per_bit) && (10.0..13.0).contains(&model.fixed));
    /// ```
    #[must_use]
    pub fn published() -> Self {
        let is_linear = |bits: f64| bits <= 8.0;
        let times = AKP_LOOKUPS.iter().filter(|it| is_linear(it.bits));
        let points: Vec<[f64; 2]> = times.map(|it| [it.bits, it.seconds]).collect();
        let steps = AKP_PROFILE.iter().filter(|it| is_linear(it.bits));
        let back: Vec<f64> = steps.map(|it| it.seconds * it.percent[4] / 100.0).collect();
        Self::fitted(&points, back.iter().sum::<f64>() / back.len() as f64)
    }

    /// Fits a line through points of bits and running time by least squares.
    ///
    /// # Panics
    /// If there are fewer than two different widths.
    #[must_use]
    pub fn fitted(points: &[[f64; 2]], slots_to_coeffs: f64) -> Self {
        let count = points.len() as f64;
        let mean = |index: usize| points.iter().map(|point| point[index]).sum::<f64>() / count;
        let (bits, time) = (mean(0), mean(1));
        let moment = |of: usize| {
            let means = [bits, time];
            let terms = points.iter().map(|point| (point[0] - bits) * (point[of] - means[of]));
            terms.sum::<f64>()
        };
        assert!(moment(0) > 0.0, "a line takes two widths");
        let per_bit = moment(1) / moment(0);
        Self { per_bit, fixed: time - per_bit * bits, slots_to_coeffs }
    }

    /// Returns the seconds of the polynomial for digits of `digit_bits` bits, C_PolyPS(p - 1), by Table 2, if it has such a
    /// row.
    #[must_use]
    pub fn published_polynomial(digit_bits: f64) -> Option<f64> {
        let row = AKP_PROFILE.iter().find(|row| row.bits == digit_bits)?;
        Some(row.seconds * row.percent[3] / 100.0)
    }

    /// Returns C_PreBMT = (α + β)·log P - γ.
    #[must_use]
    pub fn binary(&self, bits: f64) -> f64 {
        (self.per_bit + self.fixed) * bits - self.slots_to_coeffs
    }

    /// Returns C_PreCMT(p) = (α·log p + β + p·C_PolyPS(p - 1))·log_p P - γ. With enough cores, the polynomials, which are
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

    /// Section 4.1: n vectors of p entries, n a power of two, need from p^n to p^n + 4·p^(n/2) multiplications.
    #[test]
    fn counts_of_a_product_are_within_the_papers_bounds() {
        for (p, n) in [(2u64, 2), (2, 4), (2, 8), (4, 2), (4, 4), (16, 2), (64, 2)] {
            let (count, last) = (kronecker_product(&vec![p; n as usize]), p.pow(n));
            assert!((last..=last + 4 * p.pow(n / 2)).contains(&count), "{p} {n}: {count}");
        }
    }

    /// The paper says that digits of 2 to 5 bits decompose faster than bits. Its tables have rows for 2, 4 and 6 bits.
    #[test]
    fn larger_digits_decompose_faster() {
        let model = DecompositionModel::published();
        let faster = |digit_bits: f64| {
            let polynomial = DecompositionModel::published_polynomial(digit_bits).unwrap();
            let condition = model.fixed * (digit_bits - 1.0) - digit_bits.exp2() * polynomial > 0.0;
            // The condition agrees with the total costs.
            let costs = model.collapsed(16.0, digit_bits, polynomial) < model.binary(16.0);
            assert_eq!(condition, costs, "{digit_bits}");
            // With enough cores, larger digits are always faster.
            assert!(model.collapsed(16.0, digit_bits, 0.0) < model.binary(16.0));
            costs
        };
        assert_eq!([2.0, 4.0, 6.0].map(faster), [true, true, false]);
        assert_eq!(DecompositionModel::published_polynomial(5.0), None);
    }

    /// The steps of Table 2 are all steps of a lookup except the final switch of the modulus, and its times are those of
    /// Table A1.
    #[test]
    fn profiles_are_whole() {
        for Profile { bits, seconds, percent } in AKP_PROFILE {
            let sum: f64 = percent.iter().sum();
            assert!((97.0..=100.01).contains(&sum), "{bits} bits: {sum} %");
            let lookup = AKP_LOOKUPS.iter().find(|it| it.bits == bits).unwrap();
            assert!((lookup.seconds / seconds - 1.0).abs() < 3e-3, "{bits} bits");
        }
    }

    /// A wrong digit in either column would break the relation between them: time per value is latency divided by the
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
