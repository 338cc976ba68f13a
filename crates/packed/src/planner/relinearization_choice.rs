//! Keys of relinearization of more digits than those of rotations, and more of them: products, whose limbs become fewer level by
//! level, then take fewer special primes and narrower conversions each. Keys for rotations are most of a key, those of
//! relinearization a tenth.

use crate::literal::ParametersLiteral;

/// Keys for products at the top of the chain that are tried: limbs below the top, and digits.
const TOPS: [&[[usize; 2]]; 3] = [&[[0, 3]], &[[0, 3], [1, 3]], &[[0, 4], [1, 3]]];

/// Most digits of keys of rotations, from which keys of more digits gain something.
const MOST_DIGITS: usize = 3;

/// Fewest limbs of a key in two digits for the lower part of the chain.
const LEAST_LIMBS: usize = 6;

/// The literal with every choice of keys of relinearization that is worth a try: none where several owners make them, where
/// one of them has to hide tables, or where the whole chain is of few limbs to a digit.
pub(crate) fn with_relinearization_keys(literal: &ParametersLiteral) -> Vec<ParametersLiteral> {
    let top = literal.product_limbs();
    let is_fixed = !literal.owners.is_one()
        || literal.hidden_bits.is_some()
        || literal.block_secret.is_some()
        || literal.dnum > MOST_DIGITS
        || top < 2 * LEAST_LIMBS;
    if is_fixed {
        return Vec::new();
    }
    let lower: Vec<[usize; 2]> =
        literal.product_shapes()[1..].iter().map(|it| [it.basis.main, it.digits()]).collect();
    // A limb less than where the exponential ends may take a special prime less.
    let narrower =
        lower.first().filter(|&&[limbs, _]| limbs > LEAST_LIMBS).map(|&[limbs, digits]| {
            let mut keys = lower.clone();
            keys[0] = [limbs - 1, digits];
            keys
        });
    let lowers: Vec<Vec<[usize; 2]>> = std::iter::once(lower).chain(narrower).collect();
    let join = |tops: &[[usize; 2]], lower: &Vec<[usize; 2]>| {
        let tops = tops.iter().map(|&[below, digits]| [top - below, digits]);
        let relinearization = tops.chain(lower.iter().copied()).collect();
        ParametersLiteral { relinearization, ..literal.clone() }
    };
    TOPS.iter().flat_map(|tops| lowers.iter().map(|lower| join(tops, lower))).collect()
}
