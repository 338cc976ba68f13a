//! The fastest parameters for a method and a table's moduli, within a failure probability.
//!
//! A search over everything that matters: ring degree, digits of the rotation, LWE modulus (with the least secure
//! dimension) and digits of the key switch, ordered by the cost that counting gives. Every candidate has
//! 128-bit security; the first that the noise model accepts is the fastest.

use std::sync::OnceLock;

use cryptable_lattice::cost::{CostModel, Work};
use cryptable_lattice::security::{SecretDistribution, least_lwe_dimension};
use cryptable_lattice::{Error, FailureProbability, Result};

use crate::cost;
use crate::full_domain::{self, FullDomainMethod};
use crate::noise::NoiseModel;
use crate::parameters::{
    GadgetLiteral, IntermediateRing, Parameters, ParametersLiteral, RgswGadgetLiteral,
    RotationMethod,
};

/// Failure probability of the defaults, log2.
pub const DEFAULT_LOG2_FAIL: f64 = FailureProbability::DEFAULT.log2();

/// A ring, and its parameters apart from what is searched.
struct Base {
    parameters: Parameters,
    /// For each number of rows, the decompositions with the least noise.
    rotations: Vec<RgswGadgetLiteral>,
}

/// Bits of the prime at each ring degree: below the security limit, and below 2^47, where kernels are fastest.
const PRIMES: [(usize, f64); 3] = [(1024, 24.9), (2048, 46.9), (4096, 46.9)];

/// The ring of lower degree for LWE key switching from larger rings.
const INTERMEDIATE: IntermediateRing = IntermediateRing::SECURE_1024;

/// Most rows of a rotation's RGSW ciphertexts that are tried.
const MAX_ROTATION_ROWS: usize = 12;

/// The bases, built once: their NTT tables take a while.
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
                    automorphism: gadget((log2_prime / 5.0) as u32, 5),
                    relinearization: gadget((log2_prime / 3.0) as u32, 3),
                    packing: gadget(6, 4),
                };
                let parameters = Parameters::new(literal).expect("a valid set");
                let rotations = (2..=MAX_ROTATION_ROWS)
                    .map(|rows| quietest_rotation(&parameters, rows))
                    .collect();
                Base { parameters, rotations }
            })
            .collect()
    })
}

/// The decompositions with the least noise for a number of rows.
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
    // The noise is a sum over body and mask: each base is best by itself.
    let split = |body: usize| {
        let mask = GadgetLiteral { base_log2: 1, length: rows - body };
        let best = least(&mut digits(body).map(|body| RgswGadgetLiteral { body, mask }));
        least(&mut digits(rows - body).map(|mask| RgswGadgetLiteral { mask, ..best }))
    };
    least(&mut (1..=rows / 2).map(split))
}

/// All combinations, the cheapest first.
fn candidates(
    work: impl Fn(&ParametersLiteral) -> Work,
) -> Vec<(f64, &'static Base, ParametersLiteral)> {
    let model = CostModel::default();
    let mut candidates = Vec::new();
    for base in bases() {
        for log2_lwe_modulus in (base.parameters.rotation_modulus().ilog2()..=28).rev() {
            let literal = *base.parameters.literal();
            let bits = literal.intermediate.map_or(literal.log2_prime, |small| small.log2_prime);
            let fits = f64::from(log2_lwe_modulus) < bits - 1.0;
            let least = least_lwe_dimension(literal.lwe_secret, f64::from(log2_lwe_modulus));
            let (true, Some(lwe_dimension)) = (fits, least) else { continue };
            for &rotation in &base.rotations {
                for base_log2 in 1..=8 {
                    for length in 1..=(log2_lwe_modulus / base_log2) as usize {
                        let key_switching = GadgetLiteral { base_log2, length };
                        let literal = ParametersLiteral {
                            lwe_dimension,
                            log2_lwe_modulus,
                            rotation,
                            key_switching,
                            ..literal
                        };
                        candidates.push((model.seconds(&work(&literal)), base, literal));
                    }
                }
            }
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    candidates
}

/// The fastest parameters with which a method looks up tables of these moduli, each result good as a next input,
/// and fails with probability at most 2^`limit`.
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
/// If no candidate has so small a failure probability.
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
    choose_by(|literal| cost::lookup(method, literal), limit, log2_fail).map_err(|found| {
        let what = format!("{} with plaintext modulus {input_modulus}", method.name());
        Error::FailureUnreachable { what, found, limit }
    })?
}

/// The fastest parameters for some work whose log2 of the failure probability is at most
/// `limit`, or the least that any candidate has.
pub(crate) fn choose_by(
    work: impl Fn(&ParametersLiteral) -> Work,
    limit: f64,
    log2_fail: impl Fn(&NoiseModel) -> f64,
) -> std::result::Result<Result<Parameters>, f64> {
    let mut least = 0.0f64;
    for (_, base, literal) in candidates(work) {
        let log2_fail = log2_fail(&NoiseModel::new(&base.parameters.with_literal(literal)));
        least = least.min(log2_fail);
        if log2_fail <= limit {
            // Once more with all checks: the search only takes literals that pass them.
            return Ok(Parameters::new(literal));
        }
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

    #[test]
    fn what_cannot_be_reached_is_said() {
        let message = choose(&FdfbCompress, 512, 512, -64.0).unwrap_err().to_string();
        assert!(message.contains("FDFB-Compress") && message.contains("512"), "{message}");
    }
}
