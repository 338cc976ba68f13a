//! Tests of plans that join both ends of a bridge, and of keys of both ends in one: plans hold when they are run,
//! errors name what is in the way, and files can be read back.

use std::sync::Arc;

use cryptable_conversion::bridges::{
    Continuation, EvaluationKeys, Function, IntegerParameters, Integers, LeveledParameters,
    LeveledTable, Plan, RadixDigits, Request, Returning, SecretKeys, Target,
};
use cryptable_fhew::integers;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Error, Progress, ReadOptions, Result, Table};
use cryptable_leveled::lookup as leveled;
use cryptable_packed::{self as packed, MultiplexerLiteral};

const SILENT: Progress<'static> = Progress::silent();

fn options() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Creates a request at 128 bits for few values, so that plans take little time, with the times of one particular
/// machine.
fn request<C: Continuation>(p: u64, next: C) -> Request<C> {
    let cost = Some(CostModel::default());
    Request {
        values: Some(512),
        taken_out: Some(32),
        threads: Some(1),
        cost,
        ..Request::new(p, next)
    }
}

/// Returns the same request with results that are looked up again.
fn looked_up<C: Continuation>(request: Request<C>) -> Request<C> {
    Request { returning: Returning::LookedUp, ..request }
}

/// Creates a request for INSECURE parameters on small rings.
fn toy<C: Continuation>(p: u64, next: C, values: usize) -> Request<C> {
    Request { values: Some(values), is_toy: true, ..Request::new(p, next) }
}

