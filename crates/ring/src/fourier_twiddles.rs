//! Twiddles of complex transforms modulo `X^M - i`.
//!
//! The blocks of a transform are the nodes of a tree: node 1 is its root, and nodes 2k and 2k + 1 are the children of
//! k. The node with modulus `X^h - e^(2πi·t)` has the twiddle `w = e^(πi·t)`, and its children have the moduli
//! `X^(h/2) - w` and `X^(h/2) + w`. The second child's twiddle is i times the first one's, so only the twiddles of even
//! nodes and of the root are needed.

use std::f64::consts::TAU;

use num_complex::Complex64;

/// `e^(2πi·part/whole)`, for multiples of 8. The angle is reduced to the first eighth of the circle, where sine and
/// cosine are exact to their last place.
pub(crate) fn root_of_unity(part: usize, whole: usize) -> Complex64 {
    let eighth = whole / 8;
    let (octant, rest) = (part / eighth % 8, part % eighth);
    let angle = |part: usize| TAU * part as f64 / whole as f64;
    let (sin, cos) = if octant % 2 == 0 {
        angle(rest).sin_cos()
    } else {
        let (sin, cos) = angle(eighth - rest).sin_cos();
        (cos, sin)
    };
    // The octant's quarter of a turn.
    let first = Complex64::new(cos, sin);
    match octant / 2 {
        0 => first,
        1 => Complex64::new(-first.im, first.re),
        2 => -first,
        _ => Complex64::new(first.im, -first.re),
    }
}

/// The twiddle of a node, counted from 1, of a transform of M points.
///
/// # Panics
/// If the node is 0.
pub(crate) fn twiddle(node: usize, points: usize) -> Complex64 {
    // The angle t, in parts of 4M: 1/4 for the root, half of the parent's for a first child, and half a turn more for a
    // second child.
    let whole = 8 * points;
    let levels = node.ilog2();
    let mut angle = whole / 4;
    for level in (0..levels).rev() {
        angle = angle / 2 + whole / 2 * (node >> level & 1);
    }
    root_of_unity(angle / 2, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twiddles_are_square_roots_of_their_nodes() {
        let points = 64;
        let close = |a: Complex64, b: Complex64| assert!((a - b).norm() < 4e-16, "{a}, {b}");
        close(twiddle(1, points).powi(2), Complex64::I);
        for node in 1..points / 2 {
            let w = twiddle(node, points);
            close(twiddle(2 * node, points).powi(2), w);
            close(twiddle(2 * node + 1, points).powi(2), -w);
            close(twiddle(2 * node + 1, points), Complex64::I * twiddle(2 * node, points));
        }
    }
}
