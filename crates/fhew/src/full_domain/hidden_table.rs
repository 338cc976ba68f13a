//! Lookups that hide the table from the holder of the secret key: FDFB-Compress with a second rotation that does not
//! depend on the table.
//!
//! The second rotation turns a polynomial with Q/P in one slot, whatever the table is. X^s times the result, where s is the
//! phase at which the slot of input j begins, has the delta D_j in its constant coefficient: Q/P if the input is j, else 0,
//! plus an error η_j. An output is `Σ_j x_j·D_j`. The server draws the integers x_j as [`cryptable_lattice::hidden_table`]
//! describes: f(j) plus a random multiple of P. The holder of the secret knows the D_j, which follow from keys and input;
//! flooding of `S·P·|η|` makes the sum of all errors look the same for all tables. An encryption of zero makes the mask
//! fresh (`encrypted_zero`), and no later step depends on the table. Results may be looked up again: no error of an input
//! gets into D_j.
//!
//! Besides ε, the statistical distance of 2^-κ has these parts: multiples of P beyond the window; an error of D_j beyond its
//! bound; and a wrong decision, which parameters must keep at or below 2^-(κ+1). A lookup of T tables has T times that
//! distance.

use cryptable_lattice::hidden_table::{HiddenTables, SHARE};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, Result, Table};
use cryptable_ring::random::{RandomStream, WideGaussian};

use crate::encrypted_zero::{EncryptedZero, small};
use crate::full_domain::compress::FdfbCompress;
use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::FactoredTest;
use crate::noise::{NoiseModel, Variance};
use crate::parameters::Parameters;
use crate::rlwe::RlweCiphertext;
use crate::test_polynomial::{TestPolynomial, encode};

/// FDFB-Compress with hidden tables. Input moduli must be powers of two.
///
/// Noise: the errors of all p deltas, times factors of deviation `P·√(V/2)`, and flooding, which is some ten times as
/// large.
#[derive(Clone, Copy, Debug)]
pub struct HiddenTable {
    /// κ: results hide tables within a statistical distance of 2^-κ.
    pub(crate) bits: u32,
}

/// Ratio of the width of flooding to that of the hint that results reveal about the randomness of masks.
const HINT_MARGIN: f64 = 16.0;

/// Largest log2 of the flooding parameter: flooding is drawn as machine words.
const MAX_LOG2_FLOODING: f64 = 50.0;

impl HiddenTable {
    /// Returns the exponent below N of `±X^s` and whether the sign is negative, where s is the phase at which the compressed
    /// slot of an input begins.
    fn slot_start(input: u64, p: u64, degree: u64) -> (usize, bool) {
        let width = degree / p;
        if input < p / 2 {
            ((input * width) as usize, false)
        } else {
            // -(i + 1) slots, i = input - p/2: X^(-x) is -X^(N - x).
            ((degree - (input - p / 2 + 1) * width) as usize, true)
        }
    }

    /// Returns the deviation of the error that an encryption of zero adds to a phase, in units of Q.
    fn zero_deviation(parameters: &Parameters) -> f64 {
        let norm =
            EncryptedZero::hint_norm(parameters.automorphism_gadget(), parameters.ring_degree());
        norm * small().variance().sqrt()
    }

    /// Returns the law of flooding, in units of Q, or `None` if it is too wide to be drawn.
    fn flooding(self, model: &NoiseModel, p: u64, output_modulus: u64) -> Option<WideGaussian> {
        let (parameters, law) = (model.parameters(), HiddenTables::new(self.bits, p));
        let log2 = -f64::from(self.bits + SHARE + 1) - (p as f64).log2();
        let largest = model.blind_rotation().law().largest(log2) * parameters.prime() as f64;
        let of_table = law.parameter() * output_modulus as f64 * (p as f64).sqrt() * largest;
        let of_zero = HINT_MARGIN * Self::zero_deviation(parameters) * std::f64::consts::TAU.sqrt();
        let parameter = of_table.hypot(of_zero);
        (parameter.log2() <= MAX_LOG2_FLOODING).then(|| WideGaussian::at_least(parameter))?
    }

