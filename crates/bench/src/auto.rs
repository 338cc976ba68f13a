//! `bench auto`: functional bootstraps by sparse automorphisms (Algorithm 5 of Wang et al., EUROCRYPT 2024) beside
//! LMKCDEY and CMUXes: time, automorphisms, keys and noise (Tables 11 to 13).

use clap::Args;
use cryptable_fhew::cost;
use cryptable_fhew::keys::evaluation_key_bytes;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::rotation::{RotationAutomorphisms, Step, automorphism_count};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_papers::wang_2024::{AutomorphismSet, RotationCounts};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::contract::print_line;
use crate::measurement::{timed, timed_each};
use crate::single::{Batch, Line, Session};

/// Arguments of `bench auto`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench auto")]
pub struct AutoArguments {
    /// Values per batch [default: 1 on one thread, 32 per thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 15)]
    runs: usize,
    /// Values that are checked, and used for measuring noise and counting automorphisms.
    #[arg(long, default_value_t = 200)]
    samples: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Modulus of values; inputs stay below half of it.
const MODULUS: u64 = 4;

/// Number of coefficients of a rotation's result on which noise is measured: all are far from the next entry.
const COEFFICIENTS: usize = 16;

/// A [`Line`] with the fields of rotations by automorphisms.
#[derive(Debug, Serialize)]
struct AutoLine {
    #[serde(flatten)]
    line: Line,
    /// θ: 1 for all odd exponents, 0 for CMUXes.
    sparsity_log2: u32,
    /// w, 0 for CMUXes.
    window: usize,
    /// Digits of automorphism keys.
    automorphism_digits: Option<(u32, usize)>,
    external_products: usize,
    /// Mean number of automorphisms of the checked rotations.
    automorphisms: f64,
    predicted_automorphisms: f64,
    /// The paper's bound on automorphisms (Table 13), followed by the largest number measured.
    worst_automorphisms: f64,
    most_automorphisms: usize,
    /// RLWE' ciphertexts of the rotation (Table 13; without the auxiliary key, which one table does not use).
    rotation_keys: usize,
    /// Bytes of all keys as they are sent, with masks as a seed.
    key_file_bytes: usize,
    /// σ_FBS²/σ_⊙² of Table 12: variance of a rotation's result in gadget products: measured, predicted, and its bound.
    error_ratio: f64,
    predicted_error_ratio: f64,
    worst_error_ratio: f64,
}

/// Sums over the values checked.
#[derive(Clone, Copy, Default)]
struct Sums {
    wrong: usize,
    automorphisms: usize,
    most: usize,
    /// Squared errors of results after the key switch, and of the rotation's results.
    output: f64,
    rotation: f64,
}

impl Sums {
    fn add(self, other: Self) -> Self {
        Self {
            wrong: self.wrong + other.wrong,
            automorphisms: self.automorphisms + other.automorphisms,
            most: self.most.max(other.most),
            output: self.output + other.output,
            rotation: self.rotation + other.rotation,
        }
    }
}

/// One set with a random table on random values.
struct Bench {
    set: AutomorphismSet,
    session: Session,
    outputs: Vec<u64>,
    test: TestPolynomial,
    values: Vec<u64>,
    inputs: Vec<LweCiphertext>,
    /// Seconds to prepare the table, and to encrypt a value.
    prepare_s: f64,
    encrypt_s: f64,
}

impl Bench {
    fn new(
        set: AutomorphismSet,
        parameters: &Parameters,
        arguments: &AutoArguments,
    ) -> anyhow::Result<Self> {
        let session = Session::new(parameters);
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let outputs: Vec<u64> = (0..MODULUS / 2).map(|_| rng.random_range(0..MODULUS)).collect();
        let (test, prepare_s) =
            timed(|| TestPolynomial::padded_table(session.parameters.ring(), &outputs));
        let values: Vec<u64> =
            (0..arguments.samples.max(1)).map(|_| rng.random_range(0..MODULUS / 2)).collect();
        let half_slot = session.parameters.lwe_modulus() / (2 * MODULUS);
        let encrypt = |&value: &u64| -> anyhow::Result<_> {
            let mut input = session.secret.encrypt(value, MODULUS)?;
            input.add_constant_assign(half_slot);
            Ok(input)
        };
        let (inputs, encrypt_s) = timed_each(&values, encrypt)?;
        Ok(Self { set, session, outputs, test, values, inputs, prepare_s, encrypt_s })
    }

    fn parameters(&self) -> &Parameters {
        &self.session.parameters
    }

    fn phase(&self, input: &LweCiphertext) -> LweCiphertext {
        let modulus = self.parameters().rotation_modulus();
        self.session.key.to_rotation_modulus(input, modulus)
    }

    /// Runs the timed part: switch of modulus, rotation, key switch.
    fn boot(&self, input: &LweCiphertext) -> LweCiphertext {
        self.session.key.boot(&self.test, &self.phase(input))
    }

    /// Returns the steps of rotations, with empty keys; `None` for CMUXes.
    fn steps(&self) -> Option<RotationAutomorphisms> {
        let window = self.parameters().rotation_automorphisms()?;
        let ring = self.parameters().ring();
        let keys = ring.prepare_rows(window.key_count(), window.gadget.length(), |_, _| ());
        Some(RotationAutomorphisms::new(window, keys))
    }

