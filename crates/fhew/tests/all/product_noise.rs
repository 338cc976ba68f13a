//! Products of noises have the stated law: variances from both sides, kurtosis, and counts of large errors, which the
//! Gaussian law of the same variance misses by orders of magnitude.

use crate::common;

use common::Setting;
use cryptable_fhew::full_domain::{self, FullDomainMethod, TableKind};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::packing::PackedLength;
use cryptable_fhew::parameter_choice::choose;
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RgswGadgetLiteral};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::Table;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_ring::random::replay;
use rayon::prelude::*;

fn gadget(base_log2: u32, length: usize) -> GadgetLiteral {
    GadgetLiteral { base_log2, length }
}

fn method(name: &str) -> &'static dyn FullDomainMethod {
    full_domain::method(name).expect("a method's name")
}

const INTERLEAVED: &str = "FDFB-BFVMult, interleaved";

/// Returns a table whose halves are nowhere the negative of each other, so that f_neg - f_pos is never 0.
fn table(p: u64) -> Table {
    Table::from_fn(p, p, |x| if x < p / 2 { x } else { (x + 1) % p }).unwrap()
}

/// Returns the errors of results, as fractions of the modulus.
fn errors(setting: &Setting, method: &dyn FullDomainMethod, p: u64, samples: u64) -> Vec<f64> {
    let table = table(p);
    let encoded = method.encode(setting.parameters(), &table).unwrap();
    let modulus = setting.parameters().lwe_modulus();
    let error = |sample: u64| {
        let _part = replay::part(sample);
        let input = setting.secret.encrypt(sample % p, p).unwrap();
        let output = method.lookup_many(&setting.key, &[&encoded], &input).unwrap();
        let expected = encode(table.output(sample % p), p, modulus);
        setting.secret.phase_error(&output[0], expected).unwrap()
    };
    (0..samples).into_par_iter().map(error).collect()
}

/// Returns the law of a method's results for [`table`].
fn law(parameters: &Parameters, method: &dyn FullDomainMethod, p: u64) -> NoiseLaw {
    let model = NoiseModel::new(parameters);
    method.noise(&model, TableKind::Given(&table(p)), model.fresh().law()).output
}

/// Returns the number of errors that exceed a margin, and the number that a law predicts.
fn beyond(errors: &[f64], law: NoiseLaw, margin: f64) -> (f64, f64) {
    let count = errors.iter().filter(|error| error.abs() > margin).count();
    (count as f64, errors.len() as f64 * law.log2_exceeds_estimate(margin).exp2())
}

/// Returns whether a count is within four deviations of Poisson's law of the expected number.
fn is_poisson(count: f64, expected: f64) -> bool {
    (count - expected).abs() <= 4.0 * expected.sqrt() + 2.0
}

/// Compares errors with a law: variance, within a fifth; kurtosis; counts beyond 3 to 6 deviations.
fn assert_law(what: &str, errors: &[f64], law: NoiseLaw) {
    let samples = errors.len() as f64;
    let moment = |power| errors.iter().map(|error| error.powi(power)).sum::<f64>() / samples;
    let (variance, kurtosis) = (moment(2), moment(4) / moment(2).powi(2));
    let ratio = variance / law.variance();
    println!("{what}: variance {ratio:.3}, kurtosis {kurtosis:.2} of {:.2}", law.kurtosis());
    assert!((0.8..1.25).contains(&ratio), "{what}: measured/predicted {ratio}");
    // Four deviations of the estimate: its variance is 24/n for a Gaussian, about 1,200/n for Laplace's law.
    let excess = (law.kurtosis() - 3.0) / 3.0;
    let tolerance = 4.0 * ((24.0 + 1200.0 * excess * excess) / samples).sqrt();
    assert!((kurtosis - law.kurtosis()).abs() < tolerance, "{what}: {kurtosis} +- {tolerance}");
    // Compares the shape, since the variances of keys differ by some percent.
    let scaled = law.times(ratio.sqrt());
    for deviations in [3.0, 4.0, 5.0, 6.0] {
        let (count, expected) = beyond(errors, scaled, deviations * scaled.deviation());
        println!("  beyond {deviations}: {count} of {expected:.2}");
        assert!(is_poisson(count, expected), "{what}, {deviations}: {count} of {expected}");
    }
}

