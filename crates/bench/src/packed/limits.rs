//! Limits for parameters in benchmarks of packed values.

use clap::Args;
use cryptable::engines::packed::Request;

/// Options of all benchmarks whose parameters the planner chooses.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct LimitArguments {
    /// Number of values per ciphertext [default: a full ciphertext].
    #[arg(long)]
    count: Option<usize>,
    /// Maximum predicted memory of the parameters in bytes.
    #[arg(long)]
    memory: Option<usize>,
    /// log2 of the maximum failure probability per ciphertext or, for words, per lookup [default: -64].
    #[arg(long, allow_hyphen_values = true)]
    log2_fail: Option<f64>,
}

impl LimitArguments {
    /// Returns a request for tables of these moduli within the limits.
    pub fn request(&self, input_modulus: u64, output_modulus: u64) -> Request {
        let Self { count, memory, log2_fail } = *self;
        Request { count, memory, log2_fail, ..Request::new(input_modulus, output_modulus) }
    }

    /// Returns log2 of the largest failure probability, if it is limited.
    pub fn log2_fail(&self) -> Option<f64> {
        self.log2_fail
    }
}
