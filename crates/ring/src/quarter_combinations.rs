//! Linear combinations in four quarters that differ by powers of i: a step of radix 4, decimated in time, of a Fourier
//! transform whose inputs are polynomials.
//!
//! Row k of the transform of size 4m has the constants `ω^{-jk}`, and row `k + m·t` has `i^{-jt}` times these
//! constants. Inputs with the same `j mod 4` are therefore added up once for all four quarters, and four sums result in
//! four outputs: `n·m + 16·m` products instead of `4·n·m`. Powers of i are exact modulo every prime
//! ([`Ring::imaginary_unit`]), so they cost no level and no rounding.

use crate::combination::{GaussianInteger, Halves, combine_blocks, combine_rows};
use crate::{Evaluations, Modulus, Poly, Ring};

/// The number of quarters, and of exponents of i that distinguish inputs.
const QUARTERS: usize = 4;

/// `out[m·t + k] = Σ_j i^{-t·exponents[j]}·rows[k][j]·inputs[j]` modulo `q_0 … q_{main-1}`, for the m rows and `t < 4`.
///
/// Inputs may have more limbs than `main`: the others are not read. Costs a lazy multiply-accumulate per word and entry
/// of a row, and sixteen more per row.
///
/// # Panics
/// If an input has fewer than `main` chain limbs, or if the length of a row or of the exponents is not the number of
/// inputs.
///
/// ```
/// use cryptable_ring::combination::{GaussianInteger, linear_combinations};
/// use cryptable_ring::quarter_combinations::quarter_combinations;
/// use cryptable_ring::{Basis, Poly, Ring, primes::ntt_primes};
/// let ring = Ring::new(16, &ntt_primes(16, 49.0, 1, &[]), &[]);
/// let constant = |c| Poly::from_words(&ring, Basis::main(1), vec![c; 16]);
/// let (one, two) = (constant(1), constant(2));
/// // The sum and the difference of 3·1 and 2·2 in quarters 0 and 2: i^-2 = -1.
/// let row = vec![GaussianInteger { re: 3, ..Default::default() }, GaussianInteger { re: 2, ..Default::default() }];
/// let result = quarter_combinations(&ring, 1, &[&one, &two], &[0, 1], &[row]);
/// assert_eq!(result[0], constant(7));
/// assert_eq!(result[2], constant(ring.modulus(0).value() - 1));
/// ```
#[must_use]
pub fn quarter_combinations(
    ring: &Ring,
    main: usize,
    inputs: &[&Poly<Evaluations>],
    exponents: &[usize],
    rows: &[Vec<GaussianInteger>],
) -> Vec<Poly<Evaluations>> {
    assert!(rows.iter().all(|row| row.len() == inputs.len()), "row length");
    assert_eq!(exponents.len(), inputs.len(), "exponents");
    let alike: [Vec<usize>; QUARTERS] = std::array::from_fn(|exponent| {
        (0..inputs.len()).filter(|&j| exponents[j] % QUARTERS == exponent).collect()
    });
    let residues = |prime| Residues::new(ring, prime, rows, &alike);
    let outputs = QUARTERS * rows.len();
    combine_blocks(ring, main, outputs, inputs, residues, |m, out, blocks, residues| {
        let blocks = alike.each_ref().map(|of| of.iter().map(|&j| blocks[j]).collect::<Vec<_>>());
        residues.combine(m, out, &blocks);
    })
}

/// Multipliers of one half of the evaluations modulo a prime.
struct Residues {
    /// Residues of every row, by exponents of the inputs.
    rows: Vec<[Vec<u64>; QUARTERS]>,
    /// `i^{-t·r}` for quarter t and sum r.
    turns: [[u64; QUARTERS]; QUARTERS],
}

