//! Committed benchmark lines of bootstraps take the time that the cost model predicts, from ring degree 2^14 on.

use cryptable_bits::{Packing, Parameters};
use cryptable_lattice::cost::CostModel;
use serde_json::Value;

/// Lines of one thread, the cost model measured on their machine, and the least number of bootstraps among them.
const MACHINES: [(&str, &str, &str, usize); 2] = [
    (
        "amd_zen5",
        include_str!("../../../bench/results/amd_zen5/one_thread.jsonl"),
        include_str!("../../../bench/results/amd_zen5/calibration.json"),
        6,
    ),
    (
        "intel_xeon",
        include_str!("../../../bench/results/intel_xeon/one_thread.jsonl"),
        include_str!("../../../bench/results/intel_xeon/calibration.json"),
        3,
    ),
];

/// Returns the set of 128 bits of security of a line: the one of its ring degree and number of bits with as many
/// transforms.
fn set_of(line: &Value) -> Option<Parameters> {
    let of_packings = [Packing::Real, Packing::Complex].into_iter().flat_map(|packing| {
        let make = [Parameters::latency_128, Parameters::functions_128, Parameters::cleaning_128];
        make.map(|make| make(packing))
    });
    let others = [Parameters::throughput_128(), Parameters::balanced_128(Packing::Complex)];
    let number = |name: &str| line[name].as_u64();
    let is_of = |set: &Parameters| {
        let counts = set.operation_counts().transforms as u64;
        number("ring_degree") == Some(set.literal().ring_degree as u64)
            && number("slots") == Some(set.bits() as u64)
            && number("transforms") == Some(counts)
    };
    of_packings.chain(others).map(|set| set.expect("a valid set")).find(is_of)
}

/// Clock rates vary from one minute to the next, and predictions count neither caches that other machines share nor
/// those that hold the limbs of small rings.
#[test]
fn committed_bootstraps_take_what_is_predicted() {
    let mut wrong = Vec::new();
    for (machine, lines, model, least) in MACHINES {
        let model: CostModel = serde_json::from_str(model).expect("a cost model");
        let mut found = 0;
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).expect("a line of a benchmark");
            let method = line["method"].as_str().expect("a method");
            if !["BinBoot", "GateBoot", "GateBoot'"].contains(&method) {
                continue;
            }
            let degree = line["ring_degree"].as_u64().expect("a ring degree");
            let Some(set) = set_of(&line) else {
                println!("{machine}, {method} of degree {degree}: of an earlier circuit");
                continue;
            };
            let predicted = model.seconds(&set.operation_counts().work(degree as usize));
            let ratio = predicted / line["eval_s"].as_f64().expect("seconds");
            println!("{machine}, {method} of degree {degree}: {ratio:.3} of the time");
            found += 1;
            if !(0.8..1.3).contains(&ratio) {
                wrong.push(format!("{machine}, {method} of degree {degree}: {ratio:.3}"));
            }
        }
        assert!(found >= least, "{machine}: {found} lines");
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
