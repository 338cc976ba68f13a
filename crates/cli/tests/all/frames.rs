//! Frames: `schema suggest`, `encrypt --schema`, `run`, `decrypt`.
#![cfg(feature = "client")]

use crate::support;

use support::Workspace;

const PEOPLE: &str = "\
name,age,region,income,since
ann,3,north,11999.5,2024-01-01
bob,,south,30000,2024-01-09
eve,15,west,-5,2024-01-03
";

const SCHEMA: &str = r#"{"columns": [
    {"column": "age", "type": "integer", "maximum": 15, "nulls": "validity"},
    {"column": "region", "type": "words", "words": ["north", "south", "west"]},
    {"column": "income", "type": "number", "bins": [0, 12000, 50000], "clip": true},
    {"column": "since", "type": "date", "offset": "2024-01-01", "maximum": "2024-01-16"}
]}"#;

const RESULTS: &str = r#"{"columns": [
    {"column": "ticket", "type": "words", "words": ["child", "adult"]},
    {"column": "rate", "type": "number", "scale": 0.05, "maximum": 0.5}
]}"#;

const PIPELINE: &str = r#"
schema = "schema.json"
results = "results.json"
output = ["age", "ticket", "rate", "score"]

[[step]]
lookup = "age"
table = "ticket.csv"
into = "ticket"

[[step]]
lookup = "age"
table = "points.csv"
into = "points"

[[step]]
lookup = "region"
table = "rate.csv"
default = "0.1"
into = "rate"

[[step]]
sum = ["points", "rate"]
factors = [2, 1]
into = "score"
"#;

fn workspace(options: &str) -> Workspace {
    let here = Workspace::with_keys(options);
    here.write("people.csv", PEOPLE).write("schema.json", SCHEMA).write("results.json", RESULTS);
    here.write("pipeline.toml", PIPELINE)
        .write("ticket.csv", "from,to,ticket\n,5,child\n6,,adult\n");
    here.write("points.csv", "from,to,points\n,3,1\n4,,2\n")
        .write("rate.csv", "region,rate\nwest,0.5\n");
    here
}

fn encrypt(here: &Workspace) -> String {
    here.succeed(
        "encrypt --schema schema.json --secret client.key --input people.csv --output people.frame",
    )
}

fn run(here: &Workspace) -> String {
    here.succeed(
        "run pipeline.toml --evaluation server.key --input people.frame --output scored.frame",
    )
}

fn text(here: &Workspace, name: &str) -> String {
    here.text(name)
}

#[test]
fn tables_are_joined_and_columns_selected() {
    let here = workspace("--mode single --bits 4");
    here.write(
        "regions.csv",
        "region,seat,rate,ticket\nwest,Bergen,0.5,child\nnorth,Oslo,0.05,adult\n",
    );
    let join =
        "[[step]]\njoin = \"region\"\ntable = \"regions.csv\"\ninto = [\"rate\", \"ticket\"]\n";
    let select = "[[step]]\nselect = [\"age\", \"region\"]\ninto = [\"age\", \"where\"]\n";
    let head = "schema = \"schema.json\"\nresults = \"results.json\"\n";
    here.write("pipeline.toml", format!("{head}{select}{join}"));
    encrypt(&here);
    run(&here);
    let line =
        "decrypt --secret client.key --schema schema.json --input scored.frame --output scored.csv";
    here.succeed(line);
    let expected = "age,where,rate,ticket\n3,0,0.05,adult\n,1,,\n15,2,0.5,child\n";
    assert_eq!(text(&here, "scored.csv"), expected);
    here.write("pipeline.toml", format!("{head}{join}default = \"child\"\n"));
    let fails =
        "run pipeline.toml --evaluation server.key --input people.frame --output scored.frame";
    let error = here.fail(fails);
    assert!(error.contains("regions.csv") && error.contains("\"child\""), "{error}");
}

