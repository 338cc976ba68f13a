//! Tests with toys of every family, and full-size experiments for `make test-all`.

use cryptable_bits::Packing;
use cryptable_ring::random::replay;

use super::bits::BitOperation;
use super::bridges::BridgeStep;
use super::conversions::Conversion;
use super::vectors::VectorOperation;
use super::*;
use crate::contract::tests::check_line;
use crate::integers::Operation as IntegerOperation;
use crate::packed::entries::Entries;

impl TailArguments {
    fn of(method: &str, bits: u32, table: TableChoice, samples: impl Into<Option<usize>>) -> Self {
        let (limits, samples) = (LimitArguments::default(), samples.into());
        Self { method: method.to_owned(), bits, table, samples, seed: 1, limits }
    }
}

/// Checks a line, and that its counts are within Poisson's tolerance: not above the prediction and, if the law is that of the
/// table, not below it either.
fn check(record: &TailRecord, is_exact: bool) {
    check_line(record);
    let line = serde_json::to_value(record).unwrap();
    for name in ["samples", "variance_ratio", "kurtosis", "predicted_kurtosis", "beyond"] {
        assert!(line.get(name).is_some(), "{name} in {line}");
    }
    let statistics = &record.statistics;
    assert!(statistics.variance_ratio < 1.25, "{statistics:?}");
    assert!(!is_exact || statistics.variance_ratio > 0.8, "{statistics:?}");
    for beyond in &statistics.beyond {
        assert!(beyond.predicted <= beyond.at_most * 1.01, "{beyond:?}");
        assert!(beyond.is_not_above(statistics.lookups), "{beyond:?}");
        assert!(!is_exact || beyond.is_not_below(statistics.lookups), "{beyond:?}");
    }
}

/// Checks that the lines of a toy do not exceed the laws that results state.
fn check_stated(records: &[TailRecord], samples: usize) {
    assert!(!records.is_empty());
    for record in records {
        check_line(record);
        let statistics = &record.statistics;
        println!("{}, {}: {statistics:?}", record.contract.method, record.contract.table);
        assert_eq!(statistics.samples, samples, "{}", record.contract.method);
        let is_worst = record.contract.table == "worst";
        statistics.check_not_above(is_worst).unwrap_or_else(|error| panic!("{error}"));
    }
}

const BOTH: [TableChoice; 2] = [TableChoice::Worst, TableChoice::Random];

/// Returns each item with each kind of table.
fn with_tables<T: Copy>(items: &[T]) -> impl Iterator<Item = (T, TableChoice)> {
    items.iter().flat_map(|&item| BOTH.map(|table| (item, table)))
}

#[test]
fn packed_values_of_toys() {
    use cryptable::engines::packed::Parameters;
    let _replay = replay::begin();
    let toy = Parameters::insecure_toy_of(4, 4, 1024, 1024).unwrap().literal().clone();
    // The toy's primes are so large that noise would be less than the fixed part of errors.
    let literal = ParametersLiteral { log2_scale: 26.0, constant_bits: 13.0, ..toy };
    let parameters = Parameters::new(literal).unwrap();
    let arguments = TailArguments::of("akp", 2, TableChoice::Worst, 6000);
    let record = packed::measure(&parameters, &arguments).unwrap().remove(0);
    check(&record, false);
    let NoiseStatistics { samples, lookups, fixed_deviations, .. } = record.statistics;
    assert_eq!((samples, lookups, fixed_deviations.is_some()), (6144, 6, true));
    // The noise of a random table of few entries is predicted only up to a factor of two.
    let arguments = TailArguments::of("akp", 2, TableChoice::Random, 2000);
    let record = packed::measure(&parameters, &arguments).unwrap().remove(0);
    check_line(&record);
    assert!((0.25..4.0).contains(&record.statistics.variance_ratio));
}

#[test]
fn single_values_of_toys() {
    let _replay = replay::begin();
    let parameters = cryptable_fhew::parameters::Parameters::insecure_toy();
    let name = "FDFB-BFVMult, interleaved";
    let TailMethod::Single(method) = TailMethod::parse(name, 2).unwrap() else { panic!("{name}") };
    let arguments = TailArguments::of(name, 2, TableChoice::Random, 1500);
    check(&single::measure(method, &parameters, &arguments).unwrap(), true);
}

