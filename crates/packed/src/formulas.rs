//! Formulas over several columns: sums of tables, and choices between them, evaluated in slots.
//!
//! Decision trees, linear models and filters are [`formula::Formula`]s. All columns are raised to exponentials once;
//! tables and conditions are AKP's interpolations of these, choices are products in slots, and each formula needs one
//! SlotsToCoeffs: the steps between columns and results need no bootstrap. [`prepared`] has formulas in normal form
//! with their noise, [`circuit`] evaluates them on ciphertexts ([`evaluation`]) or on shapes ([`prediction`]). Results
//! may be columns of further formulas ([`stages`]), as in a [`network`], or of the same formulas, as in a [`sort`].

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
