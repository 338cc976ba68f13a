//! Single values looked up in hidden tables: results, parameters, refusals.

use std::time::Instant;

use cryptable_fhew::full_domain::{FullDomainMethod, hiding_methods};
use cryptable_fhew::lookup::{Parameters, Request, SecretKey};
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::{Progress, ReadOptions, Table};

fn hidden(p: u64, output: u64, bits: u32) -> Request {
    Request { hidden_bits: Some(bits), ..Request::new(p, output) }
}

/// Looks all inputs up in two tables at once, and the results in one of them. Returns the milliseconds per value for one
/// table and for two.
fn check(parameters: &Parameters) -> [f64; 2] {
    let p = parameters.input_modulus();
    let secret = SecretKey::generate(parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let tables = [|x| x * x + 3, |x| 5 * x / 2].map(|f: fn(u64) -> u64| {
        Table::from_fn(p, parameters.output_modulus(), |x| f(x) % parameters.output_modulus())
            .unwrap()
    });
    let prepared = tables.each_ref().map(|table| key.prepare(table).unwrap());
    let prepared = prepared.each_ref();
    let values: Vec<u64> = (0..p).collect();
    let look_up = |input: &_, tables| key.lookup_many(input, tables, Progress::silent()).unwrap();
    let input = secret.encrypt(&values).unwrap();
    let results = look_up(&input, &prepared);
    for (result, table) in results.iter().zip(&tables) {
        let expected: Vec<u64> = values.iter().map(|&x| table.output(x)).collect();
        assert_eq!(secret.decrypt(result).unwrap(), expected);
    }
    let is_drawn = look_up(&input, &prepared[..1])[0] != results[0];
    assert_eq!(is_drawn, parameters.hidden_bits().is_some());
    if parameters.output_modulus() == p {
        let again = look_up(&results[0], &prepared[1..]);
        let expected = values.iter().map(|&x| tables[1].output(tables[0].output(x)));
        assert_eq!(secret.decrypt(&again[0]).unwrap(), expected.collect::<Vec<_>>());
    }
    [1, 2].map(|tables| {
        let round = || {
            let started = Instant::now();
            look_up(&input, &prepared[..tables]);
            1e3 * started.elapsed().as_secs_f64() / p as f64
        };
        (0..3).map(|_| round()).fold(f64::INFINITY, f64::min)
    })
}

#[test]
fn hidden_tables_are_looked_up_as_others_are() {
    for (p, output) in [(2, 4), (8, 8), (16, 8)] {
        let parameters = Parameters::insecure_toy_hidden(p, output).unwrap();
        assert_eq!(parameters.hidden_bits(), Some(40));
        let read = ReadOptions::default().allow_insecure();
        let read = Parameters::from_bytes(&parameters.to_bytes(), read).unwrap();
        assert_eq!((read.hidden_bits(), read.digest()), (Some(40), parameters.digest()));
        check(&read);
    }
}

#[test]
fn parameters_hide_tables_for_less_than_three_lookups() {
    let model = CostModel::default();
    let seconds = |found: &Parameters| model.seconds(&found.prediction().work);
    let plain = seconds(&Parameters::choose(&Request::new(16, 16)).unwrap());
    for (bits, least) in [(20, 40), (40, 40), (41, 64), (64, 64), (128, 128)] {
        let found = Parameters::choose(&hidden(16, 16, bits)).unwrap();
        assert_eq!(found.hidden_bits(), Some(least));
        assert!(found.security_bits() >= 128.0);
        assert!(found.log2_fail() <= -1.0 - f64::from(least));
        let ratio = seconds(&found) / plain;
        assert!((1.0..3.0).contains(&ratio), "{bits}: {ratio}");
    }
    assert!(Parameters::choose(&Request::new(16, 16)).unwrap().hidden_bits().is_none());
}

#[test]
fn what_hidden_tables_lack_is_refused_with_what_serves() {
    let message = |request: &Request| Parameters::choose(request).unwrap_err().to_string();
    let odd = message(&hidden(12, 16, 40));
    assert!(odd.contains("supported input modulus is 16;"), "{odd}");
    let sure = message(&hidden(16, 16, 129));
    assert!(sure.contains("bits of hidden tables is 129") && sure.contains("128"), "{sure}");
    let method = Request { method: Some("EvalFunc".into()), ..hidden(16, 16, 40) };
    assert!(message(&method).contains("a chosen method"));
    let toy = Parameters::insecure_toy_hidden(12, 16).unwrap_err().to_string();
    assert!(toy.contains("fill the table up"), "{toy}");
    let bits = hiding_methods().iter().map(|method| method.hidden_bits());
    assert!(bits.eq([40, 64, 128].map(Some)));
}

#[test]
#[ignore = "full size: a few seconds, and prints times"]
fn hidden_tables_at_full_size() {
    let model = CostModel::default();
    let work = |found: &Parameters| model.seconds(&found.prediction().work);
    for p in [4, 8, 16, 32] {
        let plain = Parameters::choose(&Request::new(p, p)).unwrap();
        println!("{p}: {} takes {:?} ms in one table and two", plain.method_name(), check(&plain));
        for bits in [40, 64] {
            let found = Parameters::choose(&hidden(p, p, bits)).unwrap();
            let (ratio, digits) = (work(&found) / work(&plain), found.fhew().literal().rotation);
            println!(
                "hidden by {bits}: {:?} ms, {ratio:.2} by the cost model, {digits:?}",
                check(&found)
            );
        }
    }
}