#[test]
fn leveled_values_of_toys() {
    use cryptable_leveled::parameters::ParameterSet;
    let _replay = replay::begin();
    let parameters = ParameterSet::TwoBitDepth11.insecure_toy();
    let arguments = TailArguments::of(leveled::METHOD, 4, TableChoice::Random, 200);
    let mut record = leveled::measure(&parameters, &arguments).unwrap();
    record.contract.log2_fail = -64.0;
    check(&record, false);
}

#[test]
fn tables_per_value_of_toys() {
    use cryptable::engines::packed::Parameters;
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy_entries(16, 16).unwrap();
    for (kind, table) in with_tables(Entries::value_variants()) {
        let arguments = TailArguments::of("tables", 4, table, 2048);
        check_stated(&entries::measure(&parameters, kind, &arguments).unwrap(), 2048);
    }
}

#[test]
fn comparisons_of_toys() {
    use cryptable::engines::packed::{Operation, Parameters};
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy_comparisons(6).unwrap();
    for (operation, table) in with_tables(&[Operation::LessThan, Operation::Maximum]) {
        let arguments = TailArguments::of(operation.name(), 6, table, 2048);
        let records = comparisons::measure(&parameters, operation, &arguments).unwrap();
        let digits = if operation.is_predicate() { 1 } else { parameters.integer_digits().len() };
        assert_eq!(records.len(), digits);
        check_stated(&records, 2048);
    }
}

#[test]
fn integers_of_toys() {
    let _replay = replay::begin();
    let parameters = cryptable::integers::insecure_packed_toy(2, 1024).unwrap();
    for (operation, table) in with_tables(&[IntegerOperation::Add, IntegerOperation::Lt]) {
        let arguments = TailArguments::of("integers", 8, table, 2048);
        let records = integers::measure::<u8>(&parameters, operation, &arguments).unwrap();
        assert_eq!(records.len(), if operation == IntegerOperation::Add { 4 } else { 1 });
        check_stated(&records, 2048);
    }
}

#[test]
fn bits_of_toys() {
    let _replay = replay::begin();
    let parameters = cryptable_bits::Parameters::insecure_toy(Packing::Complex).unwrap();
    for (operation, table) in with_tables(BitOperation::value_variants()) {
        let arguments = TailArguments::of("bits", 1, table, 4096);
        check_stated(&bits::measure(&parameters, operation, &arguments).unwrap(), 4096);
    }
}

#[test]
fn vectors_of_toys() {
    use cryptable_approximate::Parameters;
    let _replay = replay::begin();
    for table in BOTH {
        let arguments = TailArguments::of("vectors", 3, table, 2048);
        for (operation, parameters) in [
            (VectorOperation::CkksBootstrap, Parameters::insecure_toy_bootstrapping().unwrap()),
            (VectorOperation::SlotLookup, Parameters::insecure_toy_lookups().unwrap()),
        ] {
            check_stated(&vectors::measure(&parameters, operation, &arguments).unwrap(), 2048);
        }
    }
}

#[test]
fn bridges_and_conversions_of_toys() {
    let _replay = replay::begin();
    for (step, table) in with_tables(BridgeStep::value_variants()) {
        let arguments = TailArguments::of("bridges", 4, table, 64);
        check_stated(&bridges::measure(step, &arguments, true).unwrap(), 64);
    }
    for (conversion, table) in with_tables(Conversion::value_variants()) {
        let arguments = TailArguments::of("conversions", 2, table, 2048);
        check_stated(&conversions::measure(10, conversion, &arguments).unwrap(), 2048);
    }
}

#[test]
fn unknown_methods_list_all_names() {
    let message = TailMethod::parse("lut", 4).err().unwrap().to_string();
    for name in [
        "akp-2",
        leveled::METHOD,
        "FDFB-BFVMult, interleaved",
        "tables-one-encrypted",
        "integers-mul",
        "absolute-value",
        "gate-boot",
        "ckks-bootstrap",
        "packed-digits",
        "ring-packing",
    ] {
        assert!(message.contains(name), "{message}");
    }
    assert!(matches!(TailMethod::parse("AKP-2", 4).unwrap(), TailMethod::Packed(_)));
    assert!(TailMethod::parse("tables-none", 4).is_err());
    let arguments = TailArguments::of("akp", 25, TableChoice::Worst, None);
    let error = run(&arguments, true).unwrap_err().to_string();
    assert!(error.contains("at most 24"), "{error}");
}

