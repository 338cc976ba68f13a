//! Gates, negation and cleaning between bootstraps: all inputs, both packings, noise, refusals.

use crate::common;

use std::ops::Range;

use common::{Setup, check_noise, errors, gate, setup};
use cryptable_bits::{EncryptedBits, Gate, Packing, Parameters, SecretKey};
use cryptable_lattice::Error;

#[test]
fn every_gate_in_both_packings() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, y } = setup(&parameters);
        let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
        let together = server.gates(&Gate::ALL, &a, &b).unwrap();
        for (kind, shared) in Gate::ALL.into_iter().zip(&together) {
            let expected = gate(kind, &x, &y);
            let alone = server.gate(kind, &a, &b).unwrap();
            assert_eq!(alone.levels(), parameters.levels_after_bootstrap() - 1);
            for result in [&alone, shared] {
                assert!(secret.decrypt(result).unwrap() == expected, "{packing:?} {kind}");
                assert!(errors(&secret, result, &expected).1 < 0.01);
            }
        }
        let negated: Vec<bool> = x.iter().map(|bit| !bit).collect();
        assert_eq!(secret.decrypt(&server.not(&a).unwrap()).unwrap(), negated);
        let cleaned = server.clean(&a).unwrap();
        assert_eq!(secret.decrypt(&cleaned).unwrap(), x);
        assert_eq!(cleaned.levels(), parameters.levels_after_bootstrap() - 2);
    }
}

#[test]
fn operands_may_have_different_levels() {
    let Setup { secret, server, x, y } = setup(&Parameters::insecure_toy(Packing::Real).unwrap());
    let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    let low = server.gate(Gate::Nand, &a, &b).unwrap();
    let xor = server.gate(Gate::Xor, &low, &a).unwrap();
    let expected = gate(Gate::Xor, &gate(Gate::Nand, &x, &y), &x);
    assert_eq!(secret.decrypt(&xor).unwrap(), expected);
    assert_eq!(xor.levels(), 0);
    // A gate of bits without levels works as part of a bootstrap.
    let boot = server.gate_boot(Gate::NotOr, &xor, &a).unwrap();
    assert_eq!(secret.decrypt(&boot).unwrap(), gate(Gate::NotOr, &expected, &x));
}

/// Predictions are for the worst bits, and for operands that may be equal. With equal operands every gate whose errors
/// add up meets its prediction; with independent ones the deviation is less by √2, and less again at random bits.
#[test]
fn noise_of_gates_is_as_predicted() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, y } = setup(&parameters);
        let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
        // 512 or 1,024 slots: four standard deviations of the measured one are 0.2 bits.
        check_noise("fresh", errors(&secret, &a, &x), a.noise(), -0.2..0.2);
        // These bits have so much noise that gates add little of their own.
        let (a, b) = (server.bin_boot(&a).unwrap(), server.bin_boot(&b).unwrap());
        // This test does not judge the prediction for the inputs.
        let before = (errors(&secret, &a, &x).0 / a.noise().deviation()).log2();
        let check =
            |what: &str, result: &EncryptedBits, expected: &[bool], interval: Range<f64>| {
                let interval = before + interval.start..before + interval.end;
                check_noise(what, errors(&secret, result, expected), result.noise(), interval);
            };
        for kind in [Gate::Xor, Gate::Xnor] {
            let same = server.gate(kind, &a, &a).unwrap();
            check("XOR of equal bits", &same, &gate(kind, &x, &x), -0.1..0.05);
        }
        for kind in Gate::ALL {
            let alone = server.gate(kind, &a, &b).unwrap();
            let shared = server.gates(&[kind], &a, &b).unwrap().remove(0);
            for result in [alone, shared] {
                check(&kind.to_string(), &result, &gate(kind, &x, &y), -1.4..-0.2);
            }
        }
    }
}

