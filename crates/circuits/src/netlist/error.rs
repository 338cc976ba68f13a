//! Reasons for refusing a netlist.

use std::fmt;

use cryptable_wire::printable;

/// A place in a netlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The whole text.
    Text,
    /// A line of BLIF, counted from 1.
    Line(usize),
    /// The name of a JSON cell.
    Cell(String),
    /// The name of a port.
    Port(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => write!(f, "netlist"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Cell(name) => write!(f, "cell {}", shown(name)),
            Self::Port(name) => write!(f, "port {}", shown(name)),
        }
    }
}

/// Formats a name for messages: harmless to terminals, and not too long.
pub(super) fn shown(name: &str) -> String {
    const LONGEST: usize = 80;
    let mut short: String = name.chars().take(LONGEST).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    printable(&short).into_owned()
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}

/// The reason for refusing a netlist. Names are stored as in the netlist; messages escape and shorten them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetlistError {
    /// The netlist exceeds a limit.
    #[error("{place}: {what}: {found}, above the limit of {limit}")]
    TooLarge {
        /// Where.
        place: Place,
        /// Name of the counted items.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Limit.
        limit: usize,
    },
    /// The text is not JSON, or not written by Yosys.
    #[error("not a Yosys netlist: {0}")]
    Json(String),
    /// A BLIF directive is unknown or misplaced.
    #[error("{place}: directive {} is not known here", shown(.name))]
    Directive {
        /// Where.
        place: Place,
        /// The directive.
        name: String,
    },
    /// A directive has missing or surplus arguments.
    #[error("{place}: {directive} needs {needs}")]
    Arguments {
        /// Where.
        place: Place,
        /// The directive.
        directive: &'static str,
        /// Requirement.
        needs: &'static str,
    },
    /// A row does not fit its cover.
    #[error("{place}: {} is not a row of a cover of {inputs} inputs", shown(.row))]
    CoverRow {
        /// Where.
        place: Place,
        /// The row.
        row: String,
        /// Inputs of the cover.
        inputs: usize,
    },
    /// The table of a cell does not fit its inputs.
    #[error("{place}: expected a table of {inputs} inputs, found {}", shown(.found))]
    Lut {
        /// Where.
        place: Place,
        /// Text found.
        found: String,
        /// Inputs of the cell.
        inputs: usize,
    },
    /// A cover has rows for both 0 and 1.
    #[error("{place}: a cover has both rows for 0 and rows for 1")]
    MixedCover {
        /// Where.
        place: Place,
    },
    /// There is no model or module.
    #[error("the netlist has no module")]
    NoModule,
    /// There are several models or modules, and none is marked as the top.
    #[error("the netlist has several modules and none is the top, name one: {}", list(.0))]
    SeveralModules(Vec<String>),
    /// The requested module does not exist.
    #[error("the netlist has no module {}", shown(.0))]
    NoSuchModule(String),
    /// Two modules, two ports of one direction, or two cells have the same name.
    #[error("two {what}s have the name {}", shown(.name))]
    DuplicateName {
        /// Kind of the items: module, port or cell.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A latch or a flip-flop.
    #[error("{place}: {} has state: circuits must be combinational", shown(.cell))]
    State {
        /// Where.
        place: Place,
        /// The directive or cell.
        cell: String,
    },
    /// A cell that is not known.
    #[error("{place}: unknown cell {}: flatten the design and map it to simple gates", shown(.cell))]
    UnknownCell {
        /// Where.
        place: Place,
        /// Its kind.
        cell: String,
    },
    /// A cell has no such pin.
    #[error(
        "{place}: {} has no pin {}: if it is a model or module of the design, flatten it first",
        shown(.cell),
        shown(.pin)
    )]
    UnknownPin {
        /// Where.
        place: Place,
        /// Kind of the cell.
        cell: String,
        /// The pin.
        pin: String,
    },
    /// A pin of a cell is not connected.
    #[error("{place}: pin {pin} of {} is not connected", shown(.cell))]
    UnconnectedPin {
        /// Where.
        place: Place,
        /// Kind of the cell.
        cell: String,
        /// The pin.
        pin: &'static str,
    },
    /// A pin of a cell is connected twice or to several bits.
    #[error("{place}: pin {} of {} has {found} connections instead of one", shown(.pin), shown(.cell))]
    PinWidth {
        /// Where.
        place: Place,
        /// Kind of the cell.
        cell: String,
        /// The pin.
        pin: String,
        /// Connections.
        found: usize,
    },
    /// A bit is neither 0 nor 1 nor a net.
    #[error(
        "{place}: bit {} is not 0, 1 or a net: the Yosys command setundef -zero sets undefined bits to 0",
        shown(.bit)
    )]
    UndefinedBit {
        /// Where.
        place: Place,
        /// Text of the bit.
        bit: String,
    },
    /// A constant is driven.
    #[error("{place}: a constant is driven")]
    DrivenConstant {
        /// Where.
        place: Place,
    },
    /// A port is neither input nor output, or has no bits.
    #[error("port {} is not an input or output of at least one bit", shown(.0))]
    PortKind(String),
    /// Nothing drives a net.
    #[error("{place}: nothing drives net {}", shown(.net))]
    Undriven {
        /// Reader of the net.
        place: Place,
        /// The net.
        net: String,
    },
    /// A net has two drivers.
    #[error("{place}: net {} is driven a second time, first at {first}", shown(.net))]
    SeveralDrivers {
        /// The second driver.
        place: Place,
        /// The first.
        first: Place,
        /// The net.
        net: String,
    },
    /// Gates form a loop.
    #[error("{place}: a loop through {}", list(.nets))]
    Loop {
        /// One of the gates.
        place: Place,
        /// The first nets of the loop.
        nets: Vec<String>,
    },
    /// A port has a name that BLIF does not allow, or an input and an output share a name.
    #[error("BLIF cannot have the port {} beside the others", shown(.0))]
    Name(String),
}
