//! The mean number of automorphisms of a blind rotation: for LMKCDEY (Lee et al., EUROCRYPT 2023; Algorithm 7 of Wang
//! et al., EUROCRYPT 2024, who call it LMKC+), and for sparse exponents (their Algorithms 4 to 6).
//!
//! The paper estimates the number by a Monte Carlo simulation (Sup. C.4); the mean has a closed form.

/// Returns the mean of [`automorphism_count`](crate::rotation::automorphism_count) over uniform odd masks of `dimension`
/// words.
///
/// Exponents are n balls in N places: m given places are all empty with probability ε(m) = (1 - m/N)^n. Every place
/// with a product, except the first one, ends an automorphism, and so does the last place: `N·(1 - ε(1)) - 1 + ε(1)`.
/// Another place, before the last, ends an automorphism if the nearest product before it is j·w places away for a j >= 1,
/// w the window: `Σ_j (N - 1 - j·w)·(ε(j·w) - ε(j·w + 1))`. The d places across the change of sign need one automorphism
/// for the first and ⌈(d - 1)/w⌉ for the rest, which is one more than ⌈d/w⌉ unless w divides d - 1:
/// `Σ_d d·(ε(d - 1) - 2·ε(d) + ε(d + 1))` over such d. Shortcuts between products N/2 places or more apart, of probability
/// about n/2^n, are not counted.
///
/// The mean is nearly N·n/(n + 1) for window 1, and nearly the number of distinct exponents for large windows.
///
/// ```
/// use cryptable_fhew::rotation::expected_automorphisms;
/// assert!((expected_automorphisms(2048, 64, 1) - 2048.0 * 64.0 / 65.0).abs() < 2.0);
/// assert!((expected_automorphisms(2048, 64, 1024) - 64.0).abs() < 2.0);
/// ```
#[must_use]
pub fn expected_automorphisms(degree: usize, dimension: usize, window: usize) -> f64 {
    let line = Line { places: degree, dimension };
    let across = (1..=degree / 2)
        .filter(|d| !(d - 1).is_multiple_of(window))
        .map(|d| d as f64 * (line.empty(d - 1) - 2.0 * line.empty(d) + line.empty(d + 1)));
    line.automorphisms(window, 1) + across.sum::<f64>()
}

/// Returns the mean of [`automorphism_count`](crate::rotation::automorphism_count) over uniform masks of
/// `dimension` multiples of 2^θ, θ = `sparsity_log2`; for θ = 0 over odd masks, like [`expected_automorphisms`].
///
/// Exponents are 1 modulo 2^θ: for θ >= 2, balls in the N' = 2N/2^θ places of the group of g' = g^(2^(θ-2)), on a line
/// without change of sign. `window` counts powers of g. With 2^(θ-2) powers per place, d places to the next product need
/// ⌈d·2^(θ-2)/w⌉ automorphisms, so j·w places of [`expected_automorphisms`] become ⌊j·w/2^(θ-2)⌋. The mean is nearly
/// the number of distinct exponents, N'(1 - e^(-n/N')), if the window is wide (Table 2 of Wang et al.,
/// EUROCRYPT 2024).
///
/// # Panics
/// If 2^θ is not below 2N, or the window is 0.
///
/// ```
/// use cryptable_fhew::rotation::expected_sparse_automorphisms;
/// // The paper's: n = 458, N = 2048, θ = 2, window 15, 368 automorphisms.
/// assert!((expected_sparse_automorphisms(2048, 458, 15, 2) - 368.0).abs() < 4.0);
/// ```
#[must_use]
pub fn expected_sparse_automorphisms(
    degree: usize,
    dimension: usize,
    window: usize,
    sparsity_log2: u32,
) -> f64 {
    assert!(window > 0, "a window");
    match sparsity_log2 {
        0 | 1 => expected_automorphisms(degree, dimension, window),
        _ => {
            let places = sparse_places(degree, sparsity_log2);
            Line { places, dimension }.automorphisms(window, 1 << (sparsity_log2 - 2))
        }
    }
}

/// Returns N' = 2N/2^θ, the number of places of a rotation by multiples of 2^θ.
fn sparse_places(degree: usize, sparsity_log2: u32) -> usize {
    let places = (2 * degree).checked_shr(sparsity_log2).unwrap_or(0);
    assert!(places > 1, "multiples of 2^{sparsity_log2} modulo {}", 2 * degree);
    places
}

/// Balls, one per coefficient, in places on a line; a rotation always reaches the last place.
struct Line {
    places: usize,
    dimension: usize,
}

impl Line {
    /// Returns the probability that `count` given places are all empty.
    fn empty(&self, count: usize) -> f64 {
        (1.0 - count as f64 / self.places as f64).powi(self.dimension as i32)
    }

    /// Returns the mean number of automorphisms with steps of up to `window`, where neighbouring places are `stride` apart.
    fn automorphisms(&self, window: usize, stride: usize) -> f64 {
        let places = self.places as f64;
        let ends = places * (1.0 - self.empty(1)) - 1.0 + self.empty(1);
        let between = (1..)
            .map(|j| j * window / stride)
            .take_while(|&m| m + 1 < self.places)
            .map(|m| (self.places - 1 - m) as f64 * (self.empty(m) - self.empty(m + 1)));
        ends + between.sum::<f64>()
    }
}