    /// Returns the noise of results before the switch to the LWE secret.
    fn raw_noise(self, model: &NoiseModel, p: u64, output_modulus: u64) -> Variance {
        let Some(flooding) = self.flooding(model, p, output_modulus) else {
            // The whole modulus: no usable parameters are that noisy.
            return Variance(1.0);
        };
        let (parameters, law) = (model.parameters(), HiddenTables::new(self.bits, p));
        let deltas = p as f64 * (output_modulus as f64).powi(2) * law.variance();
        // Q/P is rounded by up to half a unit for every x_j.
        let rounding = (law.largest() * output_modulus as f64 / 2.0).powi(2);
        let units = flooding.variance() + Self::zero_deviation(parameters).powi(2) + rounding;
        model.blind_rotation() * deltas + Variance::of_units(units, parameters.prime() as f64)
    }

    /// Returns the deltas of all inputs. Only the moduli of the tables matter.
    fn deltas<'a>(self, lookup: &TableLookup<'a>) -> Result<Deltas<'a>> {
        let (key, table, parameters) = (lookup.key, lookup.tables[0], lookup.key.parameters());
        let (p, output_modulus) = (lookup.input_modulus(), lookup.output_modulus());
        let flooding = self.flooding(&NoiseModel::new(parameters), p, output_modulus);
        let (Some(flooding), Some(zero)) = (flooding, key.zero()) else {
            return Err(Error::Unsupported("hidden tables by these parameters".into()));
        };
        let compressed = FdfbCompress::compressed(key, table.test(0), &lookup.phase());
        let rotated = key.blind_rotate(&table.test(1).to_rlwe(parameters.ring()), &compressed);
        Ok(Deltas { rotated, zero, flooding })
    }

    /// Draws the output of a table from the deltas of all inputs: LWE modulo Q.
    fn draw(self, key: &EvaluationKey, table: &EncodedTable, deltas: &Deltas<'_>) -> LweCiphertext {
        let ring = key.parameters().ring();
        let mut stream = RandomStream::from_os();
        let (law, modulus) =
            (HiddenTables::new(self.bits, table.input_modulus()), table.output_modulus());
        let drawn = table.factored()[0].map(|output| law.draw(&mut stream, output, modulus));
        let mut raw = drawn.extract(ring, &deltas.rotated, 1, 0);
        raw.add_assign(&deltas.zero.draw(ring, &mut stream).extract(ring, 0));
        let flooding = deltas.flooding.words(&mut stream, 1).expect("checked with the width");
        raw.add_constant_assign(ring.modulus().reduce_i64(flooding[0]));
        raw
    }
}

/// The deltas of all inputs, and the law and the key that hide outputs of tables.
struct Deltas<'a> {
    rotated: RlweCiphertext,
    zero: &'a EncryptedZero,
    flooding: WideGaussian,
}

