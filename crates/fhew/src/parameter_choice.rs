//! Search for the fastest parameters for a method and a table's moduli, within a failure probability.
//!
//! The search covers everything that matters: ring degree, digits of the rotation, LWE modulus (with the least secure
//! dimension), digits of the key switch and, for methods that pack, of the trace's automorphisms. Candidates are ordered by
//! cost, which is computed by count. All have 128-bit security; the first that the noise model accepts is the fastest.

use std::sync::OnceLock;

use cryptable_lattice::cost::{CostModel, Work};
use cryptable_lattice::security::{SecretDistribution, least_lwe_dimension};
use cryptable_lattice::{Error, FailureProbability, Result};
use cryptable_ring::reserved;

use crate::cost;
use crate::full_domain::{self, FullDomainMethod};
use crate::noise::{NoiseModel, Variance};
use crate::parameters::{
    GadgetLiteral, IntermediateRing, Parameters, ParametersLiteral, RgswGadgetLiteral,
    RotationMethod,
};

/// Default for log2 of the failure probability.
pub const DEFAULT_LOG2_FAIL: f64 = FailureProbability::DEFAULT.log2();

/// A ring, and the parameters that are fixed in a search.
struct Base {
    parameters: Parameters,
    /// Decompositions with the least noise for each number of rows.
    rotations: Vec<RgswGadgetLiteral>,
}

impl Base {
    /// Returns the decompositions of rotations that a search tries.
    fn rotations_of(&self, search: Search) -> impl Iterator<Item = &RgswGadgetLiteral> {
        self.rotations.iter().filter(move |digits| digits.rows() <= search.rotation_rows)
    }
}

/// log2 of the prime for each ring degree: below the security limit, and below 2^47, where kernels are fastest.
const PRIMES: [(usize, f64); 3] = [(1024, 24.9), (2048, 46.9), (4096, 46.9)];

/// The ring of lower degree for LWE key switching from larger rings.
const INTERMEDIATE: IntermediateRing = IntermediateRing::SECURE_1024;

/// Largest number of rows of a rotation's RGSW ciphertexts that is tried.
const MAX_ROTATION_ROWS: usize = 12;

/// Largest number of rows for methods that multiply results of rotations: products have the noise times P² or more.
const MAX_MULTIPLIED_ROTATION_ROWS: usize = 20;

/// Numbers of digits of the trace's automorphisms that are tried, the fewest first. Methods that do not pack try only the
/// first.
const AUTOMORPHISM_DIGITS: [usize; 5] = [5, 7, 9, 11, 15];

/// Numbers that a search varies only for some methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    /// Digits of the trace's automorphisms.
    automorphisms: &'static [usize],
    /// Largest number of rows of a rotation's RGSW ciphertexts.
    rotation_rows: usize,
}

impl Search {
    /// The search for bootstraps without packing.
    pub(crate) const PLAIN: Self =
        Self { automorphisms: AUTOMORPHISM_DIGITS.split_at(1).0, rotation_rows: MAX_ROTATION_ROWS };

    /// Returns the decompositions of automorphisms modulo a prime.
    fn automorphism_digits(self, log2_prime: f64) -> impl Iterator<Item = GadgetLiteral> {
        self.automorphisms.iter().map(move |&length| automorphism_digits(log2_prime, length))
    }

    fn of(method: &dyn FullDomainMethod) -> Self {
        let operations = method.operations();
        match (operations.packings, operations.products) {
            (0, _) => Self::PLAIN,
            (_, 0) => Self { automorphisms: &AUTOMORPHISM_DIGITS, ..Self::PLAIN },
            _ => Self {
                automorphisms: &AUTOMORPHISM_DIGITS,
                rotation_rows: MAX_MULTIPLIED_ROTATION_ROWS,
            },
        }
    }
}

