//! Times of transforms on the first card, in both arithmetics.
//!
//! `cargo run --release -p cryptable-gpu --example transforms`

use cryptable_gpu::Device;
use cryptable_gpu::measure::{TransformRun, TransformTimes, transforms};
use cryptable_lattice::error::Result;
use cryptable_ring::{Ring, primes::ntt_primes};

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let device = Device::card(0)?;
    println!("{}", device.properties()?.name);
    println!(
        "degree limbs copies arithmetic at-once | forward us, TB/s | inverse us, TB/s | round trip"
    );
    for log_degree in [15, 16, 17] {
        let degree = 1 << log_degree;
        let ring = Ring::new(degree, &ntt_primes(degree, 49.0, 24, &[]), &[]);
        for (copies, is_integer) in [(1, false), (10, false), (10, true)] {
            show(
                &device,
                &ring,
                TransformRun { copies, is_integer, words_at_once: None, repeats: 50 },
            )?;
        }
        for mib in [6, 12, 24, 36, 48] {
            let words_at_once = Some(mib << 17);
            let run = TransformRun { copies: 40, is_integer: false, words_at_once, repeats: 10 };
            show(&device, &ring, run)?;
        }
    }
    // Few limbs: blocks hardly fill the card.
    for limbs in [1, 2, 4, 8] {
        let ring = Ring::new(1 << 16, &ntt_primes(1 << 16, 49.0, limbs, &[]), &[]);
        show(
            &device,
            &ring,
            TransformRun { copies: 1, is_integer: false, words_at_once: None, repeats: 200 },
        )?;
    }
    Ok(())
}

/// A line; bytes are those of two passes, each of which reads and writes all words.
fn show(device: &Device, ring: &Ring, run: TransformRun) -> Result<()> {
    let TransformTimes { forward, inverse, is_correct } = transforms(device, ring, run)?;
    let rate = |seconds: f64| 32.0 * ring.degree() as f64 / seconds / 1e12;
    let [forward, inverse] = [forward, inverse].map(|time| time.as_secs_f64());
    println!(
        "{:6} {:3} {:3} {} {:>8} | {:.3} {:.2} | {:.3} {:.2} | {}",
        ring.degree(),
        ring.moduli().values().len(),
        run.copies,
        if run.is_integer { "integers" } else { "doubles " },
        run.words_at_once.map_or("all".to_owned(), |words| format!("{} MiB", words >> 17)),
        1e6 * forward,
        rate(forward),
        1e6 * inverse,
        rate(inverse),
        if is_correct { "exact" } else { "WRONG" },
    );
    Ok(())
}