#[test]
fn rows_are_compared_with_constants_and_columns_with_each_other() {
    let here = workspace("--mode packed --bits 4");
    here.write("people.csv", "age,limit,since\n3,5,2024-01-01\n5,5,2024-01-09\n7,2,2024-01-03\n");
    here.write(
        "schema.json",
        r#"{"columns": [
            {"column": "age", "type": "integer", "maximum": 7},
            {"column": "limit", "type": "integer", "maximum": 7},
            {"column": "since", "type": "date", "offset": "2024-01-01", "maximum": "2024-01-16"}
        ]}"#,
    );
    here.write(
        "results.json",
        r#"{"columns": [{"column": "more", "type": "integer", "minimum": -8, "maximum": 7}]}"#,
    );
    let compare = |column: &str, is: &str, than: &str, into: &str| {
        format!("[[step]]\ncompare = '{column}'\nis = '{is}'\nthan = {than}\ninto = '{into}'\n")
    };
    let steps = [
        "schema = 'schema.json'\nresults = 'results.json'\n".into(),
        compare("age", ">=", "5", "five"),
        compare("since", "<", "'2024-01-09'", "early"),
        compare("age", "!=", "5", "other"),
        "[[step]]\nsum = ['age', 'limit']\nfactors = [1, -1]\ninto = 'more'\n".into(),
        compare("more", ">", "0", "is_more"),
    ];
    here.write("pipeline.toml", steps.concat());
    encrypt(&here);
    run(&here);
    here.succeed("decrypt --secret client.key --input scored.frame --output scored.csv");
    let expected = "five,early,other,more,is_more\n0,1,1,-2,0\n1,0,0,0,0\n1,1,1,5,1\n";
    assert_eq!(text(&here, "scored.csv"), expected);
    here.write("pipeline.toml", steps[0].clone() + &compare("age", "=", "9", "nine"));
    let fails =
        "run pipeline.toml --evaluation server.key --input people.frame --output scored.frame";
    here.refuses(fails, "\"9\"");

    // Differences that may be beyond their units are not compared, unless one alone has the residue.
    let schema = text(&here, "schema.json");
    here.write(
        "schema.json",
        schema.replace(
            "\"limit\", \"type\": \"integer\", \"maximum\": 7",
            "\"limit\", \"type\": \"integer\"",
        ),
    );
    encrypt(&here);
    let compared = |is, than| steps[0].clone() + &steps[4] + &compare("more", is, than, "is_more");
    for (is, than) in [(">", "0"), ("=", "5")] {
        here.write("pipeline.toml", compared(is, than));
        let error = here.fail(fails);
        assert!(error.contains("a sum from -15 to 7 modulo 16"), "{error}");
        assert!(error.contains("keys for values modulo 32"), "{error}");
    }
    here.write("pipeline.toml", compared("=", "0"));
    run(&here);
    here.succeed("decrypt --secret client.key --input scored.frame --output scored.csv");
    assert_eq!(text(&here, "scored.csv"), "more,is_more\n-2,0\n0,1\n5,0\n");
}

#[test]
fn frames_go_through_pipelines_in_units_of_their_own() {
    for engine in ["single", "packed"] {
        let here = workspace(&format!("--mode {engine} --bits 4"));
        let report = encrypt(&here);
        assert!(report.starts_with("people.frame: 3 rows of 4 columns"), "{report}");
        assert!(report.contains("not in the schema, and not encrypted: name"), "{report}");
        let report = run(&here);
        assert!(report.starts_with("scored.frame: 3 rows of 4 columns"), "{report}");
        assert!(report.contains("4 steps run in"), "{report}");
        let found = here.succeed("inspect scored.frame");
        assert!(
            found.contains("3 rows:\n    \"age\" modulo 16, with gaps, as encrypted\n"),
            "{found}"
        );
        assert!(found.contains("    \"rate\" modulo 16, computed\n"), "{found}");
        here.succeed("decrypt --secret client.key --input scored.frame --output scored.csv");
        // Rates are multiples of 0.05 in the frame, so 2·points + rate adds those.
        let expected = "age,ticket,rate,score\n3,child,0.1,4\n,,0.1,\n15,adult,0.5,14\n";
        assert_eq!(text(&here, "scored.csv"), expected, "{engine}");
        let line = "decrypt --secret client.key --schema schema.json --input people.frame --output back.csv";
        here.succeed(line);
        let back = "age,region,income,since\n\
            3,north,0 to 12000,2024-01-01\n\
            ,south,12000 to 50000,2024-01-09\n\
            15,west,0 to 12000,2024-01-03\n";
        assert_eq!(text(&here, "back.csv"), back);
    }
}

