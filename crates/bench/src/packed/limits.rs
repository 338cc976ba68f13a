//! What benchmarks of packed values demand of parameters.

use clap::Args;
use cryptable::engines::packed::Request;

/// Options of every benchmark that asks the planner for parameters.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct LimitArguments {
    /// Values a ciphertext; as many as it has room for if left out.
    #[arg(long)]
    count: Option<usize>,
    /// Most bytes of memory that the parameters may be predicted to take.
    #[arg(long)]
    memory: Option<usize>,
    /// log2 of the largest failure probability of a ciphertext, of words of all that a lookup takes; -64 if left out.
    #[arg(long, allow_hyphen_values = true)]
    log2_fail: Option<f64>,
}

impl LimitArguments {
    /// A request for tables of these moduli within the limits.
    pub fn request(&self, input_modulus: u64, output_modulus: u64) -> Request {
        let Self { count, memory, log2_fail } = *self;
        Request { count, memory, log2_fail, ..Request::new(input_modulus, output_modulus) }
    }

    /// log2 of the largest failure probability, if it is limited.
    pub fn log2_fail(&self) -> Option<f64> {
        self.log2_fail
    }
}
