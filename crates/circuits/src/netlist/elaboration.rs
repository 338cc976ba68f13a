//! Turns gates over nets into a circuit: finds drivers, refuses loops.

use cryptable_bits::BitTable;

use super::cells::Cell;
use super::cover::{Cover, CoverForm};
use super::error::{NetlistError, Place};
use super::limits;
use crate::builder::CircuitBuilder;
use crate::circuit::Circuit;
use crate::signal::Signal;

/// A constant, or the number of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    Constant(bool),
    Net(usize),
}

/// Function of a gate.
#[derive(Clone, Debug)]
pub(super) enum Function {
    Cell(&'static Cell),
    Cover(Cover),
}

#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub(super) place: Place,
    pub(super) function: Function,
    pub(super) inputs: Vec<Bit>,
    pub(super) output: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) bits: Vec<Bit>,
}

/// Gates over nets, as read from a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Netlist {
    pub(super) name: String,
    /// Names of nets.
    pub(super) nets: Vec<String>,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    pub(super) gates: Vec<Gate>,
}

#[derive(Clone, Copy)]
enum Driver {
    Nothing,
    Input(usize),
    Gate(usize),
}

impl Netlist {
    /// Builds the circuit in all forms: with gates for all covers, and, if table nodes can replace some of them, with
    /// table nodes.
    pub(super) fn forms(&self) -> Result<Vec<Circuit>, NetlistError> {
        let mut forms = vec![self.elaborate(CoverForm::Gates)?];
        if self.has_tables() {
            forms.push(self.elaborate(CoverForm::Tables)?);
        }
        Ok(forms)
    }

    fn has_tables(&self) -> bool {
        let is_wide = |gate: &Gate| match gate.function {
            Function::Cover(_) => (3..=BitTable::MAX_INPUTS).contains(&gate.inputs.len()),
            Function::Cell(_) => false,
        };
        self.gates.iter().any(is_wide)
    }

    /// Builds the circuit of the outputs, with covers in a form.
    pub(super) fn elaborate(&self, form: CoverForm) -> Result<Circuit, NetlistError> {
        let bits = |ports: &[Port]| ports.iter().map(|port| port.bits.len()).sum::<usize>();
        let (ports, gates) = (bits(&self.inputs) + bits(&self.outputs), self.gates.len());
        limits::check(|| Place::Text, "bits of ports", ports, limits::MAX_PORT_BITS)?;
        limits::check(|| Place::Text, "gates", gates, limits::MAX_GATES)?;
        let drivers = self.drivers()?;
        self.check_driven(&drivers)?;
        let order = self.order(&drivers)?;
        let mut builder = CircuitBuilder::new(&self.name);
        let mut signals = vec![Signal::FALSE; self.nets.len()];
        for port in &self.inputs {
            let word = builder.input(&port.name, port.bits.len()).map_err(|_| duplicate(port))?;
            for (bit, signal) in port.bits.iter().zip(word) {
                if let Bit::Net(net) = *bit {
                    signals[net] = signal;
                }
            }
        }
        let of = |signals: &[Signal], bit: &Bit| match *bit {
            Bit::Constant(value) => Signal::constant(value),
            Bit::Net(net) => signals[net],
        };
        for index in order {
            let gate = &self.gates[index];
            let inputs: Vec<_> = gate.inputs.iter().map(|bit| of(&signals, bit)).collect();
            signals[gate.output] = match &gate.function {
                Function::Cell(cell) => cell.build(&mut builder, &inputs),
                Function::Cover(cover) => cover.build(&mut builder, &inputs, form),
            };
            let nodes = builder.node_count();
            limits::check(|| gate.place.clone(), "nodes", nodes, limits::MAX_NODES)?;
        }
        for port in &self.outputs {
            let word: Vec<_> = port.bits.iter().map(|bit| of(&signals, bit)).collect();
            builder.output(&port.name, &word).map_err(|_| duplicate(port))?;
        }
        Ok(builder.finish())
    }

    /// Finds the driver of each net.
    fn drivers(&self) -> Result<Vec<Driver>, NetlistError> {
        let mut drivers = vec![Driver::Nothing; self.nets.len()];
        let mut drive = |net: usize, driver: Driver, place: &Place| {
            let first = match drivers[net] {
                Driver::Nothing => {
                    drivers[net] = driver;
                    return Ok(());
                }
                Driver::Input(port) => self.inputs[port].place.clone(),
                Driver::Gate(gate) => self.gates[gate].place.clone(),
            };
            let (place, net) = (place.clone(), self.nets[net].clone());
            Err(NetlistError::SeveralDrivers { place, first, net })
        };
        for (index, port) in self.inputs.iter().enumerate() {
            for bit in &port.bits {
                match *bit {
                    Bit::Net(net) => drive(net, Driver::Input(index), &port.place)?,
                    Bit::Constant(_) => {
                        return Err(NetlistError::DrivenConstant { place: port.place.clone() });
                    }
                }
            }
        }
        for (index, gate) in self.gates.iter().enumerate() {
            drive(gate.output, Driver::Gate(index), &gate.place)?;
        }
        Ok(drivers)
    }

    /// Checks that every net that is read has a driver.
    fn check_driven(&self, drivers: &[Driver]) -> Result<(), NetlistError> {
        let of_gates = self.gates.iter().map(|gate| (&gate.place, &gate.inputs));
        let of_ports = self.outputs.iter().map(|port| (&port.place, &port.bits));
        for (place, bits) in of_gates.chain(of_ports) {
            for bit in bits {
                if let Bit::Net(net) = *bit
                    && matches!(drivers[net], Driver::Nothing)
                {
                    let (place, net) = (place.clone(), self.nets[net].clone());
                    return Err(NetlistError::Undriven { place, net });
                }
            }
        }
        Ok(())
    }

    /// Orders all gates so that each follows those that it reads: depth first, without recursion.
    fn order(&self, drivers: &[Driver]) -> Result<Vec<usize>, NetlistError> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.gates.len()];
        let mut order = Vec::with_capacity(self.gates.len());
        for root in 0..self.gates.len() {
            if states[root] == State::New {
                states[root] = State::Open;
            } else {
                continue;
            }
            // Gates on the path from the root, each with the number of its next input.
            let mut path = vec![(root, 0)];
            while let Some((gate, next)) = path.last_mut() {
                let Some(bit) = self.gates[*gate].inputs.get(*next) else {
                    states[*gate] = State::Done;
                    order.push(*gate);
                    path.pop();
                    continue;
                };
                *next += 1;
                let Bit::Net(net) = *bit else { continue };
                let Driver::Gate(below) = drivers[net] else { continue };
                match states[below] {
                    State::Done => {}
                    State::New => {
                        states[below] = State::Open;
                        path.push((below, 0));
                    }
                    State::Open => return Err(self.a_loop(&path, below)),
                }
            }
        }
        Ok(order)
    }

    fn a_loop(&self, path: &[(usize, usize)], from: usize) -> NetlistError {
        const SHOWN: usize = 8;
        let start = path.iter().position(|&(gate, _)| gate == from).unwrap_or(0);
        let nets = path[start..].iter().take(SHOWN);
        let nets = nets.map(|&(gate, _)| self.nets[self.gates[gate].output].clone()).collect();
        NetlistError::Loop { place: self.gates[from].place.clone(), nets }
    }
}

fn duplicate(port: &Port) -> NetlistError {
    // Readers ensure that ports have at least one bit.
    NetlistError::DuplicateName { what: "port", name: port.name.clone() }
}
