//! `bench cmux-chain`: a circuit bootstrap and a chain of CMUXes, as a function of its depth (Figure 4 of Wang et al.,
//! EUROCRYPT 2024, ePrint 2024/323). The deepest chain is the longest that the set's noise model allows for this number of
//! selectors.

use clap::Args;
use cryptable_lattice::NoiseBound;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_leveled::bootstrapping::{CircuitBootstrapping, bit_error, decrypt_bit, encrypt_bit};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
use cryptable_leveled::tree::{Cmux, LeveledCiphertext};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::cmux_tree::parse_set;
use super::line::{CircuitLine, CommonArguments, ciphertext_bytes};
use crate::contract::print_line;
use crate::measurement::{Checked, timed};
use crate::single::{Batch, Session};

/// Number of distinct selectors of a chain: half are 0 and half are 1, so that no selector's noise decides alone.
const SELECTORS: usize = 16;

/// Number of coefficients of the result that are checked, including that of the bit.
const COEFFICIENTS: usize = 256;

/// Arguments of `bench cmux-chain`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench cmux-chain --set auto-depth-149"
)]
pub struct CmuxChainArguments {
    /// Parameter set with one bit per ciphertext, by its name or the paper's (CMUX_5).
    #[arg(long, value_parser = parse_set, default_value = "cmux-depth-20200")]
    set: ParameterSet,
    /// Number of CMUXes in a chain [default: powers of ten, and the set's greatest depth].
    #[arg(long)]
    depth: Vec<u64>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Runs the benchmark.
pub fn run(arguments: &CmuxChainArguments, json: bool) -> anyhow::Result<()> {
    let CmuxChainArguments { set, depth, common } = arguments;
    let parameters = set.parameters();
    let bits = parameters.bits_per_ciphertext();
    anyhow::ensure!(bits == 1, "{set} has {bits} bits per ciphertext; chains are of single bits");
    let most = CircuitBootstrappingNoise::new(&parameters).max_depth_by(SELECTORS as u64);
    let depths = if depth.is_empty() { usual_depths(most) } else { depth.clone() };
    anyhow::ensure!(
        depths.iter().all(|depth| (1..=most).contains(depth)),
        "depths are from 1 to {most} with {set}"
    );
    let chain = Chain::new(&parameters, common.seed);
    for depth in depths {
        let mut line = chain.measure(depth, common.runs.unwrap_or(5))?;
        line.line.contract.method = format!("CMUX chain, {set}");
        print_line(&line, json)?;
    }
    Ok(())
}

/// Returns the powers of ten below the greatest depth, and the greatest depth.
fn usual_depths(most: u64) -> Vec<u64> {
    let powers = (0..).map(|exponent| 10u64.pow(exponent));
    powers.take_while(|&depth| depth < most).chain([most]).collect()
}

/// Keys and selectors for chains of any depth.
struct Chain {
    parameters: CircuitBootstrappingParameters,
    session: Session,
    /// Selectors that alternate between 1 and 0.
    selectors: Vec<RgswCiphertext>,
    inputs: Vec<LweCiphertext>,
    encrypt_s: f64,
    seed: u64,
}

impl Chain {
    fn new(parameters: &CircuitBootstrappingParameters, seed: u64) -> Self {
        let session = Session::new(parameters.fhew());
        let bits = (0..SELECTORS).map(|i| encrypt_bit(&session.secret, i % 2 == 0));
        let (inputs, encrypt_s) = timed(|| bits.collect::<Vec<_>>());
        let circuit = CircuitBootstrapping::new(parameters, &session.key);
        let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("a fresh bit");
        let selectors = inputs.par_iter().map(bootstrap).collect();
        let (parameters, encrypt_s) = (parameters.clone(), encrypt_s / SELECTORS as f64);
        Self { parameters, session, selectors, inputs, encrypt_s, seed }
    }

    /// Rotates the phase 1/2 in the constant coefficient by every second exponent, and returns the result and the position of
    /// the phase. The first CMUX decomposes a polynomial of two coefficients and so adds almost no noise: the noise of a chain
    /// of depth 1 lies far below the prediction, which is for full polynomials.
    fn evaluate(&self, exponents: &[usize]) -> (LeveledCiphertext, usize) {
        let ring = self.parameters.fhew().ring();
        let mut cmux = Cmux::new(ring, self.parameters.rgsw_gadget());
        let mut polynomial = vec![0; ring.degree()];
        polynomial[0] = ring.modulus().value().div_ceil(2);
        let mut value = LeveledCiphertext::trivial(ring, &polynomial);
        let mut position = 0;
        for (i, &exponent) in exponents.iter().enumerate() {
            cmux.rotate_if_assign(&self.selectors[i % SELECTORS], &mut value, exponent);
            // Half the modulus is its own negative, so it does not matter how often it passes X^N.
            position += if i % 2 == 0 { exponent } else { 0 };
        }
        (value, position % ring.degree())
    }

