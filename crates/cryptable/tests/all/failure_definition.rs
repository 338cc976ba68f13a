//! Tests that failure probabilities are those of the whole operation on one ciphertext, for any of its values. Every
//! stated number is the union bound over its values, and that of a value is the union bound over all its decisions.
#![cfg(feature = "client")]

use cryptable::comparisons::Operation;
use cryptable::engines::packed;
use cryptable::integers::{self, ColumnKind, DryRun, Evaluator};
use cryptable::{Engine, Error, FailureProbability, Parameters, Request};

/// Checks that log2 of a ciphertext's probability is that of a value plus log2 of the number of values.
fn check_union(
    what: &str,
    ciphertext: FailureProbability,
    value: FailureProbability,
    parameters: &Parameters,
) {
    let values = parameters.values_per_ciphertext();
    let union = value.log2() + (values as f64).log2();
    assert!((ciphertext.log2() - union).abs() < 1e-9, "{what}: {ciphertext}, 2^{union}");
}

/// Numbers of values: those of full ciphertexts, and fewer values, which have fewer slots.
const COUNTS: [u64; 2] = [1 << 16, 1000];

#[test]
fn comparisons_state_the_union_over_lookups_and_values() {
    for count in COUNTS {
        let plan = Request::comparisons(12).values(count).plan().unwrap();
        let parameters = plan.parameters();
        let packed = parameters.packed().unwrap();
        let capacity = parameters.values_per_ciphertext() as u64;
        assert!(capacity >= count && (capacity == 1 << 16) == (count > 1 << 15));
        let text = plan.to_string();
        for planned in plan.operations() {
            let lookups = planned.lookups;
            let value = packed.stated_log2_fail() + (lookups as f64).log2();
            let name = planned.name;
            let operation: Operation = name.parse().unwrap();
            check_union(name, planned.failure, FailureProbability::from_log2(value), parameters);
            assert_eq!(planned.failure, packed.operation_failure(operation), "{name}");
            assert!(planned.failure <= FailureProbability::DEFAULT, "{name}");
            // The text for people shows the same number.
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            assert!(line.ends_with(&format!("fails with {}", planned.failure)), "{line}");
        }
        // Each lookup of a value keeps the stated probability.
        let of_lookup = packed.failure().value_log2_fail();
        assert!(of_lookup <= packed.stated_log2_fail(), "{of_lookup}");
    }
}

#[test]
fn dictionaries_state_the_union_over_lookups_and_values() {
    for count in COUNTS {
        let plan = Request::words(16).values(count).plan().unwrap();
        let parameters = plan.parameters();
        let [whole, value] = [plan.failure_probability(), plan.value_failure_probability()];
        check_union("dictionary", whole, value, parameters);
        assert!(whole <= FailureProbability::DEFAULT, "{whole}");
        // The probability is more than that of one lookup, and at most that of all lookups and the decryption of both
        // words.
        let of_lookup = parameters.packed().unwrap().stated_log2_fail();
        assert!(value.log2() <= of_lookup + (4f64 + 2.0).log2(), "{value}");
        let text = plan.to_string();
        let line = text.lines().find(|line| line.trim_start().starts_with("dictionary")).unwrap();
        assert!(line.ends_with(&format!("fails with {whole}")), "{line}");
    }
}

#[test]
fn integers_state_the_union_over_tables_digits_and_values() {
    let parameters = integers::packed_parameters_for(2, &packed::Request::new(4, 4)).unwrap();
    let failures = |count| {
        let dry_run = DryRun::new(&parameters, count);
        let server = Evaluator::new(&dry_run).unwrap();
        let columns = [dry_run.fresh::<u16>(&server), dry_run.fresh::<u16>(&server)];
        let product = server.reduce(&server.mul(&columns[0], &columns[1]).unwrap()).unwrap();
        let sum = server.add(&columns[0], &columns[1]).unwrap();
        let tables: usize = dry_run.lookups().iter().sum();
        let [all, none] = [true, false].map(|is_decrypted| {
            let decrypted = product.ciphertexts().filter(|_| is_decrypted);
            dry_run.failure_probability(decrypted).unwrap()
        });
        let unused = DryRun::new(&parameters, count);
        (tables, all, none, unused.failure_probability(sum.ciphertexts()).unwrap())
    };
    let slots = parameters.literal().slots;
    let whole: Parameters = parameters.clone().into();
    let (tables, ciphertext, lookups, sum) = failures(slots);
    let (_, value, value_lookups, value_sum) = failures(1);
    check_union("product", ciphertext, value, &whole);
    check_union("lookups of a product", lookups, value_lookups, &whole);
    // Sums need no lookups, but any of their values may still be wrong.
    check_union("sum", sum, value_sum, &whole);
    assert!(value_sum.log2().is_finite() && value_sum < value, "{value_sum}");
    let union = parameters.stated_log2_fail() + (tables as f64).log2();
    assert!((value_lookups.log2() - union).abs() < 1e-9 && tables > 20, "{value_lookups}");
    assert!(value >= value_lookups && value.log2() < union + 1.0, "{value}");
}

/// Checks that plans keep the limit for operations on all kinds of integers, since one pair of keys serves all of them.
#[test]
fn plans_of_integers_keep_the_limit_for_every_operation() {
    let kinds = [ColumnKind::of::<u8>(), ColumnKind::of::<u64>(), ColumnKind::of::<i64>()];
    for (engine, kind) in
        [Engine::Packed, Engine::Single].into_iter().flat_map(|e| kinds.map(|k| (e, k)))
    {
        for request in [Request::integers(kind), Request::integers(kind).reduced()] {
            let plan = request.engine(engine).plan().unwrap();
            let failures = plan.operations().iter().map(|it| it.failure.log2());
            let worst = FailureProbability::from_log2(failures.fold(f64::NEG_INFINITY, f64::max));
            println!("{kind}, {engine}: {worst}\n{plan}");
            assert!(worst <= FailureProbability::DEFAULT, "{kind}, {engine}: {worst}");
            assert!(worst.log2() > -90.0, "{kind}, {engine}: {worst}");
        }
    }
    // A probability that no parameters reach is refused, and the error states the best one.
    let error = Request::integers(kinds[0]).log2_fail(-1000.0).plan().unwrap_err();
    let Error::FailureUnreachable { found, limit, .. } = &error else { panic!("{error}") };
    assert!(*limit == -1000.0 && (-1000.0..-900.0).contains(found), "{error}");
    assert!(error.to_string().contains("mul of u64 in digits, by engine packed"), "{error}");
}

#[test]
fn plans_state_the_union_over_values() {
    for engine in cryptable::Engine::ALL {
        let request = Request::new(16, 16).engine(engine).cost_model(Default::default());
        let plan = request.plan().unwrap();
        for candidate in plan.candidates() {
            let parameters = candidate.parameters();
            let [whole, value] =
                [parameters.failure_probability(), parameters.value_failure_probability()];
            check_union(&parameters.method_name(), whole, value, parameters);
            assert_eq!(parameters.log2_fail(), whole.log2());
        }
        let text = plan.to_string();
        let whole = plan.best().parameters().failure_probability().to_string();
        assert!(text.contains(&whole), "{whole} in {text}");
    }
}
