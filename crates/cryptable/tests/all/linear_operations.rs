//! Tests of sums and multiples with all engines: of ciphertexts in several parts, and refusals by name.

use cryptable::{Ciphertext, Engine, Error, Parameters, SecretKey, Table};

fn secret(engine: Engine) -> SecretKey {
    SecretKey::generate(Parameters::insecure_toy(engine, 8, 8).unwrap())
}

#[test]
fn parts_are_computed_one_by_one() {
    for engine in [Engine::Packed, Engine::Single] {
        let secret = secret(engine);
        let server = secret.evaluation_key();
        let count = secret.values_per_part().unwrap() + 5;
        let values: Vec<u64> = (0..count as u64).map(|i| i % 8).collect();
        let others: Vec<u64> = (0..count as u64).map(|i| i * 5 / 3 % 8).collect();
        let (x, y) = (secret.encrypt(&values).unwrap(), secret.encrypt(&others).unwrap());
        let check = |result: Result<Ciphertext, Error>, of: &dyn Fn(u64, u64) -> u64| {
            let result = Ciphertext::from_bytes(&result.unwrap().to_bytes()).unwrap();
            assert_eq!((result.count(), result.modulus()), (count, 8));
            let expected: Vec<u64> =
                values.iter().zip(&others).map(|(&a, &b)| of(a, b) % 8).collect();
            assert_eq!(secret.decrypt(&result).unwrap(), expected, "{engine}");
            result
        };
        let sum = check(server.add(&x, &y), &|a, b| a + b);
        assert_eq!(sum.noise(), Some(x.noise().unwrap() + y.noise().unwrap()));
        check(server.sub(&x, &y), &|a, b| a + 8 - b);
        check(server.negate(&x), &|a, _| 8 - a);
        check(server.add_plain(&sum, &others), &|a, b| a + 2 * b);
        check(server.mul_scalar(&sum, -3), &|a, b| 5 * (a + b));
        let limits = server.lookup_parameters().unwrap().sum_limits().unwrap();
        assert!(limits.fresh_lookup > 1, "{limits}");
    }
}

#[test]
fn lookups_start_the_noise_anew() {
    let secret = secret(Engine::Packed);
    let server = secret.evaluation_key();
    let table = server.prepare(&Table::from_fn(8, 8, |x| x * x % 8).unwrap()).unwrap();
    let x = secret.encrypt(&[1, 2, 7]).unwrap();
    let once = server.lookup(&x, &table).unwrap();
    let later = server.lookup(&server.add(&once, &once).unwrap(), &table).unwrap();
    assert_eq!(secret.decrypt(&later).unwrap(), [4, 0, 4]);
    let (once, later) = (once.noise().unwrap(), later.noise().unwrap());
    assert_eq!(once.deviation(), later.deviation());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (packed, single) = (secret(Engine::Packed), secret(Engine::Single));
    let server = packed.evaluation_key();
    let (x, other) = (packed.encrypt(&[1, 2]).unwrap(), single.encrypt(&[1, 2]).unwrap());
    for error in [
        server.add(&x, &other).unwrap_err(),
        server.sub(&other, &x).unwrap_err(),
        server.negate(&other).unwrap_err(),
        server.mul_scalar(&other, 2).unwrap_err(),
        server.add_plain(&other, &[1, 2]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::OtherKind { .. }), "{error}");
    }
    let halves = packed.encrypt(&[1]).unwrap();
    let joined = Ciphertext::join([halves.clone(), halves]).unwrap();
    let parts = server.add(&x, &joined).unwrap_err().to_string();
    assert!(parts.contains("number of parts of the second operand is 2"), "{parts}");
    let count = server.add(&x, &packed.encrypt(&[1]).unwrap()).unwrap_err().to_string();
    assert!(count.contains("number of values of the second operand is 1"), "{count}");
    assert!(matches!(server.add_plain(&x, &[1]).unwrap_err(), Error::Mismatch { .. }));
    let range = server.add_plain(&x, &[1, 8]).unwrap_err();
    assert!(matches!(range, Error::ValueOutOfRange { index: 1, .. }), "{range}");
}

#[test]
fn the_leveled_engine_says_that_it_has_no_sums() {
    let secret = secret(Engine::Leveled);
    let server = secret.evaluation_key();
    let x = secret.encrypt(&[1, 2]).unwrap();
    assert!(x.noise().is_none() && server.lookup_parameters().unwrap().sum_limits().is_none());
    for error in [
        server.add(&x, &x).unwrap_err(),
        server.sub(&x, &x).unwrap_err(),
        server.negate(&x).unwrap_err(),
        server.mul_scalar(&x, 2).unwrap_err(),
        server.add_plain(&x, &[1, 2]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::UnsupportedOperation { .. }), "{error}");
        assert!(error.to_string().contains("the engine leveled cannot"), "{error}");
    }
}
