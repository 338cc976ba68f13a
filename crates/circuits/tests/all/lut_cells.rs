//! Cells `$lut` of Yosys: their functions in both forms, and refusals.

use crate::common;

use common::table;
use cryptable_circuits::Circuit;
use cryptable_circuits::netlist::{read_yosys_json, read_yosys_json_forms};

/// A module with one cell `$lut` of inputs 2, 3, … and output 99.
fn json_of_table(inputs: usize, parameters: &str) -> String {
    let nets = (0..inputs).map(|k| (k + 2).to_string()).collect::<Vec<_>>().join(", ");
    format!(
        r#"{{"modules": {{"m": {{"ports": {{"a": {{"direction": "input", "bits": [{nets}]}},
            "y": {{"direction": "output", "bits": [99]}}}},
            "cells": {{"t": {{"type": "$lut", "parameters": {{{parameters}}},
                "connections": {{"A": [{nets}], "Y": [99]}}}}}}}}}}}}"#
    )
}

#[test]
fn tables_of_cells() {
    for inputs in 1..=9usize {
        let arguments = 1usize << inputs;
        type Function = fn(usize) -> bool;
        let functions: [Function; 5] = [
            |_| false,
            |_| true,
            |x| x & 1 == 1,
            |x| x.count_ones() % 2 == 1,
            |x| (x * 0x9e37 + x * x) >> 4 & 1 == 1,
        ];
        for function in functions {
            let expected: Vec<bool> = (0..arguments).map(function).collect();
            // The last argument comes first.
            let digits: String =
                expected.iter().rev().map(|&bit| if bit { '1' } else { '0' }).collect();
            let mut parameters = vec![format!(r#""WIDTH": "{inputs:b}", "LUT": "{digits}""#)];
            if inputs <= 6 {
                let number = u64::from_str_radix(&digits, 2).unwrap();
                parameters.push(format!(r#""LUT": {number}"#));
            }
            for parameters in parameters {
                let text = json_of_table(inputs, &parameters);
                for form in read_yosys_json_forms(&text, None).unwrap() {
                    assert_eq!(table(&form), expected, "{text}");
                }
            }
        }
    }
    // For random tables of three to eight inputs, one form has table nodes and the other has none.
    let forms = |inputs: usize| {
        let digits: String = (0..1 << inputs).map(|x| ["0", "1"][((x * x * 7) >> 3) & 1]).collect();
        let text = json_of_table(inputs, &format!(r#""LUT": "{digits}""#));
        let tables = |form: &Circuit| form.statistics().tables;
        read_yosys_json_forms(&text, None).unwrap().iter().map(tables).collect::<Vec<_>>()
    };
    assert_eq!(
        [forms(2), forms(5), forms(8), forms(9)],
        [vec![0], vec![0, 1], vec![0, 1], vec![0]]
    );
}

#[test]
fn what_is_no_table_of_a_cell_is_refused() {
    for (inputs, parameters, message) in [
        (2, r#""LUT": "011""#, r#"cell t: expected a table of 2 inputs, found "011""#),
        (2, r#""LUT": "01x0""#, r#"cell t: expected a table of 2 inputs, found "01x0""#),
        (2, r#""LUT": 16"#, "cell t: expected a table of 2 inputs, found 16"),
        (2, r#""LUT": -1"#, "cell t: expected a table of 2 inputs, found -1"),
        (2, "", "cell t: expected a table of 2 inputs, found nothing"),
        (40, r#""LUT": "01""#, "cell t: inputs of a table: 40, above the limit of 20"),
        (
            20,
            r#""LUT": "01""#,
            "cell t: arguments times inputs: 20971520, above the limit of 1048576",
        ),
    ] {
        let text = json_of_table(inputs, parameters);
        assert_eq!(read_yosys_json(&text, None).unwrap_err().to_string(), message, "{text}");
    }
    let text = json_of_table(2, r#""LUT": "0110""#);
    let pins = text.replace(r#""Y": [99]"#, r#""Y": [99], "B": [2]"#);
    let message = read_yosys_json(&pins, None).unwrap_err().to_string();
    assert!(message.starts_with("cell t: $lut has no pin B: if it is a model"), "{message}");
    let wide = text.replace(r#""Y": [99]"#, r#""Y": [98, 99]"#);
    let message = "cell t: pin Y of $lut has 2 connections instead of one";
    assert_eq!(read_yosys_json(&wide, None).unwrap_err().to_string(), message);
    let open = text.replace(r#", "Y": [99]"#, "");
    let message = "cell t: pin Y of $lut is not connected";
    assert_eq!(read_yosys_json(&open, None).unwrap_err().to_string(), message);
}
