//! The Berkeley Logic Interchange Format: `.model`, `.inputs`, `.outputs`, `.names` with covers, `.gate` and `.subckt`
//! of simple gates, `.conn` and the comments of Yosys.

use std::collections::{BTreeMap, HashMap};

use super::cells::Cell;
use super::cover::{Cover, CoverForm};
use super::elaboration::{Bit, Function, Gate, Netlist, Port};
use super::error::{NetlistError, Place};
use super::limits;
use crate::circuit::Circuit;

/// Reads a circuit from BLIF: the model `top`, if there are several.
///
/// ```
/// use cryptable_circuits::netlist::read_blif;
/// let text = ".model and\n.inputs a b\n.outputs y\n.names a b y\n11 1\n.end\n";
/// assert_eq!(read_blif(text, None)?.evaluate_words(&[1, 1])?, [1]);
/// let error = read_blif(".model m\n.inputs a\n.outputs y\n.latch a y 0\n", None).unwrap_err();
/// assert_eq!(error.to_string(), "line 4: .latch has state: circuits must be combinational");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the text is not BLIF, exceeds [`limits`], or is not a combinational circuit of known cells. Errors name the line.
pub fn read_blif(text: &str, top: Option<&str>) -> Result<Circuit, NetlistError> {
    read_netlist(text, top)?.elaborate(CoverForm::Gates)
}

/// Reads a netlist like [`read_blif`], in all forms that a schedule may choose from ([`crate::Plan::cheapest`]): one
/// with gates for all covers, and, if covers have three to eight inputs, one with a table node for each of these.
///
/// ```
/// use cryptable_circuits::netlist::read_blif_forms;
/// let text = ".model m\n.inputs a b c d\n.outputs y\n.names a b c d y\n11-- 1\n0011 1\n.end\n";
/// let forms = read_blif_forms(text, None)?;
/// assert_eq!(forms.iter().map(|form| form.statistics().tables).collect::<Vec<_>>(), [0, 1]);
/// for form in forms {
///     assert_eq!(form.evaluate_words(&[1, 1, 0, 0])?, [1]);
///     assert_eq!(form.evaluate_words(&[0, 1, 1, 1])?, [0]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`read_blif`].
pub fn read_blif_forms(text: &str, top: Option<&str>) -> Result<Vec<Circuit>, NetlistError> {
    read_netlist(text, top)?.forms()
}

fn read_netlist(text: &str, top: Option<&str>) -> Result<Netlist, NetlistError> {
    limits::check(|| Place::Text, "bytes", text.len(), limits::MAX_BYTES)?;
    let mut models: Vec<Model> = Vec::new();
    for (line, tokens) in logical_lines(text) {
        let place = || Place::Line(line);
        for token in &tokens {
            limits::check(place, "bytes of a name", token.len(), limits::MAX_NAME)?;
        }
        if tokens[0] == ".model" {
            let [_, name] = tokens[..] else { return Err(arguments(line, ".model", "one name")) };
            if models.iter().any(|model| model.netlist.name == name) {
                let name = name.to_owned();
                return Err(NetlistError::DuplicateName { what: "model", name });
            }
            models.push(Model::new(name));
            continue;
        }
        match models.last_mut() {
            Some(model) if !model.ended => model.line(line, &tokens)?,
            // A text may omit `.model`.
            None if tokens[0].starts_with('.') => {
                models.push(Model::new("circuit"));
                models[0].line(line, &tokens)?;
            }
            _ => return Err(directive(line, tokens[0])),
        }
    }
    let chosen = match top {
        Some(name) => models
            .iter()
            .position(|model| model.netlist.name == name)
            .ok_or_else(|| NetlistError::NoSuchModule(name.to_owned()))?,
        None if models.is_empty() => return Err(NetlistError::NoModule),
        None if models.len() > 1 => {
            let names = models.iter().map(|model| model.netlist.name.clone()).collect();
            return Err(NetlistError::SeveralModules(names));
        }
        None => 0,
    };
    models.swap_remove(chosen).finish()
}

fn arguments(line: usize, directive: &'static str, needs: &'static str) -> NetlistError {
    NetlistError::Arguments { place: Place::Line(line), directive, needs }
}

