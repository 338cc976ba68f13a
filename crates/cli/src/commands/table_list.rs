//! The list of tables that a server offers.

use anyhow::Result;
use cryptable_service::messages::TableInfo;
use serde_json::json;

use crate::args::Global;
use crate::report;

/// Prints tables, one per line.
pub fn print(global: Global, tables: &[TableInfo]) -> Result<()> {
    let signed = |signed| if signed { "signed " } else { "" };
    let line = |table: &TableInfo| {
        let TableInfo { name, input_modulus, output_modulus, .. } = table;
        let (inputs, outputs) = (signed(table.signed_inputs), signed(table.signed_outputs));
        format!("{name}: {inputs}{input_modulus} -> {outputs}{output_modulus}")
    };
    let lines: Vec<String> = tables.iter().map(line).collect();
    report::answer(global, json!({ "tables": tables }), lines.join("\n"))
}
