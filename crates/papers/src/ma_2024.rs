//! Ma, Huang, Wang, Zhou, Wang: Fast and Accurate: Efficient Full-Domain Functional Bootstrap and Digit Decomposition
//! for Homomorphic Computation (TCHES 2024(1), ePrint 2023/645).

pub mod noise;
pub mod parameter_sets;
pub mod published_times;