impl FullDomainMethod for HiddenTable {
    fn name(&self) -> &'static str {
        match self.bits {
            40 => "FDFB-Compress, hidden 2^-40",
            64 => "FDFB-Compress, hidden 2^-64",
            _ => "FDFB-Compress, hidden 2^-128",
        }
    }

    fn operations(&self) -> Operations {
        FdfbCompress.operations()
    }

    fn hidden_bits(&self) -> Option<u32> {
        Some(self.bits)
    }

    fn check_input_modulus(&self, parameters: &Parameters, modulus: u64) -> Result<()> {
        parameters.check_plaintext_modulus(modulus)?;
        if !modulus.is_power_of_two() {
            let reason =
                "hidden tables need a power of two; fill the table up with any outputs".into();
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        let (name, value) = (
            "number of digits of automorphism keys",
            parameters.automorphism_gadget().length() as u64,
        );
        if value < 2 { Err(Error::TooSmall { name, value, limit: 2 }) } else { Ok(()) }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        let (p, output_modulus) = (table.input_modulus(), table.output_modulus());
        self.check_input_modulus(parameters, p)?;
        let degree = parameters.ring_degree() as u64;
        let unit = encode(1, output_modulus, parameters.prime());
        let delta = |x| if x < degree / p { unit } else { 0 };
        let tests = vec![
            FdfbCompress::compression(parameters, p),
            TestPolynomial::from_fn(parameters.ring(), delta),
        ];
        let term = |(input, output): (u64, i64)| {
            let (exponent, is_negative) = Self::slot_start(input, p, degree);
            (exponent, if is_negative { -output } else { output })
        };
        let mut terms: Vec<_> = (0..p).zip(table.centered()).map(term).collect();
        terms.sort_unstable();
        let outputs = FactoredTest::of_terms(parameters.ring_degree(), output_modulus, terms);
        Ok(EncodedTable::new(parameters, table, tests, vec![outputs]))
    }

    /// Tables share both rotations.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let deltas = self.deltas(lookup)?;
        Ok(lookup.tables.iter().map(|table| self.draw(lookup.key, table, &deltas)).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let raw = self.raw_noise(model, table.input_modulus(), table.output_modulus());
        let output = (raw + model.key_switching()).law();
        MethodNoise { output, ..FdfbCompress.noise(model, table, input) }
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use cryptable_lattice::lwe_encryption::phase;

    use super::*;
    use crate::full_domain::hiding_methods;
    use crate::keys::SecretKey;

    /// Returns a phase's distance from `value·Q/P`, in units of Q.
    fn error(secret: &SecretKey, raw: &LweCiphertext, value: u64, modulus: u64) -> f64 {
        let q = raw.modulus();
        let found = phase(secret.ring_coefficients(), raw) as i64;
        let difference = (found - encode(value, modulus, q) as i64).rem_euclid(q as i64);
        (if 2 * difference as u64 > q { difference - q as i64 } else { difference }) as f64
    }

    /// Flooding is wide enough for the errors of deltas, masks and errors are drawn anew, and errors have the same law for a flat
    /// table and a steep one.
    #[test]
    fn outputs_have_the_noise_of_flooding_whatever_the_table() {
        let (p, parameters) = (16, Parameters::insecure_toy());
        let secret = SecretKey::generate(&parameters);
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let (hiding, model) = (hiding_methods()[0], NoiseModel::new(&parameters));
        let encode = |f: fn(u64) -> u64| {
            hiding.encode(&parameters, &Table::from_fn(p, p, f).unwrap()).unwrap()
        };
        let tables = [encode(|_| 5), encode(|x| x * 8 % 16 + 5)];
        let units = parameters.prime() as f64;
        let expected = hiding.raw_noise(&model, p, p).standard_deviation() * units;
        let typical = model.blind_rotation().standard_deviation() * units;
        for input in [0, 6, 14] {
            let ciphertext = secret.encrypt(input, p).unwrap();
            let (key, encoded) = (&key, [&tables[0]]);
            let lookup = TableLookup { key, tables: &encoded, input: &ciphertext };
            let deltas = hiding.deltas(&lookup).unwrap();
            for j in 0..p {
                let (start, is_negative) = HiddenTable::slot_start(j, p, 2048);
                let term = (start, if is_negative { -1 } else { 1 });
                let one = FactoredTest::of_terms(2048, p, vec![term]);
                let delta = one.extract(parameters.ring(), &deltas.rotated, 1, 0);
                let error = error(&secret, &delta, u64::from(j == input), p);
                assert!(error.abs() < 6.0 * typical, "{input}, {j}: {error}, not {typical}");
            }
            for table in &tables {
                let draws = 200;
                let outputs: Vec<_> =
                    (0..draws).map(|_| hiding.draw(key, table, &deltas)).collect();
                assert_ne!(outputs[0].mask(), outputs[1].mask());
                let squares = outputs.iter().map(|raw| error(&secret, raw, 5, p).powi(2));
                let ratio = (squares.sum::<f64>() / f64::from(draws)).sqrt() / expected;
                assert!((0.8..1.2).contains(&ratio), "{input}: {ratio}");
            }
        }
    }
}
