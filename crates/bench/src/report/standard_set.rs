//! The benchmarks of a report: every engine at its full-size default parameters.

use clap::builder::PossibleValuesParser;

/// A benchmark, by a name for `--only`, and what it is called with.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
}

const fn benchmark(name: &'static str, arguments: &'static [&'static str]) -> Benchmark {
    Benchmark { name, arguments }
}

/// The short ones first.
pub const STANDARD_SET: &[Benchmark] = &[
    benchmark("nand", &["gates"]),
    benchmark("circuit-bootstrap", &["cbs", "--set", "1"]),
    benchmark("tree-8", &["cmux-tree", "--bits", "8"]),
    benchmark("tree-16", &["cmux-tree", "--bits", "16"]),
    benchmark("single-16", &["fhew", "--p", "16"]),
    benchmark("single-32", &["fhew", "--p", "32"]),
    benchmark("binboot", &["binboot"]),
    benchmark("akp-1", &["akp", "--bits", "1"]),
    benchmark("akp-4", &["akp", "--bits", "4"]),
    benchmark("akp-8", &["akp", "--bits", "8"]),
    benchmark("akp-10", &["akp", "--bits", "10"]),
    benchmark("eight-tables", &["mvb", "--bits", "8", "--tables", "8"]),
    benchmark("ckks-bootstrap", &["ckks-bootstrap"]),
    benchmark("cmt-8", &["cmt", "--bits", "8", "--runs", "1"]),
    benchmark("cmt-12", &["cmt", "--bits", "12", "--runs", "1"]),
    benchmark("cmt-16", &["cmt", "--bits", "16", "--runs", "1"]),
    benchmark("sign-32", &["sign", "--bits", "32", "--runs", "1"]),
    benchmark("maximum-12", &["sign", "--bits", "12", "--op", "maximum", "--runs", "1"]),
    benchmark("aes", &["aes", "--runs", "1"]),
    benchmark("cmt-20", &["cmt", "--bits", "20", "--runs", "1"]),
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
        for Benchmark { name, arguments } in STANDARD_SET {
            Line::try_parse_from(["bench"].iter().chain(*arguments)).unwrap();
            assert_eq!(
                STANDARD_SET.iter().filter(|other| other.name == *name).count(),
                1,
                "{name}"
            );
        }
    }
}
