//! Half bootstraps: coefficients in, coefficients out, all packings, other moduli, noise, refusals.

use crate::common;

use common::{Setup, check_noise, errors, gate, setup};
use cryptable_bits::{Gate, Packing, Parameters, RlweInput, SecretKey};
use cryptable_lattice::Error;
use cryptable_lattice::noise_bound::NoiseBound;

#[test]
fn bits_come_to_the_coefficient_of_their_number() {
    for packing in [Packing::Real, Packing::Complex, Packing::Sparse(64)] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, .. } = setup(&parameters);
        let a = secret.encrypt(&x).unwrap();
        for m in [2, 3, 4, 16] {
            let values = server.to_coefficients(&a, m).unwrap();
            assert_eq!((values.modulus(), values.count()), (m, x.len()));
            let expected: Vec<u64> = x.iter().map(|&bit| u64::from(bit)).collect();
            let errors = secret.coefficient_errors(&values, &expected).unwrap();
            let square = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
            let largest = errors.iter().fold(0.0, |worst: f64, e| worst.max(e.abs()));
            check_noise("coefficients", (square.sqrt(), largest), values.noise(), -0.8..0.2);
        }
    }
}

/// Sums of bits in coefficients, as packing leaves them.
#[test]
fn functions_of_coefficients() {
    for packing in [Packing::Real, Packing::Complex, Packing::Sparse(64)] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, y } = setup(&parameters);
        let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
        let bit = server.half_bin_boot(&server.to_coefficients(&a, 2).unwrap()).unwrap();
        assert!(secret.decrypt(&bit).unwrap() == x);
        check_noise("half BinBoot", errors(&secret, &bit, &x), bit.noise(), -1.5..0.2);
        for m in [3, 4, 8] {
            let values = sum(
                &parameters,
                &server.to_coefficients(&a, m).unwrap(),
                &server.to_coefficients(&b, m).unwrap(),
            );
            for kind in Gate::SYMMETRIC {
                let result = server.half_gate_boot(kind, &values).unwrap();
                let expected = gate(kind, &x, &y);
                assert!(secret.decrypt(&result).unwrap() == expected, "{packing:?} {kind} {m}");
                check_noise(
                    "half GateBoot",
                    errors(&secret, &result, &expected),
                    result.noise(),
                    -2.5..0.2,
                );
            }
        }
    }
}

/// The sum of values, as a packing of sums would make it.
fn sum(parameters: &Parameters, a: &RlweInput, b: &RlweInput) -> RlweInput {
    let ring = cryptable_ring::Ring::new(
        parameters.literal().ring_degree,
        &[parameters.bottom_prime()],
        &[],
    );
    let mut ciphertext = a.ciphertext().clone();
    ciphertext.c0.add_assign(&ring, &b.ciphertext().c0);
    ciphertext.c1.add_assign(&ring, &b.ciphertext().c1);
    let both = a.noise() + b.noise();
    let noise = NoiseBound::new(both.deviation(), both.bias());
    RlweInput::new(parameters, a.key_id(), ciphertext, a.count(), a.modulus(), noise).unwrap()
}

#[test]
fn what_does_not_fit_is_refused() {
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let Setup { secret, server, x, .. } = setup(&parameters);
    let a = secret.encrypt(&x).unwrap();
    let values = server.to_coefficients(&a, 2).unwrap();
    for m in [0, 1, 17, u64::MAX] {
        assert!(matches!(server.to_coefficients(&a, m), Err(Error::Parameter { .. })));
    }
    let make = |count, modulus, noise| {
        let ciphertext = values.ciphertext().clone();
        RlweInput::new(&parameters, values.key_id(), ciphertext, count, modulus, noise)
    };
    let quiet = NoiseBound::new(1e-6, 0.0);
    assert!(matches!(make(513, 2, quiet), Err(Error::TooLarge { limit: 512, .. })));
    assert!(matches!(make(512, 1, quiet), Err(Error::Parameter { .. })));
    assert!(matches!(server.half_gate_boot(Gate::And, &values), Err(Error::TooSmall { .. })));
    let four = make(512, 4, quiet).unwrap();
    assert!(matches!(server.half_bin_boot(&four), Err(Error::Mismatch { .. })));
    let noisy = make(512, 2, NoiseBound::new(0.1, 0.0)).unwrap();
    assert!(matches!(server.half_bin_boot(&noisy), Err(Error::NoiseTooLarge { .. })));
    let other = Parameters::insecure_toy(Packing::Complex).unwrap();
    let ciphertext = values.ciphertext().clone();
    let other = RlweInput::new(&other, values.key_id(), ciphertext.clone(), 512, 2, quiet).unwrap();
    assert!(matches!(server.half_bin_boot(&other), Err(Error::OtherParameters { .. })));
    let stranger = SecretKey::generate(&parameters).id();
    let stranger = RlweInput::new(&parameters, stranger, ciphertext, 512, 2, quiet).unwrap();
    assert!(matches!(server.half_bin_boot(&stranger), Err(Error::OtherClient { .. })));
    // Two primes instead of q_0.
    let wide = cryptable_lattice::RlweCiphertext {
        c0: cryptable_ring::Poly::zero(&toy_ring(), cryptable_ring::Basis::main(2)),
        c1: cryptable_ring::Poly::zero(&toy_ring(), cryptable_ring::Basis::main(2)),
    };
    let wide = RlweInput::new(&parameters, values.key_id(), wide, 512, 2, quiet);
    assert!(matches!(wide, Err(Error::Mismatch { .. })));
}

fn toy_ring() -> cryptable_ring::Ring {
    cryptable_ring::Ring::new(1024, &cryptable_ring::primes::ntt_primes(1024, 28.0, 2, &[]), &[])
}