/// Returns the bases. They are built once, since their NTT tables take a while.
fn bases() -> &'static [Base] {
    static BASES: OnceLock<Vec<Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        PRIMES
            .into_iter()
            .map(|(ring_degree, log2_prime)| {
                let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
                let literal = ParametersLiteral {
                    lwe_dimension: 1024,
                    lwe_secret: SecretDistribution::Binary,
                    log2_lwe_modulus: 20,
                    ring_degree,
                    log2_prime,
                    ring_secret: SecretDistribution::Binary,
                    rotation_method: RotationMethod::Cmux,
                    rotation: gadget(5, 2).into(),
                    finer_rotations: [None; 3],
                    intermediate: (ring_degree > INTERMEDIATE.degree).then_some(INTERMEDIATE),
                    key_switching: gadget(4, 4),
                    automorphism: automorphism_digits(log2_prime, AUTOMORPHISM_DIGITS[0]),
                    relinearization: gadget((log2_prime / 3.0) as u32, 3),
                    packing: gadget(6, 4),
                };
                let parameters = Parameters::new(literal).expect("a valid set");
                let rotations = (2..=MAX_MULTIPLIED_ROTATION_ROWS)
                    .map(|rows| quietest_rotation(&parameters, rows))
                    .collect();
                Base { parameters, rotations }
            })
            .collect()
    })
}

/// Returns a decomposition of automorphisms into `length` digits.
fn automorphism_digits(log2_prime: f64, length: usize) -> GadgetLiteral {
    GadgetLiteral { base_log2: (log2_prime / length as f64) as u32, length }
}

/// Returns the decompositions with the least noise for a number of rows.
fn quietest_rotation(parameters: &Parameters, rows: usize) -> RgswGadgetLiteral {
    let noise = |rotation: &RgswGadgetLiteral| {
        let literal = ParametersLiteral { rotation: *rotation, ..*parameters.literal() };
        NoiseModel::new(&parameters.with_literal(literal)).blind_rotation().0
    };
    let least = |candidates: &mut dyn Iterator<Item = RgswGadgetLiteral>| {
        candidates.min_by(|a, b| noise(a).total_cmp(&noise(b))).expect("at least one bit a digit")
    };
    let bits = parameters.log2_prime().ceil() as u32;
    let digits = |length: usize| {
        (1..=bits / length as u32).map(move |base_log2| GadgetLiteral { base_log2, length })
    };
    // The noise is a sum over body and mask, so each base can be optimized by itself.
    let split = |body: usize| {
        let mask = GadgetLiteral { base_log2: 1, length: rows - body };
        let best = least(&mut digits(body).map(|body| RgswGadgetLiteral { body, mask }));
        least(&mut digits(rows - body).map(|mask| RgswGadgetLiteral { mask, ..best }))
    };
    least(&mut (1..=rows / 2).map(split))
}

/// A base with an LWE modulus and dimension, which leaves only digits to be chosen.
struct Group {
    base: &'static Base,
    literal: ParametersLiteral,
    /// Digits of key switching, the fastest first, each with less noise than all before it. Any other choice is slower than
    /// one of these with no more noise.
    switches: Vec<GadgetLiteral>,
    /// Noise for each choice of digits of rotations, of automorphisms and of key switching, on which alone it depends.
    noises: [Vec<f64>; 3],
}

/// Returns all groups of a search for the fastest parameters for some work.
fn groups(search: Search, work: impl Fn(&ParametersLiteral) -> Work) -> Vec<Group> {
    let (model, work) = (CostModel::default(), &work);
    let of_base = |base: &'static Base| {
        lwe_literals(base).map(move |literal| {
            let noise_of = |noise: fn(&NoiseModel) -> Variance, literal| {
                noise(&NoiseModel::new(&base.parameters.with_literal(literal))).0
            };
            let rotations = base.rotations_of(search).map(|&rotation| {
                let literal = ParametersLiteral { rotation, ..literal };
                noise_of(NoiseModel::blind_rotation, literal)
            });
            let automorphisms = search.automorphism_digits(literal.log2_prime);
            let automorphisms = automorphisms.map(|automorphism| {
                let literal = ParametersLiteral { automorphism, ..literal };
                noise_of(NoiseModel::automorphism, literal)
            });
            let switches = key_switching_digits(&literal).map(|key_switching| {
                let literal = ParametersLiteral { key_switching, ..literal };
                let noise = noise_of(NoiseModel::key_switching, literal);
                (model.seconds(&work(&literal)), noise, key_switching)
            });
            let mut switches: Vec<_> = switches.collect();
            switches.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut least = f64::INFINITY;
            switches.retain(|&(_, noise, _)| {
                let is_quieter = noise < least;
                least = least.min(noise);
                is_quieter
            });
            let (of_switches, switches) =
                switches.iter().map(|&(_, noise, it)| (noise, it)).unzip();
            let noises = [rotations.collect(), automorphisms.collect(), of_switches];
            Group { base, literal, switches, noises }
        })
    };
    bases().iter().flat_map(of_base).collect()
}

