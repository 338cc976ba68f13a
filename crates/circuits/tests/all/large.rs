//! Planning of circuits of tens of thousands of gates.

use std::time::Instant;

use cryptable_bits::{NamedSet, Packing, Parameters};
use cryptable_circuits::{Circuit, CircuitBuilder, Plan, PlanError, PlanOptions, Signal};

/// Builds a restoring array divider for words of `width` bits: one row of subtractors and selectors per bit of the quotient,
/// each row depending on the row before.
fn divider(width: usize) -> Circuit {
    let mut builder = CircuitBuilder::new("divider");
    let dividend = builder.input("x", width).unwrap();
    let divisor = builder.input("y", width).unwrap();
    let zero = Signal::FALSE;
    let mut rest = vec![zero; width];
    let mut quotient = vec![zero; width];
    for bit in (0..width).rev() {
        rest.insert(0, dividend[bit]);
        let mut borrow = zero;
        let mut difference = Vec::with_capacity(width + 1);
        for (place, &x) in rest.iter().enumerate() {
            let y = divisor.get(place).copied().unwrap_or(zero);
            let either = builder.xor(x, y);
            difference.push(builder.xor(either, borrow));
            let equal_and_borrowed = builder.and(!either, borrow);
            let less = builder.and(!x, y);
            borrow = builder.or(less, equal_and_borrowed);
        }
        quotient[bit] = !borrow;
        rest.truncate(width);
        for (kept, subtracted) in rest.iter_mut().zip(difference) {
            // The difference, or the minuend where the difference is negative.
            let change = builder.xor(*kept, subtracted);
            let taken = builder.and(change, !borrow);
            *kept = builder.xor(*kept, taken);
        }
    }
    builder.output("quotient", &quotient).unwrap();
    builder.output("rest", &rest).unwrap();
    builder.finish()
}

#[test]
fn dividers_divide() {
    let circuit = divider(6);
    for (x, y) in [(63, 1), (50, 7), (5, 9), (42, 42), (0, 3)] {
        assert_eq!(circuit.evaluate_words(&[x, y]).unwrap(), [x / y, x % y]);
    }
}

#[test]
fn planning_keeps_to_the_limit_of_memory() {
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let options = PlanOptions { memory_limit: Some(1 << 20), ..PlanOptions::default() };
    let error = Plan::new(&divider(32), &parameters, &options).unwrap_err();
    assert!(matches!(error, PlanError::Planning { limit: 1_048_576, .. }), "{error}");
    assert!(error.to_string().contains("to plan"), "{error}");
}

/// The divider has the depth of the one among the EPFL benchmarks.
#[test]
#[ignore = "a minute and a half: make test-all"]
fn a_large_divider_is_planned() {
    let circuit = divider(64);
    let parameters = NamedSet::Throughput.parameters().unwrap();
    let options = PlanOptions { failure_limit: None, ..PlanOptions::default() };
    let start = Instant::now();
    let plan = Plan::new(&circuit, &parameters, &options);
    let nodes = circuit.nodes().len();
    println!(
        "{nodes} nodes, {:.1} s, {:?}",
        start.elapsed().as_secs_f64(),
        plan.map(|it| it.steps().len())
    );
    assert!(nodes > 30_000);
}
