//! The TFHE circuit bootstrap in three levels (Chillotti et al., J. Cryptology 2020), with the numbers of Table 6 of Wang
//! et al. (EUROCRYPT 2024, ePrint 2024/323), which are those of TFHEpp. Not secure by today's estimates, and says so.
//!
//! ```text
//!   level 1: LWE, N = 1,024, 32-bit torus     what tables give, and circuit bootstraps take
//!        │  LWE key switching                 keys
//!        ▼
//!   level 0: LWE, n = 635, 32-bit torus       rounded to multiples of 2^θ modulo 2N̄
//!        │  blind rotation, ℓ coefficients    circuit_bootstrapping
//!        ▼
//!   level 2: LWE, N̄ = 2,048, 64-bit torus
//!        │  2ℓ private key switches           private_switching
//!        ▼
//!   level 1: RGSW of the bit, N = 1,024       selectors of CMUXes
//! ```
//!
//! Words of levels 0 and 1 are those of the 32-bit torus, with rounded Gaussian errors. Of the 64-bit torus level 2 has
//! what its errors leave: its modulus is the prime that makes this library's error, of deviation 3.24, the paper's 2^-44
//! of the torus (2^45.7). Security depends on that ratio alone, and so does noise, up to roundings to 2^-52 of the torus.
//! CMUXes of level 1 multiply modulo a prime near 2^47, to which 32-bit words are brought; that adds less than 2^-38 to a
//! phase.

mod circuit_bootstrapping;
mod keys;
mod noise;
mod parameters;
mod private_switching;
mod secret_key;
mod torus_rows;

pub use circuit_bootstrapping::ThreeLevelBootstrapping;
pub use keys::ThreeLevelKey;
pub use noise::ThreeLevelNoise;
pub use parameters::{ThreeLevelLiteral, ThreeLevelParameters};
pub use private_switching::TorusPrivateKey;
pub use secret_key::LevelOneSecret;
