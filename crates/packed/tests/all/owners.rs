//! Keys of several owners.

use cryptable_lattice::Owners;
use cryptable_packed::{Method, Parameters, ReadOptions, Request};

/// Parameters of tables of so many bits for a key of several owners.
fn parameters(bits: u32, method: Method, owners: u32) -> Parameters {
    let owners = Owners::new(owners).unwrap();
    let request = Request { method: Some(method), owners, ..Request::new(1 << bits, 1 << bits) };
    Parameters::choose(&request).unwrap()
}

#[test]
fn parameters_of_several_owners_keep_security_and_failures() {
    for (bits, method) in
        [(4, Method::Akp), (8, Method::Akp), (8, Method::Bmt), (8, Method::Cmt), (16, Method::Cmt)]
    {
        let mut last = 0.0;
        for owners in [1, 2, 3, 5] {
            let found = parameters(bits, method, owners);
            assert!(found.security_bits() >= 128.0, "{found}");
            assert!(found.failure_probability().log2() <= -64.0, "{found}");
            assert_eq!(found.literal().owners.count(), owners);
            let noise = found.fresh_noise(1 << bits).deviation();
            assert!(
                noise > last,
                "{found}: {noise:e} of fresh ciphertexts, {last:e} of fewer owners"
            );
            last = noise;
        }
    }
}

#[test]
fn files_name_the_owners_and_those_of_one_do_not() {
    let [one, three] = [1, 3].map(|owners| parameters(4, Method::Akp, owners));
    let text = |parameters: &Parameters| String::from_utf8(parameters.to_bytes()).unwrap();
    assert!(!text(&one).contains("owners") && text(&three).contains("\"owners\":3"));
    let read = Parameters::from_bytes(&three.to_bytes(), ReadOptions::default()).unwrap();
    assert_eq!((read.digest(), read.literal()), (three.digest(), three.literal()));
    for count in ["0", "17", "-1"] {
        let forged = text(&three).replace("\"owners\":3", &format!("\"owners\":{count}"));
        let error = Parameters::from_bytes(forged.as_bytes(), ReadOptions::default());
        assert!(error.is_err(), "{count} owners");
    }
    // The overflow of three secrets is beyond the interval for one.
    let forged = text(&one).replace("}", ",\"owners\":3}");
    let at = forged.rfind(",\"owners\"").unwrap();
    let single = text(&one);
    let forged = format!("{}{}", &single[..single.len() - 1], &forged[at..]);
    let error = Parameters::from_bytes(forged.as_bytes(), ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("fail with probability"), "{error}");
}
