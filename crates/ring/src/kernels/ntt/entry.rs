//! The transforms compiled for each instruction set.

use super::doubles::{self, DoubleLanes};
use super::forward::forward;
#[cfg(target_arch = "x86_64")]
use super::ifma::{IfmaLanes, NARROW_BOUND, encode as encode_ifma};
use super::inverse::inverse;
use super::lanes::Lanes;
use super::tables::{Part, Tables};
use super::tree::Points;
use crate::Modulus;

/// Defines the module of an instruction set from the names of its features, the encoding of twiddles, and its lanes. If
/// there are wide lanes, they are for moduli from [`NARROW_BOUND`] on.
macro_rules! entries {
    ($name:ident, $features:literal, $encode:path, $lanes:ty $(, wide: $wide:ty)?) => {
        pub(super) mod $name {
            use super::*;

            const LANES: usize = <$lanes as Lanes>::LANES;

            /// Returns the twiddles for these lanes.
            pub(in super::super) fn tables(m: &Modulus, degree: usize, points: Points) -> Tables {
                let encode = |w| $encode(m, w);
                Tables::new(m, degree, points, LANES, <$lanes as Lanes>::LANE_WORDS, encode)
            }

            /// Performs a part of the transform from coefficients to evaluations.
            ///
            /// # Safety
            /// The number of words must be the degree of the tables, which [`tables`] made; nobody else may access the
            /// words of the part.
            #[target_feature(enable = $features)]
            pub(in super::super) unsafe fn forward(
                m: &Modulus,
                tables: &Tables,
                words: *mut u64,
                part: Part,
            ) {
                $(if m.value() >= NARROW_BOUND {
                    // SAFETY: as below.
                    return unsafe {
                        super::forward::<_, LANES>(<$wide>::new(m), tables, words, part)
                    };
                })?
                // SAFETY: the instruction set is enabled; the caller guarantees the rest.
                unsafe { super::forward::<_, LANES>(<$lanes>::new(m), tables, words, part) }
            }

            /// Performs a part of the transform from evaluations to `factor`·N times the coefficients, from the first
            /// words to the second ones, which may be the same.
            ///
            /// # Safety
            /// The same as for [`forward`], for both pointers.
            #[target_feature(enable = $features)]
            pub(in super::super) unsafe fn inverse(
                m: &Modulus,
                tables: &Tables,
                source: *const u64,
                words: *mut u64,
                factor: u64,
                part: Part,
            ) {
                let factor = $encode(m, factor);
                $(if m.value() >= NARROW_BOUND {
                    // SAFETY: as below.
                    return unsafe {
                        let lanes = <$wide>::new(m);
                        super::inverse::<_, LANES>(lanes, tables, source, words, factor, part)
                    };
                })?
                // SAFETY: the instruction set is enabled; the caller guarantees the rest.
                unsafe {
                    super::inverse::<_, LANES>(<$lanes>::new(m), tables, source, words, factor, part)
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
entries!(avx2, "avx2,fma", doubles::encode, DoubleLanes<doubles::avx2::Avx2>);
#[cfg(target_arch = "x86_64")]
entries!(
    avx512,
    "avx512f,avx512dq,avx512vl,fma",
    doubles::encode,
    DoubleLanes<doubles::avx512::Avx512>
);
#[cfg(target_arch = "x86_64")]
entries!(
    ifma,
    "avx512f,avx512dq,avx512vl,avx512ifma",
    encode_ifma,
    IfmaLanes<false>,
    wide: IfmaLanes<true>
);
#[cfg(target_arch = "aarch64")]
entries!(neon, "neon", doubles::encode, DoubleLanes<doubles::neon::Neon>);
