//! Tests of programs on frames: trees in pipelines and alone, with every row compared.

#![cfg(feature = "client")]

use cryptable::{Execution, ReadOptions, SecretKey};
use cryptable_frames::{
    FileFormat, FileKind, Frame, Operand, Pipeline, PipelineProblem, Program, RecordBatch, Schema,
};
use cryptable_wire::ObjectType;

const PROGRAM: &str = r#"{
    "columns": ["x", "y"], "modulus": 16, "results": ["score", "over"], "output_modulus": 64,
    "formulas": [
        {"sum": [
            {"choice": {"column": 0, "within": [[0, 5]], "then": {"constant": -7}, "otherwise":
                {"choice": {"column": 1, "within": [[3, 9]], "then": {"constant": 20}, "otherwise": {"constant": 4}}}}},
            {"table": {"column": 1, "outputs": [0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0]}}
        ]},
        {"choice": {"column": 1, "within": [[12, 16]], "then": {"constant": 1}, "otherwise": {"constant": 0}}}
    ]
}"#;

fn columns(csv: &str) -> RecordBatch {
    FileFormat::from(FileKind::Csv).read(csv.as_bytes()).unwrap()
}

fn csv(columns: &RecordBatch) -> String {
    let mut bytes = Vec::new();
    FileFormat::from(FileKind::Csv).write(&mut bytes, columns).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn schema(nulls: &str) -> Schema {
    let column = |name| {
        format!(r#"{{"column": "{name}", "type": "integer", "maximum": 15, "nulls": {nulls}}}"#)
    };
    let text = format!(r#"{{"columns": [{}, {}]}}"#, column("x"), column("y"));
    Schema::from_json(text.as_bytes()).unwrap()
}

#[test]
fn programs_give_their_values_on_every_row() {
    let program = Program::from_json(PROGRAM.as_bytes()).unwrap();
    let secret = SecretKey::generate(program.request().insecure_toy().plan().unwrap());
    let server = secret.evaluation_key();
    let mut data = String::from("x,y\n");
    let mut expected = String::from("score,over\n");
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
        data += &format!("{x},{y}\n");
        let values = program.values(&[x, y]);
        expected += &format!("{},{}\n", values[0], values[1]);
    }
    let frame = Frame::encrypt(&secret, &columns(&data), &schema(r#"{"value": 0}"#)).unwrap();
    let found = program.run(&server, &frame, Execution::default()).unwrap();
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), expected);
    assert!(found.columns()[0].values().is_signed() && !found.columns()[1].values().is_signed());

    // The same program as a step, with the columns in another order.
    let text = "output = ['over', 'a']\n[[step]]\nprogram = 'p'\ninputs = ['y', 'x']\ninto = ['a', 'over']";
    let pipeline = Pipeline::from_toml(text).unwrap();
    let operands = [Some(Operand::Program(Box::new(program.clone())))];
    let run = |frame: &Frame| pipeline.run(&server, frame, &operands, None, Execution::default());
    let found = run(&frame).unwrap();
    let mut expected = String::from("over,a\n");
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
        let values = program.values(&[y, x]);
        expected += &format!("{},{}\n", values[1], values[0]);
    }
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), expected);

    // Gaps of one column are gaps of results; different gaps are refused.
    let gaps = Frame::encrypt(&secret, &columns("x,y\n1,2\n"), &schema("\"validity\"")).unwrap();
    let error = run(&gaps).unwrap_err().to_string();
    assert!(error.contains("different gaps"), "{error}");
}

