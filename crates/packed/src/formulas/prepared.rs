//! Formulas in normal form: tables of numbers from 0 to 1 with integer weights, and choices by tables of 0 and 1.

use std::collections::BTreeMap;

use cryptable_lattice::error::{Error, Result, check_equal, check_within};
use cryptable_lattice::noise_bound::least_factor;
use cryptable_ring::primes::greatest_common_divisor;

use crate::formulas::formula::{Formula, check_table, is_within};
use crate::formulas::groups::Groups;
use crate::formulas::layer::Layer;

/// Maximum number of tables whose results are held at once: some 6 MB each at ring degree 2^16. Powers of columns are
/// computed again for each such chunk, which takes as long as 23 tables of 8 bits per column.
const TABLES_OF_CHUNK: usize = 512;

/// Maximum number of tables of all formulas. Tables take 8 bytes per table and value.
const MAX_TABLES: usize = 1 << 12;

/// Least modulus of columns.
const MIN_MODULUS: u64 = 2;

/// Largest modulus of columns: that of AKP at ring degree 2^16.
const MAX_MODULUS: u64 = 1 << 12;

/// Largest absolute value of an output of a layer's table: products with factors below the modulus, and sums of one
/// product per table, have 48 bits.
const MAX_OUTPUT: u64 = 1 << 24;

/// A table of a column, with integer outputs from 0 to their maximum, the width: the circuit evaluates outputs divided
/// by the width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnitTable {
    pub column: usize,
    outputs: Vec<u64>,
}

impl UnitTable {
    /// Returns the outputs as numbers from 0 to 1.
    pub(crate) fn fractions(&self) -> Vec<f64> {
        let width = self.outputs.iter().copied().max().unwrap_or(1).max(1) as f64;
        self.outputs.iter().map(|&output| output as f64 / width).collect()
    }
}

/// A weighted sum of tables: `constant + Σ_k weight_k·table_k`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    pub constant: i64,
    /// Number of a table, and its weight.
    pub terms: Vec<(usize, i64)>,
}

/// The value of a formula: `linear + Σ_k (otherwise_k + bit_k·(then_k - otherwise_k))`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Value {
    pub linear: Linear,
    pub choices: Vec<Choice>,
}

/// A choice by a table of 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub bit: usize,
    pub then: Value,
    pub otherwise: Value,
}

/// Formulas that are evaluated together. They share one list of tables, which has each table once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    columns: usize,
    input_modulus: u64,
    tables: Vec<UnitTable>,
    pub(super) outputs: Vec<Value>,
    /// The groups that results are added up by, if there are any.
    pub(super) groups: Option<Groups>,
}

/// A term of an output, by its number.
#[derive(Clone, Copy, Debug)]
enum Term {
    Linear(usize),
    Choice(usize),
}

/// A part of all outputs, whose tables are held at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    /// Numbers of the tables.
    pub tables: Vec<usize>,
    /// The part of each output.
    pub outputs: Vec<Value>,
}

impl Stage {
    /// Prepares formulas. If results are added up by groups, constants are formulas as well.
    pub(super) fn prepare(
        formulas: &[Formula],
        input_modulus: u64,
        groups: Option<Groups>,
    ) -> Result<Self> {
        check_modulus(input_modulus)?;
        let mut tables = Tables::default();
        let value = |formula: &Formula| {
            formula.check(input_modulus)?;
            Ok(tables.value(formula, input_modulus))
        };
        let outputs: Vec<Value> = formulas.iter().map(value).collect::<Result<_>>()?;
        let columns = formulas.iter().map(Formula::columns).max().unwrap_or(0);
        let columns = columns.max(groups.map_or(0, Groups::columns));
        Self { columns, input_modulus, tables: Vec::new(), outputs, groups }.with_tables(tables)
    }

    /// Prepares the sums of a layer, over one table per column. Sums that are looked up in tables are reduced modulo
    /// the modulus.
    pub(super) fn of_layer(columns: &[Vec<i64>], layer: &Layer, modulus: u64) -> Result<Self> {
        check_modulus(modulus)?;
        check_equal("number of constants of a layer", layer.constants.len(), layer.weights.len())?;
        let mut tables = Tables::default();
        let mut of_columns = Vec::with_capacity(columns.len());
        for (column, outputs) in columns.iter().enumerate() {
            check_table(outputs, modulus)?;
            check_outputs(outputs)?;
            of_columns.push(tables.linear(column, outputs));
        }
        let is_last = layer.tables.is_empty();
        let number = |it: i64| if is_last { it } else { least_factor(it, modulus) };
        let mut outputs = Vec::with_capacity(layer.weights.len());
        for (weights, &constant) in layer.weights.iter().zip(&layer.constants) {
            check_equal("number of factors of a sum", weights.len(), columns.len())?;
            let mut sum = Linear { constant: number(constant), terms: Vec::new() };
            for (table, &weight) in of_columns.iter().zip(weights).filter(|(_, it)| **it != 0) {
                let table = table.times(number(weight));
                sum.constant = sum.constant.saturating_add(table.constant);
                sum.terms.extend(table.terms.into_iter().filter(|(_, weight)| *weight != 0));
            }
            outputs.push(sum.into());
        }
        let columns = columns.len();
        Self { columns, input_modulus: modulus, tables: Vec::new(), outputs, groups: None }
            .with_tables(tables)
    }

