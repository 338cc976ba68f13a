//! Tails of packed values that go on as integers or leveled values, and of results that come back packed.

use clap::ValueEnum;
use cryptable::bridges::{Function, Integers, LeveledTable, Target};
use cryptable::engines::packed::Ciphertext;
use cryptable::{Progress, Table};
use cryptable_fhew::integers;
use cryptable_leveled::lookup as leveled;

use super::packed::packed_part;
use super::subject::{self, Part, Sampling, Subject, scaled};
use super::{TableChoice, TailArguments, TailRecord};
use crate::bridges::{BridgesArguments, Session, plan};

const SILENT: Progress<'static> = Progress::silent();

/// Number of values of a lookup whose results are measured as they are taken out.
const TAKEN_OUT: usize = 4096;

/// Number of values of a lookup whose results are measured after they come back.
const RETURNED: usize = 2500;

/// Bits of a leveled digit.
const DIGIT_BITS: u32 = 2;

/// Steps between packed and single values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BridgeStep {
    /// Packed values taken out as integers: extraction and switches.
    TakenOutIntegers,
    /// Packed values taken out as digits of leveled values.
    TakenOutDigits,
    /// Signs of integers that were taken out, packed.
    PackedSigns,
    /// Results of leveled lookups of digits that were taken out, packed.
    PackedDigits,
}

impl BridgeStep {
    /// Returns whether results come back.
    fn returns(self) -> bool {
        matches!(self, Self::PackedSigns | Self::PackedDigits)
    }

    fn name(self) -> &'static str {
        match self {
            Self::TakenOutIntegers => "packed values to integers",
            Self::TakenOutDigits => "packed values to leveled ones",
            Self::PackedSigns => "signs packed",
            Self::PackedDigits => "leveled values packed",
        }
    }
}

/// Measures a step with the planner's parameters of both ends.
pub fn run(step: BridgeStep, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    measure(step, arguments, false)
}

/// Measures a step. The packed table is the worst one, looked up at the input where it has its peak.
pub fn measure(
    step: BridgeStep,
    arguments: &TailArguments,
    insecure_toy: bool,
) -> anyhow::Result<Vec<TailRecord>> {
    let usual = if step.returns() { RETURNED } else { TAKEN_OUT };
    let values = arguments.samples.map_or(usual, |samples| samples.div_ceil(2)).max(1);
    let bridges = BridgesArguments {
        bits: arguments.bits,
        values: values as u32,
        functions: values as u32,
        runs: 1,
        seed: arguments.seed,
        insecure_toy,
    };
    let modulus = 1u64 << arguments.bits;
    match step {
        BridgeStep::TakenOutIntegers | BridgeStep::PackedSigns => {
            let next = Integers { bits: arguments.bits, function: Function::Sign };
            let session = Session::new(&bridges, &plan(&bridges, next)?)?;
            let crossing = Crossing::new(step, session, arguments.table);
            crossing.records(&IntegerBridge { bits: arguments.bits }, arguments)
        }
        BridgeStep::TakenOutDigits | BridgeStep::PackedDigits => {
            let next = LeveledTable { input_modulus: modulus, output_modulus: modulus };
            let session = Session::new(&bridges, &plan(&bridges, next)?)?;
            let crossing = Crossing::new(step, session, arguments.table);
            crossing.records(&LeveledBridge { bits: arguments.bits }, arguments)
        }
    }
}

/// The same values looked up and taken across a bridge, encrypted afresh.
struct Crossing<'a, T: Target> {
    step: BridgeStep,
    session: Session<'a, T>,
}

/// Differences between the engines at the other end.
trait OtherEnd<T: Target> {
    /// Returns the modulus of each result of the packed lookup.
    fn modulus(&self) -> u64;

    /// Splits values into the parts that each result of the packed lookup holds.
    fn split(&self, values: &[u64]) -> Vec<Vec<u64>>;

    /// Takes results out, applies a function to each value, and packs its results.
    fn return_packed(
        &self,
        session: &Session<'_, T>,
        results: &[Ciphertext],
    ) -> anyhow::Result<Vec<Ciphertext>>;

    /// Returns the right packed results of that function, one list per ciphertext.
    fn expected(&self, session: &Session<'_, T>) -> Vec<Vec<u64>>;
}

impl<'a, T: Target> Crossing<'a, T> {
    fn new(step: BridgeStep, mut session: Session<'a, T>, table: TableChoice) -> Self {
        if table == TableChoice::Worst {
            let p = session.line.modulus_in;
            let peak = p / 3;
            session.values.fill(peak);
            session.outputs.fill(p / 2);
            session.outputs[peak as usize] = p / 2 - 1;
        }
        Self { step, session }
    }

    fn records(
        self,
        end: &impl OtherEnd<T>,
        arguments: &TailArguments,
    ) -> anyhow::Result<Vec<TailRecord>> {
        let mut contract = self.session.line.clone();
        contract.method = self.step.name().to_owned();
        let sampling = Sampling::of_two(arguments, self.session.values.len());
        let subject = AcrossBridge { crossing: &self, end };
        subject::measure(&subject, contract, "law that results state", sampling)
    }
}

/// A crossing, and the engine at its other end.
struct AcrossBridge<'a, T: Target, E> {
    crossing: &'a Crossing<'a, T>,
    end: &'a E,
}

