//! The list of tables that a server offers.

use std::fmt;

use cryptable_service::messages::TableInfo;
use serde::Serialize;

/// Tables, displayed with one line each.
#[derive(Serialize)]
pub struct Tables {
    /// The tables.
    pub tables: Vec<TableInfo>,
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, table) in self.tables.iter().enumerate() {
            let TableInfo { name, input_modulus, output_modulus, .. } = table;
            let end = if index == 0 { "" } else { "\n" };
            let signed = |signed| if signed { "signed " } else { "" };
            let (inputs, outputs) = (signed(table.signed_inputs), signed(table.signed_outputs));
            write!(f, "{end}{name}: {inputs}{input_modulus} -> {outputs}{output_modulus}")?;
        }
        Ok(())
    }
}