/// Noise of roundings alone, measured on bits that were lowered.
#[test]
fn noise_of_roundings_is_as_predicted_and_not_gaussian() {
    let parameters = Parameters::insecure_toy(Packing::Complex).unwrap();
    let mut all = Vec::new();
    let fresh = parameters.fresh_noise();
    // One rounding, and half of the time the error of either bit: as much as lowering one bit.
    let predicted = parameters.noise_after_lowering(fresh);
    for _ in 0..12 {
        let Setup { secret, server, x, y } = setup(&parameters);
        let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
        let result = server.gate(Gate::And, &a, &b).unwrap();
        all.extend(secret.errors(&result, &gate(Gate::And, &x, &y)).unwrap());
    }
    let moment = |power| all.iter().map(|e: &f64| e.powi(power)).sum::<f64>() / all.len() as f64;
    let (square, law) = (moment(2), predicted.law());
    // 12,288 slots, X shared by two of them: 2% of the variance, twice.
    let ratio = square / predicted.variance();
    println!("variance {ratio:.3} of the prediction");
    assert!((0.85..1.1).contains(&ratio), "variance {ratio:.3} of the prediction");
    // 5.8 by the law: keys of this degree have no slot with X above 5.8.
    let (kurtosis, expected) = (moment(4) / (square * square), law.kurtosis());
    println!("kurtosis {kurtosis:.2}, {expected:.2} by the law");
    assert!((0.75..1.25).contains(&(kurtosis / expected)), "kurtosis {kurtosis:.2}");
    // Counts of large errors: some 180 beyond 3 deviations and 40 beyond 4, where a Gaussian has 33 and 1.
    for (ratio, interval) in [(3.0, 0.6..1.4), (4.0, 0.4..1.7)] {
        let margin = ratio * predicted.deviation();
        let found = all.iter().filter(|e| e.abs() > margin).count() as f64;
        let [bound, expected] = [law.log2_exceeds(margin), law.log2_exceeds_estimate(margin)]
            .map(|log2| log2.exp2() * all.len() as f64);
        println!("{found} beyond {ratio} deviations, {expected:.0} by the law, {bound:.0} at most");
        assert!(interval.contains(&(found / expected)) && found < bound, "{ratio}: {found}");
    }
}

#[test]
fn cleaning_squares_errors() {
    let parameters = Parameters::insecure_toy(Packing::Complex).unwrap();
    let Setup { secret, server, x, y } = setup(&parameters);
    let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    // GateBoot does not clean: the squares of its errors are well above roundings.
    let noisy = server.gate_boot(Gate::Xor, &a, &b).unwrap();
    let expected = gate(Gate::Xor, &x, &y);
    let cleaned = server.clean(&noisy).unwrap();
    let measured = errors(&secret, &cleaned, &expected);
    check_noise("h1", measured, cleaned.noise(), -2.5..0.2);
    // The same from the measured input errors, so that only roundings are unknown.
    let squares: Vec<f64> =
        secret.errors(&noisy, &expected).unwrap().iter().map(|e| (3.0 * e * e).powi(2)).collect();
    let squared = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    // The prediction counts three roundings, which ones have; zeros have one.
    let rounding = parameters.noise_after_cleaning(parameters.fresh_noise()).deviation();
    let rounding = rounding * (2.0f64 / 3.0).sqrt();
    let ratio = measured.0 / squared.hypot(rounding);
    println!(
        "h1: {ratio:.2} of the squares, 2^{:.2}, roundings 2^{:.2}",
        squared.log2(),
        rounding.log2()
    );
    assert!((0.7..1.1).contains(&ratio), "{ratio:.2}");
    assert!(errors(&secret, &noisy, &expected).0 > 4.0 * measured.0);
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let Setup { secret, server, x, .. } = setup(&parameters);
    let fresh = secret.encrypt(&x).unwrap();
    let mut low = fresh.clone();
    for _ in 0..parameters.levels_after_bootstrap() {
        low = server.gate(Gate::And, &low, &fresh).unwrap();
    }
    for error in [
        server.gate(Gate::And, &low, &fresh).unwrap_err(),
        server.gates(&[Gate::Xor], &fresh, &low).unwrap_err(),
        server.clean(&low).unwrap_err(),
    ] {
        assert!(matches!(error, Error::TooSmall { name: "number of levels left", value: 0, .. }));
    }
    let stranger = SecretKey::generate(&parameters).encrypt(&x).unwrap();
    assert!(matches!(server.gate(Gate::Or, &fresh, &stranger), Err(Error::OtherClient { .. })));
    assert!(matches!(server.not(&stranger), Err(Error::OtherClient { .. })));
    assert!(matches!(server.clean(&stranger), Err(Error::OtherClient { .. })));
    let short = secret.encrypt(&x[..5]).unwrap();
    assert!(matches!(server.gate(Gate::Or, &fresh, &short), Err(Error::Mismatch { .. })));
    assert!(matches!(server.bin_boot_sum(&[]), Err(Error::TooSmall { .. })));
}

