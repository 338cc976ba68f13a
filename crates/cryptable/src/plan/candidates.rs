//! The candidates of engines for a request.

use crate::engines::packed::EntryKind;
use crate::engines::{bridged, leveled, packed, single};
use crate::request::Lookups;
use crate::{Engine, Error, Parameters, Request, Result};

/// Largest input modulus for which single values are considered. No larger one is possible, and a search is slow.
const MAX_SINGLE_MODULUS: u64 = 1 << 6;

/// Largest number of packed values for which half the default ring degree is tried as well.
const MOST_FEW_VALUES: usize = 1 << 12;

/// Half the default ring degree.
const DEGREE_OF_FEW_VALUES: usize = 1 << 15;

/// A way to look up values.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// Lookup with the engine that encrypts the values.
    Same(Engine),
    /// Lookup with the packed engine, after the server has packed values that were encrypted one by one.
    Bridged,
}

impl Way {
    /// Returns the engine that looks values up.
    pub(super) fn engine(self) -> Engine {
        match self {
            Self::Same(engine) => engine,
            Self::Bridged => Engine::Packed,
        }
    }
}

/// Returns the ways that a request allows.
///
/// # Errors
/// If the request's engine never looks up values of the engine that encrypts them.
pub(super) fn ways(request: &Request) -> Result<Vec<Way>> {
    let Lookups { mut engine, inputs, .. } = request.job;
    if has_chains(request) {
        let asked = *engine.get_or_insert(Engine::Leveled);
        if asked != Engine::Leveled {
            let what =
                format!("automata and chains of CMUXes with the engine {asked}: use leveled");
            return Err(Error::Unsupported(what));
        }
    }
    let all = match inputs {
        None => Engine::ALL.map(Way::Same).to_vec(),
        Some(Engine::Single) => vec![Way::Same(Engine::Single), Way::Bridged],
        Some(encrypting) => vec![Way::Same(encrypting)],
    };
    let open: Vec<Way> =
        all.into_iter().filter(|way| engine.is_none_or(|e| e == way.engine())).collect();
    match (open.is_empty(), engine, inputs) {
        (true, Some(engine), Some(inputs)) => Err(Error::Unsupported(format!(
            "lookups by the engine {engine} of values of the engine {inputs}"
        ))),
        _ => Ok(open),
    }
}

/// Returns whether the request is for words or chains.
fn has_chains(request: &Request) -> bool {
    request.job.word_length > 0 || request.job.chain > 0
}

/// Returns the parameters of one way. The request may name a method as in options, or in full as plans show it.
pub(super) fn of(way: Way, request: &Request) -> Result<Vec<Parameters>> {
    let found = all_candidates(way, request);
    let (Some(name), Err(error)) = (&request.job.method, &found) else { return found };
    // Other errors are not about the name.
    if !matches!(error, Error::Unsupported(_)) {
        return found;
    }
    let mut any_method = request.clone();
    any_method.job.method = None;
    let Ok(mut named) = all_candidates(way, &any_method) else { return found };
    named.retain(|parameters| parameters.method_name().eq_ignore_ascii_case(name));
    if named.is_empty() { found } else { Ok(named) }
}

fn all_candidates(way: Way, request: &Request) -> Result<Vec<Parameters>> {
    fn all<P: Into<Parameters>>(found: Vec<P>) -> Vec<Parameters> {
        found.into_iter().map(Into::into).collect()
    }
    if request.limits.insecure_toy {
        return Ok(vec![toy(way, request)?]);
    }
    Ok(match way {
        Way::Same(Engine::Packed) => all(packed_candidates(&packed_request(request)?)?),
        Way::Same(Engine::Single) => {
            let mut found = single::Parameters::candidates(&single_request(request)?)?;
            retain_lookups_in_a_row(&mut found, request.job.lookups_in_a_row)?;
            all(found)
        }
        Way::Same(Engine::Leveled) => {
            all(leveled::Parameters::candidates(&leveled_request(request)?)?)
        }
        Way::Bridged if request.job.complex_outputs => {
            return Err(unserved_complex("of single values"));
        }
        Way::Bridged if !request.job.owners.is_one() => {
            return Err(unserved_owners("of single values"));
        }
        Way::Bridged if request.job.hidden_bits.is_some() => {
            return Err(unserved_hiding("of single values"));
        }
        Way::Bridged if request.job.entries != EntryKind::Shared => {
            return Err(unserved_entries("of single values", request.job.entries));
        }
        Way::Bridged => all(bridged::Parameters::candidates(&packed_request(request)?)?),
    })
}

/// Returns the toy parameters of a way, for tests.
fn toy(way: Way, request: &Request) -> Result<Parameters> {
    let Lookups { input_modulus, output_modulus, owners, hidden_bits, .. } = request.job;
    match (way, hidden_bits) {
        (Way::Same(Engine::Single), Some(0..=40)) => {
            return Ok(
                single::Parameters::insecure_toy_hidden(input_modulus, output_modulus)?.into()
            );
        }
        (Way::Same(Engine::Packed), Some(bits)) => {
            let toy = packed::Parameters::insecure_toy_hidden;
            return Ok(toy(input_modulus, output_modulus, bits)?.into());
        }
        (_, Some(_)) => return Err(unserved_hiding("by these toys")),
        _ => {}
    }
    match way {
        Way::Same(Engine::Leveled) if has_chains(request) => {
            Ok(leveled::Parameters::insecure_toy_for(&leveled_request(request)?)?.into())
        }
        Way::Same(Engine::Packed) if !owners.is_one() => {
            let toy = packed::Parameters::insecure_toy_of_owners;
            Ok(toy(input_modulus, output_modulus, owners)?.into())
        }
        Way::Same(engine) => Parameters::insecure_toy(engine, input_modulus, output_modulus),
        Way::Bridged => {
            Ok(bridged::Parameters::insecure_toy(input_modulus, output_modulus)?.into())
        }
    }
}

