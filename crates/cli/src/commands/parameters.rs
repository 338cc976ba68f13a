//! Conversion of options to requests, and reports of parameters.

use std::fmt;

use anyhow::{Result, ensure};
use cryptable::bridges::Target;
use cryptable::engines::packed;
use cryptable::jobs::Lookups;
use cryptable::packed_gates::ConversionParameters;
use cryptable::{
    Engine, FailureProbability, KeyKind, KeyParameters, Limits, Parameters, Plan, Request,
    SecurityLevel, memory,
};
use cryptable_wire::hex;
use serde::Serialize;

use super::explain;
use super::table_files;
use crate::args::{ParameterArgs, TableArgs};
use crate::formats::csv::ReadNote;
use crate::formats::table::Moduli;

/// Reads the table that parameters are chosen for, and replaces it by its moduli in the options. Returns a summary of
/// what was read.
pub fn resolve_table(args: &mut ParameterArgs) -> Result<Option<ReadNote>> {
    let Some(path) = args.table.take() else {
        ensure!(
            args.reading == TableArgs::default(),
            "options of tables, such as --header, --default and --dictionary, need --table"
        );
        return Ok(None);
    };
    let stated = args.output_bits.take().map(|bits| 1 << bits).or(args.output_modulus);
    let moduli = Moduli { input: args.max_input.map(|largest| largest + 1), output: stated };
    let (table, note) = table_files::read(&args.reading, &path, moduli)?;
    args.modulus = Some(table.input_modulus());
    args.output_modulus = Some(table.output_modulus());
    Ok(note)
}

/// Returns the moduli that the options request, once their table is resolved.
pub fn moduli(args: &ParameterArgs) -> (u64, u64) {
    let input = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let output = args.output_bits.map(|bits| 1 << bits).or(args.output_modulus);
    let input = input.expect("clap requires one of bits, modulus and table");
    (input, output.unwrap_or(input))
}

/// Returns the bytes of memory that parameters may need: the limit that the options state or, by default, the memory of this
/// machine and its container.
pub fn memory_limit(args: &ParameterArgs) -> Option<usize> {
    args.memory.or_else(memory::in_all)
}

/// Plans a request with these options. If they state no memory limit and the best parameters need more memory than this
/// machine has, plans again within the machine's memory.
pub fn plan(request: &Request, args: &ParameterArgs) -> cryptable::Result<Plan> {
    let plan = request.plan()?;
    match memory_limit(args) {
        Some(limit) if plan.best().prediction().peak_bytes() > limit => {
            request.clone().memory(limit).plan()
        }
        _ => Ok(plan),
    }
}

/// Builds the request from the options.
pub fn request(args: &ParameterArgs) -> Request {
    let (input, output) = moduli(args);
    let request = Request::new(input, output).limits(Limits {
        values: args.values,
        memory: args.memory,
        log2_fail: args.log2_fail,
        goal: args.goal.unwrap_or_default(),
        ..Limits::default()
    });
    let request = args.mode.into_iter().fold(request, Request::<Lookups>::engine);
    let request = args.inputs.into_iter().fold(request, Request::inputs);
    let request = args.method.clone().into_iter().fold(request, Request::method);
    let request = args.lookups.into_iter().fold(request, Request::lookups);
    let bandwidth = args.bandwidth.map(|bytes| bytes as u64);
    let request = bandwidth.into_iter().fold(request, Request::bandwidth);
    let request = args.table_kind.into_iter().fold(request, Request::entries);
    let request = if args.complex_outputs { request.complex_outputs() } else { request };
    let request = args.hide_table.into_iter().fold(request, Request::hide_table);
    let request = args.tables.map(usize::from).into_iter().fold(request, Request::tables);
    let request = args.lookups_in_a_row.into_iter().fold(request, Request::lookups_in_a_row);
    let word_length = args.word_length.map(|length| length as usize);
    let request = word_length.into_iter().fold(request, Request::word_length);
    let request = args.ring_degree.into_iter().fold(request, Request::<Lookups>::ring_degree);
    args.digit_bits.into_iter().fold(request, Request::<Lookups>::digit_bits)
}

