//! Structured tables of two words, with p² entries, as circuits whose cost depends on the structure.
//!
//! | structure of f(low, high) | lookups |
//! |---|---|
//! | sum: g(low) + h(high) modulo p | 2 |
//! | sum modulo p², with a carry between the words of the output | 4 |
//! | sum of r products a(low)·b(high) modulo p, with factors below p/2 | 2 + 2r |
//! | classes: t(c(low), d(high)) with at most p pairs of classes: constant on large blocks, few breakpoints | 3 |
//!
//! Sparse tables are dictionaries (`dictionary.rs`).

use std::collections::HashMap;

use cryptable_lattice::error::{Error, Result, check_values, check_within};
use rayon::prelude::*;

use crate::words::circuit::{Register, WordCircuit, words_of};

/// Largest modulus of words of a table that is searched for structure: the search evaluates each of its p² entries.
pub(crate) const MAX_SEARCHED_MODULUS: u64 = 1 << 16;

impl WordCircuit {
    /// Makes a circuit of a sum of functions of either word: `f(low + p·high) = g(low) + h(high)` modulo the output
    /// modulus, which is p or p².
    ///
    /// ```
    /// use cryptable_packed::WordCircuit;
    /// // Modulo 256, in two words of 4 bits: 7·low + 30·high.
    /// let circuit = WordCircuit::sum(16, 256, |low| 7 * low, |high| 30 * high)?;
    /// assert_eq!(circuit.evaluate(&[15, 8])?, [(105 + 240) % 16, (105 + 240) / 16 % 16]);
    /// assert_eq!(circuit.lookups(), 4);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If p is below 2, or the output modulus is neither p nor p²; with p², if p is not a square.
    pub fn sum(
        modulus: u64,
        output_modulus: u64,
        low: impl Fn(u64) -> u64,
        high: impl Fn(u64) -> u64,
    ) -> Result<Self> {
        let mut circuit = Self::new(modulus, 2)?;
        let values = |f: &dyn Fn(u64) -> u64| -> Vec<u64> {
            (0..modulus).map(|x| f(x) % output_modulus.max(1)).collect()
        };
        let (low, high) = (values(&low), values(&high));
        if output_modulus == modulus {
            let terms = [(0, low), (1, high)]
                .map(|(word, table)| Ok((circuit.add_lookup(Register(word), vec![table])?[0], 1)));
            let terms = terms.into_iter().collect::<Result<_>>()?;
            let sum = circuit.add_sum(terms);
            circuit.set_outputs(vec![sum]);
            return Ok(circuit);
        }
        let root = modulus.isqrt();
        if Some(output_modulus) != modulus.checked_mul(modulus) || root * root != modulus {
            return Err(Error::Unsupported(format!(
                "a sum modulo {output_modulus} of words modulo {modulus}: it may be modulo {modulus} or, \
                 if that is a square, its square"
            )));
        }
        // Both words of the output, and the digits of the low word, from which the carry is computed.
        let tables = |values: &[u64]| {
            let table = |part: &dyn Fn(u64) -> u64| values.iter().map(|&y| part(y)).collect();
            let p = modulus;
            vec![
                table(&|y| y % p),
                table(&|y| y / p),
                table(&|y| y % p % root),
                table(&|y| y % p / root),
            ]
        };
        let low = circuit.add_lookup(Register(0), tables(&low))?;
        let high = circuit.add_lookup(Register(1), tables(&high))?;
        let carry: Vec<u64> = (0..modulus).map(|x| u64::from(x >= root)).collect();
        let digits = circuit.add_sum(vec![(low[2], 1), (high[2], 1)]);
        let first = circuit.add_lookup(digits, vec![carry.clone()])?[0];
        let digits = circuit.add_sum(vec![(low[3], 1), (high[3], 1), (first, 1)]);
        let second = circuit.add_lookup(digits, vec![carry])?[0];
        let outputs = vec![
            circuit.add_sum(vec![(low[0], 1), (high[0], 1)]),
            circuit.add_sum(vec![(low[1], 1), (high[1], 1), (second, 1)]),
        ];
        circuit.set_outputs(outputs);
        Ok(circuit)
    }

