//! Lists of LWE ciphertexts packed into ring elements with few bits: phases and their noise.

use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::lwe_masks::MaskKind;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::random::{RandomStream, replay};

const DEGREE: usize = 256;

/// Digits of automorphisms that round nearly nothing away.
const FINE: GadgetLiteral = GadgetLiteral { base_log2: 9, length: 5 };

fn keys(ring_secret: SecretDistribution) -> (SecretKey, EvaluationKey) {
    let toy = Parameters::insecure_toy();
    let literal = ParametersLiteral {
        lwe_dimension: 16,
        ring_degree: DEGREE,
        automorphism: FINE,
        ring_secret,
        ..*toy.literal()
    };
    let secret = SecretKey::generate(&Parameters::insecure(literal).unwrap());
    let key = EvaluationKey::expand(&secret.evaluation_key());
    (secret, key)
}

/// Returns LWE ciphertexts of unknown phases, in which every word is uniform.
fn uniform_list(parameters: &Parameters, count: usize) -> LweList {
    let shape = LweShape { dimension: parameters.ring_degree(), modulus: parameters.prime() };
    let mut words = vec![0; count * (shape.dimension + 1)];
    RandomStream::from_os().uniform_assign(&mut words, shape.modulus);
    let bodies = words.split_off(count * shape.dimension);
    LweList::from_words(shape, words.into(), bodies)
}

/// Returns the errors of compressed phases, as fractions of the modulus.
fn errors(secret: &SecretKey, list: &LweList, compressed: &LweList) -> Vec<f64> {
    let fraction = |list: &LweList, index| {
        secret.phase(&list.ciphertext(index)).unwrap() as f64 / list.shape().modulus as f64
    };
    let error = |index| {
        let difference: f64 = fraction(compressed, index) - fraction(list, index);
        difference - difference.round()
    };
    (0..list.len()).map(error).collect()
}

/// Words of 40 bits have the noise of packing, those of 12 bits that of rounding: both follow the formula.
#[test]
fn compressed_phases_have_the_noise_of_the_formula() {
    let _replay = replay::begin();
    for (bits, secret_kind) in [
        (40, SecretDistribution::Binary),
        (12, SecretDistribution::Binary),
        (12, SecretDistribution::UniformTernary),
    ] {
        let (secret, key) = keys(secret_kind);
        let model = NoiseModel::new(key.parameters());
        let samples: Vec<Vec<f64>> = (0..60)
            .map(|_| {
                let list = uniform_list(key.parameters(), DEGREE);
                errors(&secret, &list, &key.compress_list(&list, bits))
            })
            .collect();
        let body = 0.5 * (-f64::from(bits)).exp2();
        let law = NoiseBound::of_law(model.compression(bits).law(), 0.0);
        let found = NoiseStatistics::new(&samples, law, false);
        let what = format!("{bits} bits, {secret_kind:?}");
        println!("{what}: {found:?}");
        assert!((0.85..1.15).contains(&found.variance_ratio), "{what}: {found:?}");
        assert!((2.8..3.3).contains(&found.kurtosis), "{what}: {found:?}");
        assert!(found.largest_deviations < 6.0 + body / law.law().deviation(), "{what}: {found:?}");
    }
}

#[test]
fn lists_of_every_length_keep_their_phases() {
    let (secret, key) = keys(SecretDistribution::Binary);
    let limit = 8.0 * NoiseModel::new(key.parameters()).compression(20).0.sqrt();
    for count in [0, 1, 2, 3, 5, 100, DEGREE - 1, DEGREE, DEGREE + 1, 3 * DEGREE + 7] {
        let list = uniform_list(key.parameters(), count);
        let compressed = key.compress_list(&list, 20);
        assert_eq!((compressed.len(), compressed.mask_kind()), (count, MaskKind::Results));
        assert_eq!(compressed.shape(), LweShape { dimension: DEGREE, modulus: 1 << 20 });
        let largest =
            errors(&secret, &list, &compressed).iter().fold(0.0, |x: f64, e| x.max(e.abs()));
        assert!(largest < limit, "{count}: {largest} of {limit}");
    }
}
