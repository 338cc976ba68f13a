//! Refusals of integers, by typed errors that name the value and the limit.

use crate::common;

use std::ops::ControlFlow;

use common::clear::Clear;
use cryptable_integers::{
    Evaluator, Piece, decrypt, encrypt, insecure_packed_toy, packed_parameters, single_parameters,
};
use cryptable_lattice::{Error, Progress};
use cryptable_packed::SecretKey;

fn clear(modulus: u64, terms: u64) -> Clear {
    Clear::new(modulus, terms, 16)
}

#[test]
fn engines_that_do_not_serve() {
    for modulus in [2, 10, 48, 1 << 17] {
        let error = Evaluator::new(&clear(modulus, 100)).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "modulus of digits", .. }), "{error}");
    }
    let error = Evaluator::new(&clear(64, 8)).unwrap_err();
    assert!(matches!(error, Error::TooSmall { value: 8, limit: 9, .. }), "{error}");
    let narrow = Clear { output_range: Some(14), ..clear(64, 9) };
    let error = Evaluator::new(&narrow).unwrap_err();
    assert!(matches!(error, Error::TooSmall { value: 14, limit: 15, .. }), "{error}");
    for error in [
        packed_parameters(0).unwrap_err(),
        packed_parameters(6).unwrap_err(),
        single_parameters(0).unwrap_err(),
    ] {
        assert!(error.to_string().contains("bits of a digit"), "{error}");
    }
}

#[test]
fn public_numbers_double_without_end() {
    let engine = clear(16, 5);
    let server = Evaluator::new(&engine).unwrap();
    let x = encrypt(&engine, &[9u64, 1 << 63]).unwrap();
    let (mut number, mut column) = (11u64, server.constant(11u64));
    for _ in 0..70 {
        column = server.add(&column, &column).unwrap();
        number = number.wrapping_add(number);
        let sum = decrypt(&engine, &server.add(&x, &column).unwrap()).unwrap();
        assert_eq!(sum, [9, 1 << 63].map(|x: u64| x.wrapping_add(number)));
    }
}

#[test]
fn arguments_that_make_no_sense() {
    let engine = clear(16, 5);
    let server = Evaluator::new(&engine).unwrap();
    let x = encrypt(&engine, &[1u8, 2, 3]).unwrap();
    let error = server.lt_constants(&x, &[]).unwrap_err();
    assert!(matches!(error, Error::TooSmall { name: "number of thresholds", .. }), "{error}");
    let piece = |start| Piece { start, intercept: 0, slope: 1 };
    let pieces = |starts: &[u8]| starts.iter().map(|&start| piece(start)).collect::<Vec<_>>();
    for starts in [&[][..], &[0, 1, 2, 3, 4], &[0, 9, 9]] {
        let error = server.piecewise_linear::<u8, u8>(&x, &pieces(starts)).unwrap_err();
        assert!(error.to_string().contains("of pieces") || error.to_string().contains("9 after 9"));
    }
    let error = server.lookup(&x, |x| x).unwrap_err();
    assert!(matches!(error, Error::TooLarge { value: 8, limit: 4, .. }), "{error}");
    for bits in [0, 9] {
        let error = server.lookup_tree(&x, bits, |x| x as u8).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "bits of a table", .. }), "{error}");
    }
    let wide = encrypt(&engine, &[1u16]).unwrap();
    let error = server.lookup_tree(&wide, 16, |x| x as u16).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 1024, .. }), "{error}");
    let longer = encrypt(&engine, &[1u8, 2, 3, 4]).unwrap();
    let error = server.add(&x, &longer).unwrap_err();
    assert!(error.to_string().contains("number of values"), "{error}");
}

#[test]
fn columns_that_do_not_merge() {
    let engine = clear(16, 5);
    let server = Evaluator::new(&engine).unwrap();
    let half = encrypt(&engine, &[1u8; 8]).unwrap();
    let error = server.bitonic_merge(&half).unwrap_err();
    assert!(error.to_string().contains("number of values is 8"), "{error}");
    let error = server.concatenate(&half, &encrypt(&engine, &[1u8; 7]).unwrap()).unwrap_err();
    assert!(error.to_string().contains("number of values of both columns is 15"), "{error}");
    let sum = server.add(&half, &half).unwrap();
    let error = server.concatenate(&sum, &half).unwrap_err();
    assert!(error.to_string().contains("fresh"), "{error}");
    let bits = clear(4, 9);
    let full = encrypt(&bits, &[1u8; 16]).unwrap();
    let error = Evaluator::new(&bits).unwrap().bitonic_merge(&full).unwrap_err();
    assert!(matches!(error, Error::TooSmall { value: 4, limit: 16, .. }), "{error}");
}

#[test]
fn columns_that_are_not_searched() {
    let engine = clear(16, 5);
    let server = Evaluator::new(&engine).unwrap();
    let x = encrypt(&engine, &[1u8; 8]).unwrap();
    let error = server.largest(&x, 0).unwrap_err();
    assert!(matches!(error, Error::TooSmall { value: 0, limit: 1, .. }), "{error}");
    let error = server.largest(&x, 9).unwrap_err();
    assert!(matches!(error, Error::TooLarge { value: 9, limit: 8, .. }), "{error}");
    let error = server.argmax(&server.constant(7u8)).unwrap_err();
    assert!(error.to_string().contains("a public number"), "{error}");
    let bits = clear(4, 9);
    let full = encrypt(&bits, &[1u8; 16]).unwrap();
    let error = Evaluator::new(&bits).unwrap().largest(&full, 1).unwrap_err();
    assert!(matches!(error, Error::TooSmall { value: 4, limit: 16, .. }), "{error}");
}

#[test]
fn foreign_columns_and_cancellation_on_an_insecure_toy() {
    let toy = insecure_packed_toy(2, 1024).unwrap();
    let [own, other] = [SecretKey::generate(&toy), SecretKey::generate(&toy)];
    let key = own.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let x = encrypt(&own, &[1u8, 2]).unwrap();
    let foreign = encrypt(&other, &[1u8, 2]).unwrap();
    assert!(matches!(server.add(&x, &foreign).unwrap_err(), Error::OtherClient { .. }));
    assert!(matches!(server.lt(&foreign, &foreign).unwrap_err(), Error::OtherClient { .. }));
    let stop = |done, _| if done < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let stopped = server.with_progress(Progress::new(&stop));
    assert!(matches!(stopped.lt(&x, &x).unwrap_err(), Error::Cancelled { done: 2, .. }));
}