#[test]
fn programs_that_do_not_fit_are_refused() {
    let refused = |from: &str, to: &str| {
        let text = PROGRAM.replacen(from, to, 1);
        assert_ne!(text, PROGRAM);
        Program::from_json(text.as_bytes()).unwrap_err().to_string()
    };
    assert!(refused("\"score\", ", "").contains("number of names of results"));
    assert!(refused("\"x\", ", "").contains("number of names of columns"));
    assert!(refused("\"modulus\": 16", "\"modulus\": 8").contains("16"));
    assert!(refused("\"x\"", "\"\"").contains("name"));
    assert!(refused("[[0, 5]]", "[[5, 0]]").contains("first value of a range"));
    assert!(refused("\"constant\": 4", "\"constant\": 4.5").contains("it is not a program"));
    assert!(refused("[\"x\", \"y\"]", "[\"x\", \"y\"], \"more\": 1").contains("more"));
    let step = |text: &str| Pipeline::from_toml(text).unwrap_err().to_string();
    assert!(step("[[step]]\nprogram = 'p'\ninto = 'a'").contains("must have either"));
    let factors = "[[step]]\nprogram = 'p'\ninputs = ['x']\nfactors = [1]\ninto = 'a'";
    assert!(step(factors).contains("`factors`"));
    assert!(step("[[step]]\nsum = ['x']\ninto = ['a', 'b']").contains("a list of `into`"));
    assert!(PipelineProblem::NoProgram.to_string().contains("no program"));
}

const SUMS: &str = r#"{
    "columns": ["region", "visits"], "modulus": 16, "group_by": {"column": "region", "groups": 3},
    "results": ["people", "visits of all", "change"], "output_modulus": 128,
    "formulas": [
        {"constant": 1},
        {"column": 1},
        {"table": {"column": 1, "outputs": [-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7]}}
    ]
}"#;

fn schema_of_groups(nulls: &str) -> Schema {
    let text = format!(
        r#"{{"columns": [
            {{"column": "region", "type": "words", "words": ["north", "south", "west"]}},
            {{"column": "visits", "type": "integer", "maximum": 15, "nulls": {nulls}}}]}}"#
    );
    Schema::from_json(text.as_bytes()).unwrap()
}

