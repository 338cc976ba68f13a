//! `cryptable keygen`: generation of the client's and the server's key.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use cryptable::engines::packed::{self, EntryKind};
use cryptable::{Engine, Goal, KeyParameters, Parameters};
use cryptable_wire::MappedFile;
use serde_json::json;

use super::explain;
use super::key_files::KeyFiles;
use super::parameters::{self, ParameterReport};
use super::plan::plan_job;
use crate::args::{Global, KeygenArgs, ParameterArgs};
use crate::report::{self, Report, counted, seconds};
use crate::{input_file, key_input};

/// Generates both keys.
pub fn run(global: Global, mut args: KeygenArgs) -> Result<()> {
    let key_files = args.key_files();
    let files = KeyFiles::new(&key_files)?;
    let mut note = None;
    let choice = match (&args.job, &args.plan) {
        (Some(job), _) => {
            let planned = plan_job(global, job)?;
            Choice::new(planned.parameters, planned.reason)
        }
        (None, Some(path)) => Choice::of_plan(global, path)?,
        (None, None) => {
            note = parameters::resolve_table(&mut args.parameters)?;
            match args.insecure_toy {
                true => choose_toy(&args.parameters)?,
                false => choose(&args.parameters)?,
            }
        }
    };
    let (key_id, files, keygen_s) = files.generate(global, &choice.parameters)?;
    let parameters = ParameterReport::new(&choice.parameters);
    let purpose = parameters.purpose();
    let (security, failures) = (parameters.security(), parameters.failures());
    let reason = match parameters.engine {
        Some(engine) => format!("engine {} ({})", explain::engine(engine), choice.reason),
        None => choice.reason.clone(),
    };
    let text = [
        format!("keys {key_id} for {purpose}: {security}, {failures}, {}\n", seconds(keygen_s)),
        format!("  {reason}\n  method {}\n", parameters.named_method),
        files.text,
    ];
    let mut fields = json!(parameters);
    let key_id = key_id.to_string();
    let own = json!({ "reason": choice.reason, "key_id": key_id, "keygen_s": keygen_s });
    [own, files.fields].iter().for_each(|more| report::extend(&mut fields, more));
    report::summary(global, &Report { fields, text: text.concat() })?;
    report::note(global, note.as_ref());
    Ok(())
}

/// The chosen parameters and the reason for them.
struct Choice {
    parameters: KeyParameters,
    reason: String,
}

impl Choice {
    /// Creates a choice.
    fn new(parameters: impl Into<KeyParameters>, reason: impl Into<String>) -> Self {
        Self { parameters: parameters.into(), reason: reason.into() }
    }

    /// Reads the parameters from a plan's file.
    fn of_plan(global: Global, path: &Path) -> Result<Self> {
        let options = global.read_options();
        let read = |file: &Arc<MappedFile>| KeyParameters::from_file((**file).as_ref(), options);
        let parameters = key_input::read_mapped(path, read)?;
        Ok(Self::new(parameters, format!("of {}", input_file::name(path))))
    }
}

/// Chooses packed parameters, unless they do not support the tables, or the options request the best ones of all engines.
fn choose(args: &ParameterArgs) -> Result<Choice> {
    let request = parameters::request(args);
    let best = |request: &cryptable::Request| -> cryptable::Result<Parameters> {
        Ok(parameters::plan(request, args)?.best().parameters().clone())
    };
    let reason = if args.mode.is_some() {
        "as requested".to_owned()
    } else if let Some(Goal::Latency) = args.goal {
        "it returns the first result soonest".to_owned()
    } else if let Some(values) = args.values {
        format!("the fastest for {}", counted(values, "value"))
    } else if args.inputs.is_some() {
        "the fastest for a full ciphertext".to_owned()
    } else {
        match best(&request.clone().engine(Engine::Packed)) {
            Ok(parameters) => {
                return Ok(Choice::new(parameters, "the default; plan compares all"));
            }
            Err(error) => format!("packed, the default, does not support this: {error}"),
        }
    };
    let parameters = best(&request).map_err(|error| parameters::with_hint(error, args))?;
    Ok(Choice::new(parameters, reason))
}

/// Values in a ciphertext of toys with complex outputs.
const TOY_COMPLEX_VALUES: usize = 8;

fn choose_toy(args: &ParameterArgs) -> Result<Choice> {
    let (input, output) = parameters::moduli(args);
    let asked = args.mode.or(args.inputs);
    let reason = if asked.is_some() { "as requested" } else { "the default" }.to_owned();
    let has_entries = args.table_kind.is_some_and(|kind| kind != EntryKind::Shared);
    let parameters = match (args.mode, args.inputs) {
        _ if args.word_length.is_some() || args.hide_table.is_some() => {
            let plan = parameters::request(args).insecure_toy().plan()?;
            plan.best().parameters().clone()
        }
        (None | Some(Engine::Packed), None) if has_entries => {
            packed::Parameters::insecure_toy_entries(input, output)?.into()
        }
        (None | Some(Engine::Packed), None) if args.complex_outputs => {
            packed::Parameters::insecure_toy_complex(input, output, TOY_COMPLEX_VALUES)?.into()
        }
        (None | Some(Engine::Packed), Some(Engine::Single)) => {
            Parameters::insecure_bridged_toy(input, output)?
        }
        _ => Parameters::insecure_toy(asked.unwrap_or(Engine::Packed), input, output)?,
    };
    Ok(Choice::new(parameters, reason))
}