/// Checks that a plan's failure probability is the sum over its steps, each counted for all values that pass it.
fn check_union<T: Target>(plan: &Plan<T>) {
    let parameters = plan.parameters();
    let of_value = plan.value_failure_probability();
    assert!(of_value.log2() >= parameters.value_failure_probability().log2() - 1e-9);
    // All values are looked up, and the extracted ones go through all steps.
    assert!(plan.log2_fail() >= of_value.of_any(plan.taken_out()).log2() - 1e-9);
    assert!(plan.log2_fail() <= of_value.of_any(plan.values()).log2() + 1e-9);
    let failures = plan.steps().iter().filter_map(|step| step.failure);
    let sum: f64 = failures.map(|failure| (failure.log2() - plan.log2_fail()).exp2()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let slots = parameters.packed().literal().slots;
    assert_eq!(
        parameters.failure_probability(),
        parameters.value_failure_probability().of_any(slots)
    );
}

fn check<T: Target>(plan: &Plan<T>, limit: f64) {
    println!("{plan}\n");
    let parameters = plan.parameters();
    assert!(parameters.security_bits() >= 128.0, "{}", parameters.security_bits());
    assert!(plan.log2_fail() <= limit);
    check_union(plan);
    assert!(plan.duration().as_secs_f64() > 0.1 && plan.peak_bytes() > 100 << 20);
    assert!(plan.key_file_bytes() > 10 << 20);
    let read = plan.parameters().to_bytes();
    let read =
        cryptable_conversion::bridges::Parameters::<T>::from_bytes(&read, ReadOptions::default());
    assert_eq!(read.unwrap().digest(), parameters.digest());
}

#[test]
fn plans_are_secure_and_sure() {
    let sign = Integers { bits: 8, function: Function::Sign };
    let plan = request(256, sign).plan().unwrap();
    check(&plan, -64.0);
    assert_eq!((plan.steps().len(), plan.values(), plan.taken_out()), (3, 512, 32));
    // Extracting a sixteenth of the values takes less time, and so does using more threads.
    let longer = Request { taken_out: Some(512), ..request(256, sign) }.plan().unwrap();
    assert!(longer.duration() > plan.duration());
    let faster = Request { threads: Some(2), ..request(256, sign) }.plan().unwrap();
    assert!(faster.duration() < plan.duration());
    let maximum = Integers { bits: 16, function: Function::Absolute };
    check(&request(1 << 16, maximum).plan().unwrap(), -64.0);
    check(&looked_up(request(16, sign)).plan().unwrap(), -64.0);
    check(&Request { log2_fail: Some(-100.0), ..request(16, sign) }.plan().unwrap(), -100.0);
}

#[test]
fn what_comes_back_decides_on_the_digits_of_trees() {
    let digits = |bits| Integers { bits, function: Function::ToRadix };
    let plan = looked_up(request(512, digits(9))).plan().unwrap();
    check(&plan, -64.0);
    let tree = plan.parameters().packed().literal().multiplexer.clone().unwrap();
    assert_eq!(tree.digits, [8; 3]);
    let plan = looked_up(request(512, RadixDigits { digits: 3 })).plan();
    check(&plan.unwrap(), -64.0);
    // Trees over five digits of two bits tolerate less noise than results of the fastest leveled sets have, so they
    // clean it at 2^-64.
    let table = LeveledTable { input_modulus: 1024, output_modulus: 1024 };
    let stays = request(1024, table).plan().unwrap();
    check(&stays, -64.0);
    let back = looked_up(request(1024, table));
    let back = Request { log2_fail: Some(-20.0), ..back }.plan().unwrap();
    assert!(back.log2_fail() <= -20.0);
    check_union(&back);
    let tree = back.parameters().packed().literal().multiplexer.clone().unwrap();
    assert!(tree.digits.iter().all(|&digit| digit == 4 || digit == 2), "{:?}", tree.digits);
    let noise =
        |plan: &Plan<leveled::Parameters>| plan.parameters().single().exported_noise().deviation();
    assert!(noise(&back) < noise(&stays));
    let surer = looked_up(request(1024, table)).plan().unwrap();
    check(&surer, -64.0);
    let cleanings = |plan: &Plan<leveled::Parameters>| {
        plan.parameters().packed().literal().multiplexer.clone().unwrap().delta_cleanings
    };
    assert_eq!((cleanings(&back), cleanings(&surer)), (0, 2));
}

#[test]
fn returned_digits_are_cleaned_where_they_are_too_noisy() {
    let table = LeveledTable { input_modulus: 256, output_modulus: 256 };
    let plan = looked_up(request(256, table)).plan().unwrap();
    check(&plan, -64.0);
    let parameters = plan.parameters();
    let (packed, leveled) = (parameters.packed(), parameters.single());
    // Returned values have the noise of leveled results, which is higher than that of fresh values, and the prediction
    // of their lookup includes it.
    let noise = parameters.packed_noise(leveled.exported_noise());
    let (returned, fresh) = (noise.deviation(), packed.fresh_noise(4).deviation());
    assert!(returned > 4.0 * fresh, "{returned} {fresh}");
    let widths = packed.digits_of_inputs(4, 4).unwrap();
    let inputs = |noise| -> Vec<_> { widths.iter().map(|&digits| (noise, digits)).collect() };
    let again = packed.lookup_digits_log2_fail(&inputs(noise));
    assert!(again <= packed.stated_log2_fail());
    // Two cleanings remove that noise completely: the rest of the lookup fails more often.
    let of_fresh = packed.lookup_digits_log2_fail(&inputs(packed.fresh_noise(4)));
    assert!((again - of_fresh).abs() < 0.01, "{again} {of_fresh}");
    let step = plan.steps().last().unwrap().failure.unwrap().log2();
    assert!((step - again - 32f64.log2()).abs() < 1e-6, "{step} {again}");
    // Without cleanings, the same tree fails more often.
    let mut literal = packed.literal().clone();
    literal.multiplexer.as_mut().unwrap().delta_cleanings = 0;
    literal.log2_fail = -1.0;
    let uncleaned = packed::Parameters::new(literal).unwrap();
    assert!(uncleaned.lookup_digits_log2_fail(&inputs(noise)) > packed.stated_log2_fail());
}

/// Checks that plans find trees for packed lookups of few bits, whose fastest method is an interpolation, which cannot
/// read digits.
#[test]
fn leveled_results_of_few_bits_are_looked_up_again() {
    for bits in [2, 4, 6] {
        let table = LeveledTable { input_modulus: 1 << bits, output_modulus: 1 << bits };
        check(&looked_up(request(1 << bits, table)).plan().unwrap(), -64.0);
    }
}

#[test]
fn what_is_in_the_way_is_named() {
    let next = Integers { bits: 16, function: Function::Sign };
    let refused = |request: Request<Integers>| request.plan().map(drop).unwrap_err();
    // Signs are packed modulo at most 16.
    let error = refused(looked_up(request(256, next)));
    assert!(matches!(error, Error::PlaintextModulus { modulus: 256, .. }), "{error}");
    let maximum = Integers { bits: 8, function: Function::Absolute };
    let error =
        refused(Request { returning: Returning::Packed, ..request(16, maximum) }).to_string();
    assert!(error.contains("they are whole integers"), "{error}");
    let error = refused(Request { memory: Some(1 << 20), ..request(16, next) });
    assert!(matches!(error, Error::Memory { limit: 1_048_576, .. }), "{error}");
    let wide = Integers { bits: 30, function: Function::Sign };
    let error = refused(request(16, wide)).to_string();
    assert!(error.contains("bits of an integer is 30"), "{error}");
    let error = request(16, RadixDigits { digits: 22 }).plan().map(drop).unwrap_err().to_string();
    assert!(error.contains("number of digits is 22"), "{error}");
    // One step fails too often.
    let next = Integers { bits: 12, function: Function::Sign };
    let request = Request { log2_fail: Some(-900.0), ..toy(16, next, 8) };
    let error = request.plan().map(drop).unwrap_err();
    let Error::FailureUnreachable { what, found, limit } = &error else { panic!("{error}") };
    assert!(what.contains("in step ") && *found > *limit && *limit == -900.0, "{error}");
    // Digits of two bits cannot represent results with an odd number of bits.
    for (bits, even) in [(3, 4), (5, 6), (7, 8)] {
        let table = LeveledTable { input_modulus: 1 << bits, output_modulus: 1 << bits };
        for request in [self::request(1 << bits, table), toy(1 << bits, table, 8)] {
            let error = looked_up(request).plan().map(drop).unwrap_err().to_string();
            let remedy = format!("results of {bits} bits up again");
            assert!(error.contains(&remedy), "{error}");
            assert!(error.ends_with(&format!("use tables of {even} bits")), "{error}");
        }
    }
}

/// Returns bytes as the source of a file of evaluation keys.
fn shared(bytes: Vec<u8>) -> Arc<Vec<u8>> {
    Arc::new(bytes)
}

fn file<T: Target>(secrets: &SecretKeys<T>) -> Vec<u8> {
    let mut file = Vec::new();
    secrets.write_evaluation_key(&mut file, SILENT).unwrap();
    file
}

#[test]
fn keys_of_a_plan_are_saved_and_loaded_and_used() -> Result<()> {
    let next = Integers { bits: 9, function: Function::Sign };
    let plan = Request { returning: Returning::Packed, ..toy(8, next, 64) }.plan()?;
    let secrets = SecretKeys::generate(plan.parameters());
    let bytes = file(&secrets);
    let secrets = SecretKeys::<integers::Parameters>::from_bytes(&secrets.to_bytes(), options())?;
    let predicted = plan.key_file_bytes();
    assert!(bytes.len().abs_diff(predicted) < 1 << 15, "{} bytes, not {predicted}", bytes.len());
    let keys: EvaluationKeys<integers::Parameters> =
        EvaluationKeys::from_shared(shared(bytes.clone()), options())?;
    assert_eq!([keys.packed().key_id(), keys.single().key_id()], secrets.ids());
    let values: Vec<u64> = (0..64).map(|i| i % 8).collect();
    let of = |x: u64| (x * 93 + 170) % 512;
    let table = keys.packed().prepare(&Table::from_fn(8, 512, of)?)?;
    let results = keys.packed().lookup(&secrets.packed().encrypt(&values)?, &table, SILENT)?;
    let integers = keys.bridge().to_integers(keys.ends(), &results, 0..16)?;
    let signs = keys.single().sign(&integers, SILENT)?;
    let packed = keys.bridge().pack_small(keys.ends(), &signs, 2, SILENT)?;
    let expected: Vec<u64> = values[..16].iter().map(|&x| of(x) >> 8).collect();
    assert_eq!(secrets.packed().decrypt(&packed)?, expected);

    check_refusals(&bytes, bytes.len() / 20, |bytes| {
        EvaluationKeys::<integers::Parameters>::from_shared(shared(bytes.to_vec()), options())
    });
    let read = |options| {
        EvaluationKeys::<integers::Parameters>::from_shared(shared(bytes.clone()), options)
    };
    assert!(matches!(read(ReadOptions::default()).unwrap_err(), Error::Insecure));
    let error = read(options().max_memory(1 << 20)).unwrap_err();
    assert!(matches!(error, Error::ReadingMemory { .. }), "{error}");
    // The keys are for the other kind of values.
    let error = SecretKeys::<leveled::Parameters>::from_bytes(&secrets.to_bytes(), options());
    assert!(error.unwrap_err().to_string().contains("integers"));
    assert!(EvaluationKeys::<leveled::Parameters>::from_shared(shared(bytes), options()).is_err());
    Ok(())
}

/// Looks up all values below a modulus packed, then looks up `count` of the results as leveled values and packed again,
/// and checks every value.
fn check_looked_up_again(parameters: &LeveledParameters, count: usize, p: u64) -> Result<()> {
    let secrets = SecretKeys::generate(parameters);
    let keys: EvaluationKeys<leveled::Parameters> =
        EvaluationKeys::from_shared(shared(file(&secrets)), options())?;
    let (server, leveled) = keys.ends();
    let of = |x: u64| (x * 5 + 3) % p;
    let digit = |d: u32| server.prepare(&Table::from_fn(p, 4, |x| (of(x) >> (2 * d)) & 3)?);
    let prepared = (0..p.ilog2() / 2).map(digit).collect::<Result<Vec<_>>>()?;
    let input = secrets.packed().encrypt(&(0..p).collect::<Vec<u64>>())?;
    let digits = server.lookup_many(&input, &prepared.iter().collect::<Vec<_>>(), SILENT)?;
    let values = keys.bridge().to_leveled(keys.ends(), &digits, p, 0..count)?;
    let squares = leveled.prepare(&Table::from_fn(p, p, |x| x * x % p)?)?;
    let output = leveled.lookup_many(&values, &[&squares], SILENT)?.swap_remove(0);
    let back = keys.bridge().pack_leveled(keys.ends(), &output, SILENT)?;
    let square = |x: u64| of(x) * of(x) % p;
    for (d, digit) in back.iter().enumerate() {
        let expected: Vec<u64> = (0..count as u64).map(|x| square(x) >> (2 * d) & 3).collect();
        assert_eq!(secrets.packed().decrypt(digit)?, expected, "digit {d} of {p}");
    }
    let again = server.lookup_digits(&back, &[&prepared[0]], SILENT)?.swap_remove(0);
    let expected: Vec<u64> = (0..count as u64).map(|x| of(square(x)) & 3).collect();
    assert_eq!(secrets.packed().decrypt(&again)?, expected, "{p}");
    Ok(())
}

#[test]
fn leveled_results_of_a_plan_are_looked_up_again() -> Result<()> {
    let of = |p| LeveledTable { input_modulus: p, output_modulus: p };
    let plan = looked_up(toy(16, of(16), 16)).plan()?;
    check_looked_up_again(plan.parameters(), plan.taken_out(), 16)?;
    let request = looked_up(toy(256, of(256), 256));
    let plan = Request { taken_out: Some(32), log2_fail: Some(-64.0), ..request }.plan()?;
    check_looked_up_again(plan.parameters(), plan.taken_out(), 256)?;
    // The same with two cleanings, which plans at full size choose.
    let digits = MultiplexerLiteral {
        digits: vec![4; 4],
        selectors: vec![1; 4],
        delta_cleanings: 2,
        ..Default::default()
    };
    let tree = packed::Parameters::insecure_toy_tree(4, 2048, 1024, digits, 0)?;
    let parameters = LeveledParameters::new(tree, plan.parameters().single().clone())?;
    check_looked_up_again(&parameters, plan.taken_out(), 256)
}

#[test]
#[ignore = "takes three minutes and 3 GB"]
fn leveled_results_are_looked_up_again_at_full_size() -> Result<()> {
    for p in [16, 256] {
        let table = LeveledTable { input_modulus: p, output_modulus: p };
        let request = Request { taken_out: Some(16), ..request(p, table) };
        let plan = looked_up(request).plan()?;
        check_looked_up_again(plan.parameters(), plan.taken_out(), p)?;
    }
    Ok(())
}

#[test]
fn keys_of_others_are_no_set() {
    let parameters = IntegerParameters::insecure_toy(4, 8).unwrap();
    let [ours, theirs] = [0, 1].map(|_| SecretKeys::generate(&parameters));
    let packed = ours.packed().evaluation_key(SILENT).unwrap();
    let single = theirs.single().evaluation_key(SILENT).unwrap();
    let bridge =
        cryptable_conversion::bridges::Bridge::generate(&parameters, ours.packed(), ours.single());
    let error = EvaluationKeys::new(packed, single, bridge.unwrap()).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    assert!(format!("{ours:?}").len() < 200);
    let leveled = LeveledParameters::insecure_toy(4, 4).unwrap();
    let bytes = SecretKeys::generate(&leveled).to_bytes();
    let strict = SecretKeys::<leveled::Parameters>::from_bytes(&bytes, ReadOptions::default());
    assert!(matches!(strict.unwrap_err(), Error::Insecure));
}
