//! The benchmarks of a report: every engine at its full-size default parameters.

use clap::builder::PossibleValuesParser;

/// A benchmark, by a name for `--only`, what it is called with, and what it takes.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// Seconds on one thread of an AMD Zen 4 (u = 140 microseconds), keys and checks included.
    pub seconds: f64,
    /// Memory at its peak, in GB.
    pub gigabytes: f64,
}

const fn benchmark(
    name: &'static str,
    arguments: &'static [&'static str],
    (seconds, gigabytes): (f64, f64),
) -> Benchmark {
    Benchmark { name, arguments, seconds, gigabytes }
}

/// The short ones first.
pub const STANDARD_SET: &[Benchmark] = &[
    benchmark("nand", &["gates"], (5.0, 0.1)),
    benchmark("circuit-bootstrap", &["cbs", "--set", "1"], (5.0, 0.1)),
    benchmark("tree-8", &["cmux-tree", "--bits", "8"], (5.0, 0.2)),
    benchmark("tree-16", &["cmux-tree", "--bits", "16"], (5.0, 0.2)),
    benchmark("single-16", &["fhew", "--p", "16"], (120.0, 0.5)),
    benchmark("single-32", &["fhew", "--p", "32"], (150.0, 0.9)),
    benchmark("binboot", &["binboot"], (10.0, 1.0)),
    benchmark("akp-1", &["akp", "--bits", "1"], (15.0, 0.8)),
    benchmark("akp-4", &["akp", "--bits", "4"], (20.0, 2.2)),
    benchmark("akp-8", &["akp", "--bits", "8"], (30.0, 2.7)),
    benchmark("akp-10", &["akp", "--bits", "10"], (40.0, 4.2)),
    benchmark("eight-tables", &["mvb", "--bits", "8", "--tables", "8"], (40.0, 2.8)),
    benchmark("ckks-bootstrap", &["ckks-bootstrap"], (30.0, 3.1)),
    benchmark("cmt-8", &["cmt", "--bits", "8", "--runs", "1"], (20.0, 2.6)),
    benchmark("cmt-12", &["cmt", "--bits", "12", "--runs", "1"], (25.0, 3.0)),
    benchmark("cmt-16", &["cmt", "--bits", "16", "--runs", "1"], (40.0, 4.6)),
    benchmark("sign-32", &["sign", "--bits", "32", "--runs", "1"], (25.0, 3.0)),
    benchmark(
        "maximum-12",
        &["sign", "--bits", "12", "--op", "maximum", "--runs", "1"],
        (35.0, 3.1),
    ),
    benchmark("aes", &["aes", "--runs", "1"], (25.0, 0.2)),
    benchmark("cmt-20", &["cmt", "--bits", "20", "--runs", "1"], (140.0, 9.0)),
];

/// The names that `--only` takes.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(STANDARD_SET.iter().map(|benchmark| benchmark.name))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::BenchCommand;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        _command: BenchCommand,
    }

    #[test]
    fn all_of_them_are_commands_and_named_once() {
        for Benchmark { name, arguments, .. } in STANDARD_SET {
            Line::try_parse_from(["bench"].iter().chain(*arguments)).unwrap();
            assert_eq!(
                STANDARD_SET.iter().filter(|other| other.name == *name).count(),
                1,
                "{name}"
            );
        }
    }
}
