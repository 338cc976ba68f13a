//! Circuits of CMUXes that encrypted bits control: single CMUXes, tables as trees of CMUXes, weighted automata.

mod automaton;
mod cmux;
mod cmux_tree;
mod decision_diagram;
mod leveled_ciphertext;
mod plaintext_polynomial;
mod tree_shape;

pub use automaton::{Automaton, MAX_SYMBOLS, Transition};
pub use cmux::Cmux;
pub use cmux_tree::CmuxTree;
pub use decision_diagram::DecisionDiagram;
pub use leveled_ciphertext::LeveledCiphertext;
pub use plaintext_polynomial::PlaintextPolynomial;
pub use tree_shape::{MAX_INPUT_BITS, TreeShape};
