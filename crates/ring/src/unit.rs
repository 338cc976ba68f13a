//! The unit u: speed on shared machines is stated as a multiple of it.

use std::time::Instant;

use tfhe_ntt::prime64::Plan;

use crate::Buffer;
use crate::primes::ntt_primes;

/// Transforms of a batch: a quarter of a millisecond, which finds gaps between other work where longer ones do not.
const BATCH: usize = 2;

/// Batches, 35 milliseconds.
const BATCHES: usize = 128;

/// Seconds of one forward NTT of `tfhe-ntt` at ring degree 65,536 with a 50-bit prime, on one
/// thread: the least of several batches, in some tens of milliseconds.
///
/// Another's transform, and one that stays: figures of all revisions compare.
#[must_use]
pub fn measure_unit() -> f64 {
    let degree = 1 << 16;
    let plan = Plan::try_new(degree, ntt_primes(degree, 50.0, 1, &[])[0]).expect("an NTT prime");
    // Aligned: the fastest that the transform runs.
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