/// Digits of one group, by their places in its lists. A search sorts tens of thousands of candidates and looks at a few.
#[derive(Clone, Copy)]
struct Candidate {
    seconds: f64,
    group: u32,
    rotation: u16,
    automorphism: u16,
    key_switching: u16,
}

/// Returns all candidates of the groups `serving`, the cheapest first.
fn candidates(
    groups: &[Group],
    serving: &[u32],
    search: Search,
    work: impl Fn(&ParametersLiteral) -> Work,
) -> Vec<Candidate> {
    let model = CostModel::default();
    let lengths = |&group: &u32| groups[group as usize].noises.iter().map(Vec::len);
    let count = |group| lengths(group).product::<usize>();
    let mut candidates = reserved(serving.iter().map(count).sum());
    for &group in serving {
        let of = &groups[group as usize];
        for (rotation, _) in (0..).zip(of.base.rotations_of(search)) {
            for (automorphism, _) in (0..).zip(search.automorphisms) {
                for (key_switching, _) in (0..).zip(&of.switches) {
                    let mut candidate =
                        Candidate { seconds: 0.0, group, rotation, automorphism, key_switching };
                    candidate.seconds = model.seconds(&work(&of.literal(search, candidate)));
                    candidates.push(candidate);
                }
            }
        }
    }
    // Sorts in place, since this may run with limited memory.
    let order = |it: &Candidate| (it.group, it.places());
    candidates.sort_unstable_by(|a, b| {
        a.seconds.total_cmp(&b.seconds).then_with(|| order(a).cmp(&order(b)))
    });
    candidates
}

impl Candidate {
    /// Returns the places in the lists of rotations, automorphisms and key switching.
    fn places(self) -> [usize; 3] {
        [self.rotation, self.automorphism, self.key_switching].map(usize::from)
    }
}

impl Group {
    /// Returns the digits with the least noise everywhere. If these fail too often, so do all others of the group.
    fn quietest(&self, group: u32) -> Candidate {
        let [rotation, automorphism, key_switching] = std::array::from_fn(|list| {
            let noises = self.noises[list].iter().enumerate();
            noises.min_by(|a, b| a.1.total_cmp(b.1)).expect("a noise").0 as u16
        });
        Candidate { seconds: 0.0, group, rotation, automorphism, key_switching }
    }

    /// Returns whether a candidate has at least the noise of another one everywhere, and no more digits in bodies of rotations
    /// (few large digits have the longest tails). If so, it fails whenever the other one does.
    fn is_noisier(&self, candidate: Candidate, other: Candidate) -> bool {
        let noise = |it: Candidate, list: usize| self.noises[list][it.places()[list]];
        let body = |it: Candidate| self.base.rotations[it.places()[0]].body.length;
        body(candidate) <= body(other)
            && (0..3).all(|list| noise(candidate, list) >= noise(other, list))
    }

    /// Returns the literal of a candidate of this group.
    fn literal(&self, search: Search, candidate: Candidate) -> ParametersLiteral {
        let [rotation, automorphism, key_switching] = candidate.places();
        let length = search.automorphisms[automorphism];
        ParametersLiteral {
            // The decompositions of a search are a prefix of this list, with the fewest rows.
            rotation: self.base.rotations[rotation],
            automorphism: automorphism_digits(self.literal.log2_prime, length),
            key_switching: self.switches[key_switching],
            ..self.literal
        }
    }
}

