//! Complex slots as real ones and back, with products between.

use cryptable_ckks::encryption::{decrypt, encrypt};
use cryptable_ckks::real_slots::{EnterReal, LeaveReal};
use cryptable_ckks::{Arithmetic, Evaluator};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::real_keys::SlotSecrets;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{EvaluationKeys, KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::RandomStream;
use cryptable_ring::real_traces::Coordinate;
use cryptable_ring::{Basis, Chain, Ring, RingModuli};
use num_complex::Complex64;

const DEGREE: usize = 512;
const LIMBS: usize = 6;

#[test]
fn products_of_parts() {
    let main = ntt_primes(2 * DEGREE, 49.0, LIMBS, &[]);
    let special = ntt_primes(2 * DEGREE, 50.0, 3, &main);
    let moduli = RingModuli::new(DEGREE, vec![Chain::new(&main)], &special);
    let (ring, real) = (Ring::of(moduli.clone()), Ring::real(moduli));
    let mut stream = RandomStream::from_os();
    let mut secret =
        || TernarySecret::sample(DEGREE, SecretDistribution::UniformTernary, &mut stream);
    let (complex_secret, real_secret) = (secret(), secret());
    let secrets =
        SlotSecrets { rings: [&ring, &real], complex: &complex_secret, real: &real_secret };
    let shape = SwitchingKeyShape { basis: Basis::new(LIMBS, 3), digit_limbs: 3 };
    let coordinates = [Coordinate::First, Coordinate::Second];
    let to_real = coordinates.map(|coordinate| secrets.to_real(coordinate, shape));
    let to_complex = coordinates.map(|coordinate| secrets.to_complex(coordinate, shape));
    let mut keys = EvaluationKeys::new();
    let pair = SecretPair { dense: &real_secret, sparse: &real_secret };
    let purpose = KeyPurpose::Relinearization;
    keys.insert(purpose, pair.generate_key(&real, purpose, shape));

    let slots: Vec<_> =
        (0..DEGREE / 2).map(|i| Complex64::from_polar(0.45, i as f64 * 0.37)).collect();
    let scale = ring.main_prime(0) as f64;
    let ct = encrypt(&ring, &complex_secret, &slots, scale, LIMBS);
    let evaluator = Evaluator::new(&real, &keys);
    let enter = EnterReal::new(&ring, ring.main_basis(LIMBS), scale);
    let parts = enter.apply(&real, &ct, to_real.each_ref());
    let mut square = evaluator.mul(&parts, &parts);
    evaluator.add_constant_assign(&mut square, Complex64::new(0.25, 0.0));
    let product = evaluator.mul(&square, &parts);

    let leave = LeaveReal::new(&ring, ring.main_basis(product.limbs()), scale);
    let result = leave.apply(&ring, &product, to_complex.each_ref());
    let found = decrypt(&ring, &complex_secret, &result, DEGREE / 2);
    let cubic = |x: f64| ((2.0 * x).powi(2) + 0.25) * 2.0 * x;
    let error = |(found, slot): (&Complex64, &Complex64)| {
        (found - Complex64::new(cubic(slot.re), cubic(slot.im))).norm()
    };
    let worst = found.iter().zip(&slots).map(error).fold(0.0, f64::max);
    assert!(worst < 1e-8, "error {worst:e}");
    assert!(worst > 1e-14, "no noise at all");
}
