//! Clients with keys at both ends of a bridge, and their servers.
#![allow(dead_code, reason = "not every test binary has both kinds of bridges")]

use std::sync::LazyLock;

use cryptable_conversion::bridges::{
    Bridge, IntegerBridge, IntegerParameters, LeveledBridge, LeveledParameters, Parameters, Target,
};
use cryptable_fhew::integers;
use cryptable_lattice::{Progress, ReadOptions, Table};
use cryptable_leveled::lookup as leveled;
use cryptable_leveled::parameters::ParameterSet;
use cryptable_packed as packed;
use cryptable_packed::MultiplexerLiteral;

pub const SILENT: Progress<'static> = Progress::silent();

/// A client with secret keys at both ends, and its server.
pub struct Ends<T: Target, S, K> {
    pub packed: packed::SecretKey,
    pub single: S,
    pub server: packed::EvaluationKey,
    pub other: K,
    pub bridge: Bridge<T>,
}

pub type IntegerEnds = Ends<integers::Parameters, integers::SecretKey, integers::EvaluationKey>;
pub type LeveledEnds = Ends<leveled::Parameters, leveled::SecretKey, leveled::EvaluationKey>;

pub fn with_integers(parameters: &IntegerParameters) -> IntegerEnds {
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = integers::SecretKey::generate(parameters.single());
    let bridge = IntegerBridge::generate(parameters, &packed, &single).unwrap();
    let server = packed.evaluation_key(SILENT).unwrap();
    let other = single.evaluation_key(SILENT).unwrap();
    Ends { packed, single, server, other, bridge }
}

pub fn with_leveled(parameters: &LeveledParameters) -> LeveledEnds {
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = leveled::SecretKey::generate(parameters.single());
    let bridge = LeveledBridge::generate(parameters, &packed, &single).unwrap();
    let server = packed.evaluation_key(SILENT).unwrap();
    let other = single.evaluation_key(SILENT).unwrap();
    Ends { packed, single, server, other, bridge }
}

/// Conversion of values of 8 bits to integers of 8 bits.
pub static WHOLE: LazyLock<IntegerEnds> =
    LazyLock::new(|| with_integers(&IntegerParameters::insecure_toy(256, 8).unwrap()));

/// A multiplexer tree over three digits of 3 bits, 9 bits, to values modulo 8.
pub static DIGITS: LazyLock<IntegerEnds> = LazyLock::new(|| {
    let packed = tree(8, vec![8, 8, 8]);
    let target = integers::Parameters::insecure_toy(9).unwrap();
    with_integers(&Parameters::new(packed, target).unwrap())
});

/// A multiplexer tree over five digits of 2 bits, 10 bits, to digits of 2 bits.
pub static LEVELED: LazyLock<LeveledEnds> = LazyLock::new(|| {
    let packed = tree(4, vec![4; 5]);
    // Trees over this number of digits tolerate less noise than results of the usual set have.
    let set = ParameterSet::TwoBitDepth117;
    let target = leveled::Parameters::insecure_toy_of(set, 1024, 1024).unwrap();
    with_leveled(&Parameters::new(packed, target).unwrap())
});

pub fn tree(output_modulus: u64, digits: Vec<u64>) -> packed::Parameters {
    let selectors = vec![1; digits.len()];
    let literal = MultiplexerLiteral { digits, selectors, ..Default::default() };
    packed::Parameters::insecure_toy_tree(output_modulus, 2048, 1024, literal, 0).unwrap()
}

pub fn options() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

impl<T: Target, S, K> Ends<T, S, K> {
    /// Returns the results of tables on packed values.
    pub fn look_up(&self, input: &packed::Ciphertext, tables: &[Table]) -> Vec<packed::Ciphertext> {
        let prepared: Vec<_> = tables.iter().map(|t| self.server.prepare(t).unwrap()).collect();
        let prepared: Vec<_> = prepared.iter().collect();
        self.server.lookup_many(input, &prepared, SILENT).unwrap()
    }
}

/// Returns one table per digit of the outputs of `of`, in this base.
pub fn digit_tables(p: u64, base: u64, digits: u32, of: impl Fn(u64) -> u64) -> Vec<Table> {
    let digit = |d: u32| Table::from_fn(p, base, |x| of(x) / base.pow(d) % base).unwrap();
    (0..digits).map(digit).collect()
}

/// Returns packed 128-bit parameters for 512 values.
pub fn packed_128(p: u64, output: u64, tree: bool) -> packed::Parameters {
    let method = if tree { packed::Method::Cmt } else { packed::Method::Akp };
    let request = packed::Request {
        count: Some(512),
        method: Some(method),
        ..packed::Request::new(p, output)
    };
    packed::Parameters::candidates(&request).unwrap().swap_remove(0)
}