    fn measure(&self, depth: u64, runs: usize) -> anyhow::Result<CircuitLine> {
        let Self { parameters, session, .. } = self;
        let two_n = parameters.fhew().rotation_modulus() as usize;
        let mut rng = ChaCha20Rng::seed_from_u64(self.seed);
        let exponents: Vec<usize> = (0..depth).map(|_| rng.random_range(0..two_n)).collect();
        let circuit = CircuitBootstrapping::new(parameters, &session.key);
        let evaluate = |bit: &LweCiphertext| {
            let selector = circuit.bootstrap(bit).expect("a fresh bit");
            (selector, self.evaluate(&exponents))
        };
        let mut line = session.line(Batch { size: 1, runs }, &self.inputs, evaluate);
        self.check(&exponents, &circuit)?.enter(&mut line.contract, parameters.margin());
        let noise = CircuitBootstrappingNoise::new(parameters);
        let predicted = noise.chain(depth, depth.min(SELECTORS as u64), 0.5);
        let contract = &mut line.contract;
        contract.table = "chain".to_owned();
        (contract.bits_in, contract.bits_out, contract.modulus_in) = (1.0, 1.0, 2);
        contract.encrypt_s = self.encrypt_s;
        (contract.input_bytes, contract.output_bytes) = ciphertext_bytes(parameters, 1);
        contract.predicted_noise_std_log2 =
            Some((predicted.deviation() / parameters.margin()).log2());
        contract.log2_fail = noise.log2_fail(NoiseBound::of_law(predicted, 0.0));
        let mut line = CircuitLine::new(line, 1, depth as usize, parameters);
        line.chain_depth = Some(depth);
        Ok(line)
    }

    /// Checks coefficients of the result, and checks that of the bit also with a circuit bootstrap.
    fn check(
        &self,
        exponents: &[usize],
        circuit: &CircuitBootstrapping<'_>,
    ) -> anyhow::Result<Checked> {
        let (ring, secret) = (self.parameters.fhew().ring(), &self.session.secret);
        let (value, position) = self.evaluate(exponents);
        let step = ring.degree() / COEFFICIENTS;
        let positions = (0..COEFFICIENTS).map(|i| (position + i * step) % ring.degree());
        let mut checked = Checked::default();
        let bits = value.extract(ring, positions);
        for (i, bit) in bits.iter().enumerate() {
            checked.count(decrypt_bit(secret, bit)? != (i == 0));
            checked.errors([bit_error(secret, bit, i == 0)?]);
        }
        let selector = circuit.bootstrap(&bits[0])?;
        let mut moved = self.evaluate(&[]).0;
        Cmux::new(ring, selector.gadget()).rotate_if_assign(&selector, &mut moved, 1);
        let moved = moved.extract(ring, [1].into_iter()).remove(0);
        checked.count(!decrypt_bit(secret, &moved)?);
        Ok(checked)
    }
}

#[cfg(test)]
mod tests {
    use cryptable_ring::random::replay;

    use super::*;
    use crate::contract::tests::check_line;

    /// Number of keys under which noise is measured.
    const KEYS: usize = 6;

    #[test]
    fn chains_of_a_toy_have_the_predicted_noise() {
        let _replay = replay::begin();
        let parameters = ParameterSet::CmuxDepth236.insecure_toy();
        // The errors of a key's selectors scale all noise under this key, so a mean over keys varies less.
        let chains: Vec<Chain> = (0..KEYS).map(|_| Chain::new(&parameters, 1)).collect();
        for depth in [10, 100] {
            let mut mean_square = 0.0;
            for chain in &chains {
                let mut line = chain.measure(depth, 1).unwrap();
                line.line.contract.method = "CMUX chain".to_owned();
                check_line(&line);
                assert_eq!((line.chain_depth, line.cmuxes), (Some(depth), depth as usize));
                let contract = &line.line.contract;
                let predicted = contract.predicted_noise_std_log2.unwrap();
                mean_square += (2.0 * (contract.noise_std_log2 - predicted)).exp2() / KEYS as f64;
            }
            let ratio = mean_square.log2() / 2.0;
            println!("depth {depth}: log2 of measured over predicted deviation {ratio:.2}");
            assert!(ratio.abs() < 0.7, "{depth}: {ratio}");
        }
        assert_eq!(usual_depths(236), [1, 10, 100, 236]);
    }
}
