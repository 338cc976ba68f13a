//! Reader of the JSON that Yosys' `write_json` writes.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::cells::Cell;
use super::cover::CoverForm;
use super::elaboration::{Bit, Function, Gate, Netlist, Port};
use super::error::{NetlistError, Place};
use super::limits;
use super::lut_cell;
use crate::circuit::Circuit;

/// Members of an object in the order of the file, duplicate names included: the order of ports matters.
struct Members<T>(Vec<(String, T)>);

impl<T> Default for Members<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each(PhantomData))
    }
}

#[derive(serde::Deserialize)]
struct Design {
    modules: Members<Module>,
}

#[derive(serde::Deserialize)]
struct Module {
    #[serde(default)]
    attributes: Members<serde_json::Value>,
    ports: Members<JsonPort>,
    cells: Members<JsonCell>,
}

#[derive(serde::Deserialize)]
struct JsonPort {
    direction: String,
    bits: Vec<JsonBit>,
}

#[derive(serde::Deserialize)]
struct JsonCell {
    r#type: String,
    #[serde(default)]
    parameters: Members<serde_json::Value>,
    connections: Members<Vec<JsonBit>>,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum JsonBit {
    Net(u64),
    Constant(String),
}

impl Module {
    /// Returns whether Yosys marked the module as top: an attribute with the number 1, or with binary digits for 1.
    fn is_top(&self) -> bool {
        self.attributes.0.iter().any(|(name, value)| {
            let set = match value {
                serde_json::Value::String(digits) => digits.contains('1'),
                other => other.as_u64().is_some_and(|number| number != 0),
            };
            name == "top" && set
        })
    }
}

/// Reads a circuit from the JSON of Yosys: the module `top`, else the module that Yosys marked, else the only one.
///
/// ```
/// use cryptable_circuits::netlist::read_yosys_json;
/// let text = r#"{"modules": {"inverter": {
///     "ports": {"a": {"direction": "input", "bits": [2]}, "y": {"direction": "output", "bits": [3, "0"]}},
///     "cells": {"g": {"type": "$_NOT_", "connections": {"A": [2], "Y": [3]}}}
/// }}}"#;
/// let circuit = read_yosys_json(text, None)?;
/// assert_eq!(circuit.evaluate_words(&[0])?, [1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the text is not such JSON, exceeds [`limits`], or the module is not a combinational circuit of known cells.
/// Errors name the cell or port.
pub fn read_yosys_json(text: &str, top: Option<&str>) -> Result<Circuit, NetlistError> {
    read_netlist(text, top)?.elaborate(CoverForm::Gates)
}

/// Reads a netlist like [`read_yosys_json`], in all forms that a schedule may choose from ([`crate::Plan::cheapest`]):
/// one with gates for all cells, and, if cells `$lut` have three to eight inputs, one with a table node for each of
/// these.
///
/// ```
/// use cryptable_circuits::netlist::read_yosys_json_forms;
/// let text = r#"{"modules": {"majority": {
///     "ports": {"a": {"direction": "input", "bits": [2, 3, 4]}, "y": {"direction": "output", "bits": [5]}},
///     "cells": {"t": {"type": "$lut", "parameters": {"LUT": "11101000", "WIDTH": "11"},
///         "connections": {"A": [2, 3, 4], "Y": [5]}}}
/// }}}"#;
/// let forms = read_yosys_json_forms(text, None)?;
/// assert_eq!(forms.iter().map(|form| form.statistics().tables).collect::<Vec<_>>(), [0, 1]);
/// for form in forms {
///     assert_eq!(form.evaluate_words(&[0b110])?, [1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`read_yosys_json`].
pub fn read_yosys_json_forms(text: &str, top: Option<&str>) -> Result<Vec<Circuit>, NetlistError> {
    read_netlist(text, top)?.forms()
}

fn read_netlist(text: &str, top: Option<&str>) -> Result<Netlist, NetlistError> {
    limits::check(|| Place::Text, "bytes", text.len(), limits::MAX_BYTES)?;
    let design: Design =
        serde_json::from_str(text).map_err(|error| NetlistError::Json(error.to_string()))?;
    let modules = design.modules.0;
    check_names("module", &modules)?;
    let tops: Vec<_> = modules.iter().filter(|(_, module)| module.is_top()).collect();
    let (name, module) = match (top, &modules[..], &tops[..]) {
        (Some(top), ..) => modules
            .iter()
            .find(|(name, _)| name == top)
            .ok_or_else(|| NetlistError::NoSuchModule(top.to_owned()))?,
        (None, [], _) => return Err(NetlistError::NoModule),
        (None, [only], _) => only,
        (None, _, [only]) => only,
        _ => {
            let names = modules.iter().map(|(name, _)| name.clone()).collect();
            return Err(NetlistError::SeveralModules(names));
        }
    };
    netlist(name, module)
}

fn check_names<T>(what: &'static str, members: &[(String, T)]) -> Result<(), NetlistError> {
    let mut names = HashSet::new();
    for (name, _) in members {
        limits::check(|| Place::Text, "bytes of a name", name.len(), limits::MAX_NAME)?;
        if !names.insert(name) {
            return Err(NetlistError::DuplicateName { what, name: name.clone() });
        }
    }
    Ok(())
}

/// Map from the net numbers of the file to numbers from 0.
#[derive(Default)]
struct Nets {
    numbers: HashMap<u64, usize>,
    names: Vec<String>,
}

impl Nets {
    fn bit(&mut self, bit: &JsonBit, place: &Place) -> Result<Bit, NetlistError> {
        match bit {
            JsonBit::Net(number) => {
                let next = self.names.len();
                let net = *self.numbers.entry(*number).or_insert(next);
                if net == next {
                    self.names.push(number.to_string());
                }
                Ok(Bit::Net(net))
            }
            JsonBit::Constant(text) => match text.as_str() {
                "0" => Ok(Bit::Constant(false)),
                "1" => Ok(Bit::Constant(true)),
                _ => {
                    let (place, bit) = (place.clone(), text.clone());
                    Err(NetlistError::UndefinedBit { place, bit })
                }
            },
        }
    }
}

fn netlist(name: &str, module: &Module) -> Result<Netlist, NetlistError> {
    check_names("port", &module.ports.0)?;
    check_names("cell", &module.cells.0)?;
    let mut nets = Nets::default();
    let mut netlist = Netlist { name: name.to_owned(), ..Netlist::default() };
    for (name, port) in &module.ports.0 {
        let place = Place::Port(name.clone());
        let list = match port.direction.as_str() {
            "input" => &mut netlist.inputs,
            "output" => &mut netlist.outputs,
            _ => return Err(NetlistError::PortKind(name.clone())),
        };
        if port.bits.is_empty() {
            return Err(NetlistError::PortKind(name.clone()));
        }
        let bits = port.bits.iter().map(|bit| nets.bit(bit, &place)).collect::<Result<_, _>>()?;
        list.push(Port { place, name: name.clone(), bits });
    }
    for (name, cell) in &module.cells.0 {
        netlist.gates.push(gate(name, cell, &mut nets)?);
    }
    netlist.nets = nets.names;
    Ok(netlist)
}

fn gate(name: &str, cell: &JsonCell, nets: &mut Nets) -> Result<Gate, NetlistError> {
    let place = Place::Cell(name.to_owned());
    if cell.r#type == lut_cell::KIND {
        return lut(cell, place, nets);
    }
    let kind = Cell::find(&cell.r#type, &place)?;
    let mut connections = Vec::new();
    for (pin, bits) in &cell.connections.0 {
        let [bit] = &bits[..] else {
            let (cell, pin) = (cell.r#type.clone(), pin.clone());
            return Err(NetlistError::PinWidth { place, cell, pin, found: bits.len() });
        };
        connections.push((pin.as_str(), nets.bit(bit, &place)?));
    }
    let (inputs, output) = kind.connect(&connections, &place)?;
    let Bit::Net(output) = output else { return Err(NetlistError::DrivenConstant { place }) };
    Ok(Gate { place, function: Function::Cell(kind), inputs, output })
}

/// A cell `$lut`, whose inputs are one pin of several bits.
fn lut(cell: &JsonCell, place: Place, nets: &mut Nets) -> Result<Gate, NetlistError> {
    let kind = || cell.r#type.clone();
    let pins = [lut_cell::INPUTS, lut_cell::OUTPUT];
    if let Some((pin, _)) = cell.connections.0.iter().find(|(pin, _)| !pins.contains(&&pin[..])) {
        return Err(NetlistError::UnknownPin { place, cell: kind(), pin: pin.clone() });
    }
    let mut connected = |pin: &'static str| {
        let mut found = cell.connections.0.iter().filter(|(name, _)| name == pin);
        match (found.next(), found.count()) {
            (Some((_, bits)), 0) => {
                bits.iter().map(|bit| nets.bit(bit, &place)).collect::<Result<Vec<_>, _>>()
            }
            (None, _) => {
                let place = place.clone();
                Err(NetlistError::UnconnectedPin { place, cell: kind(), pin })
            }
            (Some(_), more) => {
                let (place, pin) = (place.clone(), pin.to_owned());
                Err(NetlistError::PinWidth { place, cell: kind(), pin, found: more + 1 })
            }
        }
    };
    let (inputs, output) = (connected(lut_cell::INPUTS)?, connected(lut_cell::OUTPUT)?);
    let [output] = output[..] else {
        let (pin, found) = (lut_cell::OUTPUT.to_owned(), output.len());
        return Err(NetlistError::PinWidth { place, cell: kind(), pin, found });
    };
    let Bit::Net(output) = output else { return Err(NetlistError::DrivenConstant { place }) };
    let table = cell.parameters.0.iter().find(|(name, _)| name == lut_cell::TABLE);
    let cover = lut_cell::cover(table.map(|(_, value)| value), inputs.len(), &place)?;
    Ok(Gate { place, function: Function::Cover(cover), inputs, output })
}
