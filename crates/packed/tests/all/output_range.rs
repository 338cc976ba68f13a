//! Tables with a limited range of outputs: what parameters that state the range gain, keep and refuse.

use crate::common;

use common::look_up;
use cryptable_packed::{
    Error, HermiteOrder, Method, Parameters, ParametersLiteral, Request, Table,
};
use cryptable_ring::random::replay;

/// Returns a toy of p = P = 256 for outputs that differ by at most `output_range`.
fn toy(output_range: Option<u64>) -> Parameters {
    let base = Parameters::insecure_toy(256, 256).unwrap();
    Parameters::new(ParametersLiteral { output_range, ..base.literal().clone() }).unwrap()
}

/// Returns a table of outputs without structure from `-range/2` to `range/2`, both included.
fn table(range: u64) -> Table {
    let least = 256 - range.div_ceil(2);
    let output = |x: u64| match x {
        0 => range,
        1 => 0,
        _ => (x * 7919 + x * x * 31 + 5) % (range + 1),
    };
    Table::from_fn(256, 256, |x| (least + output(x)) % 256).unwrap()
}

/// Returns the root mean square of a table's errors in half steps, for inputs with a multiple of the noise of fresh
/// ones, and the bound on it.
fn deviation(parameters: &Parameters, table: &Table, factors: &[i64]) -> (f64, f64) {
    let (secret, key) = common::keys(parameters);
    let values: Vec<u64> = (0..parameters.literal().slots as u64).map(|i| i * 89 % 256).collect();
    let mut input = secret.encrypt(&values).unwrap();
    let mut expected = values;
    for &factor in factors {
        input = key.mul_scalar(&input, factor).unwrap();
        expected.iter_mut().for_each(|x| *x = (*x as i64 * factor).rem_euclid(256) as u64);
    }
    let result = look_up(&key, &input, table);
    let found = common::deviation(&secret, &result, &common::outputs(table, &expected));
    let bound = result.noise();
    (found, (bound.deviation() + bound.bias()) * 512.0)
}

#[test]
fn errors_are_in_proportion_to_differences_of_outputs() {
    let _replay = replay::begin();
    // These factors make errors of phase leave more than everything else.
    let factors = [127, 3];
    let (wide, wide_bound) = deviation(&toy(None), &table(255), &factors);
    let (narrow, bound) = deviation(&toy(Some(15)), &table(15), &factors);
    println!("{wide:e} of {wide_bound:e}, {narrow:e} of {bound:e}");
    // Parameters that admit any outputs take a table's smaller range into account.
    let (of_table, bound_of_table) = deviation(&toy(None), &table(15), &factors);
    for (found, bound) in [(wide, wide_bound), (narrow, bound), (of_table, bound_of_table)] {
        assert!(found < bound && found > 0.002 * bound, "{found:e} for a bound of {bound:e}");
    }
    for (narrow, bound) in [(narrow, bound), (of_table, bound_of_table)] {
        assert!(narrow < wide / 4.0, "{narrow:e}, {wide:e}");
        assert!(bound < wide_bound / 4.0, "{bound:e}, {wide_bound:e}");
    }
}

#[test]
fn noise_of_fresh_inputs_is_what_is_predicted() {
    let _replay = replay::begin();
    for range in [1, 15, 127] {
        let parameters = toy(Some(range));
        let (found, _) = deviation(&parameters, &table(range), &[]);
        let failure = parameters.failure();
        let (typical, bound) = (failure.typical_ratio, failure.noise_ratio + failure.bias_ratio);
        println!("{range}: {found:e}, typical {typical:e}, at most {bound:e}");
        assert!(found < 1.4 * bound && found > 0.1 * failure.noise_ratio, "{range}: {found:e}");
        assert!((0.3..3.0).contains(&(found / typical)), "{range}: {found:e}, {typical:e}");
    }
}

#[test]
fn tables_beyond_the_range_are_refused() {
    let parameters = toy(Some(15));
    assert_eq!((parameters.output_range(), toy(None).output_range()), (15, 255));
    let (_, key) = common::keys(&parameters);
    for range in [16, 127, 255] {
        let error = key.prepare(&table(range)).unwrap_err();
        let is_named = matches!(error, Error::TooLarge { value, limit: 15, .. } if value == range);
        assert!(is_named, "{error}");
        assert!(error.to_string().contains("largest difference of two outputs"), "{error}");
    }
    for range in [0, 1, 15] {
        key.prepare(&table(range)).unwrap();
    }
    // Outputs on both sides of P/2 differ by nearly P.
    let ends = Table::from_fn(256, 256, |x| 127 + x % 2).unwrap();
    assert!(matches!(key.prepare(&ends), Err(Error::TooLarge { value: 255, .. })));
}

#[test]
fn literals_state_a_range_that_tables_may_have() {
    let base = Parameters::insecure_toy(16, 16).unwrap().literal().clone();
    let with = |output_range| Parameters::new(ParametersLiteral { output_range, ..base.clone() });
    for range in [0, 16] {
        let error = with(Some(range)).unwrap_err().to_string();
        assert!(
            error.contains(&format!("largest difference of two outputs is {range}")),
            "{error}"
        );
    }
    let digits = Parameters::insecure_toy_digits(&[8, 8], 8).unwrap();
    let literal = ParametersLiteral { output_range: Some(3), ..digits.literal().clone() };
    let error = Parameters::new(literal).unwrap_err().to_string();
    assert!(error.contains("digits"), "{error}");
    // Files of earlier versions do not state a range.
    let (any, narrow) = (with(None).unwrap(), with(Some(3)).unwrap());
    let text = |parameters: &Parameters| String::from_utf8(parameters.to_bytes()).unwrap();
    assert!(!text(&any).contains("output_range") && text(&narrow).contains("\"output_range\":3"));
    assert_ne!(any.digest(), narrow.digest());
}

#[test]
fn requests_of_less_take_a_lower_order() {
    let request = |output_range, order| Request {
        method: Some(Method::Akp),
        output_range,
        order,
        ..Request::new(64, 64)
    };
    let choose = |range| Parameters::choose(&request(range, Some(HermiteOrder::First))).unwrap();
    let (any, narrow) = (choose(None), choose(Some(15)));
    assert_eq!(narrow.output_range(), 15);
    assert!(narrow.failure_probability().log2() <= -64.0);
    let limits = [&any, &narrow].map(|it| it.sum_limits().result_lookup);
    assert!(limits[1] > limits[0], "{limits:?}");
    for range in [0, 64] {
        let error = Parameters::choose(&request(Some(range), None)).unwrap_err().to_string();
        assert!(
            error.contains(&format!("largest difference of two outputs is {range}")),
            "{error}"
        );
    }
}
