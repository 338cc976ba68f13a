//! `cryptable demo`
