//! The distribution of encryption errors, the same in every scheme.

/// Variance σ² of every coefficient of an error: centred binomial of 42 coins
/// ([`RandomStream::centered_binomial`](cryptable_ring::random::RandomStream::centered_binomial)), σ = 3.24.
pub const ERROR_VARIANCE: f64 = 10.5;
