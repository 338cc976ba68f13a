//! Evaluates GELU and a sigmoid of encrypted numbers within bootstraps. Takes some seconds and 5 GB at 128 bits of
//! security, or no time on a toy ring.
//!
//! ```text
//! cargo run --release -p cryptable --example smooth_functions [-- --toy]
//! ```

use std::time::Instant;

use cryptable::ckks::{KeySet, LookupPlan, LookupRequest, SlotBounds, SmoothFunction};
use cryptable::{Progress, Request, Result, SecretKey};

fn main() -> Result<()> {
    let is_toy = std::env::args().any(|argument| argument == "--toy");
    let gelu = SmoothFunction::gelu(8.0, 1e-6)?;
    let plan = if is_toy {
        let request =
            LookupRequest { precision_bits: 17.0, levels: 1, ..LookupRequest::new(&gelu) };
        LookupPlan::insecure_toy(&request)?
    } else {
        Request::slot_lookups(&gelu).precision_bits(17.0).levels(1).plan()?
    };
    print!("{plan}");
    let secret = SecretKey::generate(&plan.best().parameters);
    let secret = secret.ckks()?;
    let server = secret.evaluation_key_for(&KeySet::new().lookups(), Progress::silent())?;

    let slots = plan.best().parameters.slots();
    let values: Vec<f64> = (0..slots).map(|j| 7.9 * (j as f64 * 0.37).sin()).collect();
    let x = secret.encrypt_within(
        &values.iter().map(|&x| x.into()).collect::<Vec<_>>(),
        SlotBounds::real(8.0),
    )?;

    // The server: the input may have no level left, the result has one.
    let begin = Instant::now();
    let y = server.lookup(&server.lower(&x, 0)?, &gelu)?;
    println!("{slots} numbers in {:.2?}, {} levels left", begin.elapsed(), y.level());
    let stated = y.error().largest(-64.0);

    // The client compares with the series, which is off by little.
    let found = secret.decrypt_reals(&y)?;
    let off = found.iter().zip(&values).map(|(y, &x)| (y - gelu.evaluate(x)).abs());
    let off = off.fold(0.0, f64::max) + gelu.error();
    println!("GELU is off by {off:.1e} at most; stated {stated:.1e}, but for 2^-64 per slot");

    // One key serves other functions, of other intervals too: what GELU left is bootstrapped through a sigmoid.
    let sigmoid = SmoothFunction::sigmoid(y.bounds().re, 1e-6)?;
    let z = server.lookup(&y, &sigmoid)?;
    let found = secret.decrypt_reals(&z)?;
    let expected = values.iter().map(|&x| sigmoid.evaluate(gelu.evaluate(x)));
    let off = found.iter().zip(expected).map(|(z, y)| (z - y).abs()).fold(0.0, f64::max);
    let stated = z.error().largest(-64.0);
    println!("the sigmoid of it is off by {off:.1e} at most; stated {stated:.1e}");
    Ok(())
}