/// Adds a hint to an error: which other engines support the request, or how to plan for a machine with more memory.
pub fn with_hint(error: cryptable::Error, args: &ParameterArgs) -> anyhow::Error {
    if matches!(error, cryptable::Error::Memory { .. }) && args.memory.is_none() {
        return anyhow::anyhow!(
            "{error}; this machine has no more: --memory SIZE plans for another machine"
        );
    }
    let Some(asked) = args.mode else { return error.into() };
    let serves = |&engine: &Engine| engine != asked && request(args).engine(engine).plan().is_ok();
    let others: Vec<String> =
        Engine::ALL.iter().filter(|engine| serves(engine)).map(|e| format!("--mode {e}")).collect();
    match others.len() {
        0 => error.into(),
        1 => anyhow::anyhow!("{error}; {} supports it", others[0]),
        _ => anyhow::anyhow!("{error}; {} support it", others.join(" and ")),
    }
}

/// Describes the security of parameters, with a warning if there is none; only tests of this program use such parameters.
pub fn security(level: SecurityLevel, bits: f64) -> String {
    match level {
        SecurityLevel::Insecure => "INSECURE, for tests only".into(),
        SecurityLevel::Bits128 => format!("{bits:.1} bits of security"),
    }
}

/// Returns a warning for parameters that readers refuse by default.
pub fn warning(level: SecurityLevel, failures: FailureProbability) -> Option<String> {
    if level.is_insecure() {
        return Some("INSECURE toy parameters, for tests only".into());
    }
    let limit = FailureProbability::READ_LIMIT;
    (failures > limit)
        .then(|| format!("INSECURE: a value fails with probability {failures}, above {limit}"))
}

/// The report of parameters for any kind of key.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterReport {
    /// Kind of the keys.
    pub kind: &'static str,
    /// Engine, if the keys belong to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// Method that evaluates tables, or name of the set.
    pub method: String,
    /// Input modulus of tables, for keys that look tables up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_modulus: Option<u64>,
    /// Output modulus of tables, for keys that look tables up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_modulus: Option<u64>,
    pub ring_degree: usize,
    /// Levels after a bootstrap, if operations use up levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<usize>,
    pub security_bits: f64,
    pub security_level: SecurityLevel,
    /// Base-2 logarithm of the probability that any value of a ciphertext fails, or a block in transciphering.
    pub log2_fail: f64,
    /// Number of values that are encrypted together.
    pub values_per_ciphertext: usize,
    /// Base-2 logarithm of the probability that one value fails.
    pub log2_fail_per_value: f64,
    pub parameter_digest: String,
    /// The method, followed by its explanation.
    #[serde(skip)]
    pub named_method: String,
}

impl ParameterReport {
    /// Creates the report of parameters of any kind.
    pub fn new(parameters: impl Into<KeyParameters>) -> Self {
        let parameters = &parameters.into();
        let kind = parameters.kind();
        let mut report = Self {
            kind: kind.name(),
            engine: kind.engine(),
            method: kind.name().to_owned(),
            input_modulus: None,
            output_modulus: None,
            ring_degree: 0,
            levels: None,
            security_bits: parameters.security_bits(),
            security_level: parameters.security_level(),
            log2_fail: parameters.log2_fail(),
            values_per_ciphertext: 1,
            log2_fail_per_value: parameters.value_failure_probability().log2(),
            parameter_digest: hex(&parameters.digest()),
            named_method: String::new(),
        };
        report.describe(parameters);
        if report.named_method.is_empty() {
            report.named_method.clone_from(&report.method);
        }
        report
    }

