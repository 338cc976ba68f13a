//! `bench tails`: errors of many results beside the law of noise that failure probabilities are stated by.
//!
//! A failure of 2^-64 is never seen. The same law says how often errors exceed three to six standard deviations, and
//! what their fourth moment is; both can be counted.

mod leveled;
mod packed;
mod single;
mod statistics;

use clap::{Args, ValueEnum};
use cryptable::engines::packed::{Method, ParametersLiteral};
use cryptable_fhew::full_domain::{self, FullDomainMethod};
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::packed::limits::LimitArguments;
use statistics::Statistics;

/// The name of tables by trees of CMUXes.
const CMUX_TREE: &str = "cmux-tree";

/// Arguments of `bench tails`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    cryptable --threads 2 --json bench tails --method akp --bits 11\n  \
    cryptable bench tails --method cmt --bits 12 --table random\n  \
    cryptable bench tails --method 'FDFB-BFVMult, interleaved' --bits 4 --samples 5000\n  \
    cryptable bench tails --method cmux-tree --bits 8")]
pub struct TailArguments {
    /// The method: akp, akp-2, akp-3, bmt or cmt of packed values, a full-domain method of single values by its name in
    /// `bench fhew`, or cmux-tree. An unknown name prints all that there are.
    #[arg(long)]
    method: String,
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// The table with the most noise and an input that meets it, or a random table and random inputs.
    #[arg(long, value_enum, default_value_t = TableChoice::Worst)]
    table: TableChoice,
    /// Errors to measure [default: two full ciphertexts of packed values, 5000 otherwise].
    #[arg(long)]
    samples: Option<usize>,
    /// Seed of a random table and random inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Which table is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableChoice {
    /// Outputs as far apart as they can be.
    Worst,
    /// Uniformly random outputs.
    Random,
}

impl TailArguments {
    /// What lines call the table.
    fn table_name(&self) -> String {
        match self.table {
            TableChoice::Worst => "worst".to_owned(),
            TableChoice::Random => format!("random:{}", self.seed),
        }
    }

    /// Errors to measure, where one lookup yields `of_lookup` and there are to be `usual` by default: as whole lookups, two at
    /// least.
    fn lookups(&self, usual: usize, of_lookup: usize) -> usize {
        self.samples.unwrap_or(usual).div_ceil(of_lookup).max(2)
    }
}

/// One line. Deviations and noise are in half steps, the distance to a wrong value.
#[derive(Debug, Serialize)]
struct TailRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Which law the errors stand beside.
    prediction: &'static str,
    #[serde(flatten)]
    statistics: Statistics,
    /// Memory that the planner predicts, of packed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_peak_bytes: Option<usize>,
    /// All numbers of the parameters, of packed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    literal: Option<ParametersLiteral>,
}

impl TailRecord {
    /// A line of this table, whose contract takes its noise from the statistics.
    fn new(
        arguments: &TailArguments,
        contract: Contract,
        prediction: &'static str,
        statistics: Statistics,
    ) -> Self {
        let contract = Contract {
            table: arguments.table_name(),
            values_checked: statistics.samples,
            noise_std_log2: statistics.deviation.log2(),
            predicted_noise_std_log2: Some(statistics.predicted_deviation.log2()),
            bits_in: f64::from(arguments.bits),
            bits_out: f64::from(arguments.bits),
            modulus_in: 1 << arguments.bits,
            ..contract
        };
        Self { contract, prediction, statistics, predicted_peak_bytes: None, literal: None }
    }
}

