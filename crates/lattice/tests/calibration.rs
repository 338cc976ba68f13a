//! The calibrated model through its file, in processes with cache directories of their own.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use cryptable_lattice::calibration::{SETTING, cache_file};
use cryptable_lattice::cost::CostModel;

/// Set in processes that may calibrate: those with a cache directory of their own.
const IS_CHILD: &str = "CRYPTABLE_TEST_CHILD";

/// Entry point of the processes that the tests below start; in any other process it passes at once.
#[test]
fn child() {
    if std::env::var_os(IS_CHILD).is_none() {
        return;
    }
    println!("file: {}", cache_file().unwrap().display());
    println!("model: {}", serde_json::to_string(&CostModel::calibrated()).unwrap());
}

/// Returns the model of a process whose cache directory is `cache`, and checks that it names its file there.
fn model_of_process(cache: &Path, setting: &str) -> CostModel {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(IS_CHILD, "")
        .env("XDG_CACHE_HOME", cache)
        .env(SETTING, setting)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |name: &str| text.lines().find_map(|line| Some(line.split_once(name)?.1)).unwrap();
    assert!(Path::new(value("file: ")).starts_with(cache), "{text}");
    serde_json::from_str(value("model: ")).unwrap()
}

/// Checks that two models agree up to the rounding of numbers as text.
fn assert_same(first: &CostModel, second: &CostModel) {
    for ((name, first), (_, second)) in first.fields().into_iter().zip(second.fields()) {
        assert!((first / second - 1.0).abs() < 1e-12, "{name}: {first} and {second}");
    }
}

#[test]
fn later_processes_read_what_the_first_measured() {
    let cache = tempfile::tempdir().unwrap();
    let file = cache.path().join("cryptable").join("calibration.json");
    let first = model_of_process(cache.path(), "on");
    let written = std::fs::read(&file).unwrap();
    assert_ne!(first, CostModel::default());
    let second = model_of_process(cache.path(), "on");
    assert_eq!(std::fs::read(&file).unwrap(), written);
    assert_same(&first, &second);
    std::fs::write(&file, "damaged").unwrap();
    let third = model_of_process(cache.path(), "on");
    assert!(third.fields().iter().all(|&(_, seconds)| seconds > 0.0), "{third:?}");
    assert_ne!(std::fs::read(&file).unwrap(), b"damaged");
}

#[test]
fn off_is_the_built_in_model_and_touches_no_file() {
    let cache = tempfile::tempdir().unwrap();
    assert_same(&model_of_process(cache.path(), "off"), &CostModel::default());
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0);
}
