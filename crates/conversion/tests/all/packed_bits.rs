//! Tests of packed lookups whose results three owners decrypt bit by bit, on a toy ring and at full size.

use std::time::Instant;

use cryptable_bits as bits;
use cryptable_bits::{JointDecryption, SecretShare};
use cryptable_conversion::packed_bits::to_bits;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{Error, Owners, Progress, Table};
use cryptable_packed as packed;
use cryptable_packed::Request;
use cryptable_ring::random::{RandomStream, replay};
use zeroize::Zeroizing;

const OWNERS: u32 = 3;

/// Returns an owner's part of a secret: every third coefficient (by index modulo 3), or all for a single owner (`None`).
fn part_of(secret: &packed::SecretKey, owner: Option<u32>) -> TernarySecret {
    let all = secret.secret().coefficients().iter().zip((0..OWNERS).cycle());
    let own = all.map(|(&c, of)| if owner.is_none_or(|owner| owner == of + 1) { c } else { 0 });
    let own = Zeroizing::new(own.collect());
    TernarySecret::from_coefficients(own).unwrap()
}

/// Returns parameters for values of `log2_values` bits whose results go through BinBoot and are exact enough to be
/// decrypted.
fn parameters_128() -> (packed::Parameters, bits::Parameters) {
    let request = Request { tables: 8, ..Request::new(256, 2) };
    (packed::Parameters::choose(&request).unwrap(), bits::Parameters::throughput_128().unwrap())
}

/// Computes a permutation of bytes, like an S-box, which is looked up bit by bit.
pub(crate) fn output(x: u64, modulus: u64) -> u64 {
    (x * x * x * 5 + 3 * x + 11) % modulus
}

/// Looks up values in one table per bit of their outputs.
pub(crate) fn look_up_bits(
    server: &packed::EvaluationKey,
    input: &packed::Ciphertext,
    modulus: u64,
) -> Vec<packed::Ciphertext> {
    let table = |bit: u32| {
        let table = Table::from_fn(modulus, 2, |x| output(x, modulus) >> bit & 1).unwrap();
        server.prepare(&table).unwrap()
    };
    let tables: Vec<_> = (0..modulus.ilog2()).map(table).collect();
    let tables: Vec<_> = tables.iter().collect();
    let start = Instant::now();
    let results = server.lookup_many(input, &tables, Progress::silent()).unwrap();
    println!("{} tables: {:.2} s", tables.len(), start.elapsed().as_secs_f64());
    results
}

fn three_owners(parameters: &(packed::Parameters, bits::Parameters)) {
    let _replay = replay::begin();
    let (of_packed, of_bits) = parameters;
    let modulus = of_packed.input_modulus();
    let client = packed::SecretKey::generate(of_packed);
    let mut values = vec![0; client.values_per_ciphertext()];
    RandomStream::from_os().uniform_assign(&mut values, modulus);
    let input = client.encrypt(&values).unwrap();
    let server = client.evaluation_key(Progress::silent()).unwrap();
    let results = look_up_bits(&server, &input, modulus);
    let secret = bits::SecretKey::of_secret(of_bits, part_of(&client, None));
    let inputs =
        results.iter().map(|result| to_bits(&server, result, of_bits, secret.id()).unwrap());
    let inputs: Vec<_> = inputs.collect();
    // Only one of the large keys is in memory at a time.
    drop(server);
    let of_server = secret.evaluation_key(Progress::silent()).unwrap();
    let parts: Vec<_> = (1..=OWNERS).map(|owner| part_of(&client, Some(owner))).collect();
    let share = |(owner, part)| SecretShare::new(of_bits, part, secret.id(), owner);
    let shares: Vec<_> = (1..).zip(&parts).map(share).collect();
    let decryption =
        JointDecryption::new(of_bits, Owners::new(OWNERS).unwrap(), -40.0, 65_536).unwrap();
    let mut decrypted = vec![0; values.len()];
    for (index, input) in inputs.iter().enumerate() {
        let start = Instant::now();
        let bits = of_server.half_bin_boot(input).unwrap();
        let boot = start.elapsed().as_secs_f64();
        let prepared = of_server.prepare_decryption(&bits).unwrap();
        let clean = start.elapsed().as_secs_f64() - boot;
        let partial = shares.iter().map(|share| share.partial_decryption(&prepared, &decryption));
        let partial = partial.collect::<Result<Vec<_>, Error>>().unwrap();
        let part = (start.elapsed().as_secs_f64() - boot - clean) / f64::from(OWNERS);
        let found = prepared.combine(of_bits, &partial).unwrap();
        println!("BinBoot {boot:.2} s, cleanings {clean:.2} s, a partial decryption {part:.2} s");
        decrypted.iter_mut().zip(found).for_each(|(x, bit)| *x |= u64::from(bit) << index);
    }
    let expected: Vec<u64> = values.iter().map(|&x| output(x, modulus)).collect();
    assert!(decrypted == expected);
}

#[test]
fn results_of_lookups_are_decrypted_by_three_owners_on_a_toy_ring() {
    let packed = packed::Parameters::insecure_toy_of(16, 2, 1024, 1024).unwrap();
    three_owners(&(packed, bits::Parameters::insecure_toy_throughput().unwrap()));
}

/// Checks the noise model before any key exists. BinBoot's function is `sin²(πt)`, so an error ε of a phase becomes
/// `π²·ε²`, in addition to the errors of fresh bits. Cleanings begin with less than 2^-12.5 in either part of a slot.
#[test]
fn noise_of_lookups_of_bytes_is_low_enough() {
    let (packed, bits) = parameters_128();
    let noise = packed.result_noise(packed.fresh_noise(256));
    let largest = noise.largest(bits.literal().log2_fail);
    let own = bits.largest_error(bits.noise_after_bin_boot(bits.fresh_noise()));
    let left = (std::f64::consts::PI * largest).powi(2) + own;
    println!(
        "{}: phases 2^{:.1}, bits 2^{:.1}",
        packed.literal().name,
        largest.log2(),
        left.log2()
    );
    assert!((-14.0..-12.5).contains(&left.log2()), "2^{}", left.log2());
}

#[test]
#[ignore = "slow: run by make test-all"]
fn results_of_lookups_are_decrypted_by_three_owners_at_full_size() {
    three_owners(&parameters_128());
}

#[test]
fn other_ciphertexts_do_not_become_bits() {
    let toy = |output, slots| packed::Parameters::insecure_toy_of(16, output, 1024, slots).unwrap();
    let of_bits = bits::Parameters::insecure_toy_throughput().unwrap();
    for (packed, what) in [(toy(4, 1024), "modulus"), (toy(2, 512), "slots")] {
        let client = packed::SecretKey::generate(&packed);
        let server = client.evaluation_key(Progress::silent()).unwrap();
        let secret = bits::SecretKey::of_secret(&of_bits, part_of(&client, None));
        let table =
            server.prepare(&Table::from_fn(16, packed.output_modulus(), |x| x & 1).unwrap());
        let input = client.encrypt(&[1]).unwrap();
        let result = server.lookup(&input, &table.unwrap(), Progress::silent()).unwrap();
        let error = to_bits(&server, &result, &of_bits, secret.id()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