#[test]
fn sums_by_groups_come_back_with_a_row_for_each_group() {
    let program = Program::from_json(SUMS.as_bytes()).unwrap();
    assert_eq!(program.groups(), Some((0, 3)));
    let secret = SecretKey::generate(program.request().insecure_toy().plan().unwrap());
    let server = secret.evaluation_key();
    let (words, schema) = (["north", "south", "west"], schema_of_groups(r#"{"value": 0}"#));
    let mut data = String::from("region,visits\n");
    let mut sums = [[0; 3]; 3];
    // There are more rows than a ciphertext of the toy holds.
    for row in 0..1500_usize {
        let (region, visits) = (row * row % 7 % 3, row * 11 % 16);
        data += &format!("{},{visits}\n", words[region]);
        let of_row = [1, visits as i64, visits as i64 - 8];
        sums[region].iter_mut().zip(of_row).for_each(|(sum, value)| *sum += value);
    }
    let of_group = |(word, [people, visits, change]): (&&str, &[i64; 3])| {
        format!("{word},{people},{visits},{change}\n")
    };
    let lines: String = words.iter().zip(&sums).map(of_group).collect();
    let frame = Frame::encrypt(&secret, &columns(&data), &schema).unwrap();
    let found = program.run(&server, &frame, Execution::default()).unwrap();
    let found = Frame::from_bytes(&found.to_bytes(), ReadOptions::default()).unwrap();
    let expected = format!("region,people,visits of all,change\n{lines}");
    assert_eq!(csv(&found.decrypt(&secret, Some(&schema)).unwrap()), expected);
    // Without a schema, groups are numbers.
    let numbered = csv(&found.decrypt(&secret, None).unwrap());
    assert!(numbered.contains(&format!("\n1,{},", sums[1][0])), "{numbered}");

    // No step accepts sums, and they cannot be combined with values of rows.
    let operand = || Some(Operand::Program(Box::new(program.clone())));
    let refused = |text: &str| {
        let step =
            "[[step]]\nprogram = 'p'\ninputs = ['region', 'visits']\ninto = ['n', 's', 'c']\n";
        let pipeline =
            Pipeline::from_toml(&format!("{text}\n{step}[[step]]\nsum = ['s']\ninto = 't'"));
        let operands = [operand(), None];
        let found = pipeline.unwrap().run(&server, &frame, &operands, None, Execution::default());
        found.unwrap_err().to_string()
    };
    assert!(refused("output = ['t']").contains("no step takes"), "{}", refused("output = ['t']"));
    let step = "output = ['n', 'visits']\n[[step]]\nprogram = 'p'\ninputs = ['region', 'visits']\ninto = ['n', 's', 'c']";
    let pipeline = Pipeline::from_toml(step).unwrap();
    let error = pipeline.run(&server, &frame, &[operand()], None, Execution::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("rows") || error.contains("groups"), "{error}");
    let gaps = "region,visits\nnorth,3\nsouth,\n";
    let gaps = Frame::encrypt(&secret, &columns(gaps), &schema_of_groups("\"validity\"")).unwrap();
    let error = program.run(&server, &gaps, Execution::default()).unwrap_err().to_string();
    assert!(error.contains("\"visits\" has gaps"), "{error}");
}

#[test]
fn groups_that_do_not_fit_are_refused() {
    let refused = |from: &str, to: &str| {
        let text = SUMS.replacen(from, to, 1);
        assert_ne!(text, SUMS);
        Program::from_json(text.as_bytes()).unwrap_err().to_string()
    };
    assert!(
        refused("\"column\": \"region\"", "\"column\": \"town\"").contains("no column \"town\"")
    );
    assert!(refused("\"groups\": 3", "\"groups\": 30").contains("a multiple of 32"));
    assert!(refused("\"groups\": 3", "\"groups\": -3").contains("it is not a program"));
}

const SORT: &str = r#"{
    "columns": ["high", "low", "name"], "modulus": 16, "results": ["h", "l", "n"], "output_modulus": 16,
    "sort": {"keys": 2, "descending": true}
}"#;

#[test]
fn rows_are_sorted_with_other_columns_along() {
    let program = Program::from_json(SORT.as_bytes()).unwrap();
    let plan = program.request().insecure_toy().plan().unwrap();
    let title = "a sort of 3 columns modulo 16, by values below 4";
    assert!(plan.to_string().contains(title), "{plan}");
    let secret = SecretKey::generate(plan);
    let server = secret.evaluation_key();
    let of = |nulls: &str| {
        let text = format!(
            r#"{{"columns": [{{"column": "high", "type": "integer", "maximum": 3}},
                {{"column": "low", "type": "integer", "maximum": 3}},
                {{"column": "name", "type": "integer", "maximum": 15, "nulls": {nulls}}}]}}"#
        );
        Schema::from_json(text.as_bytes()).unwrap()
    };
    // Values differ, so that there is only one order.
    let values: Vec<u64> = (0..11).map(|row| row * 7 % 16).collect();
    let line = |value: &u64| format!("{},{},{}\n", value / 4, value % 4, value * 3 % 16);
    let data = format!("high,low,name\n{}", values.iter().map(line).collect::<String>());
    let frame = Frame::encrypt(&secret, &columns(&data), &of(r#"{"value": 0}"#)).unwrap();
    let found = program.run(&server, &frame, Execution::default()).unwrap();
    let mut sorted = values.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let expected = format!("h,l,n\n{}", sorted.iter().map(line).collect::<String>());
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), expected);

    // Gaps would not be sorted along, and neither would rows of further ciphertexts.
    let gaps = "high,low,name\n1,2,\n";
    let gaps = Frame::encrypt(&secret, &columns(gaps), &of("\"validity\"")).unwrap();
    let error = program.run(&server, &gaps, Execution::default()).unwrap_err().to_string();
    assert!(error.contains("\"name\" has gaps"), "{error}");
    let many = format!("high,low,name\n{}", "1,1,1\n".repeat(1025));
    let many = Frame::encrypt(&secret, &columns(&many), &of(r#"{"value": 0}"#)).unwrap();
    let error = program.run(&server, &many, Execution::default()).unwrap_err().to_string();
    assert!(error.contains("number of ciphertexts of a column whose rows are sorted"), "{error}");
}

/// Returns a program that sorts by a column `x`, along with a column `name`.
fn sort_by_x() -> (Program, SecretKey) {
    let text = SORT.replace("\"keys\": 2", "\"keys\": 1").replace("true", "false");
    let text = text.replace("\"high\", \"low\", ", "\"x\", ").replace("\"h\", ", "");
    let program = Program::from_json(text.as_bytes()).unwrap();
    let secret = SecretKey::generate(program.request().insecure_toy().plan().unwrap());
    (program, secret)
}

/// Returns a frame of columns `x` and `name`, whose schema has this field for `x`.
fn bytes_of_x(secret: &SecretKey, rows: &str, maximum: &str) -> Vec<u8> {
    let text = format!(
        r#"{{"columns": [{{"column": "x", "type": "integer"{maximum}}}, {{"column": "name", "type": "integer"}}]}}"#
    );
    let schema = Schema::from_json(text.as_bytes()).unwrap();
    Frame::encrypt(secret, &columns(&format!("x,name\n{rows}")), &schema).unwrap().to_bytes()
}

fn read(bytes: &[u8]) -> Frame {
    Frame::from_bytes(bytes, ReadOptions::default()).unwrap()
}

#[test]
fn rows_of_keys_that_are_larger_than_a_frame_states_are_refused_by_decryption() {
    let (program, secret) = sort_by_x();
    let bytes = bytes_of_x(&secret, "3,5\n9,9\n2,15\n", "");
    let digest = cryptable_wire::peek_header(&bytes).unwrap().parameter_digest;
    let body = cryptable_wire::read_object(&bytes, ObjectType::EncryptedFrame, None, u64::MAX);
    let mut body = body.unwrap().to_vec();
    // The marks of `x` follow the identifier, the numbers of rows and columns, and the name with its length.
    body[16 + 8 + 4 + 8 + 1] = 2 << 3;
    let mut stated = Vec::new();
    cryptable_wire::write_object(&mut stated, ObjectType::EncryptedFrame, &digest, &body).unwrap();
    let found = program.run(&secret.evaluation_key(), &read(&stated), Execution::default());
    let error = found.unwrap().decrypt(&secret, None).unwrap_err().to_string();
    assert!(error.starts_with("column \"l\", row 2: 6 is not within 0 to 3"), "{error}");
}

#[test]
fn rows_are_sorted_by_values_alone_that_are_known_to_be_small() {
    let (program, secret) = sort_by_x();
    let server = secret.evaluation_key();
    let encrypt = |maximum: &str| read(&bytes_of_x(&secret, "3,5\n1,9\n2,15\n", maximum));
    let found = program.run(&server, &encrypt(", \"maximum\": 3"), Execution::default()).unwrap();
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), "l,n\n1,9\n2,15\n3,5\n");
    let needed: Vec<u64> = found.columns().iter().map(|it| it.values_needed()).collect();
    assert_eq!(needed, [4, 16]);
    for maximum in ["", ", \"maximum\": 4"] {
        let error = program.run(&server, &encrypt(maximum), Execution::default()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("sorted by values below 4, but those of \"x\""), "{error}");
    }

    // The check comes before any step is run.
    let frame = encrypt("");
    let steps = "[[step]]\nsum = ['x', 'x']\ninto = 'y'
        [[step]]\nprogram = 'p'\ninputs = ['x', 'y']\ninto = ['l', 'n']";
    let (steps, sort) =
        (Pipeline::from_toml(steps).unwrap(), Operand::Program(Box::new(program.clone())));
    steps.check(&frame, &[]).unwrap();
    let error = steps.check(&frame, &[None, Some(sort)]).unwrap_err().to_string();
    assert!(error.starts_with("step 2: rows are sorted by values below 4"), "{error}");

    // Tables state how large their outputs are, both within one pipeline and from one to the next.
    let pipeline = |outputs: [u64; 16]| {
        let steps = "[[step]]\nlookup = 'x'\ntable = 't'\ninto = 'y'
            [[step]]\nprogram = 'p'\ninputs = ['y', 'name']\ninto = ['l', 'n']";
        let table = cryptable::Table::new(16, 16, outputs.to_vec()).unwrap();
        let operands = [Some(table.into()), Some(Operand::Program(Box::new(program.clone())))];
        let pipeline = Pipeline::from_toml(steps).unwrap();
        pipeline.run(&server, &frame, &operands, None, Execution::default())
    };
    let found = pipeline(std::array::from_fn(|x| 3 - x as u64 % 4)).unwrap();
    let found = read(&found.to_bytes());
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), "y,l,n\n0,0,5\n2,1,15\n1,2,9\n");
    assert_eq!(found.column("y").unwrap().values_needed(), 4);
    assert!(pipeline(std::array::from_fn(|x| x as u64)).unwrap_err().to_string().contains("\"y\""));
}

