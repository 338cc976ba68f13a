//! Netlists: every cell, covers, round trips, the messages of refusals; no text makes a reader panic.

use crate::common;

use common::table;
use cryptable_bits::BitTable;
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::netlist::{limits, read_blif, read_blif_forms, read_yosys_json};
use cryptable_circuits::{Circuit, CircuitBuilder, Plan, PlanOptions};
use proptest::prelude::*;

fn json_of_cell(kind: &str, pins: &[&str]) -> String {
    let ports = pins
        .iter()
        .enumerate()
        .map(|(k, pin)| format!(r#""{pin}": {{"direction": "input", "bits": [{}]}}"#, k + 2));
    let connections = pins.iter().enumerate().map(|(k, pin)| format!(r#""{pin}": [{}]"#, k + 2));
    format!(
        r#"{{"creator": "test", "modules": {{"m": {{"ports": {{{}, "out": {{"direction": "output", "bits": [9]}}}},
            "cells": {{"g": {{"hide_name": 1, "type": "{kind}", "connections": {{{}, "Y": [9]}}}}}}, "netnames": {{}}}}}}}}"#,
        ports.collect::<Vec<_>>().join(", "),
        connections.collect::<Vec<_>>().join(", ")
    )
}

#[test]
fn every_cell_has_its_truth_table_in_both_formats() {
    type Function = fn(bool, bool, bool, bool) -> bool;
    let ab: &[&str] = &["A", "B"];
    let cells: [(&str, &[&str], Function); 16] = [
        ("BUF", &["A"], |a, _, _, _| a),
        ("NOT", &["A"], |a, _, _, _| !a),
        ("AND", ab, |a, b, _, _| a && b),
        ("NAND", ab, |a, b, _, _| !(a && b)),
        ("OR", ab, |a, b, _, _| a || b),
        ("NOR", ab, |a, b, _, _| !(a || b)),
        ("XOR", ab, |a, b, _, _| a ^ b),
        ("XNOR", ab, |a, b, _, _| a == b),
        ("ANDNOT", ab, |a, b, _, _| a && !b),
        ("ORNOT", ab, |a, b, _, _| a || !b),
        ("MUX", &["A", "B", "S"], |a, b, s, _| if s { b } else { a }),
        ("NMUX", &["A", "B", "S"], |a, b, s, _| !if s { b } else { a }),
        ("AOI3", &["A", "B", "C"], |a, b, c, _| !(a && b || c)),
        ("OAI3", &["A", "B", "C"], |a, b, c, _| !((a || b) && c)),
        ("AOI4", &["A", "B", "C", "D"], |a, b, c, d| !(a && b || c && d)),
        ("OAI4", &["A", "B", "C", "D"], |a, b, c, d| !((a || b) && (c || d))),
    ];
    for (name, pins, function) in cells {
        let expected: Vec<bool> = (0..1 << pins.len())
            .map(|index: usize| {
                let bit = |k: usize| index >> k & 1 == 1;
                function(bit(0), bit(1), bit(2), bit(3))
            })
            .collect();
        let kind = format!("$_{name}_");
        let circuit = read_yosys_json(&json_of_cell(&kind, pins), None).unwrap();
        assert_eq!(table(&circuit), expected, "{name}");
        let connections = pins.iter().map(|pin| format!("{pin}=net{pin} ")).collect::<String>();
        let inputs = pins.iter().map(|pin| format!("net{pin} ")).collect::<String>();
        for directive in [format!(".subckt {kind}"), format!(".gate {}", name.to_lowercase())] {
            let text = format!(
                ".model m\n.inputs {inputs}\n.outputs y\n{directive} {connections} Y=y\n.end"
            );
            assert_eq!(table(&read_blif(&text, None).unwrap()), expected, "{text}");
        }
    }
}

