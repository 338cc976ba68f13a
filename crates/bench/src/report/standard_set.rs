//! The benchmarks of a report: every engine at its full-size default parameters, and all benchmarks behind published figures.

use clap::builder::PossibleValuesParser;

/// A benchmark: its name for `--only`, its command line, and the time and memory that it needs.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    pub name: &'static str,
    /// Arguments of `cryptable bench`, separated by spaces.
    pub command: &'static str,
    /// Seconds on one thread of an AMD Zen 4 (u = 140 microseconds), keys and checks included.
    pub seconds: f64,
    /// Peak memory, in GB.
    pub gigabytes: f64,
}

const fn benchmark(
    name: &'static str,
    command: &'static str,
    seconds: f64,
    gigabytes: f64,
) -> Benchmark {
    Benchmark { name, command, seconds, gigabytes }
}

/// Returns a benchmark of [`FULL_SET`], whose name is its command line.
const fn further(command: &'static str, seconds: f64, gigabytes: f64) -> Benchmark {
    benchmark(command, command, seconds, gigabytes)
}

/// The standard benchmarks, the short ones first.
pub const STANDARD_SET: &[Benchmark] = &[
    benchmark("nand", "gates", 5.0, 0.1),
    benchmark("circuit-bootstrap", "cbs --set 1", 5.0, 0.1),
    benchmark("tree-8", "cmux-tree --bits 8", 5.0, 0.2),
    benchmark("tree-16", "cmux-tree --bits 16", 5.0, 0.2),
    benchmark("single-16", "fhew --p 16", 120.0, 0.5),
    benchmark("single-32", "fhew --p 32", 150.0, 0.9),
    benchmark("binboot", "binboot", 10.0, 1.0),
    benchmark("akp-1", "akp --bits 1", 15.0, 0.8),
    benchmark("akp-4", "akp --bits 4", 20.0, 2.2),
    benchmark("akp-8", "akp --bits 8", 30.0, 2.7),
    benchmark("akp-10", "akp --bits 10", 40.0, 4.2),
    benchmark("eight-tables", "mvb --bits 8 --tables 8", 40.0, 2.8),
    benchmark("ckks-bootstrap", "ckks-bootstrap", 30.0, 3.1),
    benchmark("cmt-8", "cmt --bits 8", 30.0, 2.6),
    benchmark("cmt-12", "cmt --bits 12", 40.0, 3.0),
    benchmark("cmt-16", "cmt --bits 16", 70.0, 4.6),
    benchmark("sign-32", "sign --bits 32", 25.0, 3.0),
    benchmark("maximum-12", "sign --bits 12 --op maximum --runs 1", 35.0, 3.1),
    benchmark("aes", "aes --runs 1", 25.0, 0.2),
    benchmark("cmt-20", "cmt --bits 20 --runs 1", 140.0, 9.0),
];

