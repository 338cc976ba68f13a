//! Formulas over several columns: sums of tables, and choices between them, evaluated in slots.
//!
//! A [`formula::Formula`] is what decision trees, linear models and filters are made of. All columns are raised to
//! exponentials once; tables and conditions are AKP's interpolations of them, choices are products in slots, and each formula
//! takes one SlotsToCoeffs: no bootstrap is spent on what lies between columns and results. [`prepared`] is a formula in its
//! normal form with its noise, [`circuit`] evaluates it on ciphertexts ([`evaluation`]) or on shapes ([`prediction`]).
//! Results may be columns of further formulas ([`stages`]), as in a [`network`], or of the same, as in a [`sort`].

pub(crate) mod by_group;
pub(crate) mod circuit;
pub(crate) mod evaluation;
pub(crate) mod formula;
pub(crate) mod group_sums;
pub(crate) mod groups;
pub(crate) mod layer;
pub(crate) mod network;
pub(crate) mod noise;
pub(crate) mod part;
pub(crate) mod prediction;
pub(crate) mod prepared;
pub(crate) mod results;
pub(crate) mod sort;
pub(crate) mod stages;
