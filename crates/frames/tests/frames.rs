//! Tests of frames from files of data to files of results, with every value compared.

#![cfg(feature = "client")]

use std::sync::LazyLock;

use cryptable::integers::ColumnKind;
use cryptable::{
    Engine, EvaluationKey, Execution, Parameters, ReadOptions, Request, SecretKey, Table,
};
use cryptable_frames::{
    Column, Error, FileFormat, FileKind, Frame, FrameColumn, Mapping, Operand, Pipeline,
    RecordBatch, Schema,
};

const MODULUS: u64 = 16;

/// A client and its server.
type Client = (SecretKey, EvaluationKey);

fn client(engine: Engine) -> Client {
    let parameters = Parameters::insecure_toy(engine, MODULUS, MODULUS).unwrap();
    let secret = SecretKey::generate(parameters);
    let server = secret.evaluation_key();
    (secret, server)
}

static SINGLE: LazyLock<Client> = LazyLock::new(|| client(Engine::Single));

static PACKED: LazyLock<Client> = LazyLock::new(|| client(Engine::Packed));

fn columns(csv: &str) -> RecordBatch {
    FileFormat::from(FileKind::Csv).read(csv.as_bytes()).unwrap()
}

fn csv(columns: &RecordBatch) -> String {
    let mut bytes = Vec::new();
    FileFormat::from(FileKind::Csv).write(&mut bytes, columns).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn schema(columns: &str) -> Schema {
    Schema::from_json(format!("{{\"columns\": [{columns}]}}").as_bytes()).unwrap()
}

/// Columns of every type, some with gaps.
const TYPES: &str = r#"
    {"column": "steps", "type": "integer", "minimum": -8, "maximum": 7},
    {"column": "year", "type": "integer", "offset": 2010, "maximum": 2025},
    {"column": "ok", "type": "boolean", "nulls": "validity"},
    {"column": "price", "type": "number", "scale": 0.1, "maximum": 1.5, "nulls": {"value": 0}},
    {"column": "income", "type": "number", "bins": [0, 12000, 30000, 50000], "clip": true},
    {"column": "day", "type": "date", "offset": "2024-02-25", "maximum": "2024-03-11"},
    {"column": "month", "type": "date", "offset": "2023-11-01", "unit": "month", "round": true},
    {"column": "at", "type": "datetime", "offset": "2024-01-01 00:00:00", "scale": 3600, "round": true},
    {"column": "time", "type": "time", "scale": 7200, "round": true},
    {"column": "region", "type": "words", "words": ["north", "south", "elsewhere"], "other": "elsewhere", "nulls": "validity"}"#;

const DATA: &str = "\
id,steps,year,ok,price,income,day,month,at,time,region
1,-8,2010,true,0.3,11999.99,2024-02-29,2023-11-30,2024-01-01T01:59:59,00:00,north
2,7,2025,,,12000,2024-03-11,2024-02-01,2024-01-01 15:00:00,23:59:59,west
3,-1,2011,0,1.5,-5,2024-02-25,2025-01-01,2024-01-01T00:00:00Z,09:30,
";

const DECRYPTED: &str = "\
steps,year,ok,price,income,day,month,at,time,region
-8,2010,true,0.3,0 to 12000,2024-02-29,2023-11-01,2024-01-01 01:00:00,00:00:00,north
7,2025,,0,12000 to 30000,2024-03-11,2024-02-01,2024-01-01 15:00:00,22:00:00,elsewhere
-1,2011,false,1.5,0 to 12000,2024-02-25,2025-01-01,2024-01-01 00:00:00,08:00:00,
";

#[test]
fn values_of_every_type_come_back_from_every_kind_of_file() {
    let schema = schema(TYPES);
    for (secret, _) in [&*SINGLE, &*PACKED] {
        let frame = Frame::encrypt(secret, &columns(DATA), &schema).unwrap();
        let bytes = frame.to_bytes();
        let frame = Frame::from_bytes(&bytes, ReadOptions::default()).unwrap();
        assert_eq!(frame.to_bytes(), bytes);
        assert_eq!((frame.rows(), frame.columns().len()), (3, 10));
        let gaps = frame.columns().iter().filter(|column| column.validity().is_some());
        assert_eq!(gaps.map(FrameColumn::name).collect::<Vec<_>>(), ["ok", "region"]);
        assert!(frame.columns().iter().all(|column| column.units().is_none()));
        let decrypted = frame.decrypt(secret, Some(&schema)).unwrap();
        assert_eq!(csv(&decrypted), DECRYPTED);
        // Typed files preserve the types, and are encrypted to the same values again.
        for kind in [FileKind::Parquet, FileKind::Arrow, FileKind::JsonLines] {
            let mut bytes = Vec::new();
            FileFormat::from(kind).write(&mut bytes, &decrypted).unwrap();
            let read = FileFormat::from(kind).read(&*bytes).unwrap();
            let without_bins = Schema::new(
                schema
                    .columns()
                    .iter()
                    .filter(|it| it.name() != "income")
                    .map(|it| it.literal().clone())
                    .collect(),
            );
            let again = Frame::encrypt(secret, &read, &without_bins.unwrap()).unwrap();
            let again = again.decrypt(secret, Some(&schema)).unwrap();
            for column in again.schema().fields() {
                let name = column.name();
                assert_eq!(again.column_by_name(name), decrypted.column_by_name(name), "{kind:?}");
            }
        }
    }
    // Without the schema, integers keep their sign, and all other values decrypt to the numbers that represent them.
    let (secret, _) = &*SINGLE;
    let frame = Frame::encrypt(secret, &columns(DATA), &schema).unwrap();
    let plain = csv(&frame.decrypt(secret, None).unwrap());
    assert!(plain.contains("\n-8,0,1,3,0,4,0,1,0,0\n"), "{plain}");
}

#[test]
fn values_that_do_not_fit_are_named_by_column_and_row() {
    let (secret, _) = &*SINGLE;
    let message = |column: &str, values: &str| {
        let data = columns(&format!("c\n{values}\n"));
        Frame::encrypt(secret, &data, &schema(column)).unwrap_err().to_string()
    };
    let of =
        |fields: &str, values: &str| message(&format!("{{\"column\": \"c\", {fields}}}"), values);
    for (fields, values, expected) in [
        (r#""type": "integer""#, "3\nx", "row 2: \"x\" is not an integer"),
        (r#""type": "integer""#, "3\n\n4", "row 2: it is a missing value; `nulls` says"),
        (r#""type": "integer""#, "3\n16", "row 2: \"16\" is not within 0 to 15"),
        (r#""type": "integer", "maximum": 4"#, "5", "row 1: \"5\" is not within 0 to 4"),
        (r#""type": "integer", "minimum": -2"#, "-3", "row 1: \"-3\" is not within -2 to 7"),
        (
            r#""type": "number", "scale": 0.1"#,
            "0.3\n0.35",
            "row 2: \"0.35\" is not a multiple of 0.1 from 0 on",
        ),
        (
            r#""type": "number", "bins": [0, 1]"#,
            "1",
            "row 1: \"1\" is not within 0 to 1, without the latter",
        ),
        (
            r#""type": "date", "offset": "2024-01-01""#,
            "2023-12-31",
            "is not within 2024-01-01 to 2024-01-16",
        ),
        (
            r#""type": "date", "offset": "2024-01-01", "unit": "month""#,
            "2024-02-02",
            "is not a multiple of a month",
        ),
        (
            r#""type": "datetime", "offset": "2024-01-01", "scale": 60"#,
            "2024-01-01 00:00:30",
            "is not a multiple of 60 s",
        ),
        (r#""type": "words", "words": ["a"]"#, "a\nb", "row 2: \"b\" is not in `words`"),
        (r#""type": "boolean""#, "1\nyes", "row 2: \"yes\" is not true or false"),
    ] {
        let found = of(fields, values);
        assert!(
            found.starts_with("column \"c\", row ") && found.contains(expected),
            "{fields}: {found}"
        );
    }
    assert!(of(r#""type": "integer", "maximum": 16"#, "1").contains("it needs 17 values"));
    let missing = message(r#"{"column": "d", "type": "integer"}"#, "1");
    assert_eq!(missing, "no column \"d\"; there are \"c\"");
}

#[test]
fn pipelines_give_the_tables_values_on_every_input() {
    let pipeline = Pipeline::from_toml(
        "output = ['square', 'half', 'score']
         [[step]]\nlookup = 'x'\ntable = 'a'\ninto = 'square'
         [[step]]\nsum = ['x', 'square']\nfactors = [-1, 2]\ninto = 'score'
         [[step]]\nlookup = 'x'\ntable = 'b'\ninto = 'half'",
    )
    .unwrap();
    let square = Table::from_fn(MODULUS, MODULUS, |x| x * x % MODULUS).unwrap();
    let half = Table::from_fn(MODULUS, MODULUS, |x| x / 2).unwrap();
    let tables = [Some(square.clone().into()), None, Some(half.clone().into())];
    let all: String = (0..MODULUS).map(|x| format!("{x}\n")).collect();
    let schema = schema(r#"{"column": "x", "type": "integer", "nulls": "validity"}"#);
    for (secret, server) in [&*SINGLE, &*PACKED] {
        let frame = Frame::encrypt(secret, &columns(&format!("x\n{all}\n")), &schema).unwrap();
        let results = pipeline.run(server, &frame, &tables, None, Execution::default()).unwrap();
        let results = Frame::from_bytes(&results.to_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(results.names(), ["square", "half", "score"]);
        let mut expected = String::from("square,half,score\n");
        for x in 0..MODULUS {
            let score = (2 * square.output(x) + MODULUS - x) % MODULUS;
            expected += &format!("{},{},{score}\n", square.output(x), half.output(x));
        }
        // A gap in the input is a gap in all results.
        expected += ",,\n";
        assert_eq!(csv(&results.decrypt(secret, None).unwrap()), expected);
    }
}

#[test]
fn results_have_units_and_signs() {
    let (secret, server) = &*SINGLE;
    let inputs = schema(r#"{"column": "t", "type": "integer", "minimum": -8, "maximum": 7}"#);
    let results = schema(
        r#"{"column": "feels", "type": "words", "words": ["cold", "mild", "warm"]},
           {"column": "change", "type": "number", "scale": 0.25, "minimum": -2, "maximum": 1.75}"#,
    );
    let pipeline = Pipeline::from_toml(
        "[[step]]\nlookup = 't'\ntable = 'a'\ninto = 'feels'\n[[step]]\nlookup = 't'\ntable = 'b'\ninto = 'change'",
    )
    .unwrap();
    let feels =
        Mapping::read("from,below,feels\n,-2,cold\n-2,3,mild\n3,,warm\n".as_bytes()).unwrap();
    let change = (-8..8).map(|t| format!("{t},{}\n", f64::from(t) / 4.0)).collect::<String>();
    let change = Mapping::read(format!("t,change\n{change}").as_bytes()).unwrap();
    let t = &inputs.columns()[0];
    let of = |mapping: &Mapping, name| {
        mapping.table(t, MODULUS, results.column(name).unwrap(), MODULUS, None)
    };
    let tables = [&feels, &change].map(|mapping| {
        let name = if std::ptr::eq(mapping, &feels) { "feels" } else { "change" };
        Some(Operand::from(of(mapping, name).unwrap()))
    });
    let all: String = (-8..8).map(|t| format!("{t}\n")).collect();
    let frame = Frame::encrypt(secret, &columns(&format!("t\n{all}")), &inputs).unwrap();
    let output =
        pipeline.run(server, &frame, &tables, Some(&results), Execution::default()).unwrap();
    let output = Frame::from_bytes(&output.to_bytes(), ReadOptions::default()).unwrap();
    let mut expected = String::from("feels,change\n");
    for t in -8..8 {
        let feels = if t < -2 {
            "cold"
        } else if t < 3 {
            "mild"
        } else {
            "warm"
        };
        expected += &format!("{feels},{}\n", f64::from(t) / 4.0);
    }
    assert_eq!(csv(&output.decrypt(secret, None).unwrap()), expected);
    // Unsigned results cannot belong to a signed column.
    let wrong = [tables[0].clone(), tables[0].clone()];
    let error = pipeline.run(server, &frame, &wrong, Some(&results), Execution::default());
    assert!(error.unwrap_err().to_string().contains("its encrypted values are unsigned"));
}

#[test]
fn mappings_name_the_line_that_is_wrong() {
    let schema = schema(
        r#"{"column": "n", "type": "integer", "maximum": 9},
           {"column": "w", "type": "words", "words": ["a", "b"]},
           {"column": "income", "type": "number", "bins": [0, 10, 20, 30]}"#,
    );
    let [n, w, income] = schema.columns() else { panic!("three columns") };
    let of = |text: &str, input, output, default: Option<&str>| -> Result<Table, String> {
        let mapping = Mapping::read(text.as_bytes()).map_err(|error| error.to_string())?;
        mapping.table(input, 16, output, 16, default).map_err(|error| error.to_string())
    };
    let table = of("w,n\nb,7\na,9\n", w, n, None).unwrap();
    assert_eq!((table.output(0), table.output(1), table.output(2)), (9, 7, 0));
    let table = of("from,below,n\n,10,1\n10,30,2\n", income, n, None).unwrap();
    assert_eq!(table.values()[..4], [1, 2, 2, 0]);
    let table = of("income,n\n10 to 20,5\n", income, n, Some("3")).unwrap();
    assert_eq!(table.values()[..4], [3, 5, 3, 0]);
    for (text, input, output, expected) in [
        ("w,n\na,1\n", w, n, "no line for \"b\"; add one, or"),
        ("w,n\na,1\nb,10\n", w, n, "line 3: output \"10\" is not within 0 to 9"),
        ("w,n\na,1\na,2\n", w, n, "line 3: input \"a\" is in line 2 already"),
        ("w,n\nc,1\n", w, n, "line 2: input \"c\" is not in `words`"),
        (
            "w,n\na,Oslo\n",
            w,
            n,
            "line 2: output \"Oslo\" is not an integer; if it is a word, a date or a number with a scale, say so of \
             \"n\" in `results`",
        ),
        ("from,to,w\n,May,a\n", n, w, "line 2: input \"May\" is not an integer; if it is a word"),
        ("from,to,w\n0,5,a\n5,9,b\n", n, w, "line 3: input 5 is in line 2 already"),
        ("from,to,w\n7,3,a\n", n, w, "line 2: no value is from \"7\" to \"3\""),
        ("from,below,w\n0,15,a\n", income, w, "line 2: input \"15\" is not an end of a bin"),
        ("n,w\n12,a\n", n, w, "line 2: input \"12\" is outside of its column's range"),
        ("a,b,c\n", n, w, "line 1: it must be a header"),
        ("n,w\n1\n", n, w, "line 2"),
        ("", n, w, "it has no rows"),
    ] {
        let found = of(text, input, output, None).unwrap_err();
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

#[test]
fn pipelines_that_cannot_run_are_refused_by_step() {
    let (secret, server) = &*SINGLE;
    let schema = schema(
        r#"{"column": "x", "type": "integer", "nulls": "validity"},
           {"column": "y", "type": "integer", "nulls": "validity"}"#,
    );
    let frame = Frame::encrypt(secret, &columns("x,y\n1,2\n"), &schema).unwrap();
    let message = |text: &str| {
        let found = Pipeline::from_toml(text).and_then(|pipeline| {
            let tables = vec![None; pipeline.steps().len()];
            pipeline.run(server, &frame, &tables, None, Execution::default())
        });
        found.unwrap_err().to_string()
    };
    for (text, expected) in [
        ("[[step]]\ninto = 'a'", "step 1: it must have either"),
        ("[[step]]\nlookup = 'x'\ninto = 'a'", "step 1: it must have either"),
        (
            "[[step]]\nlookup = 'x'\ntable = 't'\ninto = 'a'\nsum = ['x']",
            "step 1: it must have either",
        ),
        (
            "[[step]]\nlookup = 'x'\ntable = 't'\ninto = 'a'\nfactors = [1]",
            "step 1: `factors` is not",
        ),
        ("[[step]]\nsum = ['x']\ninto = 'a'\nfactors = [1, 2]", "step 1: 1 terms and 2 factors"),
        (
            "[[step]]\nsum = ['z']\ninto = 'a'",
            "step 1: no column \"z\" before it; there are \"x\", \"y\"",
        ),
        ("[[step]]\nsum = ['x']\ninto = 'y'", "step 1: a column \"y\" exists already"),
        ("[[step]]\nsum = ['x', 'y']\ninto = 'a'", "step 1: \"x\" and \"y\" have different gaps"),
        ("[[step]]\nlookup = 'x'\ntable = 't'\ninto = 'a'", "step 1: it has no table"),
        ("output = ['b']\n[[step]]\nsum = ['x']\ninto = 'a'", "no column \"b\""),
        ("[[step]]\nsum = ['x']\ninto = ''", "a column name has 0 bytes"),
        ("step = []", "0 columns"),
        ("[[step]]\nselect = ['x']\ninto = 'y'", "step 1: a column \"y\" exists already"),
        ("[[step]]\nselect = ['x']\ninto = ['a', 'b']", "step 1: 1 columns and 2 names"),
        ("[[step]]\nsum = ['x']", "step 1: it needs `into`"),
        ("[[step]]\nsum = ['x']\ncount = 3\ninto = 'a'", "step 1: `count` is not"),
        ("[[step]]\nselect = ['x']\ndefault = '1'", "step 1: `default` is not"),
        (
            "[[step]]\nsums = ['x']\ninto = 'a'",
            "it is not a pipeline: line 2: unknown field `sums`",
        ),
        ("[[step]]\nsum = ", "it is not a pipeline: line 2: "),
    ] {
        let found = message(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn damaged_frames_are_refused() {
    let (secret, _) = &*SINGLE;
    let schema = schema(
        r#"{"column": "x", "type": "integer", "nulls": "validity"}, {"column": "y", "type": "integer"}"#,
    );
    let bytes = Frame::encrypt(secret, &columns("x,y\n1,2\n"), &schema).unwrap().to_bytes();
    let read = |bytes: &[u8]| Frame::from_bytes(bytes, ReadOptions::default());
    assert!(read(&bytes).is_ok());
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged).is_err(), "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "length {length}");
    }
    assert!(read(&[bytes.as_slice(), &[0]].concat()).is_err());
    let other = client(Engine::Single).0;
    let error = read(&bytes).unwrap().decrypt(&other, None).unwrap_err();
    assert!(matches!(error, Error::Library(cryptable::Error::OtherClient { .. })), "{error:?}");
}

#[test]
fn columns_of_different_rows_clients_and_names_do_not_join() {
    let (secret, _) = &*SINGLE;
    let column =
        |name: &str, values: &[u64]| FrameColumn::new(name, secret.encrypt(values).unwrap());
    let message = |columns| Frame::new(columns).unwrap_err().to_string();
    let rows = message(vec![column("a", &[1, 2]), column("b", &[1])]);
    assert_eq!(rows, "column \"b\" has 1 rows, but the frame has 2");
    assert_eq!(message(vec![column("a", &[1]), column("a", &[1])]), "two columns are called \"a\"");
    assert_eq!(message(Vec::new()), "0 columns; a frame has 1 to 4096");
    let foreign = FrameColumn::new("b", client(Engine::Single).0.encrypt(&[1]).unwrap());
    assert!(message(vec![column("a", &[1]), foreign]).contains("key"));
    let validity = secret.encrypt(&[1, 1]).unwrap();
    let gaps = column("a", &[1]).with_validity(Some(validity));
    assert_eq!(message(vec![gaps]), "column \"a\" has 2 rows, but the frame has 1");
}

#[test]
fn columns_keep_names_and_order() {
    let (secret, _) = &*SINGLE;
    let names = ["ä, \"b\"", "a", "0"];
    let of = |name: &&str| FrameColumn::new(*name, secret.encrypt(&[3]).unwrap());
    let frame = Frame::new(names.iter().map(of).collect()).unwrap();
    let frame = Frame::from_bytes(&frame.to_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(frame.names(), names);
    assert!(frame.column("b").unwrap_err().to_string().starts_with("no column \"b\""));
}

#[test]
fn tables_are_joined_by_a_key_and_columns_selected() {
    let results = schema(
        r#"{"column": "seat", "type": "words", "words": ["Oslo", "Bergen", "none"]},
           {"column": "rate", "type": "integer", "minimum": -8, "maximum": 7}"#,
    );
    let data = schema(
        r#"{"column": "region", "type": "words", "words": ["north", "south", "west"]},
           {"column": "ok", "type": "boolean", "nulls": "validity"}"#,
    );
    let file = "region,seat,note,rate\nwest,Bergen,x,-8\nnorth,Oslo,y,7\n";
    let outputs = ["rate", "seat"].map(|name| results.column(name).unwrap().clone());
    let tables = |default: Option<&str>| {
        let key = data.column("region").unwrap();
        let join = |outputs: &[Column], default| {
            Mapping::join(file.as_bytes(), key, MODULUS, outputs, MODULUS, default).unwrap()
        };
        let mut tables = join(&outputs, None);
        if default.is_some() {
            tables.splice(1.., join(&outputs[1..], default));
        }
        Some(Operand::Join(tables))
    };
    let pipeline = |default: &str| {
        let text = format!(
            "[[step]]\nselect = ['region', 'ok']\ninto = ['where', 'ok']\n\
             [[step]]\njoin = 'region'\ntable = 't'\ninto = ['rate', 'seat']\n{default}"
        );
        Pipeline::from_toml(&text).unwrap()
    };
    for (secret, server) in [&*SINGLE, &*PACKED] {
        let rows = columns("region,ok\nnorth,true\nsouth,\nwest,false\n");
        let frame = Frame::encrypt(secret, &rows, &data).unwrap();
        let run = |pipeline: &Pipeline, operand, frame: &Frame| {
            let operands = [None, operand];
            pipeline.run(server, frame, &operands, Some(&results), Execution::default())
        };
        let found = run(&pipeline(""), tables(None), &frame).unwrap();
        let expected = "where,ok,rate,seat\n0,1,7,Oslo\n1,,,\n2,0,-8,Bergen\n";
        assert_eq!(csv(&found.decrypt(secret, None).unwrap()), expected);
        let found = run(&pipeline("default = 'none'"), tables(Some("none")), &frame).unwrap();
        let expected = "where,ok,rate,seat\n0,1,7,Oslo\n1,,0,none\n2,0,-8,Bergen\n";
        assert_eq!(csv(&found.decrypt(secret, None).unwrap()), expected);
        // Without a default, the tables must tell which keys exist.
        let error = run(&pipeline(""), tables(Some("none")), &frame).unwrap_err().to_string();
        assert!(error.contains("step 2: it has no table"), "{error}");
        let gaps = schema(
            r#"{"column": "region", "type": "integer", "nulls": "validity"}, {"column": "ok", "type": "boolean"}"#,
        );
        let gaps = Frame::encrypt(secret, &columns("region,ok\n1,1\n,0\n"), &gaps).unwrap();
        let error = run(&pipeline(""), tables(None), &gaps).unwrap_err().to_string();
        assert!(error.contains("\"region\" has gaps"), "{error}");
    }
}

#[test]
fn columns_that_tables_lack_are_refused() {
    let error = |name: &str| {
        let columns = ["k", name].map(|name| Column::integers(name, false, 16).unwrap());
        let found =
            Mapping::join("k,a,a\n1,2,3\n".as_bytes(), &columns[0], 16, &columns[1..], 16, None);
        found.unwrap_err().to_string()
    };
    assert!(error("b").contains("no column \"b\""), "{}", error("b"));
    assert!(error("a").contains("two columns are called \"a\""));
}

#[test]
fn rows_of_the_largest_values_are_marked_without_the_client() {
    let plan = Request::integers(ColumnKind::of::<u8>()).digit_bits(2).insecure_toy().plan();
    let secret = SecretKey::generate(plan.unwrap());
    let server = secret.evaluation_key();
    let data = schema(
        r#"{"column": "high", "type": "integer"}, {"column": "low", "type": "integer"},
           {"column": "gaps", "type": "integer", "nulls": "validity"}"#,
    );
    let values: Vec<u64> = (0..40).map(|row| row * row * 7 % 256).collect();
    let line = |value: &u64| format!("{},{},\n", value / 16, value % 16);
    let text = format!("high,low,gaps\n{}", values.iter().map(line).collect::<String>());
    let frame = Frame::encrypt(&secret, &columns(&text), &data).unwrap();
    let search = |kind: &str, columns: &str| {
        let text = format!("[[step]]\n{kind} = [{columns}]\ninto = 'top'");
        let pipeline = Pipeline::from_toml(&text).unwrap();
        pipeline.run(&server, &frame, &[None], None, Execution::default())
    };
    let mut sorted = values.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let mark = |value: &u64| format!("{}\n", u64::from(*value >= sorted[2]));
    let expected = format!("top\n{}", values.iter().map(mark).collect::<String>());
    let run = |columns: &str| search("count = 3\nlargest", columns);
    let found = run("'high', 'low'").unwrap();
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), expected);
    let first = values.iter().position(|value| *value == sorted[0]).unwrap();
    let mark = |row: usize| format!("{}\n", u64::from(row == first));
    let expected = format!("top\n{}", (0..values.len()).map(mark).collect::<String>());
    let found = search("argmax", "'high', 'low'").unwrap();
    assert_eq!(csv(&found.decrypt(&secret, None).unwrap()), expected);
    let error = run("'high', 'gaps'").unwrap_err().to_string();
    assert!(error.contains("\"gaps\" has gaps"), "{error}");
    let error = run("'high'").unwrap_err().to_string();
    assert!(error.contains("bits of integers"), "{error}");
}