    fn check(&self) -> anyhow::Result<Sums> {
        let (ring, secret) = (self.parameters().ring(), &self.session.secret);
        let steps = self.steps();
        let test = self.test.to_rlwe(ring);
        let check = |(&value, input): (&u64, &LweCiphertext)| -> anyhow::Result<Sums> {
            let phase = self.phase(input);
            let rotated = self.session.key.blind_rotate(&test, &phase);
            let expected = self.outputs[value as usize];
            let encoded = encode(expected, MODULUS, self.parameters().prime());
            let mut rotation = 0.0;
            for position in 0..COEFFICIENTS {
                let raw = rotated.extract(ring, position);
                rotation += secret.phase_error(&raw, encoded)?.powi(2) / COEFFICIENTS as f64;
            }
            let output = self.session.key.key_switch(&rotated.extract(ring, 0));
            let encoded = encode(expected, MODULUS, self.parameters().lwe_modulus());
            let steps: Vec<Step> =
                steps.as_ref().map(|s| s.steps(phase.mask())).unwrap_or_default();
            let automorphisms = automorphism_count(&steps);
            Ok(Sums {
                wrong: usize::from(secret.decrypt(&output, MODULUS)? != expected),
                automorphisms,
                most: automorphisms,
                output: secret.phase_error(&output, encoded)?.powi(2),
                rotation,
            })
        };
        let pairs = self.values.par_iter().zip(&self.inputs);
        let sums = pairs.map(check).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(sums.into_iter().fold(Sums::default(), Sums::add))
    }

    /// Returns the counts of Table 13.
    fn counts(&self) -> RotationCounts {
        let literal = self.parameters().literal();
        let (degree, n) = (literal.ring_degree, literal.lwe_dimension);
        let window = self.parameters().rotation_automorphisms().map_or(0, |w| w.window);
        match self.set.sparsity_log2 {
            None => RotationCounts::cmux(n, literal.lwe_secret),
            Some(..=1) => RotationCounts::lmkc(degree, n, window),
            Some(sparsity) => RotationCounts::sparse(degree, n, window, sparsity),
        }
    }

    fn line(&self, arguments: &AutoArguments) -> anyhow::Result<AutoLine> {
        let batch = Batch::new(arguments.batch, arguments.runs);
        let mut line = self.session.line(batch, &self.inputs, |input| self.boot(input));
        let sums = self.check()?;
        let (parameters, count) = (self.parameters(), self.values.len() as f64);
        let model = NoiseModel::new(parameters);
        // The distance to a wrong value is half a slot.
        let relative = |variance: f64| (variance.sqrt() * 2.0 * MODULUS as f64).log2();
        line.contract.method = self.set.name();
        line.contract.table = format!("random:{}", arguments.seed);
        (line.contract.prepare_s, line.contract.encrypt_s) = (self.prepare_s, self.encrypt_s);
        (line.contract.bits_in, line.contract.bits_out, line.contract.modulus_in) =
            (1.0, 2.0, MODULUS / 2);
        (line.contract.values_checked, line.contract.wrong) = (self.values.len(), sums.wrong);
        line.contract.noise_std_log2 = relative(sums.output / count);
        line.contract.predicted_noise_std_log2 =
            Some(relative((model.blind_rotation() + model.key_switching()).0));
        line.contract.log2_fail = model.bootstrap().law().log2_exceeds(0.5 / MODULUS as f64);
        line.rotations = 1;
        line.count_transforms(cost::rotation(parameters.literal()).digit_transforms);

        let counts = self.counts();
        let secret = cryptable_fhew::noise::second_moment(parameters.literal().ring_secret);
        let product = model.gadget_product(parameters.rotation_gadget().mask, secret).0;
        let window = parameters.rotation_automorphisms();
        // Two gadget products per external product (Table 12 counts two external products per CMUX, as ternary secrets need).
        let products = 2 * counts.external_products;
        Ok(AutoLine {
            line,
            sparsity_log2: self.set.sparsity_log2.unwrap_or(0),
            window: window.map_or(0, |w| w.window),
            automorphism_digits: window.map(|w| (w.gadget.base_log2(), w.gadget.length())),
            external_products: counts.external_products,
            automorphisms: sums.automorphisms as f64 / count,
            predicted_automorphisms: counts.automorphisms,
            worst_automorphisms: counts.worst_automorphisms,
            most_automorphisms: sums.most,
            rotation_keys: counts.keys,
            key_file_bytes: evaluation_key_bytes(parameters),
            error_ratio: sums.rotation / count / product,
            predicted_error_ratio: model.blind_rotation().0 / product,
            worst_error_ratio: products as f64 + counts.worst_automorphisms,
        })
    }
}

/// Runs the benchmark: every set, one after the other.
pub fn run(arguments: &AutoArguments, json: bool) -> anyhow::Result<()> {
    for set in AutomorphismSet::ALL {
        print_line(&Bench::new(set, &set.parameters(), arguments)?.line(arguments)?, json)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use cryptable_fhew::parameters::ParametersLiteral;

    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn rotations_of_a_toy_by_sparse_automorphisms() {
        let set = AutomorphismSet::ALL.into_iter().find(|set| set.sparsity_log2 == Some(2));
        let set = set.unwrap();
        let literal = ParametersLiteral { lwe_dimension: 64, ..*set.parameters().literal() };
        let parameters = Parameters::insecure(literal).unwrap();
        let arguments = parsed("--runs 1 --samples 20");
        let line = Bench::new(set, &parameters, &arguments).unwrap().line(&arguments).unwrap();
        check_line(&line);
        assert!(line.automorphisms > 0.0 && line.external_products == 64);
    }
}
