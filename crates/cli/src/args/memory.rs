//! The limit of memory of everything that a server runs.

use clap::Args;

use super::parameters::memory_size;

/// What memory a run may take.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct MemoryArgs {
    /// Refuse what is predicted to take more memory than this, keys included, as `6GB` [default: what the
    /// machine has left]
    #[arg(long = "memory", value_name = "SIZE", value_parser = memory_size)]
    pub limit: Option<usize>,
}