    /// Makes a circuit of a table of low rank: `f(low + p·high) = Σ_r a_r(low)·b_r(high)` modulo p, with factors below
    /// p/2. A product is the difference of two squares of sums, `⌊(a + b)²/4⌋ - ⌊(a - b)²/4⌋`.
    ///
    /// ```
    /// use cryptable_packed::WordCircuit;
    /// let factors = ((0..16).map(|x| x / 2).collect(), (0..16).map(|x| x % 8).collect());
    /// let circuit = WordCircuit::products(16, &[factors])?;
    /// assert_eq!((circuit.lookups(), circuit.evaluate(&[9, 13])?), (4, vec![4 * 5 % 16]));
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no products, a list does not have one factor per value of a word, or a factor is not below p/2.
    pub fn products(modulus: u64, terms: &[(Vec<u64>, Vec<u64>)]) -> Result<Self> {
        if terms.is_empty() {
            return Err(Error::TooSmall { name: "number of products", value: 0, limit: 1 });
        }
        for factors in terms.iter().flat_map(|(low, high)| [low, high]) {
            if factors.len() as u64 != modulus {
                return Err(Error::TableLength { found: factors.len(), expected: modulus });
            }
            check_values(factors, modulus.div_ceil(2))?;
        }
        let mut circuit = Self::new(modulus, 2)?;
        let (low, high) = terms.iter().cloned().unzip();
        let low = circuit.add_lookup(Register(0), low)?;
        let high = circuit.add_lookup(Register(1), high)?;
        let quarter = |t: i128| ((t * t / 4) % i128::from(modulus)) as u64;
        let sums = (0..modulus).map(|t| quarter(t.into())).collect::<Vec<_>>();
        let half = modulus.div_ceil(2);
        let centered = |t: u64| i128::from(t) - if t < half { 0 } else { i128::from(modulus) };
        let differences = (0..modulus).map(|t| quarter(centered(t))).collect::<Vec<_>>();
        let mut products = Vec::with_capacity(2 * terms.len());
        for (&a, &b) in low.iter().zip(&high) {
            let (sum, difference) =
                (circuit.add_sum(vec![(a, 1), (b, 1)]), circuit.add_sum(vec![(a, 1), (b, -1)]));
            products.push((circuit.add_lookup(sum, vec![sums.clone()])?[0], 1));
            products.push((circuit.add_lookup(difference, vec![differences.clone()])?[0], -1));
        }
        let output = circuit.add_sum(products);
        circuit.set_outputs(vec![output]);
        Ok(circuit)
    }

    /// Makes a circuit of a table that has the same outputs for all words of a class:
    /// `f(low + p·high) = outputs[low_classes[low] + C·high_classes[high]]` modulo p or p², where C is the number of
    /// classes of low words.
    ///
    /// # Errors
    /// If there are more than p pairs of classes, if the numbers of classes or outputs are wrong, or if an output is
    /// not below the output modulus.
    pub fn classes(
        modulus: u64,
        output_modulus: u64,
        [low_classes, high_classes]: [&[u64]; 2],
        outputs: &[u64],
    ) -> Result<Self> {
        for classes in [low_classes, high_classes] {
            if classes.len() as u64 != modulus {
                return Err(Error::TableLength { found: classes.len(), expected: modulus });
            }
        }
        let count =
            |classes: &[u64]| classes.iter().max().map_or(0, |&largest| largest.saturating_add(1));
        let (columns, rows) = (count(low_classes), count(high_classes));
        let pairs = columns.saturating_mul(rows);
        check_within("number of pairs of classes", pairs, ..=modulus)?;
        if outputs.len() as u64 != pairs {
            return Err(Error::TableLength { found: outputs.len(), expected: pairs });
        }
        check_values(outputs, output_modulus)?;
        let words = output_words(modulus, output_modulus)?;
        let mut circuit = Self::new(modulus, 2)?;
        let low = circuit.add_lookup(Register(0), vec![low_classes.to_vec()])?[0];
        let rows = high_classes.iter().map(|class| columns * class).collect();
        let high = circuit.add_lookup(Register(1), vec![rows])?[0];
        let class = circuit.add_sum(vec![(low, 1), (high, 1)]);
        let table = |word: usize| {
            let of = |x: u64| {
                let output = outputs.get(x as usize).copied().unwrap_or(0);
                words_of(output, modulus, word + 1)[word]
            };
            (0..modulus).map(of).collect()
        };
        let outputs = circuit.add_lookup(class, (0..words).map(table).collect())?;
        circuit.set_outputs(outputs);
        Ok(circuit)
    }