/// The product of two bootstrapped values, without the later steps of a lookup.
#[test]
fn products_have_the_law_of_products() {
    let _replay = replay::begin();
    let literal = ParametersLiteral {
        lwe_dimension: 48,
        ring_degree: 256,
        rotation: gadget(13, 2).into(),
        automorphism: gadget(4, 11),
        ..*Parameters::insecure_toy().literal()
    };
    let setting = Setting::new(&Parameters::insecure(literal).unwrap());
    let (key, modulus) = (&setting.key, 16);
    let (parameters, model) = (key.parameters(), NoiseModel::new(key.parameters()));
    let q = parameters.prime() as f64;
    // ±m·Q/P with the sign of a phase, packed.
    let packed = |value: u64| {
        let input = setting.secret.encrypt(1, 4).unwrap();
        let phase = key.to_rotation_modulus(&input, parameters.rotation_modulus());
        let word = (value as f64 / modulus as f64 * q) as u64;
        let raw = key.boot_raw(&TestPolynomial::sign(parameters.ring(), word), &phase);
        key.pack(&raw, PackedLength::Constant)
    };
    let error = |sample: u64| {
        let _part = replay::part(sample);
        let value = 1 + sample % 7;
        let product = key.bfv_multiply(&packed(1), &packed(value), modulus);
        let (phase, m) = (setting.secret.rlwe_phase(&product)[0], parameters.modulus());
        let expected = (value as f64 / modulus as f64 * q) as u64;
        m.center(m.sub(phase, expected)) as f64 / q
    };
    let errors: Vec<f64> = (0..5_000).into_par_iter().map(error).collect();
    let factor = model.packed(model.blind_rotation());
    let law = model.bfv_multiplication(factor, factor, modulus);
    assert!(law.kurtosis() > 5.5, "{law:?}");
    assert_law("products", &errors, law);
}

/// Counts wrong results of a toy that fails because of products: the law of products predicts their number, which is
/// hundreds of times that of the Gaussian law of the same variance.
#[test]
fn wrong_results_are_as_many_as_stated() {
    let _replay = replay::begin();
    let p = 4;
    let parameters = Parameters::insecure(ParametersLiteral {
        lwe_dimension: 32,
        log2_lwe_modulus: 20,
        ring_degree: 256,
        log2_prime: 28.4,
        rotation: RgswGadgetLiteral { body: gadget(13, 1), mask: gadget(9, 2) },
        key_switching: gadget(4, 4),
        automorphism: gadget(4, 6),
        relinearization: gadget(5, 5),
        packing: gadget(4, 4),
        ..*Parameters::insecure_toy().literal()
    })
    .unwrap();
    let (method, margin) = (method("FDFB-BFVMult"), 0.5 / p as f64);
    println!("{}", law(&parameters, method, p).log2_exceeds_estimate(margin));
    let law = law(&parameters, method, p);
    // Keys of this degree differ; the statement is about the mean of some.
    let errors: Vec<f64> =
        (0..16).flat_map(|_| errors(&Setting::new(&parameters), method, p, 3_000)).collect();
    assert_law("toy", &errors, law);
    let (wrong, expected) = beyond(&errors, law, margin);
    let bound = errors.len() as f64 * law.log2_exceeds(margin).exp2();
    let gaussian = NoiseLaw::gaussian(law.variance()).log2_exceeds(margin).exp2();
    let gaussian = errors.len() as f64 * gaussian;
    println!("{wrong} wrong of {expected:.1}, at most {bound:.0}; {gaussian:.2} by Gauss");
    assert!((-12.0..-9.0).contains(&law.log2_exceeds_estimate(margin)), "{expected}");
    assert!(is_poisson(wrong, expected) && wrong < bound, "{wrong} wrong of {expected}");
    assert!(wrong > 30.0 * gaussian, "{wrong} wrong, {gaussian} by Gauss");
}

/// Full-size lookups of 4 bits: the default, whose noise is dominated by key switching; one with the coarser rotation that
/// products do not allow; and a method without products.
#[test]
#[ignore = "slow: run by make test-all"]
fn full_size_lookups_have_their_laws() {
    let _replay = replay::begin();
    let chosen = |name| choose(method(name), 16, 16, -64.0).unwrap();
    let coarse = Parameters::new(ParametersLiteral {
        rotation: RgswGadgetLiteral { body: gadget(20, 1), mask: gadget(15, 2) },
        key_switching: gadget(1, 14),
        ..*chosen(INTERLEAVED).literal()
    })
    .unwrap();
    let control = "FDFB-CancelSign";
    for (what, name, parameters, kurtosis) in [
        ("default", INTERLEAVED, chosen(INTERLEAVED), 3.0..3.5),
        ("coarse", INTERLEAVED, coarse, 4.0..5.0),
        (control, control, chosen(control), 3.0..3.001),
    ] {
        let law = law(&parameters, method(name), 16);
        assert!(kurtosis.contains(&law.kurtosis()), "{what}: {}", law.kurtosis());
        assert_law(what, &errors(&Setting::new(&parameters), method(name), 16, 5_040), law);
    }
}