    /// Completes the stage with the tables of its outputs.
    fn with_tables(self, tables: Tables) -> Result<Self> {
        if tables.is_full {
            let (name, limit) = ("number of tables of formulas", MAX_TABLES as u64);
            return Err(Error::TooLarge { name, value: limit + 1, limit });
        }
        if self.outputs.is_empty() {
            return Err(Error::TooSmall { name: "number of formulas", value: 0, limit: 1 });
        }
        if self.groups.is_none() && self.outputs.iter().any(Value::is_constant) {
            let name = "number of columns that a formula depends on";
            return Err(Error::TooSmall { name, value: 0, limit: 1 });
        }
        Ok(Self { tables: tables.into_list(), ..self })
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the modulus of columns.
    pub(crate) fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Returns the number of formulas.
    pub(crate) fn formulas(&self) -> usize {
        self.outputs.len()
    }

    /// Returns the number of different tables and conditions of all formulas, including one for each group.
    pub(crate) fn tables(&self) -> usize {
        self.tables.len() + self.groups.map_or(0, Groups::count)
    }

    /// Returns the maximum number of nested choices that need a product: choices between two constants are tables. Sums
    /// by groups count as two more.
    pub(crate) fn choices_in_a_row(&self) -> usize {
        let of_formulas = self.outputs.iter().map(Value::height).max().unwrap_or(0);
        of_formulas + self.groups.map_or(0, |_| Groups::HEIGHT)
    }

    /// Returns the least and the largest result that each formula may have, for a row or, with groups, for a partial
    /// sum.
    pub(crate) fn ranges(&self) -> Vec<(i64, i64)> {
        let range = |output: &Value| match self.groups {
            None => output.range(),
            Some(groups) => groups.range(output.range()),
        };
        self.outputs.iter().map(range).collect()
    }

    /// Checks that residues modulo the output modulus determine results, as non-negative representatives if a formula
    /// has no negative results, and as representatives around 0 otherwise.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a result is out of that range.
    pub(crate) fn check_range(&self, output_modulus: u64) -> Result<()> {
        for (low, high) in self.ranges() {
            let most = if low < 0 { (output_modulus - 1) / 2 } else { output_modulus - 1 };
            let (name, value) = ("result of a formula", high.max(0).unsigned_abs());
            check_within(name, value, ..=most)?;
            let (name, value) =
                ("size of a negative result of a formula", low.min(0).unsigned_abs());
            check_within(name, value, ..=output_modulus / 2)?;
        }
        Ok(())
    }

    /// The groups that results are added up by, if there are any.
    pub(crate) fn grouping(&self) -> Option<Groups> {
        self.groups
    }

    /// The number of groups that results are added up by, if there are any.
    pub(crate) fn groups(&self) -> Option<usize> {
        self.groups.map(Groups::count)
    }

    /// The number of tables of formulas, without those that distinguish groups.
    pub(crate) fn tables_of_rows(&self) -> usize {
        self.tables.len()
    }

    /// The largest absolute value of a result.
    pub(crate) fn largest_result(&self, output: usize) -> f64 {
        self.outputs[output].largest() * self.groups.map_or(1.0, |groups| groups.count() as f64)
    }

    /// The number of exponentials that are made: one for each column that tables read, and one for groups.
    pub(crate) fn exponentials(&self) -> usize {
        self.columns_in_use().len() + usize::from(self.groups.is_some())
    }

    /// The number of ciphertexts in the union bound on failures: all columns, and one result, or all sums by groups.
    pub(crate) fn failing_parts(&self) -> usize {
        let results = if self.groups.is_some() { self.outputs.len() } else { 1 };
        self.exponentials() + results
    }

    pub(crate) fn table(&self, index: usize) -> &UnitTable {
        &self.tables[index]
    }

    /// Numbers of the columns that some table reads.
    pub(crate) fn columns_in_use(&self) -> Vec<usize> {
        let used = |column: &usize| self.tables.iter().any(|table| table.column == *column);
        (0..self.columns).filter(used).collect()
    }

    /// The number of tables of a chunk that read each column, in the order in which columns are evaluated, without
    /// columns that no table reads.
    pub(crate) fn tables_per_column(&self, chunk: &Chunk) -> Vec<usize> {
        let mut counts = vec![0; self.columns];
        chunk.tables.iter().for_each(|&table| counts[self.tables[table].column] += 1);
        counts.retain(|&count| count > 0);
        counts
    }

    /// Whether an output has choices.
    pub(crate) fn has_choices(&self, output: usize) -> bool {
        !self.outputs[output].choices.is_empty()
    }

    /// Cuts all outputs into chunks with a limited number of tables each, term by term. Constants are in the first
    /// chunk.
    pub(crate) fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = vec![self.empty_chunk()];
        for (index, output) in self.outputs.iter().enumerate() {
            chunks[0].outputs[index].linear.constant = output.linear.constant;
            let linear = (0..output.linear.terms.len()).map(Term::Linear);
            for term in linear.chain((0..output.choices.len()).map(Term::Choice)) {
                let mut used = Vec::new();
                match term {
                    Term::Linear(k) => used.push(output.linear.terms[k].0),
                    Term::Choice(k) => output.choices[k].tables(&mut used),
                }
                let last = chunks.last().expect("the first chunk");
                let added = used.iter().filter(|table| !last.tables.contains(table)).count();
                if !last.tables.is_empty() && last.tables.len() + added > TABLES_OF_CHUNK {
                    chunks.push(self.empty_chunk());
                }
                let last = chunks.last_mut().expect("a chunk");
                last.tables.extend(used);
                last.tables.sort_unstable();
                last.tables.dedup();
                match term {
                    Term::Linear(k) => {
                        last.outputs[index].linear.terms.push(output.linear.terms[k]);
                    }
                    Term::Choice(k) => {
                        last.outputs[index].choices.push(output.choices[k].clone());
                    }
                }
            }
        }
        chunks
    }