/// Returns literals with all LWE moduli that fit a base, each with the least secure dimension.
fn lwe_literals(base: &Base) -> impl Iterator<Item = ParametersLiteral> {
    let literal = *base.parameters.literal();
    let bits = literal.intermediate.map_or(literal.log2_prime, |small| small.log2_prime);
    let moduli = (base.parameters.rotation_modulus().ilog2()..=28).rev();
    moduli.filter_map(move |log2_lwe_modulus| {
        let fits = f64::from(log2_lwe_modulus) < bits - 1.0;
        let least = least_lwe_dimension(literal.lwe_secret, f64::from(log2_lwe_modulus));
        let lwe_dimension = least.filter(|_| fits)?;
        // A placeholder that fits any modulus, until a candidate sets its own digits.
        let key_switching = GadgetLiteral { base_log2: 1, length: 1 };
        Some(ParametersLiteral { lwe_dimension, log2_lwe_modulus, key_switching, ..literal })
    })
}

/// Returns all decompositions of key switching.
fn key_switching_digits(
    literal: &ParametersLiteral,
) -> impl Iterator<Item = GadgetLiteral> + use<> {
    let bits = literal.log2_lwe_modulus;
    (1..=8).flat_map(move |base_log2| {
        let lengths = 1..=(bits / base_log2) as usize;
        lengths.map(move |length| GadgetLiteral { base_log2, length })
    })
}

/// Returns the fastest parameters with which a method looks up tables of these moduli and fails with probability at most
/// 2^`limit`, also if the input is a result of the same method.
///
/// ```
/// use cryptable_fhew::full_domain::FdfbCompress;
/// use cryptable_fhew::parameter_choice::choose;
/// let parameters = choose(&FdfbCompress, 16, 16, -64.0)?;
/// assert_eq!(parameters.ring_degree(), 2048);
/// assert!(parameters.security_bits() >= 128.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// If no candidate reaches this failure probability.
pub fn choose(
    method: &dyn FullDomainMethod,
    input_modulus: u64,
    output_modulus: u64,
    limit: f64,
) -> Result<Parameters> {
    let log2_fail =
        |model: &NoiseModel| match method.check_input_modulus(model.parameters(), input_modulus) {
            Ok(()) => full_domain::log2_fail(method, model, input_modulus, output_modulus),
            Err(_) => 0.0,
        };
    let work = |literal: &ParametersLiteral| cost::lookup(method, literal);
    choose_by(Search::of(method), work, limit, log2_fail).map_err(|found| {
        let what = format!("{} with plaintext modulus {input_modulus}", method.name());
        Error::FailureUnreachable { what, found, limit }
    })?
}

