//! BinBoot of sums of many bits: every other one is subtracted, so that sums are from minus half of them to half.

use crate::common;

use common::{Setup, check_noise, errors, setup};
use cryptable_bits::{EncryptedBits, Parameters};

const SUMMANDS: usize = 170;

/// Sums of the largest size of either sign, of none, and random ones.
fn check_sums(parameters: &Parameters) {
    let Setup { secret, server, x, y } = setup(parameters);
    let constant = |bit| secret.encrypt_at(&vec![bit; parameters.bits()], 0).unwrap();
    let (zero, one) = (constant(false), constant(true));
    for (even, odd, sum) in [(&one, &zero, 85), (&zero, &one, 85), (&one, &one, 170)] {
        let terms: Vec<&EncryptedBits> =
            (0..SUMMANDS).map(|k| if k % 2 == 0 { even } else { odd }).collect();
        let parity = server.bin_boot_sum(&terms).unwrap();
        let expected = vec![sum % 2 == 1; parameters.bits()];
        assert!(secret.decrypt(&parity).unwrap() == expected);
        let errors = errors(&secret, &parity, &expected);
        // The prediction is for the largest sums.
        let interval = if sum == 85 { -1.5..0.2 } else { -6.0..0.2 };
        check_noise("sum of constants", errors, parity.noise(), interval);
    }
    let (a, b) = (secret.encrypt_at(&x, 0).unwrap(), secret.encrypt_at(&y, 0).unwrap());
    // 57 times x, 113 times y.
    let terms: Vec<&EncryptedBits> =
        (0..SUMMANDS).map(|k| if k % 3 == 0 { &a } else { &b }).collect();
    let parity = server.bin_boot_sum(&terms).unwrap();
    let expected: Vec<bool> = x.iter().zip(&y).map(|(x, y)| x ^ y).collect();
    assert!(secret.decrypt(&parity).unwrap() == expected);
    check_noise(
        "sum of random bits",
        errors(&secret, &parity, &expected),
        parity.noise(),
        -6.0..0.2,
    );
    let cleaned = server.clean(&parity).unwrap();
    assert!(secret.decrypt(&cleaned).unwrap() == expected);
    check_noise("cleaned", errors(&secret, &cleaned, &expected), cleaned.noise(), -3.0..0.2);
}

#[test]
fn long_sums_on_a_toy_ring() {
    check_sums(&Parameters::insecure_toy_sums().unwrap());
}

#[test]
#[ignore = "ten seconds and 3 GB: run by make test-all"]
fn long_sums_at_full_size() {
    check_sums(&Parameters::sums_128().unwrap());
}
