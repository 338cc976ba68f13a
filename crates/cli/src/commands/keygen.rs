//! `cryptable keygen`: the client's and the server's key.

use std::fmt;

use anyhow::Result;
use cryptable::engines::packed;
use cryptable::{Engine, Parameters};
use serde::Serialize;

use super::explain;
use super::key_files::{GeneratedKeys, KeyFiles};
use super::parameters::{self, ParameterReport};
use crate::args::{Global, GoalArg, KeygenArgs, ParameterArgs, TableKind};
use crate::report::{self, counted, seconds};

/// Generates both keys.
///
/// # Errors
/// If a key file exists and is not to be replaced, no parameters serve the request, or writing fails:
/// there is then no new file.
pub fn run(global: Global, args: &mut KeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    let note = parameters::resolve_table(&mut args.parameters)?;
    let Choice { parameters, reason } =
        if args.insecure_toy { choose_toy(&args.parameters)? } else { choose(&args.parameters)? };
    generate(global, files, parameters, reason)?;
    report::note(global, note.as_ref());
    Ok(())
}

/// Generates both keys for these parameters, and says why those.
///
/// # Errors
/// If writing fails: there is then no new file.
pub fn generate(
    global: Global,
    files: KeyFiles<'_>,
    parameters: Parameters,
    reason: String,
) -> Result<()> {
    let keys = files.generate(global, &parameters)?;
    let report = Report { parameters: ParameterReport::new(&parameters), reason, keys };
    report::summary(global, &report)
}

/// Parameters, and why those.
struct Choice {
    parameters: Parameters,
    reason: String,
}

/// Packed values, unless they do not serve the tables or the options ask for what is best.
///
/// # Errors
/// If no parameters serve the request.
fn choose(args: &ParameterArgs) -> Result<Choice> {
    let request = parameters::request(args);
    let best = |request: &cryptable::Request| -> cryptable::Result<Parameters> {
        Ok(request.plan()?.best().parameters().clone())
    };
    let reason = if args.mode.is_some() {
        "as asked for".to_owned()
    } else if let Some(GoalArg::Latency) = args.goal {
        "with it, the first result is there first".to_owned()
    } else if let Some(values) = args.values {
        format!("the fastest for {}", counted(values, "value"))
    } else if args.inputs.is_some() {
        "the fastest for a full ciphertext".to_owned()
    } else {
        match best(&request.clone().engine(Engine::Packed)) {
            Ok(parameters) => {
                let reason = "the default; plan compares all".to_owned();
                return Ok(Choice { parameters, reason });
            }
            Err(error) => format!("packed, the default, does not serve this: {error}"),
        }
    };
    let parameters = best(&request).map_err(|error| parameters::with_hint(error, args))?;
    Ok(Choice { parameters, reason })
}

fn choose_toy(args: &ParameterArgs) -> Result<Choice> {
    let (input, output) = parameters::moduli(args);
    let asked = args.mode.or(args.inputs);
    let reason = if asked.is_some() { "as asked for" } else { "the default" }.to_owned();
    let has_entries = args.table_kind.is_some_and(|kind| kind != TableKind::Shared);
    let parameters = match (args.mode, args.inputs) {
        (None | Some(Engine::Packed), None) if has_entries => {
            packed::Parameters::insecure_toy_entries(input, output)?.into()
        }
        (None | Some(Engine::Packed), Some(Engine::Single)) => {
            Parameters::insecure_bridged_toy(input, output)?
        }
        _ => Parameters::insecure_toy(asked.unwrap_or(Engine::Packed), input, output)?,
    };
    Ok(Choice { parameters, reason })
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    parameters: ParameterReport,
    /// Why this engine.
    reason: String,
    #[serde(flatten)]
    keys: GeneratedKeys,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = &self.parameters;
        let ParameterReport { input_modulus, output_modulus, .. } = parameters;
        let (security, failures) = (parameters.security(), parameters.failures());
        writeln!(
            f,
            "keys {} for tables {input_modulus} -> {output_modulus}: {security}, {failures}, {}",
            self.keys.key_id,
            seconds(self.keys.keygen_s)
        )?;
        if let Some(engine) = parameters.engine {
            writeln!(f, "  engine {} ({})", explain::engine(engine), self.reason)?;
        }
        writeln!(f, "  method {}", parameters.named_method)?;
        write!(f, "{}", self.keys.files)
    }
}
