//! Parameters found for lookups in slots: all have 128 bits, meet the request, and are found quickly.

use cryptable_approximate::{
    Complex64, Grid, KeySet, LookupPlan, LookupRequest, SecretKey, SlotBounds, SlotTable,
};
use cryptable_lattice::Progress;
use cryptable_ring::random::replay;

fn request(count: usize) -> LookupRequest {
    LookupRequest::new(Grid::integers(count))
}

#[test]
fn a_grid_of_requests() {
    let begin = std::time::Instant::now();
    let mut plans = 0;
    for points in [2, 10, 16, 64, 256] {
        for (complex, count) in [(false, Some(1000)), (true, None)] {
            for levels in [0, 3] {
                let asked = LookupRequest { complex, count, levels, ..request(points) };
                let one = std::time::Instant::now();
                let plan =
                    LookupPlan::new(&asked).unwrap_or_else(|error| panic!("{asked:?}: {error}"));
                println!(
                    "{points} points, {complex}, {levels} levels: {:?}\n{plan}",
                    one.elapsed()
                );
                for it in plan.candidates() {
                    assert!(it.parameters.security_bits() >= 128.0);
                    assert!(it.precision_bits >= 8.0 && it.prediction.phase_error < 1.0);
                    assert!(it.prediction.level >= levels);
                    let parts = if complex { 2 } else { 1 };
                    let values = (parts * it.parameters.slots()) as f64;
                    assert!(it.prediction.log2_fail_per_slot + values.log2() <= -63.99);
                }
                plans += 1;
            }
        }
    }
    println!("{plans} plans in {:?}", begin.elapsed());
}

/// Checks every value of a table, on slots of plans at a toy ring: levels, and errors from both sides.
#[test]
fn insecure_predictions_hold() {
    let _replay = replay::begin();
    for (points, complex, count, order) in [
        (16, true, None, None),
        (16, false, Some(100), None),
        (10, true, Some(30), Some(2)),
        (64, false, None, Some(3)),
    ] {
        let asked = LookupRequest { complex, count, order, levels: 2, ..request(points) };
        let plan = LookupPlan::insecure_toy(&asked).unwrap();
        let best = plan.best();
        let secret = SecretKey::generate(&best.parameters);
        let keys = KeySet::new().lookups();
        let server = secret.evaluation_key_for(&keys, Progress::silent()).unwrap();
        let table = SlotTable::from_fn(Grid::integers(points), best.order, |x| {
            f64::from((x as u32 * 7 + 3) % points as u32) / (points - 1) as f64
        });
        let table = table.unwrap();
        let part = |m: usize| if complex { m } else { 0 };
        let chosen = (0..best.parameters.slots()).map(|j| (j % points, part((j + 3) % points)));
        let chosen: Vec<_> = chosen.collect();
        let values: Vec<_> =
            chosen.iter().map(|&(x, y)| Complex64::new(x as f64, y as f64)).collect();
        let x = secret.encrypt_within(&values, SlotBounds::of(&values)).unwrap();
        let y = server.lookup(&x, &table).unwrap();
        assert_eq!(y.level(), best.prediction.level);
        let value = |m: usize| table.values()[m];
        let of_slot = |&(x, y): &(usize, usize)| {
            Complex64::new(value(x), if complex { value(y) } else { 0.0 })
        };
        let expected: Vec<_> = chosen.iter().map(of_slot).collect();
        let errors = secret.errors(&y, &expected).unwrap();
        let largest = errors.iter().fold(0f64, |most, z| most.max(z.re.abs()).max(z.im.abs()));
        let bits = -largest.log2();
        println!("{points} points: {bits:.1} bits found, {:.1} stated", best.precision_bits);
        // The largest of a thousand errors is exceeded with probability 2^-10, the stated one with 2^-74. For the 32
        // slots of the second order, whose stated error is that of the worst table, the ratio is up to 2^-7.5.
        assert!(bits > best.precision_bits && bits < best.precision_bits + 8.0);
    }
}

/// A limit on memory leads to matrices with fewer keys, and to refusals where that is not enough.
#[test]
fn memory_is_kept_to() {
    let asked = LookupRequest { count: Some(512), ..request(16) };
    let best = LookupPlan::new(&asked).unwrap();
    let limit = best.best().memory_bytes - 1;
    let less = LookupRequest { memory: Some(limit), ..asked };
    let smaller = LookupPlan::new(&less).unwrap();
    assert!(smaller.best().memory_bytes < best.best().memory_bytes);
    assert!(smaller.candidates().iter().all(|it| it.memory_bytes <= limit));
}

#[test]
fn what_cannot_be_had_is_refused_by_name_and_limit() {
    let error = |request: LookupRequest| LookupPlan::new(&request).unwrap_err().to_string();
    let sixteen = request(16);
    let cases = [
        (LookupRequest { precision_bits: 41.0, ..sixteen.clone() }, "bits of precision is 41"),
        (LookupRequest { levels: 21, ..sixteen.clone() }, "number of levels is 21"),
        (LookupRequest { count: Some(0), ..sixteen.clone() }, "number of slots is 0"),
        (LookupRequest { count: Some(1 << 20), ..sixteen.clone() }, "at most 32768"),
        (LookupRequest { ring_degree: Some(1000), ..sixteen.clone() }, "ring degree is 1000"),
        (
            LookupRequest { log2_fail: Some(0.0), ..sixteen.clone() },
            "log2 of the failure probability is 0",
        ),
        (LookupRequest { order: Some(4), ..sixteen.clone() }, "order of the interpolation is 4"),
        (LookupRequest { memory: Some(1 << 20), ..sixteen.clone() }, "fits in 1.04 MB of memory"),
        (
            LookupRequest { precision_bits: 38.0, ..sixteen.clone() },
            "bits of precision of a lookup",
        ),
        (
            LookupRequest { levels: 20, ring_degree: Some(1 << 15), ..sixteen.clone() },
            "log2 of the modulus",
        ),
        (request(5000), "number of points is 5000"),
    ];
    for (request, part) in cases {
        let message = error(request);
        assert!(message.contains(part), "{message}");
    }
}
