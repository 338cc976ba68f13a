//! Tests of arithmetic in slots, in one program, which is linked once.

mod evaluation;
mod inner_rings;
mod leveled_table;
mod plaintext_products;
mod polynomial_hermite;