    fn empty_chunk(&self) -> Chunk {
        Chunk { tables: Vec::new(), outputs: vec![Value::default(); self.outputs.len()] }
    }
}

impl Value {
    /// The depth of nested choices.
    pub(crate) fn height(&self) -> usize {
        let of_choice = |it: &Choice| 1 + it.then.height().max(it.otherwise.height());
        self.choices.iter().map(of_choice).max().unwrap_or(0)
    }

    /// The least and the largest value.
    pub(crate) fn range(&self) -> (i64, i64) {
        let Linear { constant, terms } = &self.linear;
        let (mut low, mut high) = (*constant, *constant);
        for &(_, weight) in terms {
            low = low.saturating_add(weight.min(0));
            high = high.saturating_add(weight.max(0));
        }
        for choice in &self.choices {
            let (then, otherwise) = (choice.then.range(), choice.otherwise.range());
            low = low.saturating_add(then.0.min(otherwise.0));
            high = high.saturating_add(then.1.max(otherwise.1));
        }
        (low, high)
    }

    /// The largest absolute value.
    pub(crate) fn largest(&self) -> f64 {
        let (low, high) = self.range();
        low.unsigned_abs().max(high.unsigned_abs()) as f64
    }
}

impl Choice {
    /// The largest difference between both sides.
    pub(crate) fn difference(&self) -> f64 {
        let (then, otherwise) = (self.then.range(), self.otherwise.range());
        then.1.abs_diff(otherwise.0).max(otherwise.1.abs_diff(then.0)) as f64
    }

    /// Numbers of all tables.
    fn tables(&self, found: &mut Vec<usize>) {
        found.push(self.bit);
        for value in [&self.then, &self.otherwise] {
            found.extend(value.linear.terms.iter().map(|&(table, _)| table));
            value.choices.iter().for_each(|choice| choice.tables(found));
        }
    }
}

/// Checks that outputs of a layer's tables are small enough for exact sums.
fn check_outputs(outputs: &[i64]) -> Result<()> {
    let value = outputs.iter().map(|output| output.unsigned_abs()).max().unwrap_or(0);
    check_within("size of an output of a layer's table", value, ..=MAX_OUTPUT)
}

/// Checks that formulas can be evaluated for this modulus of columns.
pub(super) fn check_modulus(input_modulus: u64) -> Result<()> {
    check_within("modulus of columns of formulas", input_modulus, MIN_MODULUS..=MAX_MODULUS)
}

/// The tables that were collected so far, keyed by column and outputs.
#[derive(Debug, Default)]
struct Tables {
    known: BTreeMap<UnitTable, usize>,
    /// Whether there were more tables than [`MAX_TABLES`].
    is_full: bool,
}

