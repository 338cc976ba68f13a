//! Runs the examples of integers on insecure toys, which check every value.

#[path = "../../examples/income_tax.rs"]
mod income_tax;
#[path = "../../examples/largest_values.rs"]
mod largest_values;
#[path = "../../examples/merge_sorted_columns.rs"]
mod merge_sorted_columns;

#[test]
fn taxes_of_a_toy() {
    income_tax::main().unwrap();
}

#[test]
fn merge_of_a_toy() {
    merge_sorted_columns::main().unwrap();
}

#[test]
fn largest_values_of_a_toy() {
    largest_values::main().unwrap();
}
