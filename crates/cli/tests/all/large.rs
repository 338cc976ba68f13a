//! `compare` with keys of `keygen compare --mode single`: integers one by one, and continuous functions of them.
#![cfg(feature = "client")]

use crate::support;

use support::{Workspace, numbers};

/// A folder with keys for integers of 8 bits.
fn workspace() -> Workspace {
    Workspace::with_keys("compare --mode single --bits 8 --public public.key")
}

fn encrypt(here: &Workspace, name: &str, integers: &[i64]) {
    here.write("x.csv", numbers(integers.iter().copied()));
    here.succeed(&format!(
        "encrypt --secret client.key --signed --input x.csv --output {name} --force"
    ));
}

fn decrypt(here: &Workspace, options: &str) -> Vec<i64> {
    here.succeed(&format!(
        "decrypt --secret client.key --input r.ct --output r.csv --force {options}"
    ));
    let text = here.text("r.csv");
    text.lines().map(|line| line.parse().unwrap()).collect()
}

fn compare(here: &Workspace, options: &str) -> String {
    here.succeed(&format!("compare --evaluation server.key --output r.ct --force {options}"))
}

#[test]
fn operations_on_single_integers() {
    let here = workspace();
    let (x, y) = ([-128, -7, 0, 127, 5], [127, -8, 0, -128, 6]);
    encrypt(&here, "x.ct", &x);
    encrypt(&here, "y.ct", &y);
    let report = compare(&here, "--op less-than --input x.ct --input y.ct");
    assert!(report.contains("less-than of 5 values"), "{report}");
    let pairs = || x.iter().zip(&y);
    assert_eq!(decrypt(&here, ""), pairs().map(|(x, y)| i64::from(x < y)).collect::<Vec<_>>());
    compare(&here, "--op maximum --input x.ct --input y.ct");
    assert_eq!(decrypt(&here, "--signed"), pairs().map(|(x, y)| *x.max(y)).collect::<Vec<_>>());
    compare(&here, "--op absolute-value --input x.ct");
    assert_eq!(decrypt(&here, ""), x.map(i64::abs));
    compare(&here, "--op relu --input x.ct");
    assert_eq!(decrypt(&here, ""), x.map(|x| x.max(0)));
    here.succeed("encrypt --public public.key --signed --input x.csv --output z.ct");
    compare(&here, "--op sign --input z.ct");
    assert_eq!(decrypt(&here, ""), y.map(|y| i64::from(y < 0)));
}

#[test]
fn continuous_functions_are_approximate() {
    let here = workspace();
    let x = [-128, -64, -20, 20, 64, 127];
    encrypt(&here, "x.ct", &x);
    here.write("f.csv", "x,y\n-128,100\n0,-100\n127,27\n");
    compare(&here, "--function f.csv --input x.ct");
    let expected = [100.0, 0.0, -68.75, -80.0, -36.0, 27.0];
    for (found, expected) in decrypt(&here, "--signed").into_iter().zip(expected) {
        assert!((found as f64 - expected).abs() < 40.0, "{found}, {expected}");
    }
    let report = compare(&here, "--json --function f.csv --input x.ct");
    assert!(report.contains("\"operation\":\"function\""), "{report}");
}

#[test]
fn other_operations_and_keys_are_refused() {
    let here = workspace();
    encrypt(&here, "x.ct", &[1]);
    let line = "compare --evaluation server.key --output r.ct --input x.ct";
    let message = here.fail(&format!("{line} --op clamp --low 0 --high 1"));
    assert!(message.contains("less-than, sign, maximum, relu, absolute-value"), "{message}");
    here.refuses(&format!("{line} --op maximum"), "takes 2");
    here.write("x.csv", "128\n");
    here.refuses("encrypt --secret client.key --signed --input x.csv --output y.ct", "-128 to 127");
    let plan = "plan compare --mode single";
    here.refuses(&format!("{plan} --bits 16 --method HomCeiling"), "HomFloorAlt");
    here.refuses(&format!("{plan} --bits 27"), "4 to 28");
    assert!(here.succeed(&format!("{plan} --bits 12 --method HomFloor")).contains("14 bits"));
    let packed = Workspace::with_comparison_keys();
    packed.write("f.csv", "0,0\n1,1\n").write("x.csv", "1\n");
    packed.succeed("encrypt --secret client.key --input x.csv --output x.ct");
    packed.refuses(&format!("{line} --function f.csv"), "keygen compare --mode single");
}