#[test]
fn covers_comments_and_continued_lines() {
    let text = "# a comment
.model m # another
.inputs a \\
   b \\
   c
.outputs y z one zero majority
.names a b c y
1-0 1
-11 1
.names a b z
00 0
11 0
.names one
1
.names zero
.names a b c majority
11- 1
1-1 1
-11 1
.end
";
    let circuit = read_blif(text, None).unwrap();
    for index in 0..8usize {
        let [a, b, c] = [0, 1, 2].map(|bit| index >> bit & 1 == 1);
        let expected = [a && !c || b && c, a ^ b, true, false, a && b || c && (a ^ b)];
        assert_eq!(circuit.evaluate(&[a, b, c]).unwrap(), expected);
    }
    let statistics = circuit.statistics();
    assert_eq!((statistics.majorities, statistics.xors), (1, 1));
    // A wide cover: no truth table.
    let inputs: Vec<String> = (0..12).map(|k| format!("x[{k}]")).collect();
    let row = |k: usize| "-".repeat(k) + "10" + &"-".repeat(10 - k) + " 1\n";
    let text =
        format!(".inputs {0}\n.outputs y\n.names {0} y\n{1}{2}", inputs.join(" "), row(0), row(7));
    let circuit = read_blif(&text, None).unwrap();
    for x in 0..1u128 << 12 {
        let expected = x & 3 == 1 || x >> 7 & 3 == 1;
        assert_eq!(circuit.evaluate_words(&[x]).unwrap(), [u128::from(expected)]);
    }
}

