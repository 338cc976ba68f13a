//! Automata in CSV files.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use cryptable::engines::leveled::{Automaton, Transition};

use super::lines::Lines;
use super::records::quoted;
use crate::input_file;

/// Columns of a line.
const COLUMNS: [&str; 4] = ["state", "symbol", "next", "weight"];

/// Largest number of states that are read. The automaton itself checks its number of states, too.
const MAX_STATES: u128 = 1 << 12;

/// Largest weight of a line: tables of weights have fewer entries.
const MAX_WEIGHT: u128 = 1 << 24;

/// The lines of one state.
#[derive(Clone, Debug, Default)]
struct State {
    on: HashMap<u64, Transition>,
    otherwise: Option<Transition>,
    last: Option<usize>,
}

/// Reads an automaton over `symbols` symbols.
///
/// # Errors
/// If the file cannot be read or does not have four columns, or if a transition is missing or stated twice.
pub fn read(path: &Path, symbols: u64) -> Result<Automaton> {
    let mut lines = Lines::open(path, COLUMNS)?;
    let mut states: Vec<State> = Vec::new();
    while lines.advance()? {
        add(&mut states, &lines, symbols)?;
    }
    let last = states.iter().map(|state| state.last.unwrap_or(0)).collect();
    let rows = states.iter().enumerate().map(|(number, state)| row(number, state, symbols));
    let name = || input_file::name(path);
    let rows = rows.collect::<Result<Vec<_>>>().with_context(name)?;
    let automaton = Automaton::new(rows).and_then(|automaton| automaton.with_final_weights(last));
    automaton.with_context(name)
}

/// Adds a line to its state.
fn add(states: &mut Vec<State>, line: &Lines<4>, symbols: u64) -> Result<()> {
    let state = line.below(0, MAX_STATES)? as usize;
    let weight = line.below(3, MAX_WEIGHT)? as usize;
    if states.len() <= state {
        states.resize(state + 1, State::default());
    }
    let (symbol, place) = (line.text(1)?, || line.place());
    if symbol == "end" {
        let next = line.text(2)?;
        ensure!(next.is_empty(), "{}: no state follows the end, but {}", place(), quoted(next));
        ensure!(
            states[state].last.replace(weight).is_none(),
            "{}: state {state} already has an end",
            place()
        );
        return Ok(());
    }
    let transition = Transition { next: line.below(2, MAX_STATES)? as usize, weight };
    let before = match symbol {
        "*" => states[state].otherwise.replace(transition),
        _ => states[state].on.insert(line.below(1, symbols.into())?, transition),
    };
    ensure!(before.is_none(), "{}: state {state} already has symbol {symbol}", place());
    Ok(())
}

/// Returns the transitions of a state on all symbols.
fn row(number: usize, state: &State, symbols: u64) -> Result<Vec<Transition>> {
    let of = |symbol: u64| {
        let found = state.on.get(&symbol).copied().or(state.otherwise);
        found.with_context(|| {
            format!(
                "state {number} has no line for symbol {symbol}; a line `{number},*,NEXT,WEIGHT` is for all without one"
            )
        })
    };
    (0..symbols).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_line_by_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path, 4).map_err(|error| format!("{error:#}"))
        };
        let pairs = "state,symbol,next,weight\n0,3,1,0\n0,*,0,0\n1,3,1,1\n1,*,0,0\n1,end,,5\n";
        let automaton = read(pairs).unwrap();
        assert_eq!(automaton.final_weights(), [0, 5]);
        assert_eq!(automaton.weight(&[3, 3, 3, 0, 3]).unwrap(), 2 + 5);
        assert_eq!(read("0;*;0;2\n").unwrap().weight(&[1, 2]).unwrap(), 4);
        let message = |text: &str| read(text).unwrap_err();
        assert!(message("0,*,0\n").contains("3 columns; there must be `state,symbol,next,weight`"));
        assert!(message("0,1,0,0\n").contains("state 0 has no line for symbol 0"));
        assert!(message("0,*,0,0\n0,4,0,0\n").contains("line 2, symbol: 4 is not below"));
        assert!(message("0,*,0,0\n0,*,0,1\n").contains("already has symbol *"));
        assert!(message("0,*,0,0\n0,end,,1\n0,end,,1\n").contains("already has an end"));
        assert!(message("0,end,0,1\n").contains("no state follows the end"));
        assert!(message("0,*,1,0\n").contains("next state"));
        assert!(message("0,*,x,0\n").contains("\"x\" is not an integer"));
    }
}