impl Residues {
    /// Computes the residues for both halves: i is a root of -1 on the first, and its negative on the second.
    fn new(
        ring: &Ring,
        prime: usize,
        rows: &[Vec<GaussianInteger>],
        alike: &[Vec<usize>; QUARTERS],
    ) -> Halves<Self> {
        let m = ring.modulus(prime);
        let of_half = |rows: Vec<Vec<u64>>, minus_i: u64| {
            let pick =
                |row: &Vec<u64>| alike.each_ref().map(|of| of.iter().map(|&j| row[j]).collect());
            let turn = |t: usize, r: usize| m.pow(minus_i, (t * r % QUARTERS) as u64);
            let turns = std::array::from_fn(|t| std::array::from_fn(|r| turn(t, r)));
            Self { rows: rows.iter().map(pick).collect(), turns }
        };
        let (i, Halves { first, second }) =
            (ring.imaginary_unit(prime), Halves::of_rows(ring, prime, rows));
        Halves { first: of_half(first, m.neg(i)), second: of_half(second, i) }
    }

    /// Writes a block of all quarters from blocks of the inputs, grouped by exponent, for two rows at a time.
    fn combine(&self, m: &Modulus, mut out: Vec<&mut [u64]>, inputs: &[Vec<&[u64]>; QUARTERS]) {
        let (words, count) = (out[0].len(), self.rows.len());
        let mut scratch = vec![0; 2 * QUARTERS * words];
        for (pair, rows) in self.rows.chunks(2).enumerate() {
            // All sums of one row, followed by those of the other.
            for (r, inputs) in inputs.iter().enumerate() {
                let sums = scratch.chunks_exact_mut(words).skip(r).step_by(QUARTERS);
                combine_rows(m, sums, inputs, rows.iter().map(|row| &row[r]));
            }
            for (row, sums) in scratch.chunks_exact(QUARTERS * words).enumerate().take(rows.len()) {
                let sums: Vec<&[u64]> = sums.chunks_exact(words).collect();
                let of_row = out.iter_mut().skip(2 * pair + row).step_by(count);
                combine_rows(m, of_row.map(|out| &mut **out), &sums, self.turns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::combination::linear_combinations;
    use crate::primes::ntt_primes;

    #[test]
    fn quarters_are_the_rows_of_a_fourier_transform() {
        let primes = [ntt_primes(64, 49.0, 2, &[]), ntt_primes(64, 53.0, 1, &[])].concat();
        let ring = Ring::new(64, &primes, &[]);
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state >> 20
        };
        for (inputs, count) in [(1, 1), (3, 1), (7, 2), (63, 16)] {
            let basis = Basis::main(3);
            let mut poly = || {
                let words =
                    primes.iter().flat_map(|q| (0..64).map(|_| random() % q).collect::<Vec<_>>());
                Poly::<Evaluations>::from_words(&ring, basis, words.collect())
            };
            let polys: Vec<_> = (0..inputs).map(|_| poly()).collect();
            let polys: Vec<_> = polys.iter().collect();
            let mut part = || i128::from(random()) - (1 << 43);
            let mut integer = || GaussianInteger { re: part(), im: part(), shift: 0 };
            let rows: Vec<Vec<_>> =
                (0..count).map(|_| (0..inputs).map(|_| integer()).collect()).collect();
            let exponents: Vec<_> = (1..=inputs).collect();
            let turned = |(&GaussianInteger { re, im, shift }, j): (&GaussianInteger, &usize),
                          t: usize| {
                let (re, im) = [(re, im), (im, -re), (-re, -im), (-im, re)][t * j % 4];
                GaussianInteger { re, im, shift }
            };
            let all_rows: Vec<Vec<_>> = (0..4 * count)
                .map(|row| {
                    let (t, k) = (row / count, row % count);
                    rows[k].iter().zip(&exponents).map(|pair| turned(pair, t)).collect()
                })
                .collect();
            for main in [1, 3] {
                let expected = linear_combinations(&ring, main, &polys, &all_rows);
                let found = quarter_combinations(&ring, main, &polys, &exponents, &rows);
                assert!(found == expected, "{inputs} inputs, {count} rows, {main} limbs");
            }
        }
    }
}