/// What a name of a method stands for.
enum Chosen {
    Packed(String),
    Single(&'static dyn FullDomainMethod),
    Leveled,
}

impl Chosen {
    fn new(name: &str, modulus: u64) -> anyhow::Result<Self> {
        if name == CMUX_TREE {
            return Ok(Self::Leveled);
        }
        if Method::parse_with_order(name).is_ok() {
            return Ok(Self::Packed(name.to_owned()));
        }
        let methods = full_domain::methods_for(modulus).iter();
        let found = methods.clone().find(|method| method.name().eq_ignore_ascii_case(name));
        let names: Vec<&str> = methods.map(|method| method.name()).collect();
        let unknown = || {
            anyhow::anyhow!(
                "there is no method {name:?}; packed values have akp, akp-2, akp-3, bmt and cmt, leveled ones {CMUX_TREE}, \
                 single ones \"{}\"",
                names.join("\", \"")
            )
        };
        found.map(|&method| Self::Single(method)).ok_or_else(unknown)
    }
}

/// Runs the experiment.
pub fn run(arguments: &TailArguments, json: bool) -> anyhow::Result<()> {
    let bits = arguments.bits;
    anyhow::ensure!((1..=24).contains(&bits), "--bits is {bits}; it must be from 1 to 24");
    let record = match Chosen::new(&arguments.method, 1 << bits)? {
        Chosen::Packed(name) => packed::run(&name, arguments)?,
        Chosen::Single(method) => single::run(method, arguments)?,
        Chosen::Leveled => leveled::run(arguments)?,
    };
    print_line(&record, json)?;
    record.contract.check()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    impl TailArguments {
        fn of(method: &str, bits: u32, table: TableChoice, samples: usize) -> Self {
            let limits = LimitArguments::default();
            Self { method: method.to_owned(), bits, table, samples: Some(samples), seed: 1, limits }
        }
    }

    /// Checks a line, and that counts are within Poisson's tolerance: not above what is predicted, and not below it either
    /// where the law is that of the table.
    fn check(record: &TailRecord, is_exact: bool) {
        let line = serde_json::to_string(record).unwrap();
        assert!(check_line(&line));
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        for name in ["samples", "variance_ratio", "kurtosis", "predicted_kurtosis", "beyond"] {
            assert!(value.get(name).is_some(), "{name} in {line}");
        }
        let statistics = &record.statistics;
        assert!(statistics.variance_ratio < 1.25, "{statistics:?}");
        assert!(!is_exact || statistics.variance_ratio > 0.8, "{statistics:?}");
        for beyond in &statistics.beyond {
            assert!(beyond.predicted <= beyond.at_most * 1.01, "{beyond:?}");
            assert!(beyond.is_not_above(statistics.lookups), "{beyond:?}");
            assert!(!is_exact || beyond.is_not_below(statistics.lookups), "{beyond:?}");
        }
    }

    #[test]
    fn packed_values_of_toys() {
        use cryptable::engines::packed::Parameters;
        let toy = Parameters::insecure_toy_of(4, 4, 1024, 1024).unwrap().literal().clone();
        // Primes of the toy are so large that noise would be less than what is fixed.
        let literal = ParametersLiteral { log2_scale: 26.0, constant_bits: 13.0, ..toy };
        let parameters = Parameters::new(literal).unwrap();
        let arguments = TailArguments::of("akp", 2, TableChoice::Worst, 6000);
        let record = packed::measure(&parameters, &arguments).unwrap();
        check(&record, false);
        let Statistics { samples, lookups, fixed_deviations, .. } = record.statistics;
        assert_eq!((samples, lookups, fixed_deviations.is_some()), (6144, 6, true));
        // Noise of a random table of few entries is predicted but for a factor of two.
        let arguments = TailArguments::of("akp", 2, TableChoice::Random, 2000);
        let record = packed::measure(&parameters, &arguments).unwrap();
        assert!(check_line(&serde_json::to_string(&record).unwrap()));
        assert!((0.25..4.0).contains(&record.statistics.variance_ratio));
    }

    #[test]
    fn single_values_of_toys() {
        let parameters = cryptable_fhew::parameters::Parameters::insecure_toy();
        let name = "FDFB-BFVMult, interleaved";
        let Chosen::Single(method) = Chosen::new(name, 4).unwrap() else { panic!("{name}") };
        let arguments = TailArguments::of(name, 2, TableChoice::Random, 1500);
        check(&single::measure(method, &parameters, &arguments).unwrap(), true);
    }

    #[test]
    fn leveled_values_of_toys() {
        use cryptable_leveled::parameters::ParameterSet;
        let parameters = ParameterSet::TwoBitDepth11.insecure_toy();
        let arguments = TailArguments::of(CMUX_TREE, 4, TableChoice::Random, 200);
        let mut record = leveled::measure(&parameters, &arguments).unwrap();
        record.contract.log2_fail = -64.0;
        check(&record, false);
    }

    #[test]
    fn unknown_methods_list_all_names() {
        let message = Chosen::new("lut", 16).err().unwrap().to_string();
        for name in ["akp-2", CMUX_TREE, "FDFB-BFVMult, interleaved"] {
            assert!(message.contains(name), "{message}");
        }
        assert!(matches!(Chosen::new("AKP-2", 16).unwrap(), Chosen::Packed(_)));
    }
}