fn directive(line: usize, name: &str) -> NetlistError {
    NetlistError::Directive { place: Place::Line(line), name: name.to_owned() }
}

/// Lines without comments and empty lines, joined where they end with a backslash, with the number of their first line.
fn logical_lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let mut tokens = Vec::new();
        let mut first = None;
        for (index, line) in lines.by_ref() {
            let line = line.split('#').next().unwrap_or_default().trim_end();
            let (line, goes_on) = match line.strip_suffix('\\') {
                Some(line) => (line, true),
                None => (line, false),
            };
            first.get_or_insert(index + 1);
            tokens.extend(line.split_whitespace());
            if !goes_on {
                if !tokens.is_empty() {
                    break;
                }
                first = None;
            }
        }
        if tokens.is_empty() { None } else { Some((first?, tokens)) }
    })
}

/// A model that is being read.
struct Model {
    netlist: Netlist,
    numbers: HashMap<String, usize>,
    /// Lines and nets of ports, not yet joined to words.
    inputs: Vec<(usize, String)>,
    outputs: Vec<(usize, String)>,
    /// Whether rows of a cover may follow: the last gate is a cover.
    in_cover: bool,
    ended: bool,
}

impl Model {
    fn new(name: &str) -> Self {
        Self {
            netlist: Netlist { name: name.to_owned(), ..Netlist::default() },
            numbers: HashMap::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            in_cover: false,
            ended: false,
        }
    }

    fn net(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.netlist.nets.len();
        self.netlist.nets.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn line(&mut self, line: usize, tokens: &[&str]) -> Result<(), NetlistError> {
        let (first, rest) = (tokens[0], &tokens[1..]);
        if !first.starts_with('.') {
            return self.cover_row(line, tokens);
        }
        self.in_cover = false;
        let ports = |names: &[&str]| names.iter().map(|&name| (line, name.to_owned())).collect();
        match first {
            ".inputs" => self.inputs.extend::<Vec<_>>(ports(rest)),
            ".outputs" => self.outputs.extend::<Vec<_>>(ports(rest)),
            ".names" => self.names(line, rest)?,
            ".conn" => {
                let [from, to] = rest else { return Err(arguments(line, ".conn", "two nets")) };
                self.gate(
                    line,
                    Function::Cell(Cell::find("BUF", &Place::Line(line))?),
                    &[from],
                    to,
                );
            }
            ".gate" | ".subckt" => self.cell(line, rest)?,
            ".latch" | ".mlatch" => {
                let (place, cell) = (Place::Line(line), first.to_owned());
                return Err(NetlistError::State { place, cell });
            }
            // Yosys' notes about cells.
            ".attr" | ".param" | ".cname" | ".barbuf" => {}
            ".end" => self.ended = true,
            _ => return Err(directive(line, first)),
        }
        let gates = self.netlist.gates.len();
        limits::check(|| Place::Line(line), "gates", gates, limits::MAX_GATES)?;
        let ports = self.inputs.len() + self.outputs.len();
        limits::check(|| Place::Line(line), "bits of ports", ports, limits::MAX_PORT_BITS)
    }

    fn gate(&mut self, line: usize, function: Function, inputs: &[&str], output: &str) {
        let inputs = inputs.iter().map(|name| Bit::Net(self.net(name))).collect();
        let (place, output) = (Place::Line(line), self.net(output));
        self.netlist.gates.push(Gate { place, function, inputs, output });
    }

    fn names(&mut self, line: usize, nets: &[&str]) -> Result<(), NetlistError> {
        let Some((output, inputs)) = nets.split_last() else {
            return Err(arguments(line, ".names", "an output"));
        };
        let (place, limit) = (|| Place::Line(line), limits::MAX_COVER_INPUTS);
        limits::check(place, "inputs of a cover", inputs.len(), limit)?;
        self.gate(line, Function::Cover(Cover::default()), inputs, output);
        self.in_cover = true;
        Ok(())
    }

    fn cover_row(&mut self, line: usize, tokens: &[&str]) -> Result<(), NetlistError> {
        let gate = self.netlist.gates.last_mut().filter(|_| self.in_cover);
        let Some(Gate { function: Function::Cover(cover), inputs, .. }) = gate else {
            return Err(directive(line, tokens[0]));
        };
        let inputs = inputs.len();
        let (cells, output) = match *tokens {
            [output] => ("", output),
            [cells, output] => (cells, output),
            _ => ("", ""),
        };
        let valid = cells.len() == inputs && cells.bytes().all(|cell| b"01-".contains(&cell));
        if !valid || !["0", "1"].contains(&output) {
            let (place, row) = (Place::Line(line), tokens.join(" "));
            return Err(NetlistError::CoverRow { place, row, inputs });
        }
        let inverted = output == "0";
        if cover.rows > 0 && cover.inverted != inverted {
            return Err(NetlistError::MixedCover { place: Place::Line(line) });
        }
        cover.inverted = inverted;
        cover.rows += 1;
        cover.cells.extend(cells.bytes());
        let (place, limit) = (|| Place::Line(line), limits::MAX_COVER_CELLS);
        limits::check(place, "cells of a cover", cover.cells.len(), limit)
    }

    fn cell(&mut self, line: usize, tokens: &[&str]) -> Result<(), NetlistError> {
        let Some((kind, pins)) = tokens.split_first() else {
            return Err(arguments(line, ".gate", "a cell"));
        };
        let place = Place::Line(line);
        let cell = Cell::find(kind, &place)?;
        let connections = pins
            .iter()
            .map(|pin| pin.split_once('=').filter(|(_, net)| !net.is_empty()))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| arguments(line, ".gate", "pins as PIN=NET"))?;
        let (inputs, output) = cell.connect(&connections, &place)?;
        self.gate(line, Function::Cell(cell), &inputs, output);
        Ok(())
    }

