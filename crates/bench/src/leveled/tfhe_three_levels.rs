//! `bench cbs --paper-set --baseline tfhe-three-levels`: the TFHE circuit bootstrap with the numbers of TFHEpp, as Wang et
//! al. (EUROCRYPT 2024, ePrint 2024/323) compare with it in Tables 6 to 8.

use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_leveled::tree::{Cmux, LeveledCiphertext};
use cryptable_papers::tfhe_baseline::PrivateKeyForm;
use cryptable_papers::tfhe_baseline::three_levels::{
    LevelOneSecret, ThreeLevelBootstrapping, ThreeLevelKey, ThreeLevelNoise, ThreeLevelParameters,
};
use cryptable_papers::wang_2024::published_times::TFHE_BOOTSTRAPS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::line::CircuitLine;
use crate::measurement::timed;
use crate::memory;
use crate::single::{Batch, Line, Session};

/// Bits that are checked.
const COUNT: usize = 100;

/// The largest error of a bit's phase.
const MARGIN: f64 = 0.25;

/// Times circuit bootstraps, and checks each of [`COUNT`] bits by a CMUX at level 1. Security is that of the tables, for
/// the weakest level.
///
/// # Errors
/// If a ciphertext is not of these parameters.
pub fn measure(
    parameters: &ThreeLevelParameters,
    batch: Batch,
    seed: u64,
) -> anyhow::Result<CircuitLine> {
    let session = Session::new(parameters.level_2());
    let secret = LevelOneSecret::generate(parameters);
    let (key, keygen_s) = timed(|| ThreeLevelKey::generate(&session.secret, &secret));
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let circuit = ThreeLevelBootstrapping::new(&session.key, &key);

    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let plain: Vec<bool> = (0..COUNT).map(|_| rng.random()).collect();
    let encrypt = |&bit| secret.encrypt_bit(bit);
    let (inputs, encrypt_s): (Vec<LweCiphertext>, f64) =
        timed(|| plain.iter().map(encrypt).collect());
    let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("bits of these parameters");
    let mut line = session.line(batch, &inputs, bootstrap);
    check(&mut line, &secret, &circuit, plain.iter().zip(&inputs))?;
    let contract = &mut line.contract;
    contract.keygen_s += keygen_s;
    contract.encrypt_s = encrypt_s / COUNT as f64;
    contract.peak_rss_bytes = contract.peak_rss_bytes.max(generation_peak);
    contract.eval_key_bytes = circuit.key_bytes();
    Ok(circuit_line(line, parameters))
}

/// Enters what a CMUX by each selector says: a fresh 1 moves from the constant coefficient to the next by a bit of 1.
fn check<'a>(
    line: &mut Line,
    secret: &LevelOneSecret,
    circuit: &ThreeLevelBootstrapping<'_>,
    bits: impl Iterator<Item = (&'a bool, &'a LweCiphertext)>,
) -> anyhow::Result<()> {
    let ring = circuit.parameters().level_1();
    let check = |(&bit, input): (&bool, &LweCiphertext)| -> anyhow::Result<(bool, f64)> {
        let selector = circuit.bootstrap(input)?;
        let one = circuit.parameters().to_ring(&secret.encrypt_row(true));
        let mut moved = LeveledCiphertext::new(ring, &one);
        Cmux::new(ring, selector.gadget()).rotate_if_assign(&selector, &mut moved, 1);
        let result = moved.extract(ring, [usize::from(bit)].into_iter()).remove(0);
        Ok((!secret.decrypt_bit(&result)?, secret.bit_error(&result, true)?.powi(2)))
    };
    let bits: Vec<_> = bits.collect();
    let results = bits.into_par_iter().map(check).collect::<anyhow::Result<Vec<_>>>()?;
    let contract = &mut line.contract;
    contract.wrong = results.iter().filter(|result| result.0).count();
    contract.values_checked = results.len();
    let squares: f64 = results.iter().map(|result| result.1).sum();
    contract.noise_std_log2 = ((squares / results.len() as f64).sqrt() / MARGIN).log2();
    Ok(())
}

/// The line, with the numbers of all levels in place of those of blind rotation's parameters.
fn circuit_line(mut line: Line, parameters: &ThreeLevelParameters) -> CircuitLine {
    let (literal, noise) = (parameters.literal(), ThreeLevelNoise::new(parameters));
    let word = size_of::<u32>();
    let contract = &mut line.contract;
    contract.method = match literal.form {
        PrivateKeyForm::Products => "TFHE circuit bootstrap, three levels".to_owned(),
        PrivateKeyForm::Precomputed => {
            "TFHE circuit bootstrap, three levels, pre-computed".to_owned()
        }
    };
    contract.table = "bit".to_owned();
    (contract.bits_in, contract.bits_out, contract.modulus_in) = (1.0, 1.0, 2);
    contract.input_bytes = word;
    // RGSW ciphertexts stay in the server's memory.
    contract.output_bytes = parameters.rgsw_bytes();
    contract.predicted_noise_std_log2 =
        Some((noise.cmux(0.5).standard_deviation() / MARGIN).log2());
    contract.log2_fail = noise.log2_fail(noise.input_variance());
    contract.security_bits = parameters.security_bits();
    // Transforms of the baseline are not counted.
    line.count_transforms(0.0);
    line.rotations = 1;
    line.log2_lwe_modulus = u32::BITS;
    line.key_switching_digits = digits(literal.key_switching);
    let published = match literal.form {
        PrivateKeyForm::Products => TFHE_BOOTSTRAPS[0],
        PrivateKeyForm::Precomputed => TFHE_BOOTSTRAPS[1],
    };
    line.published_ms = Some(published.milliseconds);
    line.paper_set = Some("TFHEpp".to_owned());
    CircuitLine {
        line,
        bootstraps: 1,
        cmuxes: 0,
        max_depth: noise.max_depth(),
        chain_depth: None,
        key_file_bytes: parameters.key_file_bytes(),
        selector_digits: digits(literal.rgsw),
        // There are no automorphisms.
        automorphism_digits: (0, 0),
        private_digits: Some(digits(literal.private)),
    }
}

fn digits(gadget: GadgetLiteral) -> (u32, usize) {
    (gadget.base_log2, gadget.length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn bits_of_toys() {
        for form in [PrivateKeyForm::Products, PrivateKeyForm::Precomputed] {
            let parameters = ThreeLevelParameters::insecure_toy(form);
            let line = measure(&parameters, Batch { size: 2, runs: 1 }, 1).unwrap();
            assert!(check_line(&serde_json::to_string(&line).unwrap()));
            let contract = &line.line.contract;
            assert_eq!((contract.values_checked, contract.wrong), (COUNT, 0));
            let predicted = contract.predicted_noise_std_log2.unwrap();
            let found = contract.noise_std_log2;
            assert!((found - predicted).abs() < 0.5, "{found} for {predicted}");
            assert!(contract.security_bits < 128.0 && line.max_depth > 0);
            assert!(line.line.published_ms.is_some());
        }
    }
}