impl<T: Target, E: OtherEnd<T>> Subject for AcrossBridge<'_, T, E> {
    type Input = Ciphertext;
    type Output = Vec<Ciphertext>;

    fn encrypt(&self) -> anyhow::Result<Ciphertext> {
        Ok(self.crossing.session.encrypt()?)
    }

    fn evaluate(&self, input: &Ciphertext) -> anyhow::Result<Vec<Ciphertext>> {
        let session = &self.crossing.session;
        let tables = self.end.split(&session.outputs);
        let results = session.look_up(input, &tables, self.end.modulus())?;
        if self.crossing.step.returns() {
            return self.end.return_packed(session, &results);
        }
        Ok(results)
    }

    fn parts(&self, results: &Vec<Ciphertext>) -> anyhow::Result<Vec<Part>> {
        let (session, returns) = (&self.crossing.session, self.crossing.step.returns());
        let expected = if returns {
            self.end.expected(session)
        } else {
            self.end.split(&session.expected(session.values.len()))
        };
        let mut parts = Vec::with_capacity(results.len());
        for (index, (result, expected)) in results.iter().zip(&expected).enumerate() {
            let mut part = if returns {
                packed_part(session.secrets.packed(), result, expected)?
            } else {
                let noise = session.keys.parameters().taken_out_noise(result.noise());
                let errors = session.errors_taken_out(result, expected)?;
                let wrong = errors.iter().filter(|error| error.abs() >= 1.0).count();
                let bound = scaled(noise, 2.0 * result.modulus() as f64);
                Part { name: None, bound, errors, wrong }
            };
            part.name = (results.len() > 1).then(|| format!("digit {index}"));
            parts.push(part);
        }
        Ok(parts)
    }

    fn bytes(&self, input: &Ciphertext, results: &Vec<Ciphertext>) -> anyhow::Result<[usize; 2]> {
        let output = results.iter().map(|result| result.to_bytes().len()).sum();
        Ok([input.to_bytes().len(), output])
    }
}

/// The bridge to integers of `bits` bits, and their signs.
struct IntegerBridge {
    bits: u32,
}

impl OtherEnd<integers::Parameters> for IntegerBridge {
    fn modulus(&self) -> u64 {
        1 << self.bits
    }

    fn split(&self, values: &[u64]) -> Vec<Vec<u64>> {
        vec![values.to_vec()]
    }

    fn return_packed(
        &self,
        session: &Session<'_, integers::Parameters>,
        results: &[Ciphertext],
    ) -> anyhow::Result<Vec<Ciphertext>> {
        let (keys, count) = (&session.keys, session.functions());
        let (bridge, ends) = (keys.bridge(), keys.ends());
        let integers = bridge.to_integers(ends, &results[0], 0..count)?;
        let signs = keys.single().sign(&integers, SILENT)?;
        Ok(vec![bridge.pack_small(ends, &signs, 2, SILENT)?])
    }

    fn expected(&self, session: &Session<'_, integers::Parameters>) -> Vec<Vec<u64>> {
        let half = session.line.modulus_in / 2;
        let values = session.expected(session.functions());
        vec![values.iter().map(|&value| u64::from(value >= half)).collect()]
    }
}

/// The bridge to leveled values of `bits` bits, which are looked up in the negated identity.
struct LeveledBridge {
    bits: u32,
}

impl LeveledBridge {
    fn function(&self, value: u64) -> u64 {
        (1 << self.bits) - 1 - value
    }
}

impl OtherEnd<leveled::Parameters> for LeveledBridge {
    fn modulus(&self) -> u64 {
        1 << DIGIT_BITS
    }

    fn split(&self, values: &[u64]) -> Vec<Vec<u64>> {
        let digits = |place: u32| {
            let digit = |value: &u64| value >> (DIGIT_BITS * place) & ((1 << DIGIT_BITS) - 1);
            values.iter().map(digit).collect()
        };
        (0..self.bits.div_ceil(DIGIT_BITS)).map(digits).collect()
    }

    fn return_packed(
        &self,
        session: &Session<'_, leveled::Parameters>,
        results: &[Ciphertext],
    ) -> anyhow::Result<Vec<Ciphertext>> {
        let (keys, count) = (&session.keys, session.functions());
        let (bridge, ends) = (keys.bridge(), keys.ends());
        let modulus = 1 << self.bits;
        let values = bridge.to_leveled(ends, results, modulus, 0..count)?;
        let table = Table::from_fn(modulus, modulus, |value| self.function(value))?;
        let table = keys.single().prepare(&table)?;
        let looked_up = keys.single().lookup_many(&values, &[&table], SILENT)?;
        Ok(bridge.pack_leveled(ends, &looked_up[0], SILENT)?)
    }

    fn expected(&self, session: &Session<'_, leveled::Parameters>) -> Vec<Vec<u64>> {
        let values = session.expected(session.functions());
        let values: Vec<u64> = values.iter().map(|&value| self.function(value)).collect();
        self.split(&values)
    }
}