/// Further benchmarks behind published figures: every width, engine, paper's set and operation, in two hours.
pub const FULL_SET: &[Benchmark] = &[
    further("cbs --set 2", 5.0, 0.1),
    further("cbs --set 3", 5.0, 0.1),
    further("cbs --set 4", 5.0, 0.1),
    further("cbs --set 5", 5.0, 0.1),
    further("cbs --set 1 --paper-set", 8.0, 0.2),
    further("cbs --set 2 --paper-set", 8.0, 0.2),
    further("cbs --set 3 --paper-set", 8.0, 0.2),
    further("cbs --set 4 --paper-set", 8.0, 0.2),
    further("cbs --set 5 --paper-set", 8.0, 0.2),
    further("cbs --set 1 --variant auto", 8.0, 0.2),
    further("cbs --set 2 --variant auto", 8.0, 0.2),
    further("cbs --set 3 --variant auto", 8.0, 0.2),
    further("cbs --set 4 --variant auto", 8.0, 0.2),
    further("cbs --set 5 --variant auto", 8.0, 0.2),
    further("cmux-chain --set cmux-depth-20200", 20.0, 0.2),
    further("cmux-chain --set cmux-depth-236", 20.0, 0.2),
    further("cmux-chain --set auto-depth-73", 20.0, 0.2),
    further("cmux-chain --set auto-depth-149", 20.0, 0.2),
    further("cmux-chain --set auto-depth-7900", 20.0, 0.2),
    further("cmux-tree --bits 12", 5.0, 0.6),
    further("cmux-tree --bits 20", 10.0, 0.6),
    further("cmux-tree --bits 24", 40.0, 0.6),
    further("cbs --set 1 --variant auto --paper-set", 8.0, 0.2),
    further("cbs --set 2 --variant auto --paper-set", 8.0, 0.2),
    further("cbs --set 3 --variant auto --paper-set", 8.0, 0.2),
    further("cbs --set 4 --variant auto --paper-set", 8.0, 0.2),
    further("cbs --set 5 --variant auto --paper-set", 8.0, 0.2),
    further("automaton --length 100", 25.0, 0.3),
    further("automaton --length 1000 --runs 1", 90.0, 0.3),
    further("aes --runs 1 --decrypt", 30.0, 0.2),
    further("auto", 20.0, 0.2),
    further("fhew --p 64", 60.0, 1.0),
    further("fhew --p 16 --paper-set PARAM_fast --runs 3 --samples 12", 60.0, 1.0),
    further("fhew --p 32 --paper-set PARAM_fast --runs 3 --samples 12", 50.0, 1.0),
    further("fhew --p 16 --paper-set PARAM_decomp --runs 3 --samples 12", 130.0, 1.0),
    further("fhew --p 32 --paper-set PARAM_decomp --runs 3 --samples 12", 120.0, 1.0),
    further("large-values --bits 12", 120.0, 0.3),
    further("large-values --bits 20", 120.0, 0.3),
    further("large-values --bits 28 --samples 4 --runs 2", 150.0, 0.4),
    further("integers --mode single --op add --runs 3", 25.0, 0.3),
    further("integers --mode single --op lt --runs 3", 25.0, 0.3),
    further("integers --mode single --op tree --runs 3", 25.0, 0.3),
    further("binboot --ring-degree 65536", 30.0, 4.0),
    further("binboot --half", 10.0, 1.0),
    further("gateboot", 10.0, 1.0),
    further("gateboot --half", 10.0, 1.0),
    further("gateboot --ring-degree 65536", 30.0, 4.0),
    further("binboot --ring-degree 32768", 15.0, 2.0),
    further("gateboot --ring-degree 32768", 15.0, 2.0),
    further("gateboot --cleaning", 10.0, 1.0),
    further("binboot --levels 2", 10.0, 1.0),
    further("gateboot --levels 2", 10.0, 1.0),
    further("fhew-gates", 20.0, 1.0),
    further("foreign-gates", 30.0, 2.2),
    further("foreign-gates --set tfhe-rs-boolean", 30.0, 2.2),
    further("packing", 10.0, 0.6),
    further("ckks-bootstrap --slots 4096", 25.0, 3.0),
    further("ckks-bootstrap --function gelu", 30.0, 3.5),
    further("slot-lookup --bits 4", 20.0, 1.5),
    further("slot-lookup --bits 4 --complex", 30.0, 3.2),
    further("slot-lookup --bits 8 --large", 30.0, 3.1),
    further("akp --bits 2", 30.0, 3.7),
    further("akp --bits 3", 30.0, 3.7),
    further("akp --bits 5", 30.0, 3.7),
    further("akp --bits 6", 30.0, 3.7),
    further("akp --bits 7", 30.0, 3.7),
    further("akp --bits 9", 30.0, 3.7),
    further("akp --bits 11", 45.0, 3.7),
    further("akp --bits 2 --ring-degree 32768", 8.0, 1.2),
    further("akp --bits 3 --ring-degree 32768", 8.0, 1.2),
    further("akp --bits 4 --ring-degree 32768", 8.0, 1.2),
    further("akp --bits 5 --ring-degree 32768", 8.0, 1.2),
    further("akp --bits 8 --count 1024", 20.0, 2.2),
    further("akp --bits 8 --count 16384", 20.0, 2.9),
    further("cmt --bits 12 --count 1024", 30.0, 2.3),
    further("cmt --bits 16 --count 4096", 50.0, 3.1),
    further("cmt --bits 9", 25.0, 5.0),
    further("cmt --bits 10", 25.0, 5.0),
    further("cmt --bits 11", 30.0, 5.0),
    further("cmt --bits 13", 40.0, 5.0),
    further("cmt --bits 14", 45.0, 5.0),
    further("cmt --bits 15", 50.0, 5.0),
    further("cmt --bits 18", 100.0, 5.0),
    further("reals --bits 8", 20.0, 2.2),
    further("reals --bits 8 --output-bits 16", 25.0, 3.0),
    further("reals --complex --bits 8", 18.0, 2.7),
    further("reals --complex --bits 12", 30.0, 4.0),
    further("entries --entries per-value", 30.0, 3.0),
    further("entries --entries encrypted", 30.0, 3.0),
    further("entries --entries one-encrypted", 30.0, 3.0),
    further("fdd --bits 8", 25.0, 2.1),
    further("fdd --bits 16", 45.0, 2.4),
    further("cmt --bits 12 --halves", 35.0, 3.0),
    further("cmt --bits 16 --halves", 60.0, 4.0),
    further("cmt --bits 16 --parts 4", 60.0, 4.0),
    further("sign --bits 12", 25.0, 2.3),
    further("sign --bits 21", 25.0, 2.3),
    further("sign --bits 12 --op relu", 25.0, 2.4),
    further("sign --bits 12 --op less-than --runs 2", 35.0, 2.7),
    further("sign --bits 21 --op less-than --runs 2", 35.0, 2.7),
    further("sign --bits 32 --op less-than --runs 2", 35.0, 2.7),
    further("sign --bits 32 --op digits --runs 2", 45.0, 2.7),
    further("sign --bits 32 --op maximum --runs 1", 50.0, 2.8),
    further("crossing --p 4", 30.0, 3.0),
    further("crossing --p 8", 30.0, 3.0),
    further("crossing --p 16", 30.0, 3.0),
    further("crossing --p 32", 30.0, 3.0),
    further("bridges", 60.0, 3.0),
    further("integers --op add", 60.0, 2.7),
    further("integers --op lt", 60.0, 2.7),
    further("integers --op max", 60.0, 2.7),
    further("integers --op tree", 60.0, 2.7),
    further("integers --op mul", 190.0, 2.7),
    further("public-keys", 5.0, 0.4),
    further("entries --entries per-value --bits 12", 110.0, 4.5),
    further("entries --entries one-encrypted --bits 12 --runs 1", 70.0, 14.0),
    further("words --table sum", 90.0, 4.4),
    further("words --table pieces", 90.0, 4.4),
    further("words --table classes", 90.0, 4.4),
    further("words --table product", 90.0, 4.4),
    further("words", 110.0, 4.4),
    further("words --words 4", 160.0, 4.4),
    further("cmt --bits 20 --digit-bits 3 --runs 1", 130.0, 8.0),
    further("cmt --bits 20 --digit-bits 5 --runs 1", 130.0, 10.0),
    further("decomposition --runs 1 --samples 4", 200.0, 0.4),
    further("bmt --bits 8", 80.0, 4.0),
    further("bmt --bits 10", 90.0, 4.0),
    further("bmt --bits 12", 100.0, 4.0),
    further("bmt --bits 14", 110.0, 4.0),
    further("bmt --bits 16", 120.0, 4.0),
    further("cmt --bits 12 --digit-bits 2", 50.0, 5.0),
    further("cmt --bits 12 --digit-bits 3", 50.0, 5.0),
    further("cmt --bits 12 --digit-bits 6", 50.0, 5.0),
    further("cmt --bits 16 --digit-bits 2", 50.0, 5.0),
    further("cmt --bits 16 --digit-bits 3", 50.0, 5.0),
    further("cmt --bits 16 --digit-bits 6", 50.0, 5.0),
    further("cmt --bits 8 --digit-bits 2", 40.0, 3.0),
    further("cmt --bits 8 --digit-bits 3", 40.0, 3.0),
    further("cmt --bits 10 --digit-bits 2", 40.0, 3.0),
    further("cmt --bits 10 --digit-bits 3", 40.0, 3.0),
    further("cmt --bits 10 --digit-bits 5", 40.0, 3.0),
    further("cmt --bits 14 --digit-bits 2", 60.0, 5.0),
    further("cmt --bits 14 --digit-bits 3", 60.0, 5.0),
    further("cmt --bits 14 --digit-bits 5", 60.0, 5.0),
    further("cmt --bits 18 --digit-bits 2 --runs 1", 80.0, 7.0),
    further("cmt --bits 18 --digit-bits 3 --runs 1", 80.0, 7.0),
    further("cmt --bits 18 --digit-bits 6 --runs 1", 80.0, 7.0),
    further("bmt --bits 18 --runs 1", 80.0, 6.0),
    further("bmt --bits 20 --runs 1", 110.0, 7.0),
    further("mvb --bits 16 --tables 4 --runs 1", 60.0, 7.0),
    further("reals --complex --bits 16 --output-bits 15 --runs 1", 50.0, 5.0),
    further("hermite --bits 8", 60.0, 3.2),
    further("sign --bits 20 --floor 12", 25.0, 3.0),
    further("sign --bits 32 --digit-bits 4", 30.0, 3.0),
    further("sign --bits 32 --digit-bits 5", 30.0, 3.0),
    further("sign --bits 32 --digit-bits 6", 30.0, 3.0),
    further("sign --bits 32 --digit-bits 7", 30.0, 3.0),
    further("sign --bits 32 --digit-bits 8", 30.0, 3.5),
    further("cmt --bits 17 --runs 1", 60.0, 10.0),
    further("cmt --bits 19 --runs 1", 100.0, 10.0),
    further("cmt --bits 21 --runs 1", 200.0, 10.0),
    further("cmt --bits 22 --runs 1", 300.0, 10.0),
    further("cmt --bits 23 --runs 1", 500.0, 15.0),
    further("akp --bits 13 --ring-degree 131072", 170.0, 10.0),
    further("akp --bits 14 --ring-degree 131072 --runs 1", 200.0, 23.0),
];

/// Returns the names that `--only` accepts.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(STANDARD_SET.iter().map(|benchmark| benchmark.name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
        let mut names = BTreeSet::new();
        let mut commands = BTreeSet::new();
        for Benchmark { name, command, .. } in STANDARD_SET.iter().chain(FULL_SET) {
            Line::try_parse_from(["bench"].into_iter().chain(command.split(' '))).unwrap();
            assert!(names.insert(name) && commands.insert(command), "{name}: {command}");
        }
    }
}
