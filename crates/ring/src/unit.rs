//! The unit u, in which speed on shared machines is stated.

use std::time::Instant;

use tfhe_ntt::prime64::Plan;

use crate::Buffer;
use crate::primes::ntt_primes;

/// Transforms per batch. A batch takes a quarter of a millisecond, which fits gaps between other work that are too
/// short for longer ones.
const BATCH: usize = 2;

/// The number of batches, 35 milliseconds in all.
const BATCHES: usize = 128;

/// Measures the seconds of one forward NTT of `tfhe-ntt` at ring degree 65,536 with a 50-bit prime, on one thread: the
/// least of several batches, in some tens of milliseconds.
///
/// The transform is an external one that does not change, so that figures of all revisions are comparable.
#[must_use]
pub fn measure_unit() -> f64 {
    let degree = 1 << 16;
    let plan = Plan::try_new(degree, ntt_primes(degree, 50.0, 1, &[])[0]).expect("an NTT prime");
    // The words are aligned, which is the fastest case of the transform.
    let mut words = Buffer::from((0..degree as u64).collect::<Vec<_>>());
    let mut batch = || {
        let start = Instant::now();
        for _ in 0..BATCH {
            plan.fwd(std::hint::black_box(&mut words));
        }
        start.elapsed().as_secs_f64() / BATCH as f64
    };
    (0..BATCHES).map(|_| batch()).fold(f64::INFINITY, f64::min)
}