    /// Makes a circuit of a function that changes at few places. Each piece `(start, output)` extends to the start of
    /// the next one; the first starts at 0. With p = 2^16, there may be about 180 arbitrary places, any number of
    /// multiples of 2^16, and more if places share words.
    ///
    /// ```
    /// use cryptable_packed::WordCircuit;
    /// let circuit = WordCircuit::piecewise_constant(16, 16, &[(0, 3), (100, 7), (200, 1)])?;
    /// assert_eq!(circuit.lookups(), 3);
    /// assert_eq!((circuit.evaluate(&[3, 6])?, circuit.evaluate(&[4, 6])?), (vec![3], vec![7]));
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If places are not sorted or not within p², an output is not below its modulus, or there are too many places.
    pub fn piecewise_constant(
        modulus: u64,
        output_modulus: u64,
        pieces: &[(u64, u64)],
    ) -> Result<Self> {
        let range = modulus.saturating_mul(modulus);
        let is_sorted = pieces.windows(2).all(|two| two[0].0 < two[1].0);
        if pieces.first().is_none_or(|&(start, _)| start != 0) || !is_sorted {
            let what = "pieces that do not start at 0, or are not in order";
            return Err(Error::Unsupported(what.into()));
        }
        let starts: Vec<u64> = pieces.iter().map(|piece| piece.0).collect();
        check_values(&starts, range)?;
        let output = |x: u64| pieces[starts.partition_point(|&start| start <= x) - 1].1;
        // Low words fall into classes between the places, independently of the high word.
        let mut cuts: Vec<u64> = starts.iter().map(|start| start % modulus).collect();
        cuts.push(0);
        cuts.sort_unstable();
        cuts.dedup();
        let low: Vec<u64> =
            (0..modulus).map(|x| cuts.partition_point(|&cut| cut <= x) as u64 - 1).collect();
        // High words with the same outputs in all classes of low words form a class.
        let mut known: HashMap<Vec<u64>, u64> = HashMap::new();
        let mut outputs = Vec::new();
        let mut high = Vec::with_capacity(modulus as usize);
        for word in 0..modulus {
            let row: Vec<u64> = cuts.iter().map(|cut| output(word * modulus + cut)).collect();
            let next = known.len() as u64;
            let class = *known.entry(row.clone()).or_insert(next);
            if class == next {
                outputs.extend(row);
            }
            high.push(class);
            let pairs = known.len() as u64 * cuts.len() as u64;
            check_within(
                "number of pairs of classes of words of a piecewise constant table",
                pairs,
                ..=modulus,
            )?;
        }
        Self::classes(modulus, output_modulus, [&low, &high], &outputs)
    }

    /// Finds structure in a function of `low + p·high`: a sum of functions of either word, or classes. Evaluates all of
    /// its p² values, some of them more than once. For p = 2^16, this takes seconds to minutes.
    ///
    /// ```
    /// use cryptable_packed::WordCircuit;
    /// let circuit = WordCircuit::recognise(16, 16, |x| if x < 100 { 3 } else { 5 })?;
    /// assert_eq!((circuit.lookups(), circuit.evaluate(&[3, 6])?), (3, vec![3]));
    /// assert!(WordCircuit::recognise(16, 16, |x| x * x * x / 7 % 16).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the function has neither structure. Products and dictionaries are not recognised.
    pub fn recognise(
        modulus: u64,
        output_modulus: u64,
        f: impl Fn(u64) -> u64 + Sync,
    ) -> Result<Self> {
        check_within("modulus of words", modulus, ..=MAX_SEARCHED_MODULUS)?;
        output_words(modulus, output_modulus)?;
        let at = |low: u64, high: u64| f(low + modulus * high) % output_modulus;
        let (origin, q) = (at(0, 0), output_modulus);
        let is_sum = (0..modulus).into_par_iter().all(|high| {
            let row = at(0, high) + q - origin;
            (0..modulus).all(|low| at(low, high) == (at(low, 0) + row) % q)
        });
        if is_sum {
            let sum = Self::sum(modulus, q, |low| at(low, 0), |high| at(0, high) + q - origin);
            if sum.is_ok() {
                return sum;
            }
        }
        let high = classes_of(modulus, &at);
        let low = classes_of(modulus, &|high, low| at(low, high));
        let representative = |classes: &[u64], class: u64| {
            classes.iter().position(|&of| of == class).expect("a class of a word") as u64
        };
        let counts = [&low, &high].map(|classes| classes.iter().max().map_or(0, |&last| last + 1));
        let lows: Vec<u64> = (0..counts[0]).map(|class| representative(&low, class)).collect();
        let highs: Vec<u64> = (0..counts[1]).map(|class| representative(&high, class)).collect();
        let at = &at;
        let outputs = highs.iter().flat_map(|&high| lows.iter().map(move |&low| at(low, high)));
        Self::classes(modulus, q, [&low, &high], &outputs.collect::<Vec<_>>())
    }
}

/// Classes of the second argument. Two arguments are in the same class if f is the same function of the first argument
/// for both.
fn classes_of(modulus: u64, f: &(impl Fn(u64, u64) -> u64 + Sync)) -> Vec<u64> {
    let digest = |word: u64| {
        let mut hasher = blake3::Hasher::new();
        (0..modulus).for_each(|other| {
            hasher.update(&f(other, word).to_le_bytes());
        });
        *hasher.finalize().as_bytes()
    };
    let digests: Vec<[u8; 32]> = (0..modulus).into_par_iter().map(digest).collect();
    let mut known = HashMap::new();
    let mut classes = Vec::with_capacity(digests.len());
    for digest in digests {
        let next = known.len() as u64;
        classes.push(*known.entry(digest).or_insert(next));
    }
    classes
}

