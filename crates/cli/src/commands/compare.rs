//! `cryptable plan`: which modes serve a table, and how long each takes.

use std::fmt;

use anyhow::Result;
use cryptable::{Parameters, leveled, measure_unit, single};
use serde::Serialize;

use super::{
    bits_plan, plan, plan_bits_parameters, plan_parameters, plan_single_parameters, single_plan,
    threads,
};
use crate::args::{Global, ParameterArgs, PlanArgs};
use crate::mode::Mode;
use crate::progress;
use crate::report::{self, bytes, seconds};

/// Speed-up of a lookup for each doubling of the threads.
const SPEEDUP_PER_DOUBLING: f64 = 1.8;

/// Largest input modulus for which single values are considered: none larger is served.
const MAX_SINGLE_MODULUS: u64 = 1 << 6;

/// What times are predicted for.
pub struct Machine {
    /// Seconds of a unit.
    pub unit: f64,
    /// Worker threads.
    pub threads: usize,
}

impl Machine {
    /// How much faster all threads are than one, if work comes in so many parts.
    pub fn speedup(&self, parts: u64) -> f64 {
        let busy = (self.threads as u64).min(parts).max(1) as f64;
        busy.powf(SPEEDUP_PER_DOUBLING.log2())
    }
}

/// All parameters of one mode that serve a request, the fastest first.
enum Served {
    Packed(Vec<Parameters>),
    Single(Vec<single::Parameters>),
    Bits(Vec<leveled::Parameters>),
}

impl Served {
    /// # Errors
    /// If the mode does not serve the request.
    fn find(mode: Mode, args: &ParameterArgs) -> Result<Self> {
        Ok(match mode {
            Mode::Packed => Self::Packed(plan_parameters(args)?),
            Mode::Single => Self::Single(plan_single_parameters(args)?),
            Mode::Bits => Self::Bits(plan_bits_parameters(args)?),
        })
    }

    /// Its line in a comparison.
    fn line(&self, values: u64, machine: &Machine) -> Line {
        let (mode, eval_s, key_file_bytes) = match self {
            Self::Packed(all) => {
                let key_bytes = all[0].prediction().key_file_bytes;
                (Mode::Packed, plan::eval_seconds(&all[0], values, machine), key_bytes)
            }
            Self::Single(all) => {
                let eval_s = single_plan::eval_seconds(&all[0], values, machine);
                (Mode::Single, eval_s, all[0].prediction().key_file_bytes)
            }
            Self::Bits(all) => {
                let eval_s = bits_plan::eval_seconds(&all[0], values, machine);
                (Mode::Bits, eval_s, all[0].prediction().key_file_bytes)
            }
        };
        Line { mode, eval_s, key_file_bytes: key_file_bytes as u64 }
    }
}

/// Predicts and prints. Without a mode, packed values are planned for, or, if their number is given, the mode that is
/// fastest for so many; and all modes are compared.
///
/// # Errors
/// If no parameters serve the request.
pub fn run(global: Global, args: &PlanArgs) -> Result<()> {
    let spinner = progress::spinner(global, "planning");
    let machine = Machine { unit: measure_unit(), threads: threads(global) };
    let args = &args.parameters;
    let (values, mut served) = (args.count.unwrap_or(1), served(args)?);
    let mut lines: Vec<Line> = served.iter().map(|found| found.line(values, &machine)).collect();
    lines.sort_by(|a, b| a.eval_s.total_cmp(&b.eval_s));
    if args.count.is_some() {
        let fastest = lines[0].mode;
        served.sort_by_key(|found| found.line(values, &machine).mode != fastest);
    }
    // One mode alone is what was asked for.
    let modes = if lines.len() > 1 { lines } else { Vec::new() };
    let comparison = Comparison { compared_values: values, modes };
    spinner.finish_and_clear();
    match &served[0] {
        Served::Packed(all) => {
            report::result(global, &plan::Plan::new(all, args.count, &machine, comparison))
        }
        Served::Single(all) => {
            report::result(global, &single_plan::Plan::new(all, values, &machine, comparison))
        }
        Served::Bits(all) => {
            report::result(global, &bits_plan::Plan::new(all, values, &machine, comparison))
        }
    }
}

/// The mode that the arguments ask for; if they leave it open, packed values first, then others that serve.
fn served(args: &ParameterArgs) -> Result<Vec<Served>> {
    if args.mode.is_some() || args.has_packed_options() || args.insecure_toy {
        return Ok(vec![Served::find(args.mode.unwrap_or(Mode::Packed), args)?]);
    }
    let packed = Served::find(Mode::Packed, args);
    let is_small = super::moduli(args).0 <= MAX_SINGLE_MODULUS;
    let others = [(Mode::Single, is_small), (Mode::Bits, true)];
    let others = others.into_iter().filter(|&(_, is_tried)| is_tried);
    let others: Vec<Served> =
        others.filter_map(|(mode, _)| Served::find(mode, args).ok()).collect();
    match packed {
        Ok(packed) => Ok(std::iter::once(packed).chain(others).collect()),
        Err(_) if args.count.is_some() && !others.is_empty() => Ok(others),
        Err(error) => Err(error),
    }
}

/// One mode among others.
#[derive(Serialize)]
struct Line {
    mode: Mode,
    /// Predicted time of all values.
    eval_s: f64,
    key_file_bytes: u64,
}

/// Modes side by side, the fastest first; empty if only one was asked for.
#[derive(Serialize)]
pub struct Comparison {
    compared_values: u64,
    modes: Vec<Line>,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modes.is_empty() {
            return Ok(());
        }
        match self.compared_values {
            1 => writeln!(f, "\none value alone, the least latency first")?,
            count => writeln!(f, "\n{count} values, the fastest mode first")?,
        }
        for Line { mode, eval_s, key_file_bytes } in &self.modes {
            let (time, key) = (seconds(*eval_s), bytes(*key_file_bytes));
            writeln!(f, "  {:<14} {time:>10}, keys of {key}", mode.option())?;
        }
        Ok(())
    }
}