/// Retains the parameters of single values that allow `wanted` lookups in a row.
fn retain_lookups_in_a_row(found: &mut Vec<single::Parameters>, wanted: u32) -> Result<()> {
    let count = |parameters: &single::Parameters| {
        parameters.sum_limits().lookups_in_a_row.unwrap_or(u32::MAX)
    };
    let most = found.iter().map(count).max().unwrap_or(u32::MAX);
    if most < wanted {
        let (name, value) = ("number of lookups in a row", wanted.into());
        return Err(Error::TooLarge { name, value, limit: most.into() });
    }
    found.retain(|parameters| count(parameters) >= wanted);
    Ok(())
}

/// Returns the candidates at the requested ring degree, or by default at the usual degree and at the one for few
/// values.
fn packed_candidates(request: &packed::Request) -> Result<Vec<packed::Parameters>> {
    let found = packed::Parameters::candidates(request);
    let is_few = request.count.is_some_and(|count| count <= MOST_FEW_VALUES);
    if request.ring_degree.is_some() || !is_few {
        return found;
    }
    let of_few = packed::Request { ring_degree: Some(DEGREE_OF_FEW_VALUES), ..*request };
    match (found, packed::Parameters::candidates(&of_few)) {
        (Ok(mut found), Ok(few)) => {
            found.extend(few);
            Ok(found)
        }
        (Err(_), Ok(few)) => Ok(few),
        (found, Err(_)) => found,
    }
}

pub(super) fn packed_request(request: &Request) -> Result<packed::Request> {
    let method = request.job.method.as_deref().map(packed::Method::parse_with_order).transpose()?;
    Ok(packed::Request {
        ring_degree: request.job.ring_degree,
        count: request.limits.count().map(|count| count.min(1 << 17)),
        method: method.map(|(method, _)| method),
        order: method.and_then(|(_, order)| order),
        lookups_in_a_row: request.job.lookups_in_a_row,
        digit_bits: request.job.digit_bits,
        memory: request.limits.memory,
        tables: request.job.tables,
        log2_fail: request.limits.log2_fail,
        entries: request.job.entries,
        complex_outputs: request.job.complex_outputs,
        owners: request.job.owners,
        hidden_bits: request.job.hidden_bits,
        ..packed::Request::new(request.job.input_modulus, request.job.output_modulus)
    })
}

fn single_request(request: &Request) -> Result<single::Request> {
    refuse_packed_options(Engine::Single, request)?;
    if request.job.input_modulus > MAX_SINGLE_MODULUS {
        let value = request.job.input_modulus;
        let name = "input modulus of single values";
        return Err(Error::TooLarge { name, value, limit: MAX_SINGLE_MODULUS });
    }
    Ok(single::Request {
        method: request.job.method.clone(),
        log2_fail: request.limits.log2_fail,
        hidden_bits: request.job.hidden_bits,
        ..single::Request::new(request.job.input_modulus, request.job.output_modulus)
    })
}

fn leveled_request(request: &Request) -> Result<leveled::Request> {
    if request.job.lookups_in_a_row > 1 {
        let what = "lookups of results with the engine leveled: its inputs are other ciphertexts";
        return Err(Error::Unsupported(what.into()));
    }
    refuse_packed_options(Engine::Leveled, request)?;
    let method = request.job.method.as_deref().map(str::parse).transpose()?;
    Ok(leveled::Request {
        method,
        log2_fail: request.limits.log2_fail,
        word_length: request.job.word_length,
        chain: request.job.chain,
        ..leveled::Request::new(request.job.input_modulus, request.job.output_modulus)
    })
}

/// Refuses options that only the packed engine has. The other engines have one ring degree and no tree digits.
fn refuse_packed_options(engine: Engine, request: &Request) -> Result<()> {
    if request.job.entries != EntryKind::Shared {
        return Err(unserved_entries(&format!("with the engine {engine}"), request.job.entries));
    }
    if request.job.complex_outputs {
        return Err(unserved_complex(&format!("with the engine {engine}")));
    }
    if !request.job.owners.is_one() {
        return Err(unserved_owners(&format!("with the engine {engine}")));
    }
    if request.job.hidden_bits.is_some() && engine != Engine::Single {
        return Err(unserved_hiding(&format!("with the engine {engine}")));
    }
    let option = match (request.job.ring_degree, request.job.digit_bits) {
        (Some(_), _) => "a chosen ring degree",
        (None, Some(_)) => "a chosen digit width",
        (None, None) => return Ok(()),
    };
    Err(Error::Unsupported(format!(
        "{option} with the engine {engine}: only packed values support it"
    )))
}

/// Returns the error for a kind of entries that only the packed engine has.
fn unserved_entries(place: &str, entries: EntryKind) -> Error {
    Error::Unsupported(format!("{entries} {place}: only packed values support it"))
}

/// Returns the error for a key of several owners, which only the packed engine has.
fn unserved_owners(place: &str) -> Error {
    Error::Unsupported(format!("several owners {place}: only packed values support them"))
}

/// Returns the error for hidden tables, which only packed values support, and single values that are looked up one by
/// one.
fn unserved_hiding(place: &str) -> Error {
    Error::Unsupported(format!(
        "hidden tables {place}: only packed values of up to 10 bits and single values that are looked up one by one \
         support them"
    ))
}

/// Returns the error for complex outputs, which only the packed engine has.
fn unserved_complex(place: &str) -> Error {
    Error::Unsupported(format!("complex outputs {place}: only packed values support them"))
}
