//! Packing, BFV multiplication, and the full-domain variants that need them, on toy parameters.

use crate::common;
use crate::variants::quiet;

use common::{Setting, check_every_value, check_noise};
use cryptable_fhew::full_domain::{
    FdfbBfvMult, FdfbCancelSign, FdfbKs, FdfbKsModuloQ, FdfbSelect, FdfbSelectAlt,
    FullDomainMethod, Lookups, WopPbs1, WopPbs2,
};
use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::packing::PackedLength;
use cryptable_fhew::test_polynomial::TestPolynomial;
use cryptable_ring::random::replay;
use rayon::prelude::*;

/// Moduli that `make test` checks.
const MODULI: [u64; 3] = [4, 16, 6];

/// Further moduli that `make test-all` checks.
const MORE_MODULI: [u64; 3] = [8, 32, 10];

/// Returns a raw ciphertext (LWE modulo Q under the ring secret) of ±value·Q, with the sign of a phase, by one rotation.
fn raw(key: &EvaluationKey, secret: &Setting, value: f64) -> cryptable_lattice::lwe::LweCiphertext {
    let parameters = key.parameters();
    let input = secret.secret.encrypt(1, 4).unwrap();
    let phase = key.to_rotation_modulus(&input, parameters.rotation_modulus());
    let word = (value * parameters.prime() as f64) as u64;
    key.boot_raw(&TestPolynomial::sign(parameters.ring(), word), &phase)
}

#[test]
fn packing_fills_coefficients_with_the_noise_of_the_formula() {
    let _replay = replay::begin();
    let setting = quiet();
    let key = &setting.key;
    let (parameters, model) = (key.parameters(), NoiseModel::new(key.parameters()));
    let q = parameters.prime() as f64;
    let value = (0.125 * q) as u64;
    for length in [PackedLength::Constant, PackedLength::Half, PackedLength::All] {
        let count = length.count(parameters.ring_degree());
        let squares: Vec<(f64, f64)> = (0..24)
            .into_par_iter()
            .map(|sample| {
                let _part = replay::part(sample);
                let raw = raw(key, setting, 0.125);
                let phase = setting.secret.phase(&raw).unwrap();
                let packed = setting.secret.rlwe_phase(&key.pack(&raw, length));
                let error = |word: u64, expected: u64| {
                    let m = parameters.modulus();
                    m.center(m.sub(word, expected)) as f64 / q
                };
                assert!(error(phase, value).abs() < 0.01);
                // Compared with the raw phase, the noise is that of packing only.
                let inside = packed[..count].iter().map(|&w| error(w, phase).powi(2));
                let outside = packed[count..].iter().map(|&w| error(w, 0).powi(2));
                (inside.sum::<f64>() / count as f64, outside.sum::<f64>())
            })
            .collect();
        let inside = squares.iter().map(|s| s.0).sum::<f64>() / squares.len() as f64;
        let ratio = inside / model.packing(length).0;
        println!("packing {length:?}: measured/predicted {ratio:.3}");
        // Coefficients of one ciphertext share the noise of the constant one, so there are few independent samples.
        assert!((0.3..3.0).contains(&ratio), "{length:?}: {ratio}");
        for (_, outside) in &squares {
            assert!(*outside < 1e-4, "{length:?}: other coefficients are not near 0: {outside}");
        }
    }
}

fn check(method: &dyn FullDomainMethod) {
    check_every_value(quiet(), method, &MODULI);
    check_noise(quiet(), method, 16, 120);
}

#[test]
fn cancel_sign() {
    let _replay = replay::begin();
    check(&FdfbCancelSign);
}

#[test]
fn select() {
    let _replay = replay::begin();
    check(&FdfbSelect { multi_value: false });
    check(&FdfbSelect { multi_value: true });
}

#[test]
fn select_alt() {
    let _replay = replay::begin();
    check(&FdfbSelectAlt { multi_value: false });
    check(&FdfbSelectAlt { multi_value: true });
}

#[test]
fn fdfb_ks() {
    let _replay = replay::begin();
    check(&FdfbKs { digits: 1 });
    check(&FdfbKs { digits: 2 });
    check(&FdfbKsModuloQ);
}

#[test]
fn bfv_mult() {
    let _replay = replay::begin();
    for lookups in [Lookups::Separate, Lookups::Factored, Lookups::Interleaved] {
        check(&FdfbBfvMult { lookups });
    }
}

#[test]
fn wop_pbs1() {
    let _replay = replay::begin();
    check(&WopPbs1 { refined: true, multi_value: false });
    check(&WopPbs1 { refined: true, multi_value: true });
}

/// CLOT21's analysis is an upper bound, N times the actual noise, so it is checked from one side.
#[test]
fn wop_pbs_of_clot21() {
    let _replay = replay::begin();
    for multi_value in [false, true] {
        check_every_value(quiet(), &WopPbs1 { refined: false, multi_value }, &[4, 16, 6]);
        check_every_value(quiet(), &WopPbs2 { multi_value }, &MODULI);
    }
}

#[test]
#[ignore = "slow: run by make test-all"]
fn every_value_of_more_moduli() {
    let mut methods: Vec<Box<dyn FullDomainMethod>> = vec![
        Box::new(FdfbCancelSign),
        Box::new(FdfbKs { digits: 1 }),
        Box::new(FdfbKs { digits: 2 }),
        Box::new(FdfbKsModuloQ),
    ];
    for multi_value in [false, true] {
        methods.push(Box::new(FdfbSelect { multi_value }));
        methods.push(Box::new(FdfbSelectAlt { multi_value }));
        methods.push(Box::new(WopPbs1 { refined: true, multi_value }));
        methods.push(Box::new(WopPbs2 { multi_value }));
    }
    for lookups in [Lookups::Separate, Lookups::Factored, Lookups::Interleaved] {
        methods.push(Box::new(FdfbBfvMult { lookups }));
    }
    for method in methods {
        check_every_value(quiet(), method.as_ref(), &MORE_MODULI);
    }
}
