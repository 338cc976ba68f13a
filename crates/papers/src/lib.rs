//! Numbers from papers, for comparison: parameter sets, noise formulas, counts, running times.
//!
//! Only tests and benchmarks use this crate; the library and the command line do not link it. Algorithms are in the crates
//! of the engines; this crate contains only what their papers state about them.
//!
//! | module | paper |
//! |---|---|
//! | [`ma_2024`] | Ma, Huang, Wang, Zhou, Wang, TCHES 2024(1), ePrint 2023/645: full-domain bootstraps, digit decomposition |
//! | [`wang_2024`] | Wang, Wen, Li, Lu, Wei, Liu, Wang, EUROCRYPT 2024, ePrint 2024/323: sparse automorphisms |
//! | [`bae_2024`] | Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767: bits in CKKS slots |
//! | [`dumezy_2026`] | Dumezy, Alexandru, Polyakov, Clet, Chakraborty, Boudguiga, TCHES 2026(1), ePrint 2025/1301: packed tables |
#![forbid(unsafe_code)]

pub mod bae_2024;
pub mod dumezy_2026;
pub mod ma_2024;
pub mod wang_2024;