    fn finish(mut self) -> Result<Netlist, NetlistError> {
        let (inputs, outputs) =
            (std::mem::take(&mut self.inputs), std::mem::take(&mut self.outputs));
        self.netlist.inputs = self.ports(&inputs)?;
        self.netlist.outputs = self.ports(&outputs)?;
        Ok(self.netlist)
    }

    /// Joins `a[0]`, `a[1]`, … to words if their indices are those of at least two bits without gaps. A word takes the
    /// place of its first bit.
    fn ports(&mut self, bits: &[(usize, String)]) -> Result<Vec<Port>, NetlistError> {
        let mut words: HashMap<&str, BTreeMap<usize, usize>> = HashMap::new();
        for (position, (_, name)) in bits.iter().enumerate() {
            if let Some((word, index)) = split_index(name)
                && words.entry(word).or_default().insert(index, position).is_some()
            {
                let name = name.clone();
                return Err(NetlistError::DuplicateName { what: "port", name });
            }
        }
        words.retain(|_, bits| {
            let (first, last) = (bits.keys().next(), bits.keys().next_back());
            let span = last.zip(first).map_or(0, |(last, first)| last - first);
            bits.len() > 1 && span == bits.len() - 1
        });
        let mut ports = Vec::new();
        for (line, name) in bits {
            let place = Place::Line(*line);
            let word = split_index(name).map(|(word, _)| word);
            let (name, members) = match word.filter(|word| words.contains_key(word)) {
                // Taken once, at the first bit.
                Some(word) => match words.get_mut(word).map(std::mem::take) {
                    Some(members) if !members.is_empty() => (word, members),
                    _ => continue,
                },
                None => {
                    let net = self.net(name);
                    ports.push(Port { place, name: name.clone(), bits: vec![Bit::Net(net)] });
                    continue;
                }
            };
            let bits = members.values().map(|&bit| Bit::Net(self.net(&bits[bit].1))).collect();
            ports.push(Port { place, name: name.to_owned(), bits });
        }
        Ok(ports)
    }
}

/// Splits `a[3]` into `a` and 3.
fn split_index(name: &str) -> Option<(&str, usize)> {
    let (word, index) = name.strip_suffix(']')?.split_once('[')?;
    let canonical = index == "0" || !index.starts_with(['0', '+']);
    (canonical && !word.is_empty() && index.len() < 8).then_some(())?;
    Some((word, index.parse().ok()?))
}