impl Tables {
    fn into_list(self) -> Vec<UnitTable> {
        let mut list: Vec<_> = self.known.into_iter().collect();
        list.sort_by_key(|(_, index)| *index);
        list.into_iter().map(|(table, _)| table).collect()
    }

    fn index(&mut self, table: UnitTable) -> usize {
        let next = self.known.len();
        if next == MAX_TABLES && !self.known.contains_key(&table) {
            self.is_full = true;
            return 0;
        }
        *self.known.entry(table).or_insert(next)
    }

    /// The linear form of a table: the least output, plus a weighted table of the outputs above it.
    fn linear(&mut self, column: usize, outputs: &[i64]) -> Linear {
        let low = outputs.iter().copied().min().unwrap_or(0);
        let above: Vec<u64> = outputs.iter().map(|output| output.abs_diff(low)).collect();
        let divisor = above.iter().copied().fold(0, greatest_common_divisor);
        let width = above.iter().copied().max().unwrap_or(0);
        let (Ok(weight), true) = (i64::try_from(width), divisor > 0) else {
            return Linear { constant: low, terms: Vec::new() };
        };
        // A table and its complement, the differences from its largest output, share one entry.
        let is_upper = above[0] > width / 2;
        let outputs = |above: u64| if is_upper { width - above } else { above } / divisor;
        let outputs = above.into_iter().map(outputs).collect();
        let table = self.index(UnitTable { column, outputs });
        let (constant, weight) =
            if is_upper { (low.saturating_add(weight), -weight) } else { (low, weight) };
        Linear { constant, terms: vec![(table, weight)] }
    }

    fn value(&mut self, formula: &Formula, modulus: u64) -> Value {
        match formula {
            Formula::Constant(constant) => Value::constant(*constant),
            Formula::Column(column) => {
                let outputs: Vec<i64> = (0..modulus as i64).collect();
                self.linear(*column, &outputs).into()
            }
            Formula::Table { column, outputs } => self.linear(*column, outputs).into(),
            Formula::Choice { column, within, then, otherwise } => {
                let holds: Vec<i64> =
                    (0..modulus).map(|value| i64::from(is_within(within, value))).collect();
                let [then, otherwise] = [then, otherwise].map(|it| self.value(it, modulus));
                self.choice(*column, &holds, then, otherwise)
            }
            Formula::Sum(terms) => {
                let mut sum = Value::default();
                for term in terms {
                    sum.add(self.value(term, modulus));
                }
                sum
            }
        }
    }

    fn choice(&mut self, column: usize, holds: &[i64], then: Value, otherwise: Value) -> Value {
        if then == otherwise || holds.iter().all(|&bit| bit == 0) {
            return otherwise;
        }
        if holds.iter().all(|&bit| bit == 1) {
            return then;
        }
        if then.is_constant() && otherwise.is_constant() {
            let of = |&bit: &i64| if bit == 1 { &then } else { &otherwise }.linear.constant;
            let outputs: Vec<i64> = holds.iter().map(of).collect();
            return self.linear(column, &outputs).into();
        }
        let first = holds[0];
        let (then, otherwise) = if first == 1 { (otherwise, then) } else { (then, otherwise) };
        let outputs = holds.iter().map(|&bit| u64::from(bit != first)).collect();
        let bit = self.index(UnitTable { column, outputs });
        Value { linear: Linear::default(), choices: vec![Choice { bit, then, otherwise }] }
    }
}

impl Linear {
    fn times(&self, factor: i64) -> Self {
        let terms = self.terms.iter();
        Self {
            constant: self.constant.saturating_mul(factor),
            terms: terms.map(|&(table, weight)| (table, weight.saturating_mul(factor))).collect(),
        }
    }
}

impl From<Linear> for Value {
    fn from(linear: Linear) -> Self {
        Self { linear, choices: Vec::new() }
    }
}

impl Value {
    fn constant(constant: i64) -> Self {
        Linear { constant, terms: Vec::new() }.into()
    }

    fn is_constant(&self) -> bool {
        self.choices.is_empty() && self.linear.terms.is_empty()
    }

    fn add(&mut self, other: Self) {
        self.linear.constant = self.linear.constant.saturating_add(other.linear.constant);
        for (table, weight) in other.linear.terms {
            match self.linear.terms.iter_mut().find(|(known, _)| *known == table) {
                Some((_, sum)) => *sum = sum.saturating_add(weight),
                None => self.linear.terms.push((table, weight)),
            }
        }
        self.linear.terms.retain(|&(_, weight)| weight != 0);
        self.choices.extend(other.choices);
    }
}