/// Returns the fastest parameters for some work with log2 of the failure probability at most `limit`, or, as an error, the
/// least failure probability of any candidate.
pub(crate) fn choose_by(
    search: Search,
    work: impl Fn(&ParametersLiteral) -> Work,
    limit: f64,
    log2_fail: impl Fn(&NoiseModel) -> f64,
) -> std::result::Result<Result<Parameters>, f64> {
    let mut least = 0.0f64;
    let groups = groups(search, &work);
    let fails = |candidate: Candidate| {
        let group = &groups[candidate.group as usize];
        let literal = group.literal(search, candidate);
        (log2_fail(&NoiseModel::new(&group.base.parameters.with_literal(literal))), literal)
    };
    let mut serving = Vec::new();
    for (index, group) in (0..).zip(&groups) {
        let (quietest, _) = fails(group.quietest(index));
        least = least.min(quietest);
        if quietest <= limit {
            serving.push(index);
        }
    }
    let mut failed = vec![Vec::new(); groups.len()];
    for candidate in candidates(&groups, &serving, search, work) {
        let index = candidate.group as usize;
        if failed[index].iter().any(|&other| groups[index].is_noisier(candidate, other)) {
            continue;
        }
        let (found, literal) = fails(candidate);
        if found <= limit {
            // Built again with all checks, which all literals of the search pass.
            return Ok(Parameters::new(literal));
        }
        failed[index].push(candidate);
    }
    Err(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::full_domain::compress::FdfbCompress;

    #[test]
    fn choices_are_secure_and_as_sure_as_asked() {
        for (p, limit) in [(4, -64.0), (16, -64.0), (16, -40.0), (32, -40.0)] {
            let parameters = choose(&FdfbCompress, p, p, limit).unwrap();
            assert!(parameters.security_bits() >= 128.0, "{:?}", parameters.literal());
            let model = NoiseModel::new(&parameters);
            assert!(full_domain::log2_fail(&FdfbCompress, &model, p, p) <= limit);
        }
    }

    #[test]
    fn less_sure_or_smaller_tables_are_not_dearer() {
        let cost = |p, limit| {
            let parameters = choose(&FdfbCompress, p, p, limit).unwrap();
            CostModel::default().seconds(&cost::lookup(&FdfbCompress, parameters.literal()))
        };
        assert!(cost(16, -40.0) <= cost(16, -64.0));
        assert!(cost(8, -64.0) <= cost(16, -64.0));
    }

    /// Methods that multiply amplify the noise of the trace, whose digits must be finer than those of other methods.
    #[test]
    fn methods_that_multiply_have_parameters_for_the_moduli_of_their_paper() {
        for (name, p) in [("WoP-PBS1", 16), ("WoP-PBS1", 32), ("WoP-PBS2", 16), ("WoP-PBS2", 32)] {
            let method = full_domain::method(name).unwrap();
            let parameters = choose(method, p, p, -64.0).unwrap();
            assert!(parameters.security_bits() >= 128.0);
            assert!(parameters.literal().automorphism.length > AUTOMORPHISM_DIGITS[0], "{name}");
            let model = NoiseModel::new(&parameters);
            assert!(full_domain::log2_fail(method, &model, p, p) <= -64.0, "{name}, {p}");
        }
    }

    /// A single body digit is too coarse for products of noises, although its variance alone predicts 2^-90 at 4 bits.
    #[test]
    fn products_count_with_their_tails() {
        let method = full_domain::method("FDFB-BFVMult, interleaved").unwrap();
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        let chosen = choose(method, 16, 16, -64.0).unwrap();
        let rotation = RgswGadgetLiteral { body: gadget(20, 1), mask: gadget(15, 2) };
        assert!(chosen.literal().rotation.rows() > rotation.rows());
        let key_switching = gadget(2, 7);
        let coarse = ParametersLiteral { rotation, key_switching, ..*chosen.literal() };
        let model = NoiseModel::new(&chosen.with_literal(coarse));
        let found = full_domain::log2_fail(method, &model, 16, 16);
        assert!((-31.0..-29.0).contains(&found), "{found}");
    }

    #[test]
    fn digits_that_are_not_tried_are_outdone() {
        let work = |literal: &ParametersLiteral| cost::lookup(&FdfbCompress, literal);
        for group in groups(Search::PLAIN, work) {
            let of = |key_switching| {
                let literal = ParametersLiteral { key_switching, ..group.literal };
                let model = NoiseModel::new(&group.base.parameters.with_literal(literal));
                (CostModel::default().seconds(&work(&literal)), model.key_switching().0)
            };
            let tried: Vec<_> = group.switches.iter().map(|&digits| of(digits)).collect();
            let all: Vec<_> = key_switching_digits(&group.literal).map(of).collect();
            assert!(2 * tried.len() < all.len(), "{} of {}", tried.len(), all.len());
            for (seconds, noise) in all {
                assert!(tried.iter().any(|it| it.0 <= seconds && it.1 <= noise), "{seconds} s");
            }
        }
    }

    #[test]
    fn what_cannot_be_reached_is_said() {
        let message = choose(&FdfbCompress, 512, 512, -64.0).unwrap_err().to_string();
        assert!(message.contains("FDFB-Compress") && message.contains("512"), "{message}");
    }
}
