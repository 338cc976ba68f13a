//! `automaton`: patterns and rules on words of encrypted values, and refusals.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

/// A folder with keys for words of up to eight symbols below 4, and a file of values.
fn workspace(values: impl IntoIterator<Item = u64>) -> Workspace {
    let here = Workspace::with_keys("--mode leveled --bits 2 --output-bits 4 --word-length 8");
    here.write("x.csv", numbers(values));
    here.succeed("encrypt --secret client.key --input x.csv --output x.ct");
    here
}

fn run(here: &Workspace, options: &str) -> String {
    here.succeed(&format!("automaton --evaluation server.key --input x.ct --output r.ct {options}"))
}

fn decrypt(here: &Workspace) -> String {
    here.succeed("decrypt --secret client.key --input r.ct --output r.csv --force");
    here.text("r.csv")
}

#[test]
fn patterns_and_rules_give_a_result_per_word() {
    let here = workspace([3, 1, 3, 1, 3, 0, 2, 3, 1, 1, 1, 3, 1, 0, 0, 0]);
    let report = run(&here, "--pattern 3,1 --word-length 8");
    assert!(report.contains("r.ct: 2 words of 8 values, results below 16"), "{report}");
    assert_eq!(decrypt(&here), "2\n1\n");
    // The result is whether a word has an odd number of threes, through a table of two entries.
    here.write(
        "odd.csv",
        "state,symbol,next,weight\n0,3,1,0\n0,*,0,0\n1,3,0,0\n1,*,1,0\n1,end,,1\n",
    );
    here.write("names.csv", "10\n11\n");
    run(&here, "--rules odd.csv --outputs names.csv --word-length 4 --force");
    assert_eq!(decrypt(&here), "10\n10\n11\n10\n");
    let report = run(&here, "--json --pattern 1,1 --word-length 8 --force");
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["states"], &report["words"]), (&3.into(), &2.into()));
    assert_eq!(decrypt(&here), "0\n2\n");
}

#[test]
fn other_words_are_refused() {
    let here = workspace([0, 1, 2, 3, 0, 1, 2, 3, 0]);
    let refused = |options: &str| {
        let before = here.files();
        let line = "automaton --evaluation server.key --input x.ct --output r.ct";
        let message = here.fail(&format!("{line} {options}"));
        assert_eq!(here.files(), before, "{options}");
        message
    };
    assert!(refused("--pattern 1 --word-length 4").contains("9 values, which are not whole words"));
    assert!(refused("--pattern 4").contains("not below"), "{}", refused("--pattern 4"));
    here.write("heavy.csv", "0,*,0,5\n");
    let message = refused("--rules heavy.csv --word-length 9");
    assert!(message.contains("up to 45") && message.contains("--output-modulus 46"), "{message}");
    here.write("short.csv", "1\n2\n");
    assert!(refused("--pattern 1 --outputs short.csv").contains("has 2 entries"));
    assert!(refused("--text abc").contains("--text"));
    let packed = Workspace::with_keys("--bits 2");
    packed.write("x.csv", "1\n");
    packed.succeed("encrypt --secret client.key --input x.csv --output x.ct");
    let line = "automaton --evaluation server.key --input x.ct --output r.ct --pattern 1";
    packed.refuses(line, "automata need keys from keygen --word-length");
}