/// Number of words of outputs.
///
/// # Errors
/// If outputs have more than two words.
fn output_words(modulus: u64, output_modulus: u64) -> Result<usize> {
    let limit = modulus.saturating_mul(modulus);
    if output_modulus < 2 || output_modulus > limit {
        let (name, value) = ("output modulus of a table of words", output_modulus);
        return Err(Error::TooLarge { name, value, limit });
    }
    Ok(if output_modulus <= modulus { 1 } else { 2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the circuit's value for every input.
    fn check(p: u64, circuit: &WordCircuit, f: impl Fn(u64) -> u64) {
        for x in 0..p * p {
            let words = circuit.evaluate(&[x % p, x / p]).unwrap();
            let found = words.iter().rev().fold(0, |value, word| value * p + word);
            assert_eq!(found, f(x), "{x}");
        }
    }

    #[test]
    fn sums_carry() {
        for p in [4u64, 16, 25, 256] {
            let (g, h) = (|x: u64| x * x * 7 + x, |x: u64| x * 191 + 3);
            for q in [p, p * p] {
                let circuit = WordCircuit::sum(p, q, g, h).unwrap();
                check(p, &circuit, |x| (g(x % p) + h(x / p)) % q);
            }
            let all = WordCircuit::sum(p, p * p, |_| p * p - 1, |_| p * p - 1).unwrap();
            check(p, &all, |_| p * p - 2);
        }
        assert!(WordCircuit::sum(8, 64, |x| x, |x| x).unwrap_err().to_string().contains("square"));
    }

    #[test]
    fn products_are_differences_of_squares() {
        for p in [2u64, 3, 16, 15, 64] {
            let half = p.div_ceil(2);
            let factors = |a: u64, b: u64| (0..p).map(|x| (a * x + b) % half).collect::<Vec<_>>();
            let terms = [(factors(3, 1), factors(1, 0)), (factors(0, half - 1), factors(5, 2))];
            let circuit = WordCircuit::products(p, &terms).unwrap();
            assert_eq!(circuit.lookups(), 6);
            check(p, &circuit, |x| {
                let product =
                    |(a, b): &(Vec<u64>, Vec<u64>)| a[(x % p) as usize] * b[(x / p) as usize];
                terms.iter().map(product).sum::<u64>() % p
            });
        }
        let large = vec![8; 16];
        assert!(WordCircuit::products(16, &[(large.clone(), large)]).is_err());
        assert!(WordCircuit::products(16, &[]).is_err());
    }

    #[test]
    fn few_places_and_large_blocks() {
        let p = 64u64;
        let pieces = [(0, 9), (5, 2), (777, 63), (778, 0), (3000, 4095)];
        let f = |x: u64| pieces.iter().rev().find(|piece| piece.0 <= x).unwrap().1;
        check(p, &WordCircuit::piecewise_constant(p, p * p, &pieces).unwrap(), f);
        // Any number of blocks of p values.
        let blocks: Vec<_> = (0..p).map(|i| (i * p, (i * 37 + 5) % p)).collect();
        check(p, &WordCircuit::piecewise_constant(p, p, &blocks).unwrap(), |x| {
            (x / p * 37 + 5) % p
        });
        let many: Vec<_> = (0..40).map(|i| (i * 101, i)).collect();
        let error = WordCircuit::piecewise_constant(p, p, &many).unwrap_err().to_string();
        assert!(error.contains("number of pairs of classes"), "{error}");
        assert!(WordCircuit::piecewise_constant(p, p, &[(1, 0)]).is_err());
        assert!(WordCircuit::piecewise_constant(p, p, &[(0, p)]).is_err());
        assert!(WordCircuit::piecewise_constant(p, p, &[(0, 0), (p * p, 0)]).is_err());
    }

    #[test]
    fn structure_is_recognised() {
        let p = 64u64;
        for (f, lookups) in [
            (&(|x: u64| x % 64 * 3 + x / 64 * 5) as &(dyn Fn(u64) -> u64 + Sync), 2),
            (&|x: u64| x % 64 / 8 * (x / 64 / 8), 3),
            (&|x: u64| u64::from(x >= 2000), 3),
        ] {
            let circuit = WordCircuit::recognise(p, p, f).unwrap();
            assert_eq!(circuit.lookups(), lookups);
            check(p, &circuit, |x| f(x) % p);
        }
        let error = WordCircuit::recognise(p, p, |x| x * x / 3).unwrap_err().to_string();
        assert!(error.contains("number of pairs of classes"), "{error}");
    }
}