/// Returns a cover of `inputs` inputs with a row for about every second argument.
fn random_cover(inputs: usize, seed: u64) -> String {
    let names: Vec<String> = (0..inputs).map(|k| format!("x[{k}]")).collect();
    let mut text = format!(".model m\n.inputs {0}\n.outputs y\n.names {0} y\n", names.join(" "));
    for argument in 0..1u64 << inputs {
        let mixed = (argument ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if mixed >> 60 & 1 == 1 {
            let cells = (0..inputs).map(|k| if argument >> k & 1 == 1 { '1' } else { '0' });
            text += &format!("{} 1\n", cells.collect::<String>());
        }
    }
    text + ".end\n"
}

#[test]
fn covers_are_gates_or_tables_and_the_schedule_chooses() {
    for inputs in 1..=9 {
        for seed in 0..4 {
            let text = random_cover(inputs, seed);
            let forms = read_blif_forms(&text, None).unwrap();
            let tables: Vec<usize> = forms.iter().map(|form| form.statistics().tables).collect();
            // A random cover depends on all of its inputs, except for narrow ones.
            let is_narrow = inputs <= 4;
            assert_eq!(forms.len(), if (3..=8).contains(&inputs) { 2 } else { 1 }, "{inputs}");
            assert!(is_narrow || tables[1..].iter().all(|&count| count == 1), "{tables:?}");
            assert_eq!(tables[0], 0);
            let expected = table(&read_blif(&text, None).unwrap());
            assert!(forms.iter().all(|form| table(form) == expected), "{inputs} inputs");
        }
    }
    // A random cover of eight inputs: hundreds of gates, or one table.
    let forms = read_blif_forms(&random_cover(8, 7), None).unwrap();
    let options = PlanOptions::default();
    let seconds = |forms: &[Circuit], set: &cryptable_bits::Parameters| {
        Plan::cheapest(forms, set, &options).map(|plan| plan.seconds())
    };
    let tables = cryptable_bits::Parameters::tables_128().unwrap();
    let (gates, best) = (seconds(&forms[..1], &tables).unwrap(), seconds(&forms, &tables).unwrap());
    assert!(best < 0.8 * gates, "{best} s, of gates {gates} s");
    // A set without levels for tables uses gates.
    let shallow = cryptable_bits::Parameters::latency_128(cryptable_bits::Packing::Real).unwrap();
    assert!(seconds(&forms[1..], &shallow).is_err());
    assert_eq!(seconds(&forms, &shallow).unwrap(), seconds(&forms[..1], &shallow).unwrap());
}

#[test]
fn words_are_joined_of_their_bits() {
    let text = ".inputs a[1] b a[0] c[0] d[1] d[3] e[2] e[1]\n.outputs y[0] y[1]\n.conn a[1] y[0]\n.conn b y[1]";
    let circuit = read_blif(text, None).unwrap();
    let words: Vec<_> = circuit.inputs().iter().map(|w| (w.name.as_str(), w.width)).collect();
    let expected = [("a", 2), ("b", 1), ("c[0]", 1), ("d[1]", 1), ("d[3]", 1), ("e", 2)];
    assert_eq!(words, expected);
    assert_eq!(circuit.evaluate_words(&[2, 0, 0, 0, 0, 0]).unwrap(), [1]);
}

#[test]
fn named_circuits_survive_a_round_trip() {
    // Tables become gates in BLIF: their round trip is a test of its own.
    for circuit in NamedCircuit::ALL.map(NamedCircuit::build) {
        if circuit.statistics().tables > 0 {
            continue;
        }
        let text = circuit.to_blif().unwrap();
        let again = read_blif(&text, None).unwrap();
        assert_eq!(again.inputs(), circuit.inputs());
        let (found, expected) = (again.statistics(), circuit.statistics());
        assert_eq!((found.depth, found.gates()), (expected.depth, expected.gates()), "{circuit}");
        let lanes: Vec<u64> = (1..=circuit.input_bits() as u64)
            .map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        assert_eq!(again.evaluate_lanes(&lanes), circuit.evaluate_lanes(&lanes));
    }
}

#[test]
fn tables_are_written_as_covers() {
    let mut builder = CircuitBuilder::new("table");
    let x = builder.input("x", 7).unwrap();
    let table = BitTable::from_fn(7, |x| x % 5 == 3).unwrap();
    let output = builder.table(&table, &x);
    builder.output("y", &[output, !output]).unwrap();
    let circuit = builder.finish();
    let again = read_blif(&circuit.to_blif().unwrap(), None).unwrap();
    for x in 0..128 {
        assert_eq!(again.evaluate_words(&[x]).unwrap(), circuit.evaluate_words(&[x]).unwrap());
    }
}

/// The committed examples are the writer's output for the named circuits. `UPDATE_EXAMPLES=1` writes them.
#[test]
fn examples_are_the_named_circuits() {
    for named in &NamedCircuit::ALL[..3] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/circuits");
        let path = format!("{folder}/{}.blif", named.name());
        let text = named.build().to_blif().unwrap();
        if std::env::var_os("UPDATE_EXAMPLES").is_some() {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{path}");
    }
}

/// Evaluates a netlist made from a user's Verilog on all inputs.
#[test]
fn the_clamp_of_the_examples_is_right() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/circuits/clamp.blif");
    let circuit = read_blif(&std::fs::read_to_string(path).unwrap(), None).unwrap();
    for (x, limit) in (0..256).flat_map(|x| (0..256).map(move |limit| (x, limit))) {
        let expected = [x.min(limit), u128::from(x > limit)];
        assert_eq!(circuit.evaluate_words(&[x, limit]).unwrap(), expected);
    }
}

#[test]
fn ports_that_blif_cannot_have() {
    for (input, output) in [("a b", "y"), ("a", "a"), ("#", "y"), ("a", ".y")] {
        let mut builder = CircuitBuilder::new("m");
        let signal = builder.input(input, 1).unwrap()[0];
        builder.output(output, &[!signal]).unwrap();
        let error = builder.finish().to_blif().unwrap_err().to_string();
        assert!(error.starts_with("BLIF cannot have the port"), "{error}");
    }
    let mut builder = CircuitBuilder::new("m");
    assert_eq!(builder.input("a", 0).unwrap_err().to_string(), "port a has no bits");
    builder.input("a", 1).unwrap();
    assert_eq!(builder.input("a", 1).unwrap_err().to_string(), "two ports have the name a");
}