    /// Sets the method and the fields that depend on the kind of keys.
    fn describe(&mut self, parameters: &KeyParameters) {
        match parameters {
            KeyParameters::Lookups(it) => {
                self.named_method = explain::named_method(it);
                self.look_up(it, it.method_name());
            }
            KeyParameters::IntegerBridge(it) => {
                self.look_up_and_go_on(it.packed(), &Target::name(it.single()));
            }
            KeyParameters::LeveledBridge(it) => {
                self.look_up_and_go_on(it.packed(), &Target::name(it.single()));
            }
            KeyParameters::Transciphering(it) => {
                self.method = "AES-128 by circuit bootstrapping".to_owned();
                self.named_method = format!(
                    "{}: bytes of AES in counter mode become bits encrypted one by one (Wang et al., EUROCRYPT 2024)",
                    self.method
                );
                self.ring_degree = it.circuit_bootstrapping().fhew().ring_degree();
            }
            KeyParameters::Bits(it) => {
                self.method.clone_from(&it.literal().name);
                self.ring_degree = it.literal().ring_degree;
                self.levels = Some(it.levels_after_bootstrap());
                self.values_per_ciphertext = it.bits();
            }
            KeyParameters::Ckks(it) => {
                self.method = "CKKS".to_owned();
                self.ring_degree = it.literal().ring_degree;
                self.levels = Some(it.levels());
                self.values_per_ciphertext = it.slots();
            }
            KeyParameters::Gates(it) => {
                self.method = "FHEW gates".to_owned();
                self.ring_degree = it.fhew().ring_degree();
            }
            KeyParameters::LargeValues(it) => {
                self.method = format!("FHEW, integers of {} bits", it.bits());
                self.ring_degree = it.fhew().ring_degree();
            }
            _ => {}
        }
    }

    /// Sets the fields of parameters that look tables up.
    fn look_up(&mut self, parameters: &Parameters, method: String) {
        self.method = method;
        self.input_modulus = Some(parameters.input_modulus());
        self.output_modulus = Some(parameters.output_modulus());
        self.ring_degree = parameters.ring_degree();
        self.values_per_ciphertext = parameters.values_per_ciphertext();
    }

    /// Sets the fields of packed parameters of a bridge to another end.
    fn look_up_and_go_on(&mut self, packed: &packed::Parameters, other_end: &str) {
        let method = format!("{}, to {other_end}", packed.method_name());
        self.look_up(&packed.clone().into(), method);
    }

    /// Creates the report of a conversion between single and packed values.
    pub fn of_conversion(set: &ConversionParameters) -> Self {
        let literal = set.literal();
        let method = format!("LWE modulo 2^{}", literal.log2_lwe_modulus);
        Self {
            kind: "conversion",
            engine: None,
            named_method: method.clone(),
            method,
            input_modulus: None,
            output_modulus: None,
            ring_degree: literal.ring_degree,
            levels: None,
            security_bits: set.security_bits(),
            security_level: literal.security,
            // Noise that conversions add counts towards the failure probability of the operation that follows.
            log2_fail: f64::NEG_INFINITY,
            values_per_ciphertext: 1,
            log2_fail_per_value: f64::NEG_INFINITY,
            parameter_digest: hex(&set.digest()),
        }
    }

    /// Describes the purpose of keys.
    pub fn purpose(&self) -> String {
        match (self.engine, self.input_modulus, self.output_modulus) {
            (Some(_), Some(input), Some(output)) => format!("tables {input} -> {output}"),
            _ => self.kind.to_owned(),
        }
    }

    /// Describes the failure probabilities.
    pub fn failures(&self) -> String {
        let Self { log2_fail, values_per_ciphertext, log2_fail_per_value, .. } = self;
        let what = match self.kind {
            kind if kind == KeyKind::Transciphering.name() => "block",
            kind if kind == KeyKind::Bits.name() => "bit",
            kind if kind == KeyKind::Gates.name() => "gate",
            _ => "value",
        };
        let one = format!("a {what} fails with probability 2^{log2_fail_per_value:.1}");
        match values_per_ciphertext {
            1 => one,
            values => {
                format!("{one}, a ciphertext of {values} values with 2^{log2_fail:.1}")
            }
        }
    }

    /// Describes the security.
    pub fn security(&self) -> String {
        security(self.security_level, self.security_bits)
    }
}

impl fmt::Display for ParameterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  method      {}", cryptable_wire::printable(&self.named_method))?;
        let ring_degree = self.ring_degree;
        match (self.input_modulus, self.output_modulus) {
            (Some(p), Some(q)) => write!(f, "  tables      {p} -> {q}, ring degree {ring_degree}")?,
            _ => write!(
                f,
                "  ring degree {ring_degree}, {} per ciphertext",
                self.values_per_ciphertext
            )?,
        }
        match self.levels {
            Some(levels) => writeln!(f, ", {levels} levels after a bootstrap")?,
            None => writeln!(f)?,
        }
        writeln!(f, "  security    {}", self.security())?;
        match self.log2_fail.is_finite() {
            true => writeln!(f, "  failures    {}", self.failures()),
            false => Ok(()),
        }
    }
}
