//! Tests of everything that several owners do: joint keys for packed values and for bits with one joint secret,
//! encryption with the joint public key, lookups, and decryption by all of them. Nobody knows the joint secret at any
//! time.

use std::sync::Arc;

use crate::joint_keys;
use crate::packed_bits::{look_up_bits, output};

use cryptable_bits as bits;
use cryptable_bits::{JointDecryption, SecretShare};
use cryptable_conversion::packed_bits::to_bits;
use cryptable_lattice::owners::Session;
use cryptable_lattice::{Error, Owners, ReadOptions};
use cryptable_packed as packed;
use cryptable_ring::random::{RandomStream, replay};
use joint_keys::{Owner, agreement, first_shares, joint_evaluation_key_file, owners};

fn owners_of(count: u32) -> Owners {
    Owners::new(count).unwrap()
}

/// Looks up values encrypted with one public key, and decrypts the results with all owners.
fn look_up_and_decrypt(of_packed: packed::Parameters, of_bits: bits::Parameters) {
    let _replay = replay::begin();
    let modulus = of_packed.input_modulus();
    let options = ReadOptions::default().allow_insecure();

    // Joint keys for packed values.
    let session = Session::new(of_packed.clone()).unwrap();
    let mut packed_owners = owners(&session);
    let of_values = agreement(&session, &packed_owners).unwrap();
    let first = first_shares(&packed_owners);
    let public = packed::PublicKey::of_owners(&of_values, &first).unwrap();
    let file = joint_evaluation_key_file(&of_values, &mut packed_owners);
    let secrets: Vec<_> = packed_owners.into_iter().map(|owner| owner.secret).collect();

    // Joint keys for bits, with the same secret.
    let session = Session::new(of_bits.clone()).unwrap();
    let again =
        |secret: &packed::OwnerSecret| Owner::of_secret(secret.in_session(&session).unwrap());
    let mut bit_owners: Vec<_> = secrets.iter().map(again).collect();
    let agreed = agreement(&session, &bit_owners).unwrap();
    let file_of_bits = joint_evaluation_key_file(&agreed, &mut bit_owners);
    let shares = bit_owners.iter().map(|owner| SecretShare::of_owner(&owner.secret).unwrap());
    let shares: Vec<_> = shares.collect();

    // Somebody encrypts, and a server looks up.
    let mut values = vec![0; of_packed.literal().slots];
    RandomStream::from_os().uniform_assign(&mut values, modulus);
    let input = public.encrypt(&values).unwrap();
    let server = packed::EvaluationKey::from_shared(Arc::new(file), options).unwrap();
    let results = look_up_bits(&server, &input, modulus);
    let inputs = results.iter().map(|it| to_bits(&server, it, &of_bits, agreed.key_id()).unwrap());
    let inputs: Vec<_> = inputs.collect();
    drop(server);

    // The server converts the results to bits, which the owners decrypt.
    let server = bits::EvaluationKey::from_shared(Arc::new(file_of_bits), options).unwrap();
    let count = of_bits.literal().owners;
    let decryption = JointDecryption::new(&of_bits, count, -40.0, 65_536).unwrap();
    let mut decrypted = vec![0; values.len()];
    for (index, input) in inputs.iter().enumerate() {
        let prepared = server.half_bin_boot(input).unwrap();
        let prepared = server.prepare_decryption(&prepared).unwrap();
        let partial = shares.iter().map(|share| share.partial_decryption(&prepared, &decryption));
        let partial = partial.collect::<Result<Vec<_>, Error>>().unwrap();
        assert!(prepared.combine(&of_bits, &partial[1..]).is_err());
        let found = prepared.combine(&of_bits, &partial).unwrap();
        decrypted.iter_mut().zip(found).for_each(|(x, bit)| *x |= u64::from(bit) << index);
    }
    let expected: Vec<u64> = values.iter().map(|&x| output(x, modulus)).collect();
    assert!(decrypted == expected);
}

#[test]
fn owners_look_up_and_decrypt_together_on_toy_rings() {
    for count in [3, 5] {
        let owners = owners_of(count);
        let of_packed = packed::Parameters::insecure_toy_of_owners(16, 2, owners).unwrap();
        let of_bits = bits::Parameters::insecure_toy_throughput_of(owners).unwrap();
        look_up_and_decrypt(of_packed, of_bits);
    }
}

/// Returns parameters for bytes and a number of owners.
fn parameters_128(count: u32) -> (packed::Parameters, bits::Parameters) {
    let owners = owners_of(count);
    let request = packed::Request { tables: 8, owners, ..packed::Request::new(256, 2) };
    let of_packed = packed::Parameters::choose(&request).unwrap();
    (of_packed, bits::Parameters::throughput_128_of(owners).unwrap())
}

/// Checks by the noise model, before any key exists, as `packed_bits.rs` does for one owner, that the errors of bytes
/// with which cleanings begin are within their limits, reduced by half a bit for one of the two parts.
#[test]
fn noise_of_lookups_of_bytes_is_low_enough_for_many_owners() {
    for (count, limit) in [(2, -12.5), (3, -12.5), (4, -11.5), (5, -11.5), (6, -10.5)] {
        let (packed, bits) = parameters_128(count);
        let noise = packed.result_noise(packed.fresh_noise(256));
        let largest = noise.largest(bits.literal().log2_fail);
        let own = bits.largest_error(bits.noise_after_bin_boot(bits.fresh_noise()));
        let left = ((std::f64::consts::PI * largest).powi(2) + own).log2();
        println!("{count} owners: phases 2^{:.1}, bits 2^{left:.2}", largest.log2());
        assert!(left < limit, "{count} owners: 2^{left}");
    }
}

#[test]
#[ignore = "slow: run by make test-all"]
fn three_owners_look_up_and_decrypt_together_at_full_size() {
    let (of_packed, of_bits) = parameters_128(3);
    look_up_and_decrypt(of_packed, of_bits);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn four_owners_look_up_and_decrypt_together_at_full_size() {
    let (of_packed, of_bits) = parameters_128(4);
    look_up_and_decrypt(of_packed, of_bits);
}