#[test]
fn blif_that_is_refused() {
    let head = ".model m\n.inputs a b\n.outputs y\n";
    for (text, message) in [
        ("", "the netlist has no module"),
        (".model m\n.inputs a\n.outputs y\n.end", "line 3: nothing drives net y"),
        (".model\n", "line 1: .model needs one name"),
        (".model m\n.end\n.model m\n", "two models have the name m"),
        (
            ".model m\n.end\n.model k\n.end",
            "the netlist has several modules and none is the top, name one: m, k",
        ),
        ("11 1\n", "line 1: directive 11 is not known here"),
        (".model m\n.end\n.inputs a\n", "line 3: directive .inputs is not known here"),
        (".model m\n.exdc\n", "line 2: directive .exdc is not known here"),
        (".model m\n.inputs a\n11 1\n", "line 3: directive 11 is not known here"),
        (".names\n", "line 1: .names needs an output"),
        (".conn a\n", "line 1: .conn needs two nets"),
        (".gate\n", "line 1: .gate needs a cell"),
        (".gate and A=a B B Y=y\n", "line 1: .gate needs pins as PIN=NET"),
        (".inputs a[0] a[0]\n", "two ports have the name a[0]"),
    ] {
        assert_eq!(read_blif(text, None).unwrap_err().to_string(), message, "{text}");
    }
    for (body, message) in [
        (".names a b y\n1 1", "line 5: 1 1 is not a row of a cover of 2 inputs"),
        (".names a b y\n1x 1", "line 5: 1x 1 is not a row of a cover of 2 inputs"),
        (".names a b y\n11 2", "line 5: 11 2 is not a row of a cover of 2 inputs"),
        (".names a b y\n11 1\n00 0", "line 6: a cover has both rows for 0 and rows for 1"),
        (".names a c y\n11 1", "line 4: nothing drives net c"),
        (
            ".names a y\n1 1\n.names b y\n1 1",
            "line 6: net y is driven a second time, first at line 4",
        ),
        (".names a b\n1 1\n.conn b y", "line 4: net b is driven a second time, first at line 2"),
        (".names a y y\n11 1", "line 4: a loop through y"),
        (
            ".names a p q\n11 1\n.names q \\\n r\n1 1\n.names r p\n1 1\n.conn a y",
            "line 4: a loop through q, p, r",
        ),
        (".latch a y re b 0", "line 4: .latch has state: circuits must be combinational"),
        (
            ".subckt $_DFF_P_ D=a C=b Q=y",
            "line 4: $_DFF_P_ has state: circuits must be combinational",
        ),
        (
            ".subckt adder A=a B=b Y=y",
            "line 4: unknown cell adder: flatten the design and map it to simple gates",
        ),
        (
            ".gate and A=a B=b Q=y",
            "line 4: AND has no pin Q: if it is a model or module of the design, flatten it first",
        ),
        (".gate and A=a Y=y", "line 4: pin B of AND is not connected"),
        (".gate and A=a A=b B=b Y=y", "line 4: pin A of AND has 2 connections instead of one"),
        (".inputs a\n.conn a y", "line 4: net a is driven a second time, first at line 2"),
        (".outputs y\n.conn a y", "two ports have the name y"),
    ] {
        let text = format!("{head}{body}\n");
        assert_eq!(read_blif(&text, None).unwrap_err().to_string(), message, "{body}");
    }
    let two = ".model m\n.end\n.model k\n.inputs a\n.outputs y\n.conn a y\n.end";
    assert_eq!(read_blif(two, Some("k")).unwrap().name(), "k");
    assert_eq!(read_blif(two, Some("l")).unwrap_err().to_string(), "the netlist has no module l");
}