#[test]
fn schemas_that_programs_cannot_take_are_refused_before_there_are_keys() {
    let column = |name: &str, fields: &str| format!(r#"{{"column": "{name}", "type": {fields}}}"#);
    let check = |program: &str, columns: [String; 3]| {
        let schema = format!(r#"{{"columns": [{}]}}"#, columns.join(", "));
        let schema = Schema::from_json(schema.as_bytes()).unwrap();
        let program = Program::from_json(program.as_bytes()).unwrap();
        program.check_schema(&schema).map_err(|error| error.to_string())
    };
    let (small, any) = (r#""integer", "maximum": 3"#, r#""integer""#);
    let sort = |high: &str, low: &str, name: &str| {
        check(SORT, [column("high", high), column("low", low), column("name", name)])
    };
    assert_eq!(sort(small, small, any), Ok(()));
    let shifted = r#""integer", "minimum": -2, "maximum": 1, "offset": -2"#;
    assert_eq!(sort(small, shifted, any), Ok(()));
    for (high, low, name, expected) in [
        (any, small, any, "values below 4, but those of \"high\" are only known to be below 16"),
        (small, r#""integer", "maximum": 4"#, any, "those of \"low\" are only known to be below 5"),
        (small, small, r#""integer", "nulls": "validity""#, "\"name\" has gaps"),
        (small, small, r#""integer", "minimum": -1, "maximum": 1"#, "\"name\" is signed"),
        (small, small, r#""integer", "maximum": 16"#, "column \"name\": it needs 17 values"),
    ] {
        let error = sort(high, low, name).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let error = check(SORT, ["high", "low", "other"].map(|name| column(name, small)));
    assert_eq!(error.unwrap_err(), "no column \"name\"; there are \"high\", \"low\", \"other\"");

    let groups = |region: &str| {
        check(SUMS, [column("region", region), column("visits", any), column("more", any)])
    };
    assert_eq!(groups(r#""words", "words": ["north", "south", "west"]"#), Ok(()));
    for (region, found) in [(any, 16), (small, 4)] {
        let error = groups(region).unwrap_err();
        assert!(error.contains(&format!("\"region\" has values below {found}, but")), "{error}");
    }
}

#[test]
fn sorts_that_do_not_fit_are_refused() {
    let refused = |from: &str, to: &str| {
        let text = SORT.replacen(from, to, 1);
        assert_ne!(text, SORT);
        Program::from_json(text.as_bytes()).unwrap_err().to_string()
    };
    assert!(refused("\"keys\": 2", "\"keys\": 4").contains("number of keys of a sort"));
    assert!(refused("\"n\"", "\"n\", \"more\"").contains("number of names of results"));
    assert!(
        refused("\"sort\"", "\"formulas\": [{\"column\": 0}], \"sort\"")
            .contains("a sort and formulas")
    );
}
