//! The unit u: speed on shared machines is stated as a multiple of it.

use std::time::Instant;

use crate::primes::ntt_primes;
use crate::{Buffer, Modulus, NttTable};

/// Seconds of one forward NTT at ring degree 65,536 with a 50-bit prime, on one thread: the least
/// of several batches, in some tens of milliseconds.
#[must_use]
pub fn measure_unit() -> f64 {
    let degree = 1 << 16;
    let table = NttTable::new(degree, Modulus::new(ntt_primes(degree, 50.0, 1, &[])[0]))
        .expect("an NTT prime");
    // Aligned, as the library's own polynomials are: the fastest that the transform runs.
    let mut words = Buffer::from((0..degree as u64).collect::<Vec<_>>());
    let mut batch = || {
        let start = Instant::now();
        for _ in 0..16 {
            table.forward_assign(std::hint::black_box(&mut words));
        }
        start.elapsed().as_secs_f64() / 16.0
    };
    (0..12).map(|_| batch()).fold(f64::INFINITY, f64::min)
}