#[test]
fn absurd_sizes_are_refused() {
    let name = "x".repeat(limits::MAX_NAME + 1);
    let error = read_blif(&format!(".inputs {name}"), None).unwrap_err().to_string();
    assert_eq!(error, "line 1: bytes of a name: 4097, above the limit of 4096");
    let ports: String = (0..=limits::MAX_PORT_BITS).map(|k| format!(" x{k}")).collect();
    let error = read_blif(&format!(".inputs{ports}"), None).unwrap_err().to_string();
    assert_eq!(error, "line 1: bits of ports: 65537, above the limit of 65536");
    let inputs = " a".repeat(limits::MAX_COVER_INPUTS + 1);
    let error = read_blif(&format!(".names{inputs} y"), None).unwrap_err().to_string();
    assert_eq!(error, "line 1: inputs of a cover: 1025, above the limit of 1024");
    // A chain as deep as a netlist may be: no recursion.
    let depth = 1_000_000;
    let chain: String =
        (0..depth).map(|k| format!(".names n{k} a n{}\n10 1\n01 1\n", k + 1)).collect();
    let text = format!(".inputs n0 a\n.outputs n{depth}\n{chain}");
    assert_eq!(read_blif(&text, None).unwrap().evaluate(&[true, true]).unwrap(), [true]);
}

