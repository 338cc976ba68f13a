//! What examples on batches begin with.

use cryptable_gpu::Device;

/// The number that the command line names, or else `default`, and the first card. Without a card it says so, and there is
/// nothing to do.
///
/// # Panics
/// If what the command line names is no number.
pub fn batch(default: usize) -> Option<(usize, Device)> {
    let number = |text: String| text.parse().expect("a number");
    let count = std::env::args().nth(1).map_or(default, number);
    match Device::card(0) {
        Ok(device) => Some((count, device)),
        Err(error) => {
            println!("{error}");
            None
        }
    }
}