#[test]
fn noisy_bits_are_refused() {
    // GateBoot does not clean: sums of its results grow, until a bit would be off by half too often.
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let Setup { secret, server, x, y } = setup(&parameters);
    let (mut a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    let mut expected = x;
    let error = (0..40).find_map(|_| {
        match server.gate_boot(Gate::Xor, &a, &b) {
            Ok(result) => a = result,
            Err(error) => return Some(error),
        }
        expected = gate(Gate::Xor, &expected, &y);
        assert_eq!(secret.decrypt(&a).unwrap(), expected);
        None
    });
    assert!(matches!(error, Some(Error::NoiseTooLarge { operation: "GateBoot", .. })), "{error:?}");
}

#[test]
fn costs_are_counted() {
    let parameters = Parameters::insecure_toy(Packing::Complex).unwrap();
    let (gate, clean) =
        (parameters.gate_counts(2).unwrap(), parameters.cleaning_counts(2).unwrap());
    assert_eq!((gate.key_switches, clean.key_switches), (2, 4));
    assert!(gate.transforms < clean.transforms);
    // The two primes share a limb: dropping the second one transforms the limb back and forth.
    assert!(parameters.gate_counts(1).unwrap().key_switches == gate.key_switches);
    assert!(matches!(parameters.gate_counts(0), Err(Error::Parameter { .. })));
    assert!(matches!(parameters.cleaning_counts(3), Err(Error::Parameter { .. })));
}

/// Lowered bits need less memory, and have one rounding more than fresh ones; bits may be encrypted lower at once.
#[test]
fn bits_are_lowered_and_encrypted_low() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, .. } = setup(&parameters);
        let fresh = secret.encrypt(&x).unwrap();
        assert_eq!(server.lower(&fresh, 2).unwrap().noise(), fresh.noise());
        let bytes = |bits: &EncryptedBits| bits.to_bytes(&parameters).unwrap().len();
        let mut before = bytes(&fresh);
        for levels in (0..2).rev() {
            let lowered = server.lower(&fresh, levels).unwrap();
            let low = secret.encrypt_at(&x, levels).unwrap();
            assert_eq!((lowered.levels(), low.levels()), (levels, levels));
            assert_eq!(secret.decrypt(&lowered).unwrap(), x);
            // The model has one number for lowering and for roundings of gates, whose key switches add noise.
            check_noise("lowered", errors(&secret, &lowered, &x), lowered.noise(), -1.6..0.2);
            check_noise("low", errors(&secret, &low, &x), low.noise(), -0.3..0.2);
            assert!(bytes(&lowered) < before && bytes(&low) == bytes(&lowered));
            before = bytes(&lowered);
            assert!(matches!(
                server.lower(&lowered, levels + 1),
                Err(Error::TooSmall { name: "number of levels left", .. })
            ));
        }
        assert!(secret.encrypt_at(&x, 3).unwrap_err().to_string().contains("levels of bits"));
    }
}

/// The memory of keys is predicted to the byte: before any bootstrap, and after those of two moduli.
#[test]
fn memory_of_keys_is_as_predicted() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, .. } = setup(&parameters);
        assert_eq!(server.memory_bytes(), parameters.evaluation_key_bytes([]));
        let fresh = secret.encrypt(&x).unwrap();
        server.bin_boot(&fresh).unwrap();
        assert_eq!(server.memory_bytes(), parameters.evaluation_key_bytes([2]));
        server.gate_boot(Gate::And, &fresh, &fresh).unwrap();
        assert_eq!(server.memory_bytes(), parameters.evaluation_key_bytes([2, 3]));
    }
}
