//! Random bits that circuit bootstraps are timed and checked on.

use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_leveled::bootstrapping::{bit_error, decrypt_bit, encrypt_bit};
use cryptable_leveled::cost::CircuitBootstrappingCost;
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;
use cryptable_leveled::tree::{Cmux, LeveledCiphertext};
use cryptable_ring::random::RandomStream;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::line::ciphertext_bytes;
use crate::measurement::{Checked, timed_each};
use crate::single::{Batch, Line, Session};

/// Number of bits that are checked.
const COUNT: usize = 100;

/// Random bits, and their ciphertexts.
pub struct Bits {
    plain: Vec<bool>,
    inputs: Vec<LweCiphertext>,
    /// Seconds to encrypt one bit.
    encrypt_s: f64,
}

impl Bits {
    /// Draws and encrypts them.
    pub fn random(session: &Session, seed: u64) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let plain: Vec<bool> = (0..COUNT).map(|_| rng.random()).collect();
        let encrypt = |&bit: &bool| anyhow::Ok(encrypt_bit(&session.secret, bit));
        let (inputs, encrypt_s) = timed_each(&plain, encrypt)?;
        Ok(Self { plain, inputs, encrypt_s })
    }

    /// Times and checks a circuit bootstrap with this noise, and returns its line without the fields of keys and counts.
    pub fn measure(
        &self,
        session: &Session,
        batch: Batch,
        parameters: &CircuitBootstrappingParameters,
        noise: &CircuitBootstrappingNoise,
        bootstrap: impl Fn(&LweCiphertext) -> RgswCiphertext + Sync,
    ) -> anyhow::Result<Line> {
        let mut line = session.line(batch, &self.inputs, &bootstrap);
        self.check(session, bootstrap)?.enter(&mut line.contract, parameters.margin());
        let contract = &mut line.contract;
        contract.table = "bit".to_owned();
        (contract.bits_in, contract.bits_out, contract.modulus_in) = (1.0, 1.0, 2);
        contract.encrypt_s = self.encrypt_s;
        contract.input_bytes = ciphertext_bytes(parameters, 1).0;
        // RGSW ciphertexts stay in the server's memory.
        contract.output_bytes = CircuitBootstrappingCost::of(parameters).rgsw_bytes as usize;
        let (cmux, margin) = (noise.cmux(0.5), parameters.margin());
        contract.predicted_noise_std_log2 = Some((cmux.deviation() / margin).log2());
        // Either the bootstrap misreads its input, or the result of the CMUX is decrypted wrong.
        let failures = [noise.log2_fail(parameters.input_variance()), cmux.log2_exceeds(margin)];
        contract.log2_fail = failures.map(f64::exp2).iter().sum::<f64>().log2().min(0.0);
        Ok(line)
    }

    /// Checks a bootstrap of every bit with a CMUX that chooses between a 1 and a 0.
    fn check(
        &self,
        session: &Session,
        bootstrap: impl Fn(&LweCiphertext) -> RgswCiphertext + Sync,
    ) -> anyhow::Result<Checked> {
        let ring = session.parameters.ring();
        let check = |(&bit, input): (&bool, &LweCiphertext)| -> anyhow::Result<(bool, f64)> {
            let selector = bootstrap(input);
            // A bit of 1 moves a fresh 1 from the constant coefficient to the next. The body's other coefficients do not matter
            // for the result, but a CMUX also multiplies their digits: if they were zeros, it would add too little noise.
            let mut fresh = RlweCiphertext::embed(ring, &encrypt_bit(&session.secret, true));
            let others = &mut fresh.words_mut()[1..ring.degree()];
            RandomStream::from_os().uniform_assign(others, ring.modulus().value());
            let mut moved = LeveledCiphertext::new(ring, &fresh);
            let mut cmux = Cmux::new(ring, selector.gadget());
            cmux.rotate_if_assign(&selector, &mut moved, 1);
            let result = moved.extract(ring, [usize::from(bit)].into_iter()).remove(0);
            let wrong = !decrypt_bit(&session.secret, &result)?;
            Ok((wrong, bit_error(&session.secret, &result, true)?))
        };
        let pairs = self.plain.par_iter().zip(&self.inputs);
        let results = pairs.map(check).collect::<anyhow::Result<Vec<_>>>()?;
        let mut checked = Checked::default();
        results.iter().for_each(|result| checked.count(result.0));
        checked.errors(results.iter().map(|result| result.1));
        Ok(checked)
    }
}