#[test]
fn data_of_every_kind_of_file_give_one_frame() {
    let here = workspace("--mode single --bits 4");
    encrypt(&here);
    for name in ["p.parquet", "p.arrow", "p.csv.gz", "p.csv.zst", "p.jsonl", "p.ndjson.gz"] {
        here.succeed(&format!("decrypt --secret client.key --input people.frame --output {name}"));
        here.succeed(&format!("schema suggest {name} --bits 4 --output s.json"));
        let files = format!("--input {name} --output again.frame");
        here.succeed(&format!("encrypt --schema s.json --secret client.key {files}"));
        here.succeed(
            "decrypt --secret client.key --schema s.json --input again.frame --output again.csv",
        );
        // Without the schema, columns are the integers that represent them.
        let columns = "age,region,income,since\n3,0,0,0\n,1,1,8\n15,2,0,2\n";
        let sorted = "age,income,region,since\n3,0,0,0\n,1,1,8\n15,0,2,2\n";
        let expected = if name.contains("json") { sorted } else { columns };
        assert_eq!(text(&here, "again.csv"), expected, "{name}");
    }
}

#[test]
fn schemas_are_suggested_and_say_what_they_lose() {
    let here = Workspace::new();
    here.write("people.csv", PEOPLE);
    let report = here.succeed("schema suggest people.csv --bits 4 --output schema.json");
    assert!(report.starts_with("schema.json: 5 columns\n  values are rounded: income"), "{report}");
    let schema = text(&here, "schema.json");
    assert!(schema.contains("\"nulls\": \"validity\"") && schema.contains("\"since\""), "{schema}");
    let words: String = (0..40).map(|word| format!("w{word},{word}\n")).collect();
    here.write("words.csv", format!("word,n\n{words}"));
    let report = here.succeed("schema suggest words.csv --bits 5 --output s.json");
    assert!(
        report.contains("without \"word\": it has 40 different words, but the key has only 32"),
        "{report}"
    );
    assert!(!report.contains("the first line"), "{report}");
    here.write("data.csv", "Ada,36\nBen,7\n");
    let report = here.succeed("schema suggest data.csv --bits 7 --output s.json");
    assert!(report.contains("the first line names columns, and one of them is \"36\""), "{report}");
    here.write("index.csv", ",age\n0,36\n1,7\n");
    let report = here.succeed("schema suggest index.csv --bits 7 --output s.json");
    assert!(!report.contains("the first line"), "{report}");
}

