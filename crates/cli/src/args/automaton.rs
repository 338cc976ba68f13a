//! The grammar of `automaton`.

use std::path::PathBuf;

use clap::Args;

use super::common::OutputArgs;

/// Arguments of `automaton`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub struct AutomatonArgs {
    /// Server's evaluation key, from keygen --word-length
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Automaton: a CSV file with lines `state,symbol,next,weight`
    #[arg(long, value_name = "FILE", group = "what")]
    pub rules: Option<PathBuf>,
    /// Count the occurrences of this pattern: values, separated by commas
    #[arg(long, value_name = "VALUES", group = "what", value_delimiter = ',')]
    pub pattern: Option<Vec<u64>>,
    /// Count the occurrences of this text, of which each byte is a value
    #[arg(long, value_name = "TEXT", group = "what")]
    pub text: Option<String>,
    /// Values per word [default: all values of the file are one word]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub word_length: Option<u32>,
    /// Table (.csv or .npy) of the results, with an entry for each weight from 0 on [default: the weight itself]
    #[arg(long, value_name = "FILE")]
    pub outputs: Option<PathBuf>,
    /// File of ciphertexts: the symbols of all words; results have one value per word
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Help of `automaton`.
pub const AUTOMATON: &str = "\
Examples:
  cryptable keygen --bits 8 --output-bits 8 --word-length 200 --secret client.key \\
    --evaluation server.key
  cryptable encrypt --secret client.key --input bytes.csv --output text.ct
  cryptable automaton --evaluation server.key --text virus --input text.ct --output count.ct
  cryptable decrypt --secret client.key --input count.ct --output count.csv

  cryptable automaton --evaluation server.key --pattern 3,1,4 --word-length 50 --input rows.ct \\
    --output found.ct
  cryptable automaton --evaluation server.key --rules rules.csv --outputs grades.csv \\
    --input text.ct --output g.ct

A word is read value by value, beginning in state 0. Each line `state,symbol,next,weight` of --rules
states the next state for a state and a symbol, and what is added to the word's weight. The symbol *
stands for all symbols that have no line for this state; a line `state,end,,weight` adds a weight to
words that end in the state. Overlapping occurrences of a pattern are counted, too. Each bit of a
value takes a circuit bootstrap of five to eight milliseconds; each rule takes microseconds.";
