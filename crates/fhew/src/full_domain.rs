//! Functional bootstraps over the full domain: any table, negacyclic or not. One file per method.

pub(crate) mod bfv_mult;
pub(crate) mod cancel_sign;
pub(crate) mod comp;
pub(crate) mod compress;
pub(crate) mod compress_continuous;
pub(crate) mod encoded_table;
pub(crate) mod eval_func;
pub(crate) mod fdfb_ks;
pub(crate) mod fdfb_ks_modulo_q;
mod half_tables;
pub(crate) mod hidden_table;
pub(crate) mod input_decision;
pub(crate) mod lookup_noise;
pub(crate) mod method;
pub(crate) mod odd_modulus;
pub(crate) mod select;
pub(crate) mod select_alt;
mod sign_selection;
pub(crate) mod table_lookup;
pub(crate) mod wop_pbs1;
pub(crate) mod wop_pbs2;

pub use bfv_mult::{FdfbBfvMult, Lookups};
pub use cancel_sign::FdfbCancelSign;
pub use comp::Comp;
pub use compress::FdfbCompress;
pub use compress_continuous::{CompressContinuous, ContinuousFunction};
pub use encoded_table::EncodedTable;
pub use eval_func::EvalFunc;
pub use fdfb_ks::FdfbKs;
pub use fdfb_ks_modulo_q::FdfbKsModuloQ;
pub use hidden_table::HiddenTable;
pub use lookup_noise::{LookupNoise, log2_fail};
pub use method::{Decision, FullDomainMethod, MethodNoise, Operations, TableKind};
pub use odd_modulus::OddModulus;
pub use select::FdfbSelect;
pub use select_alt::FdfbSelectAlt;
pub use table_lookup::TableLookup;
pub use wop_pbs1::WopPbs1;
pub use wop_pbs2::WopPbs2;

/// Returns all methods for even moduli, in the order of the paper's Table 8.
#[must_use]
pub fn methods() -> &'static [&'static dyn FullDomainMethod] {
    &[
        &EvalFunc,
        &FdfbKs { digits: 1 },
        &FdfbKs { digits: 2 },
        &FdfbKsModuloQ,
        &Comp { multi_value: false },
        &Comp { multi_value: true },
        &WopPbs1 { refined: false, multi_value: false },
        &WopPbs1 { refined: false, multi_value: true },
        &WopPbs2 { multi_value: false },
        &WopPbs2 { multi_value: true },
        &WopPbs1 { refined: true, multi_value: false },
        &WopPbs1 { refined: true, multi_value: true },
        &FdfbBfvMult { lookups: Lookups::Separate },
        &FdfbBfvMult { lookups: Lookups::Factored },
        &FdfbBfvMult { lookups: Lookups::Interleaved },
        &FdfbCompress,
        &FdfbCancelSign,
        &FdfbSelect { multi_value: false },
        &FdfbSelect { multi_value: true },
        &FdfbSelectAlt { multi_value: false },
        &FdfbSelectAlt { multi_value: true },
    ]
}

/// Returns all methods for an input modulus: [`methods`] if it is even, [`odd_modulus::OddModulus`] if it is odd.
#[must_use]
pub fn methods_for(input_modulus: u64) -> &'static [&'static dyn FullDomainMethod] {
    if input_modulus.is_multiple_of(2) { methods() } else { &[&odd_modulus::OddModulus] }
}

/// Returns the methods that hide tables: within a statistical distance of 2^-40, 2^-64 and 2^-128.
#[must_use]
pub fn hiding_methods() -> &'static [HiddenTable] {
    &[HiddenTable { bits: 40 }, HiddenTable { bits: 64 }, HiddenTable { bits: 128 }]
}

/// Returns the method with this [`FullDomainMethod::name`], among all methods: for even and odd moduli, hiding or not.
#[must_use]
pub fn method(name: &str) -> Option<&'static dyn FullDomainMethod> {
    let all = methods().iter().chain(methods_for(1)).copied();
    let hiding = hiding_methods().iter().map(|it| it as &'static dyn FullDomainMethod);
    all.chain(hiding).find(|method| method.name() == name)
}