#[test]
fn json_that_is_refused() {
    let module = |ports: &str, cells: &str| {
        format!(r#"{{"modules": {{"m": {{"ports": {{{ports}}}, "cells": {{{cells}}}}}}}}}"#)
    };
    let io =
        r#""a": {"direction": "input", "bits": [2]}, "y": {"direction": "output", "bits": [3]}"#;
    let cell = |kind: &str, connections: &str| {
        module(io, &format!(r#""g": {{"type": "{kind}", "connections": {{{connections}}}}}"#))
    };
    let not = r#""A": [2], "Y": [3]"#;
    for (text, message) in [
        ("{}".to_owned(), "not a Yosys netlist: missing field `modules` at line 1 column 2"),
        (r#"{"modules": {}}"#.into(), "the netlist has no module"),
        (module(io, ""), "port y: nothing drives net 3"),
        (cell("$_DLATCH_P_", not), "cell g: $_DLATCH_P_ has state: circuits must be combinational"),
        (
            cell("$add", not),
            "cell g: unknown cell $add: flatten the design and map it to simple gates",
        ),
        (
            cell("$_DFF_P_", r#""C": [2], "D": [2], "Q": [3]"#),
            "cell g: $_DFF_P_ has state: circuits must be combinational",
        ),
        (
            cell("$_NOT_", r#""A": [2], "Q": [3]"#),
            "cell g: NOT has no pin Q: if it is a model or module of the design, flatten it first",
        ),
        (cell("$_NOT_", r#""A": [2]"#), "cell g: pin Y of NOT is not connected"),
        (
            cell("$_NOT_", r#""A": [2, 2], "Y": [3]"#),
            "cell g: pin A of $_NOT_ has 2 connections instead of one",
        ),
        (
            cell("$_NOT_", r#""A": [], "Y": [3]"#),
            "cell g: pin A of $_NOT_ has 0 connections instead of one",
        ),
        (
            cell("$_NOT_", r#""A": ["x"], "Y": [3]"#),
            "cell g: bit x is not 0, 1 or a net: the Yosys command setundef -zero sets undefined bits to 0",
        ),
        (cell("$_NOT_", r#""A": [2], "Y": ["1"]"#), "cell g: a constant is driven"),
        (cell("$_NOT_", r#""A": [3], "Y": [3]"#), "cell g: a loop through 3"),
        (
            cell("$_NOT_", r#""A": [2], "Y": [2]"#),
            "cell g: net 2 is driven a second time, first at port a",
        ),
        (
            module(r#""a": {"direction": "inout", "bits": [2]}"#, ""),
            "port a is not an input or output of at least one bit",
        ),
        (
            module(r#""a": {"direction": "input", "bits": []}"#, ""),
            "port a is not an input or output of at least one bit",
        ),
        (module(&format!("{io}, {io}"), ""), "two ports have the name a"),
        (
            module(
                io,
                &format!(
                    r#""g\u001b": {{"type": "$_NOT_", "connections": {{{not}}}}}, "g": {{"type": "$_BUF_", "connections": {{{not}}}}}"#
                ),
            ),
            r"cell g: net 3 is driven a second time, first at cell g\u{1b}",
        ),
        (
            r#"{"modules": {"m": {"ports": {}, "cells": {}}, "k": {"ports": {}, "cells": {}}}}"#
                .into(),
            "the netlist has several modules and none is the top, name one: m, k",
        ),
    ] {
        assert_eq!(read_yosys_json(&text, None).unwrap_err().to_string(), message, "{text}");
    }
    let empty = r#"{"ports": {}, "cells": {}}"#;
    let top =
        r#"{"attributes": {"top": "00000000000000000000000000000001"}, "ports": {}, "cells": {}}"#;
    let text = format!(r#"{{"modules": {{"m": {empty}, "k": {top}}}}}"#);
    assert_eq!(read_yosys_json(&text, None).unwrap().name(), "k");
    assert_eq!(read_yosys_json(&text, Some("m")).unwrap().name(), "m");
    let deep = "[".repeat(100_000);
    assert!(read_yosys_json(&deep, None).is_err());
}

fn blif_tokens() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        ".model", ".inputs", ".outputs", ".names", ".end", ".gate", ".subckt", ".latch", ".conn",
        "and2", "$_MUX_", "A=a", "B=b", "S=y", "Y=y", "a", "b", "y", "y[0]", "y[1]", "11", "1-",
        "1", "0", "\n", "\n", "\n", "\\\n", "#", "é",
    ]);
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_reader_panic(text in any::<String>(), tokens in blif_tokens()) {
        let _ = (read_blif(&text, None), read_yosys_json(&text, None));
        let _ = read_blif(&tokens, None);
        let _ = read_blif(&format!(".model m\n.inputs a b\n.outputs y\n.names a b y\n11 1\n{tokens}"), None);
    }

    #[test]
    fn no_damaged_json_makes_a_reader_panic(at in 0usize..400, byte in any::<u8>(), cut in 0usize..400) {
        let mut bytes = json_of_cell("$_MUX_", &["A", "B", "S"]).into_bytes();
        let (at, cut) = (at % bytes.len(), cut % bytes.len());
        bytes[at] = byte;
        let _ = read_yosys_json(&String::from_utf8_lossy(&bytes), None);
        let _ = read_yosys_json(&String::from_utf8_lossy(&bytes[..cut]), None);
    }

    #[test]
    fn random_covers(inputs in 0usize..=9, inverted in any::<bool>(), seed in prop::collection::vec(0u8..3, 0..90)) {
        let rows: Vec<&[u8]> = seed.chunks_exact(inputs.max(1)).take(6).collect();
        let text = |row: &[u8]| row.iter().take(inputs).map(|&c| ['0', '1', '-'][c as usize]).collect::<String>();
        let names: String = (0..inputs).map(|k| format!(" x{k}")).collect();
        let output = u8::from(!inverted);
        let cover: String = rows.iter().map(|row| format!("{} {output}\n", text(row))).collect();
        let circuit = read_blif(&format!(".inputs{names}\n.outputs y\n.names{names} y\n{cover}"), None).unwrap();
        for (index, found) in table(&circuit).into_iter().enumerate() {
            let fits = rows.iter().any(|row| {
                row.iter().take(inputs).enumerate().all(|(k, &c)| c == 2 || index >> k & 1 == usize::from(c))
            });
            // A cover without rows is 0 whether it is inverted or not.
            prop_assert_eq!(found, if rows.is_empty() { false } else { fits ^ inverted });
        }
        prop_assert_eq!(table(&circuit.balanced()), table(&circuit));
        prop_assert_eq!(table(&circuit.distributed()), table(&circuit));
        prop_assert_eq!(table(&read_blif(&circuit.to_blif().unwrap(), None).unwrap()), table(&circuit));
    }
}
