//! Circuits as BLIF.

use std::collections::HashSet;
use std::fmt::Write;

use super::error::NetlistError;
use crate::circuit::{Circuit, Node, bit_name};
use crate::signal::Signal;

impl Circuit {
    /// Writes the circuit as BLIF, from which [`super::read_blif`] makes the same circuit.
    ///
    /// ```
    /// use cryptable_circuits::{CircuitBuilder, netlist::read_blif};
    /// let mut builder = CircuitBuilder::new("and");
    /// let word = builder.input("x", 2)?;
    /// let both = builder.and(word[0], word[1]);
    /// builder.output("y", &[both])?;
    /// let text = builder.finish().to_blif()?;
    /// assert_eq!(text, ".model and\n.inputs x[0] x[1]\n.outputs y\n.names x[0] x[1] y\n11 1\n.end\n");
    /// assert_eq!(read_blif(&text, None)?.to_blif()?, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NetlistError::Name`] if a name contains spaces or characters with a meaning in BLIF, or two bits share it.
    pub fn to_blif(&self) -> Result<String, NetlistError> {
        let inputs: Vec<String> = (0..self.input_bits()).map(|bit| self.input_name(bit)).collect();
        let outputs: Vec<String> = self
            .outputs
            .iter()
            .flat_map(|word| {
                let width = word.signals.len();
                (0..width).map(move |bit| bit_name(&word.name, bit, width))
            })
            .collect();
        let mut names = HashSet::new();
        for name in inputs.iter().chain(&outputs).chain([&self.name]) {
            let plain = !name.is_empty()
                && !name.starts_with('.')
                && !name.contains(|c: char| {
                    c.is_whitespace() || c.is_control() || "#\\=\"".contains(c)
                });
            if !plain || name != &self.name && !names.insert(name.as_str()) {
                return Err(NetlistError::Name(name.clone()));
            }
        }
        // Inner nets get a prefix that no port has.
        let mut prefix = "n".to_owned();
        while names.iter().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        // A gate that only one output reads drives this output directly.
        let mut nets: Vec<String> = (0..self.nodes.len()).map(|k| format!("{prefix}{k}")).collect();
        nets[1..=inputs.len()].clone_from_slice(&inputs);
        let mut direct = vec![false; outputs.len()];
        for (k, signal) in self.output_signals().enumerate() {
            let node = signal.node();
            if node > inputs.len() && !signal.is_inverted() && nets[node].starts_with(&prefix) {
                nets[node].clone_from(&outputs[k]);
                direct[k] = true;
            }
        }
        let mut text = format!(".model {}\n", self.name);
        list(&mut text, ".inputs", &inputs);
        list(&mut text, ".outputs", &outputs);
        for (index, node) in self.nodes.iter().enumerate().skip(1 + inputs.len()) {
            gate(&mut text, node, &nets, &nets[index]);
        }
        for ((signal, output), direct) in self.output_signals().zip(&outputs).zip(direct) {
            if !direct {
                buffer(&mut text, signal, &nets, output);
            }
        }
        text.push_str(".end\n");
        Ok(text)
    }
}

/// A directive with many names, eight per line.
fn list(text: &mut String, directive: &str, names: &[String]) {
    text.push_str(directive);
    for (k, name) in names.iter().enumerate() {
        text.push_str(if k % 8 == 7 && k + 1 < names.len() { " \\\n " } else { " " });
        text.push_str(name);
    }
    text.push('\n');
}

fn gate(text: &mut String, node: &Node, nets: &[String], output: &str) {
    let operands: Vec<Signal> = node.operands().collect();
    let read: Vec<&str> = operands.iter().map(|signal| nets[signal.node()].as_str()).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, ".names {} {output}", read.join(" "));
    let mut row = |cells: &str| {
        // The cover of the operands, expressed in nets.
        let of_net = cells.bytes().zip(&operands).map(|(cell, signal)| match cell {
            b'-' => '-',
            _ if (cell == b'1') ^ signal.is_inverted() => '1',
            _ => '0',
        });
        let cells: String = of_net.collect();
        let _ = writeln!(text, "{cells} 1");
    };
    match node {
        Node::And(..) => row("11"),
        Node::Xor(..) => ["10", "01"].into_iter().for_each(row),
        Node::Union(..) => ["1-", "-1"].into_iter().for_each(row),
        Node::Majority(_) => ["11-", "1-1", "-11"].into_iter().for_each(row),
        Node::Table(node) => {
            let (table, count) = (node.table(), operands.len());
            for x in (0..1 << count).filter(|&x| table.evaluate(x)) {
                let cells: String =
                    (0..count).map(|i| if x >> i & 1 == 1 { '1' } else { '0' }).collect();
                row(&cells);
            }
        }
        Node::False | Node::Input(_) => unreachable!("gates come after ports"),
    }
}

fn buffer(text: &mut String, signal: Signal, nets: &[String], output: &str) {
    let inverted = signal.is_inverted();
    let _ = if signal.node() == 0 {
        write!(text, ".names {output}\n{}", if inverted { "1\n" } else { "" })
    } else {
        let cell = if inverted { '0' } else { '1' };
        writeln!(text, ".names {} {output}\n{cell} 1", nets[signal.node()])
    };
}
