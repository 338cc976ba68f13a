//! Kernels on every instruction set of the processor: transforms beside those of `tfhe-ntt`, and steps of blind
//! rotation.

use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::torus::FractionDigits;
use cryptable_ring::{Buffer, Isa, Modulus, NttTable};
use tfhe_ntt::prime64::Plan;

use crate::primitive_lines::Bench;

/// A ring of blind rotation, with the digits of body and mask.
struct Step {
    name: &'static str,
    degree: usize,
    log2_prime: f64,
    body: (u32, usize),
    mask: (u32, usize),
}

/// Steps of gates, and of the first set of circuit bootstraps.
const STEPS: [Step; 2] = [
    Step { name: "step, N = 1024", degree: 1024, log2_prime: 24.9, body: (6, 2), mask: (6, 3) },
    Step { name: "step, N = 2048", degree: 2048, log2_prime: 46.99, body: (19, 1), mask: (22, 1) },
];

/// Measures all kernels on data in the cache.
pub fn measure_instruction_sets(bench: &mut Bench, degree: usize) {
    let prime = ntt_primes(degree, 49.0, 1, &[])[0];
    let mut limb = Buffer::zeroed(degree);
    for isa in Isa::available().into_iter().filter(|&isa| isa <= Isa::detect()) {
        let table = NttTable::new(degree, Modulus::with_isa(prime, isa)).expect("an NTT prime");
        bench.measure_on(isa, degree, "ntt", 1, 2, || table.forward_assign(&mut limb));
        bench.measure_on(isa, degree, "inverse ntt", 1, 2, || table.inverse_assign(&mut limb));
        for step in &STEPS {
            measure_step(bench, isa, step);
        }
    }
    // `tfhe-ntt` uses IFMA for primes below 2^50, and AVX-512F for larger ones.
    for (name, log2_prime) in [("tfhe-ntt", 50.0), ("wide tfhe-ntt", 55.0)] {
        let prime = ntt_primes(degree, log2_prime, 1, &[])[0];
        let plan = Plan::try_new(degree, prime).expect("an NTT prime");
        limb.fill(1);
        bench.measure_on(Isa::detect(), degree, name, 1, 2, || plan.fwd(&mut limb));
    }
}

/// Measures a step of blind rotation: decomposition, and products with an RGSW ciphertext.
fn measure_step(bench: &mut Bench, isa: Isa, step: &Step) {
    let prime = ntt_primes(step.degree, step.log2_prime, 1, &[])[0];
    let ring = PrimeRing::with_modulus(step.degree, Modulus::with_isa(prime, isa));
    let [body, mask] =
        [step.body, step.mask].map(|(bits, length)| FractionDigits::new(bits, length));
    let rows = body.length() + mask.length();
    let keys = ring.prepare_rows(1, rows, |_, words| {
        let mut word = 1;
        for out in words {
            word = word * 48_271 % ((1 << 31) - 1);
            *out = word * word % prime;
        }
    });
    let (n, mut exponent) = (step.degree, 1);
    let mut accumulator = Buffer::zeroed(2 * n);
    accumulator.fill(1 << 40);
    let mut scratch = ring.digit_scratch(rows);
    bench.measure_on(isa, n, step.name, rows + 2, 2 * rows + 4, || {
        exponent = (exponent + 1234) % (2 * n);
        let [of_body, of_mask] = [&accumulator[..n], &accumulator[n..]];
        ring.decompose_rotation(&body, &mut scratch, 0, of_body, exponent);
        ring.decompose_rotation(&mask, &mut scratch, body.length(), of_mask, exponent);
        ring.add_digit_product(&mut accumulator, keys.key(0), &mut scratch);
    });
}
