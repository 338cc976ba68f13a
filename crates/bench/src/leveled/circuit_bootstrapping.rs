//! `bench cbs`: circuit bootstrapping of a bit, with the parameter sets of Wang et al. (EUROCRYPT 2024, ePrint 2024/323).

use anyhow::Context;
use clap::{Args, ValueEnum};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_leveled::bootstrapping::CircuitBootstrapping;
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
use cryptable_papers::wang_2024::{insecure_auto_set, insecure_cmux_set};

use super::bits::Bits;
use super::line::{CircuitLine, CommonArguments};
use crate::contract::print_line;
use crate::single::{Batch, Session};

/// Kinds of blind rotation, each with its own parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// By CMUXes.
    Cmux,
    /// By automorphisms.
    Auto,
}

impl Variant {
    fn set(self, number: u32) -> anyhow::Result<ParameterSet> {
        let sets = match self {
            Self::Cmux => ParameterSet::WANG_CMUX,
            Self::Auto => ParameterSet::WANG_AUTO,
        };
        let set = sets.get((number as usize).wrapping_sub(1));
        set.copied().with_context(|| format!("--set is {number}; sets are numbered 1 to 5"))
    }

    /// Returns the paper's own set of this number, which is insecure.
    fn paper_set(self, number: u32) -> anyhow::Result<CircuitBootstrappingParameters> {
        Ok(match self {
            Self::Cmux => insecure_cmux_set(number)?,
            Self::Auto => insecure_auto_set(number)?,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cmux => "CMUX",
            Self::Auto => "AUTO",
        }
    }
}

/// Arguments of `bench cbs`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench cbs --set 1\n  \
    cryptable --threads 1 bench cbs --set 5 --paper-set")]
pub struct CbsArguments {
    /// Number of the parameter set in the paper's Table 5, 1 to 5 [default: 1].
    #[arg(long)]
    set: Option<u32>,
    /// Kind of blind rotation: by CMUXes or by automorphisms.
    #[arg(long, value_enum, default_value_t = Variant::Cmux)]
    variant: Variant,
    /// Use the paper's own set of this variant and number, for research; the output line states its security.
    #[arg(long)]
    paper_set: bool,
    /// Bits per batch [default: 1 on one thread, 32 per thread on several].
    #[arg(long)]
    batch: Option<usize>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Runs the benchmark.
pub fn run(arguments: &CbsArguments, json: bool) -> anyhow::Result<()> {
    let runs = arguments.common.runs.unwrap_or(15);
    let (batch, seed) = (Batch::new(arguments.batch, runs), arguments.common.seed);
    let number = arguments.set.unwrap_or(1);
    let line = if arguments.paper_set {
        let mut line = measure(&arguments.variant.paper_set(number)?, batch, seed)?;
        let name = format!("{}_{number}", arguments.variant.name());
        line.line.contract.method = format!("circuit bootstrap, the paper's {name}");
        line.line.paper_set = Some(name);
        line
    } else {
        let parameters = arguments.variant.set(number)?.parameters();
        let mut line = measure(&parameters, batch, seed)?;
        let variant = arguments.variant.name();
        line.line.contract.method = format!("circuit bootstrap, {variant} {number}");
        line
    };
    print_line(&line, json)
}

/// Measures bootstraps of random bits, each of which is checked with a CMUX.
fn measure(
    parameters: &CircuitBootstrappingParameters,
    batch: Batch,
    seed: u64,
) -> anyhow::Result<CircuitLine> {
    let session = Session::new(parameters.fhew());
    let circuit = CircuitBootstrapping::new(parameters, &session.key);
    let bits = Bits::random(&session, seed)?;
    let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("bits of these parameters");
    let noise = CircuitBootstrappingNoise::new(parameters);
    let line = bits.measure(&session, batch, parameters, &noise, bootstrap)?;
    Ok(CircuitLine::new(line, 1, 0, parameters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn bits_of_toys() {
        for (variant, number) in [(Variant::Cmux, 1), (Variant::Auto, 2)] {
            let parameters = variant.set(number).unwrap().insecure_toy();
            let mut line = measure(&parameters, Batch { size: 2, runs: 1 }, 1).unwrap();
            line.line.contract.method = variant.name().to_owned();
            check_line(&line);
            assert_eq!((line.bootstraps, line.line.contract.values_checked), (1, 100));
            let contract = &line.line.contract;
            assert!(contract.encrypt_s > 0.0 && contract.input_bytes == 6);
            // With 100 bits, measured deviations are within a third of a bit in all but one run in a thousand; toys with one
            // key vary more.
            let predicted = contract.predicted_noise_std_log2.unwrap();
            assert!((contract.noise_std_log2 - predicted).abs() < 0.5, "{line:?}");
        }
    }

    #[test]
    fn sets_are_numbered_from_1() {
        assert_eq!(Variant::Auto.set(1).unwrap(), ParameterSet::AutoDepth2);
        let message = Variant::Cmux.set(0).unwrap_err().to_string();
        assert_eq!(message, "--set is 0; sets are numbered 1 to 5");
        assert!(Variant::Cmux.set(6).is_err());
    }
}
