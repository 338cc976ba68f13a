//! Sums, products and rotations on an insecure toy ring: every slot, and noise bounded from both sides.

use cryptable_approximate::{
    Ciphertext, Complex64, EvaluationKey, KeySet, LinearMap, Parameters, Polynomial, SecretKey,
    SlotBounds,
};
use cryptable_lattice::Progress;
use cryptable_ring::random::replay;
use rand::Rng;

fn client() -> (SecretKey, EvaluationKey) {
    let secret = SecretKey::generate(&Parameters::insecure_toy().unwrap());
    let slots = secret.parameters().slots();
    let keys = KeySet::new().rotations([3]).rotations_by_powers_of_two(slots).conjugation();
    let server = secret.evaluation_key_for(&keys, Progress::silent()).unwrap();
    (secret, server)
}

fn random(count: usize) -> Vec<Complex64> {
    let mut rng = rand::rng();
    let mut part = || rng.random_range(-1.0..1.0);
    (0..count).map(|_| Complex64::new(part(), part())).collect()
}

/// Checks the stated errors from both sides: the measured deviation is at most the stated one, and at least the stated
/// one divided by `slack`.
fn check(secret: &SecretKey, ct: &Ciphertext, expected: &[Complex64], slack: f64) {
    let errors = secret.errors(ct, expected).unwrap();
    let mean = errors.iter().map(Complex64::norm_sqr).sum::<f64>() / errors.len() as f64;
    let (found, stated) = (mean.sqrt(), ct.error().deviation);
    // 512 errors, exponentially distributed squares: a deviation within 20 %.
    assert!(found < 1.2 * stated, "2^{} above 2^{}", found.log2(), stated.log2());
    assert!(slack * found > stated, "2^{} far below 2^{}", found.log2(), stated.log2());
    let bound = ct.bounds();
    assert!(expected.iter().all(|z| z.re.abs() <= bound.re && z.im.abs() <= bound.im));
    for (z, expected) in secret.decrypt(ct).unwrap().iter().zip(expected) {
        let largest = 2.0 * ct.error().largest(-60.0);
        assert!((z - expected).norm() < 2.0 * largest, "{z} and {expected}");
    }
}

#[test]
fn insecure_sums_and_products_keep_to_their_errors() {
    let _replay = replay::begin();
    let (secret, server) = client();
    let slots = secret.parameters().slots();
    let [x, y] = [random(slots), random(slots)];
    let [a, b] = [&x, &y].map(|values| secret.encrypt(values).unwrap());
    check(&secret, &a, &x, 1.2);
    let zip = |f: fn(Complex64, Complex64) -> Complex64| -> Vec<Complex64> {
        x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect()
    };
    check(&secret, &server.add(&a, &b).unwrap(), &zip(|x, y| x + y), 2.0);
    check(&secret, &server.sub(&a, &b).unwrap(), &zip(|x, y| x - y), 2.0);
    let product = server.mul(&a, &b).unwrap();
    check(&secret, &product, &zip(|x, y| x * y), 2.5);
    // Levels are aligned.
    let sum = server.add(&a, &product).unwrap();
    assert_eq!(sum.level(), a.level() - 1);
    check(&secret, &sum, &zip(|x, y| x + x * y), 3.0);
    let cube = server.mul(&server.mul(&product, &product).unwrap(), &b).unwrap();
    check(&secret, &cube, &zip(|x, y| x * x * y * y * y), 24.0);
    assert_eq!(cube.level(), a.level() - 3);
}

#[test]
fn insecure_constants_plaintexts_rotations_and_conjugates() {
    let _replay = replay::begin();
    let (secret, server) = client();
    let slots = secret.parameters().slots();
    let [x, y] = [random(slots), random(slots)];
    let a = secret.encrypt(&x).unwrap();
    let map = |f: &dyn Fn(usize) -> Complex64| -> Vec<Complex64> { (0..slots).map(f).collect() };
    let constant = Complex64::new(-0.75, 1.5);
    check(&secret, &server.mul_constant(&a, constant).unwrap(), &map(&|j| x[j] * constant), 2.0);
    check(&secret, &server.add_constant(&a, constant).unwrap(), &map(&|j| x[j] + constant), 2.0);
    check(&secret, &server.mul_plain(&a, &y).unwrap(), &map(&|j| x[j] * y[j]), 3.0);
    check(&secret, &server.add_plain(&a, &y).unwrap(), &map(&|j| x[j] + y[j]), 2.0);
    check(&secret, &server.mul_integer(&a, -5).unwrap(), &map(&|j| x[j] * -5.0), 1.2);
    check(&secret, &server.negate(&a).unwrap(), &map(&|j| -x[j]), 1.2);
    check(&secret, &server.conjugate(&a).unwrap(), &map(&|j| x[j].conj()), 2.0);
    for steps in [0, 1, 3, -1, 37, slots as i64 + 5] {
        let shifted = |j: usize| x[(j as i64 + steps).rem_euclid(slots as i64) as usize];
        check(&secret, &server.rotate(&a, steps).unwrap(), &map(&shifted), 2.0);
    }
    check(&secret, &server.lower(&a, 0).unwrap(), &x, 2.0);
}

