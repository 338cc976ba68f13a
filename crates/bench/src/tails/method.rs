//! Names of the methods that `bench tails` measures.

use clap::ValueEnum;
use cryptable::engines::packed::{Method, Operation as Comparison};
use cryptable_fhew::full_domain::{self, FullDomainMethod};

use super::bits::BitOperation;
use super::bridges::BridgeStep;
use super::conversions::Conversion;
use super::vectors::VectorOperation;
use super::{
    TailArguments, TailRecord, bits, bridges, comparisons, conversions, entries, integers, leveled,
    packed, single, vectors,
};
use crate::integers::Operation as IntegerOperation;
use crate::packed::entries::Entries;

/// Prefix of tables per value, and of encrypted ones.
const TABLES: &str = "tables-";

/// Prefix of operations on integers in digits.
const INTEGERS: &str = "integers-";

/// Largest number of bits of a table.
const MAX_TABLE_BITS: u32 = 24;

/// An operation whose errors are measured.
pub enum TailMethod {
    /// A packed lookup: method and order.
    Packed(String),
    /// A full-domain method for single values.
    Single(&'static dyn FullDomainMethod),
    /// A tree of CMUXes.
    Leveled,
    /// A packed lookup in tables per value, or in encrypted ones.
    Entries(Entries),
    /// A comparison, maximum or the like of packed integers.
    Comparison(Comparison),
    /// An operation on packed integers in digits.
    Integers(IntegerOperation),
    /// An operation on bits in slots.
    Bits(BitOperation),
    /// An operation on vectors in slots.
    Vectors(VectorOperation),
    /// A step between packed and single values.
    Bridge(BridgeStep),
    /// Ring packing, or extraction.
    Conversion(Conversion),
}

impl TailMethod {
    /// Finds a method by name, for tables of `bits` bits if single values have different methods for different widths.
    ///
    /// # Errors
    /// If there is none; the error lists all names.
    pub fn parse(name: &str, bits: u32) -> anyhow::Result<Self> {
        if name == leveled::METHOD {
            return Ok(Self::Leveled);
        }
        if let Some(found) = Self::parse_operation(name) {
            return Ok(found);
        }
        if Method::parse_with_order(name).is_ok() {
            return Ok(Self::Packed(name.to_owned()));
        }
        let methods = full_domain::methods_for(1 << bits.min(MAX_TABLE_BITS)).iter();
        let found = methods.clone().find(|method| method.name().eq_ignore_ascii_case(name));
        let single: Vec<&str> = methods.map(|method| method.name()).collect();
        found.map(|&method| Self::Single(method)).ok_or_else(|| {
            anyhow::anyhow!(
                "there is no method {name:?}; packed values have akp, akp-2, akp-3, bmt, cmt and {}; leveled ones \
                 {}; single ones \"{}\"",
                operation_names().join(", "),
                leveled::METHOD,
                single.join("\", \"")
            )
        })
    }

    /// Finds an operation that is not a table of packed or single values.
    fn parse_operation(name: &str) -> Option<Self> {
        if let Some(kind) = name.strip_prefix(TABLES) {
            return Entries::from_str(kind, false).ok().map(Self::Entries);
        }
        if let Some(operation) = name.strip_prefix(INTEGERS) {
            return IntegerOperation::from_str(operation, false).ok().map(Self::Integers);
        }
        let bits = || BitOperation::from_str(name, false).ok().map(Self::Bits);
        let vectors = || VectorOperation::from_str(name, false).ok().map(Self::Vectors);
        let bridges = || BridgeStep::from_str(name, false).ok().map(Self::Bridge);
        let conversions = || Conversion::from_str(name, false).ok().map(Self::Conversion);
        let comparison: Option<Comparison> = name.parse().ok();
        comparison
            .map(Self::Comparison)
            .or_else(bits)
            .or_else(vectors)
            .or_else(bridges)
            .or_else(conversions)
    }

    /// Measures the method with the planner's parameters, and returns a record per part of results.
    pub fn run(self, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
        let bits = arguments.bits;
        // Integers and comparisons check their own widths; bits and bootstraps have none.
        let is_table = matches!(
            self,
            Self::Packed(_)
                | Self::Single(_)
                | Self::Leveled
                | Self::Entries(_)
                | Self::Vectors(VectorOperation::SlotLookup)
                | Self::Bridge(_)
        );
        let most = MAX_TABLE_BITS;
        anyhow::ensure!(!is_table || bits <= most, "--bits is {bits}; tables have at most {most}");
        match self {
            Self::Packed(name) => packed::run(&name, arguments),
            Self::Single(method) => Ok(vec![single::run(method, arguments)?]),
            Self::Leveled => Ok(vec![leveled::run(arguments)?]),
            Self::Entries(kind) => entries::run(kind, arguments),
            Self::Comparison(operation) => comparisons::run(operation, arguments),
            Self::Integers(operation) => integers::run(operation, arguments),
            Self::Bits(operation) => bits::run(operation, arguments),
            Self::Vectors(operation) => vectors::run(operation, arguments),
            Self::Bridge(step) => bridges::run(step, arguments),
            Self::Conversion(conversion) => conversions::run(conversion, arguments),
        }
    }
}

/// Lists the names of all operations that are not plain tables.
fn operation_names() -> Vec<String> {
    let tables = value_names::<Entries>(TABLES);
    let integers = value_names::<IntegerOperation>(INTEGERS);
    let comparisons = Comparison::ALL.map(|operation| operation.name().to_owned());
    let others = [
        value_names::<BitOperation>(""),
        value_names::<VectorOperation>(""),
        value_names::<BridgeStep>(""),
        value_names::<Conversion>(""),
    ];
    tables.into_iter().chain(integers).chain(comparisons).chain(others.concat()).collect()
}

fn value_names<V: ValueEnum>(prefix: &str) -> Vec<String> {
    let values = V::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| format!("{prefix}{}", value.get_name())).collect()
}