#[test]
fn data_that_do_not_fit_are_refused_before_anything_is_written() {
    let here = workspace("--mode single --bits 4");
    let line =
        "encrypt --schema schema.json --secret client.key --input people.csv --output x.frame";
    let refused = |schema: &str, line: &str| {
        here.write("schema.json", schema);
        here.fail(line)
    };
    let of = |fields: &str| refused(&format!("{{\"columns\": [{{{fields}}}]}}"), line);
    let missing = of(r#""column": "age", "type": "integer""#);
    assert!(
        missing.starts_with("people.csv: column \"age\", row 2: it is a missing value"),
        "{missing}"
    );
    let word = of(r#""column": "region", "type": "words", "words": ["north", "south"]"#);
    assert!(word.contains("column \"region\", row 3: \"west\" is not in `words`"), "{word}");
    let wide = of(r#""column": "age", "type": "integer", "maximum": 99, "nulls": "validity""#);
    assert!(wide.contains("needs 100 values") && wide.contains("`keygen --bits 7`"), "{wide}");
    let unknown = of(r#""column": "Age", "type": "integer""#);
    assert!(unknown.contains("no column \"Age\"; there are \"name\", \"age\""), "{unknown}");
    assert!(refused("{", line).starts_with("schema.json: it is not a schema"));
    here.write("schema.json", SCHEMA).write("people.txt", PEOPLE);
    let line =
        "encrypt --schema schema.json --secret client.key --input people.txt --output x.frame";
    here.refuses(line, "people.txt: a file of columns has one of the extensions .parquet");
    let line = "encrypt --schema schema.json --secret client.key --input people.csv --column age --output x.frame";
    here.strict_command(line).assert().code(2);
    let line = "decrypt --schema schema.json --secret client.key --input people.ct --output x.csv";
    here.write("v.csv", "1\n");
    here.succeed("encrypt --secret client.key --input v.csv --output people.ct");
    here.refuses(line, "--schema: people.ct holds no frame");
}

#[test]
fn pipelines_that_do_not_fit_are_refused_before_the_key_is_read() {
    let here = workspace("--mode single --bits 4");
    encrypt(&here);
    let line = "run pipeline.toml --evaluation server.key --input people.frame --output x.frame";
    let refused = |pipeline: &str| {
        here.write("pipeline.toml", pipeline);
        here.fail(line)
    };
    let column = refused("[[step]]\nlookup = 'Age'\ntable = 'points.csv'\ninto = 'a'");
    assert!(column.starts_with("pipeline.toml: step 1: no column \"Age\" before it"), "{column}");
    let file = refused("[[step]]\nlookup = 'age'\ntable = 'none.csv'\ninto = 'a'");
    assert!(file.contains("cannot read none.csv"), "{file}");
    let bad = "schema = 'schema.json'\n[[step]]\nlookup = 'age'\ntable = 'bad.csv'\ninto = 'a'";
    here.write("bad.csv", "age,a\nwest,1\n");
    let bad = refused(bad);
    assert!(bad.starts_with("bad.csv: line 2: input \"west\" is not an integer"), "{bad}");
    assert!(bad.contains("say so of \"age\" in `schema`"), "{bad}");
    let short =
        "schema = 'schema.json'\n[[step]]\nlookup = 'region'\ntable = 'rate.csv'\ninto = 'a'";
    let short = refused(short);
    assert!(short.contains("rate.csv: line 2: output \"0.5\" is not an integer"), "{short}");
    assert!(short.contains("say so of \"a\" in `results`"), "{short}");
    let gap = "schema = 'schema.json'\nresults = 'results.json'\n[[step]]\nlookup = 'region'\ntable = 'rate.csv'\ninto = 'rate'";
    assert!(refused(gap).contains("rate.csv: no line for \"north\"; add one, or"));
    assert!(refused("[[step]]\nfoo = 1").contains("it is not a pipeline"));
    let line = "run pipeline.toml --evaluation server.key --input people.frame --output points.csv";
    here.write("pipeline.toml", PIPELINE);
    here.refuses(line, "would replace the file that PIPELINE");
    let other = Workspace::with_keys("--mode single --bits 4");
    here.write("other.key", other.read("server.key"));
    let line = "run pipeline.toml --evaluation other.key --input people.frame --output x.frame";
    here.refuses(line, "people.frame does not match other.key");
    let line =
        "lookup --evaluation server.key --table points.csv --input people.frame --output x.ct";
    here.refuses(line, "`decrypt` and `run` read it");
}

#[test]
fn tables_without_units_are_those_of_lookup() {
    let here = Workspace::with_keys("--mode leveled --bits 4");
    here.write("x.csv", "x\n0\n7\n15\n");
    here.succeed("schema suggest x.csv --bits 4 --output schema.json");
    here.succeed("encrypt --schema schema.json --secret client.key --input x.csv --output x.frame");
    here.write("square.csv", support::numbers((0..16).map(|x| x * x % 16)));
    here.write("p.toml", "[[step]]\nlookup = 'x'\ntable = 'square.csv'\ninto = 'y'");
    here.succeed("run p.toml --evaluation server.key --input x.frame --output y.frame");
    here.succeed("decrypt --secret client.key --input y.frame --output y.csv");
    assert_eq!(text(&here, "y.csv"), "y\n0\n1\n1\n");
    here.write("p.toml", "[[step]]\nsum = ['x', 'x']\ninto = 'y'");
    let message = here.fail("run p.toml --evaluation server.key --input x.frame --output z.frame");
    assert!(message.contains("step 1: the engine leveled cannot add values"), "{message}");
}

const FOREST: &str = r#"{
    "columns": ["age", "income"], "modulus": 16, "results": ["score"], "output_modulus": 64,
    "formulas": [{"sum": [
        {"choice": {"column": 0, "within": [[0, 6]], "then": {"constant": -3}, "otherwise":
            {"choice": {"column": 1, "within": [[0, 1]], "then": {"constant": 20}, "otherwise": {"constant": 4}}}}},
        {"choice": {"column": 1, "within": [[1, 2]], "then": {"constant": 5}, "otherwise": {"constant": 0}}}
    ]}]
}"#;

#[test]
fn programs_are_planned_and_run_as_steps_of_pipelines() {
    let here = Workspace::new();
    here.write("forest.json", FOREST);
    let plan = here.succeed("plan program forest.json --rows 1000");
    assert!(plan.contains("formulas of 2 columns modulo 16, results modulo 64"), "{plan}");
    assert!(plan.contains("GB of memory"), "{plan}");
    here.succeed(
        "keygen program forest.json --insecure-toy --secret client.key --evaluation server.key",
    );
    here.write("people.csv", "age,income\n3,100\n5,29999\n6,11000\n15,12000\n");
    let step = "[[step]]\nprogram = 'forest.json'\ninputs = ['age', 'income']\ninto = ['risk']\n";
    here.write("forest.toml", step);
    here.write(
        "schema.json",
        r#"{"columns": [
            {"column": "age", "type": "integer", "maximum": 15},
            {"column": "income", "type": "number", "bins": [0, 12000, 50000]}
        ]}"#,
    );
    encrypt(&here);
    here.succeed(
        "run forest.toml --evaluation server.key --input people.frame --output risk.frame",
    );
    here.succeed("decrypt --secret client.key --input risk.frame --output risk.csv");
    assert_eq!(text(&here, "risk.csv"), "risk\n-3\n2\n20\n9\n");

    here.write("forest.json", FOREST.replace("[[0, 6]]", "[[6, 0]]"));
    let refused = here.fail("plan program forest.json");
    assert!(
        refused.contains("forest.json") && refused.contains("first value of a range"),
        "{refused}"
    );
}

#[test]
fn columns_that_a_program_cannot_take_are_refused_before_there_are_keys() {
    let here = Workspace::new();
    let sort = r#"{"columns": ["age", "region"], "modulus": 16, "sort": {"keys": 1},
        "results": ["years", "where"], "output_modulus": 16}"#;
    here.write("sort.json", sort).write("schema.json", SCHEMA);
    let plan = "plan program sort.json --schema schema.json --insecure-toy";
    let keygen =
        "keygen program sort.json --schema schema.json --secret client.key --evaluation server.key";
    for line in [plan, keygen] {
        let error = here.fail(line);
        assert!(error.starts_with("schema.json: \"age\" has gaps"), "{error}");
    }
    here.write("schema.json", SCHEMA.replace("\"validity\"", "{\"value\": 1}"));
    here.refuses(plan, "values below 4, but those of \"age\"");
    here.write("sort.json", sort.replace(r#""age", "region""#, r#""region", "age""#));
    let found = here.succeed(plan);
    assert!(found.contains("a sort of 2 columns modulo 16, by values below 4"), "{found}");
}

#[test]
fn counts_and_sums_by_group_come_back_as_a_table() {
    let here = Workspace::new();
    let program = r#"{"columns": ["region", "age"], "modulus": 16, "group_by": {"column": "region", "groups": 3},
        "results": ["people", "years"], "output_modulus": 64, "formulas": [{"constant": 1}, {"column": 1}]}"#;
    here.write("sums.json", program);
    let plan = here.succeed("plan program sums.json --insecure-toy");
    assert!(plan.contains("added up by 4 groups"), "{plan}");
    here.succeed(
        "keygen program sums.json --insecure-toy --secret client.key --evaluation server.key",
    );
    let schema = SCHEMA.replace("\"validity\"", "{\"value\": 1}");
    here.write("people.csv", PEOPLE).write("schema.json", schema);
    encrypt(&here);
    let step =
        "[[step]]\nprogram = 'sums.json'\ninputs = ['region', 'age']\ninto = ['people', 'years']\n";
    here.write("pipeline.toml", step);
    run(&here);
    let found = here.succeed("inspect scored.frame");
    assert!(found.contains("computed, partial sums by \"region\""), "{found}");
    let report = here.succeed(
        "decrypt --secret client.key --schema schema.json --input scored.frame --output sums.csv",
    );
    assert!(report.starts_with("sums.csv: 3 rows of 3 columns"), "{report}");
    let expected = "region,people,years\nnorth,1,3\nsouth,1,1\nwest,1,15\n";
    assert_eq!(text(&here, "sums.csv"), expected);
}