#[test]
fn insecure_polynomials_sums_and_matrices() {
    let _replay = replay::begin();
    let (secret, _) = client();
    let slots = secret.parameters().slots();
    let x: Vec<Complex64> = random(slots).iter().map(|z| z.re.into()).collect();
    let a = secret.encrypt_within(&x, SlotBounds::real(1.0)).unwrap();
    let rows: Vec<Vec<Complex64>> = (0..8).map(|_| random(8)).collect();
    let map = LinearMap::new(secret.parameters(), &rows, a.level()).unwrap();
    let keys = KeySet::new().rotations_by_powers_of_two(slots).map(&map);
    let server = secret.evaluation_key_for(&keys, Progress::silent()).unwrap();
    let each =
        |f: &dyn Fn(f64) -> f64| -> Vec<Complex64> { x.iter().map(|z| f(z.re).into()).collect() };
    // Degrees that fill their powers of two and those that do not; the last one scales its argument.
    for (degree, interval) in [(1, 1.0), (2, 1.0), (7, 1.0), (20, 1.0), (15, 2.0)] {
        let coefficients: Vec<f64> = (0..=degree).map(|k| 0.8 / f64::from(k * k + 1)).collect();
        let polynomial = Polynomial::chebyshev(&coefficients, interval).unwrap();
        let y = server.polynomial(&a, &polynomial).unwrap();
        assert_eq!(y.level(), a.level() - polynomial.levels());
        check(&secret, &y, &each(&|x| polynomial.evaluate(x)), 64.0);
    }
    let monomial = Polynomial::monomial(&[0.5, -1.0, 0.0, 2.0], 1.0).unwrap();
    let y = server.polynomial(&a, &monomial).unwrap();
    check(&secret, &y, &each(&|x| 0.5 - x + 2.0 * x * x * x), 32.0);
    let exponential = Polynomial::interpolate(f64::exp, 1.0, 15).unwrap();
    check(&secret, &server.polynomial(&a, &exponential).unwrap(), &each(&f64::exp), 64.0);
    let total: Complex64 = x.iter().sum();
    check(&secret, &server.inner_sum(&a, slots).unwrap(), &vec![total; slots], 64.0);
    // A matrix of eight columns multiplies eight slots with period eight.
    let vector = random(8);
    let repeated: Vec<Complex64> = (0..slots).map(|j| vector[j % 8]).collect();
    let product: Vec<Complex64> =
        (0..slots).map(|j| rows[j % 8].iter().zip(&vector).map(|(m, v)| m * v).sum()).collect();
    let b = secret.encrypt(&repeated).unwrap();
    let y = server.transform(&b, &server.prepare(&map).unwrap()).unwrap();
    assert_eq!(y.level(), b.level() - 1);
    check(&secret, &y, &product, 16.0);
    let error = server.polynomial(&b, &monomial).unwrap_err().to_string();
    assert!(error.contains("imaginary parts"), "{error}");
    let large = Polynomial::chebyshev(&[1.0; 128], 1.0).unwrap();
    let error = server.polynomial(&a, &large).unwrap_err().to_string();
    assert!(error.contains("level of an operand is 6"), "{error}");
}

#[test]
fn insecure_largest_degree() {
    let mut literal = Parameters::insecure_toy().unwrap().literal().clone();
    (literal.ring_degree, literal.slots, literal.levels) = (1 << 17, 1 << 16, vec![40.0]);
    let secret = SecretKey::generate(&Parameters::new(literal.clone()).unwrap());
    let server = secret.evaluation_key_for(&KeySet::new(), Progress::silent()).unwrap();
    let x = random(1 << 16);
    let a = secret.encrypt(&x).unwrap();
    let squares: Vec<Complex64> = x.iter().map(|x| x * x).collect();
    check(&secret, &server.mul(&a, &a).unwrap(), &squares, 3.0);
    // There are fewer similar small primes than this.
    literal.levels = vec![25.0; 63];
    let Err(error) = Parameters::new(literal) else { panic!("63 small primes") };
    let error = error.to_string();
    assert!(error.contains("log2 of a prime of levels"), "{error}");
}

#[test]
fn insecure_bad_operands_are_errors() {
    let (secret, server) = client();
    let slots = secret.parameters().slots();
    let message = |error: cryptable_lattice::Error| error.to_string();
    let error = secret.encrypt(&random(slots + 1)).unwrap_err();
    assert!(message(error).contains("number of values is 513"));
    for value in [1.5, f64::NAN, f64::INFINITY] {
        assert!(message(secret.encrypt_reals(&[value]).unwrap_err()).contains("at most 1"));
    }
    let huge = SlotBounds::real(1e9);
    assert!(message(secret.encrypt_within(&[], huge).unwrap_err()).contains("bound of slots"));
    let a = secret.encrypt_reals(&[0.5]).unwrap();
    let bottom = server.lower(&a, 0).unwrap();
    assert!(message(server.mul(&a, &bottom).unwrap_err()).contains("level of an operand"));
    assert!(message(server.mul_integer(&a, 1 << 40).unwrap_err()).contains("bound of the result"));
    let other = SecretKey::generate(secret.parameters());
    assert!(message(other.decrypt(&a).unwrap_err()).contains("client key"));
    let few = secret.evaluation_key_for(&KeySet::new(), Progress::silent()).unwrap();
    assert!(message(few.rotate(&a, 1).unwrap_err()).contains("keys of rotations"));
    assert!(message(few.conjugate(&a).unwrap_err()).contains("conjugation"));
}