/// Share of the law's variance above which errors are assumed to contain all of its terms.
const ALL_TERMS: f64 = 0.9;

/// Runs an experiment at full size with the worst table and inputs, and with random ones, on 5,000 errors or more. In the worst
/// case, the variance must be at least `least` times that of the law.
fn full_size(method: &str, bits: u32, least: f64) {
    let _replay = replay::begin();
    for table in BOTH {
        let arguments = TailArguments::of(method, bits, table, None);
        let records = TailMethod::parse(method, bits).unwrap().run(&arguments).unwrap();
        for record in &records {
            println!("{}", serde_json::to_string(record).unwrap());
        }
        for record in records {
            let NoiseStatistics { samples, variance_ratio, .. } = record.statistics;
            let name = &record.contract.method;
            assert!(samples >= SAMPLES && record.contract.wrong == 0, "{name}");
            assert!(record.contract.security_bits >= 128.0, "{name}");
            let is_worst = table == TableChoice::Worst;
            // Digits of leveled results may contain only some of the law's terms, depending on the path through the tree. The
            // remaining terms have longer tails relative to their variance, and a fourth moment within the law's.
            let has_one_law = is_worst && (method != "packed-digits" || variance_ratio > ALL_TERMS);
            let checked = record.statistics.check_not_above(has_one_law);
            checked.unwrap_or_else(|it| panic!("{name}: {it}"));
            if record.statistics.fixed_bound_deviations.is_none() {
                let fourth = record.statistics.kurtosis * variance_ratio.powi(2);
                let most = 1.5 * record.statistics.predicted_kurtosis;
                assert!(fourth < most, "{name}: fourth moment {fourth}");
            }
            assert!(!is_worst || variance_ratio > least, "{name}: variance {variance_ratio}");
        }
    }
}

/// Defines an ignored test per experiment: name, time and memory, method, bits and least share of the law's variance. The share
/// is small if results come from smaller tables than the worst one.
macro_rules! full_size {
    ($($test:ident: $takes:literal, $method:literal, $bits:literal, $least:literal;)*) => {
        $(
            #[test]
            #[ignore = $takes]
            fn $test() {
                full_size($method, $bits, $least);
            }
        )*
    };
}

full_size! {
    tails_of_tables_per_value: "two minutes and 5 GB", "tables-per-value", 8, 0.1;
    tails_of_encrypted_tables: "two minutes and 5 GB", "tables-encrypted", 8, 0.1;
    tails_of_one_encrypted_table: "two minutes and 5 GB", "tables-one-encrypted", 8, 0.1;
    tails_of_comparisons: "two minutes and 3 GB", "less-than", 16, 0.01;
    tails_of_equality: "two minutes and 3 GB", "equal", 16, 0.01;
    tails_of_maxima: "four minutes and 3 GB", "maximum", 16, 0.01;
    tails_of_sums_of_integers: "two minutes and 3 GB", "integers-add", 8, 0.01;
    tails_of_products_of_integers: "four minutes and 3 GB", "integers-mul", 8, 0.01;
    tails_of_bin_boot: "a quarter of a minute", "bin-boot", 1, 0.1;
    tails_of_gate_boot: "a quarter of a minute", "gate-boot", 1, 0.1;
    tails_of_gates_in_slots: "a minute", "slot-gate", 1, 0.1;
    tails_of_cleanings: "a minute", "cleaning", 1, 0.0;
    tails_of_ckks_bootstraps: "two minutes and 4 GB", "ckks-bootstrap", 20, 0.1;
    tails_of_slot_lookups: "two minutes and 4 GB", "slot-lookup", 4, 0.1;
    tails_of_integers_taken_out: "two minutes and 3 GB", "taken-out-integers", 8, 0.1;
    tails_of_digits_taken_out: "two minutes and 3 GB", "taken-out-digits", 8, 0.1;
    tails_of_packed_signs: "five minutes and 3 GB", "packed-signs", 8, 0.1;
    tails_of_packed_digits: "ten minutes and 3 GB", "packed-digits", 8, 0.1;
    tails_of_ring_packing: "a quarter of a minute", "ring-packing", 2, 0.1;
    tails_of_extraction: "a quarter of a minute", "extraction", 2, 0.1;
}
