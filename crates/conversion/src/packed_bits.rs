//! Conversion of results of packed lookups to bits: the coefficients of one ciphertext, modulo q_0 instead of 2^k, from
//! which a half bootstrap makes bits in slots.
//!
//! A table of one bit leaves m/2 of the modulus in every coefficient, which is the input of BinBoot. Both keys have the
//! same secret, so only the modulus changes: no level, no key. A table of P outputs becomes log2 P tables of bits,
//! which one lookup evaluates together ([`packed::EvaluationKey::lookup_many`]), followed by one BinBoot each.
//!
//! Noise, a fraction of the modulus squared: that of the result, plus `(1 + 2N/3)/12` units of q_0, or `(1 +
//! n·2N/3)/12` for n owners.

use cryptable_bits as bits;
use cryptable_bits::{Packing, RlweInput};
use cryptable_lattice::RlweCiphertext;
use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_packed as packed;
use cryptable_ring::modulus_switch::from_power_of_two_assign;
use cryptable_ring::{Basis, Coefficients, Poly, Ring};
use cryptable_wire::KeyId;

use crate::power_of_two::added;
use cryptable_fhew::noise::Variance;

/// Converts results of tables with outputs modulo 2 to values in coefficients, for
/// [`half_bin_boot`](bits::EvaluationKey::half_bin_boot): packed value i becomes bit i.
///
/// `key_id` names the key of bits that has the secret of the packed key, which the caller must ensure.
/// [`bits::SecretKey::of_secret`] creates such a key.
///
/// ```
/// use cryptable_bits as bits;
/// use cryptable_conversion::packed_bits::to_bits;
/// use cryptable_lattice::{Progress, Table, secret::TernarySecret};
/// use cryptable_packed as packed;
/// # use zeroize::Zeroizing;
/// // Parameters of `packed::Request::new(256, 2)` and `bits::Parameters::throughput_128` are for use.
/// let client = packed::SecretKey::generate(&packed::Parameters::insecure_toy_of(16, 2, 1024, 1024)?);
/// # let coefficients = Zeroizing::new(client.secret().coefficients().to_vec());
/// # let secret = TernarySecret::from_coefficients(coefficients).expect("ternary");
/// let of_bits = bits::SecretKey::of_secret(&bits::Parameters::insecure_toy_throughput()?, secret);
/// let servers = (client.evaluation_key(Progress::silent())?, of_bits.evaluation_key(Progress::silent())?);
///
/// let is_prime = Table::from_fn(16, 2, |x| u64::from([2, 3, 5, 7, 11, 13].contains(&x)))?;
/// let table = servers.0.prepare(&is_prime)?;
/// let result = servers.0.lookup(&client.encrypt(&[4, 5, 6, 7])?, &table, Progress::silent())?;
/// let bits = servers.1.half_bin_boot(&to_bits(&servers.0, &result, of_bits.parameters(), of_bits.id())?)?;
/// assert_eq!(of_bits.decrypt(&bits)?, [false, true, false, true]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// If the result is of another client, other parameters or another modulus than 2, ring degrees differ, the ciphertext
/// does not fill its ring, or bits are only in the real parts of slots.
pub fn to_bits(
    packed: &packed::EvaluationKey,
    result: &packed::Ciphertext,
    parameters: &bits::Parameters,
    key_id: KeyId,
) -> Result<RlweInput> {
    check_equal("modulus of the results", result.modulus(), 2)?;
    let body = packed.export(result)?;
    let degree = parameters.literal().ring_degree;
    check_equal("ring degree", body.layout.ring_degree, degree)?;
    check_equal("number of slots", body.layout.slots, degree)?;
    let owners = packed.parameters().literal().owners;
    check_equal("number of owners", owners, parameters.literal().owners)?;
    if parameters.packing() != Packing::Complex {
        return Err(Error::mismatch("packing of bits", "real", "complex"));
    }
    let prime = parameters.bottom_prime();
    let ring = &Ring::new(degree, &[prime], &[]);
    let switch = |mut words: Vec<u64>| {
        from_power_of_two_assign(ring.modulus(0), &mut words, body.log2_modulus);
        Poly::<Coefficients>::from_words(ring, Basis::main(1), words).into_evaluations(ring)
    };
    let (b, a) = body.to_pair();
    let rlwe = RlweCiphertext { c0: switch(b), c1: switch(a) };
    let rounding = owners.mean_rounding_variance(degree);
    let noise = added(result.noise(), Variance::of_units(rounding, prime as f64));
    RlweInput::new(parameters, key_id, rlwe, body.layout.count, 2, noise)
}
