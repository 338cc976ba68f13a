//! Ranges of numbers in transforms in doubles, in units of q: `ntt_doubles.cuh`.

/// The largest magnitude of what is multiplied or reduced: with `q <= 2^50 - 31` its quotients are below 2^51 by more than they
/// are rounded.
const LIMIT: f64 = 4.0 + 1.0 / (1u64 << 46) as f64;

/// The argument of the quotient is off by less than 2^-50.
const REDUCED: f64 = 0.5 + 1.0 / (1u64 << 50) as f64;

fn product(a: f64) -> f64 {
    assert!(a <= LIMIT, "{a}");
    0.5 + a / 8.0
}

fn reduced(a: f64) -> f64 {
    assert!(a <= LIMIT, "{a}");
    REDUCED
}

/// A forward phase of so many levels: what it leaves of numbers up to `bound`. The first level of rows is `scaled`; results of the
/// last phase are `shifted` by half of q.
fn forward(levels: u32, (is_scaled, is_shifted): (bool, bool), bound: f64) -> f64 {
    let mut x = vec![bound; 1 << levels];
    for level in 0..levels {
        let half = x.len() >> (level + 1);
        for (i, x) in x.iter_mut().enumerate() {
            let is_first_twice = level + 2 <= levels && i >> (levels - level - 2) & 3 == 0;
            if is_first_twice && level % 2 == 0 && !(is_scaled && level == 0) {
                *x = reduced(*x) + if is_shifted && level + 2 == levels { 0.5 } else { 0.0 };
            }
        }
        for i in (0..x.len()).filter(|i| i & half == 0) {
            let u = if is_scaled && level == 0 { product(x[i]) } else { x[i] };
            let sum = u + product(x[i + half]);
            (x[i], x[i + half]) = (sum, sum);
        }
    }
    x.into_iter().fold(0.0, f64::max)
}

/// An inverse phase; the last level of rows is `scaled`.
fn inverse(levels: u32, is_scaled: bool, bound: f64) -> f64 {
    let mut x = vec![bound; 1 << levels];
    for level in 0..levels {
        for i in (0..x.len()).filter(|i| i >> level & 1 == 0) {
            let sum = x[i] + x[i + (1 << level)];
            let last = is_scaled && level + 1 == levels;
            (x[i], x[i + (1 << level)]) = (if last { product(sum) } else { sum }, product(sum));
        }
        for (i, x) in x.iter_mut().enumerate() {
            if level % 2 == 0 && i >> level & 1 == 0 {
                *x = reduced(*x);
            }
        }
    }
    x.into_iter().fold(0.0, f64::max)
}

/// The levels of the phases on columns, for so many levels.
fn columns(levels: u32) -> Vec<u32> {
    match levels {
        0..7 => [vec![1; levels as usize % 2], vec![2; levels as usize / 2]].concat(),
        7 | 8 => vec![4, levels - 4],
        _ => vec![3; 3],
    }
}

#[test]
fn ranges_hold() {
    for levels in 0..=9 {
        let between = columns(levels).into_iter().fold(1.0, |x, l| forward(l, (false, false), x));
        let last = forward(4, (false, true), forward(4, (true, false), between));
        // Where residues leave exactly.
        assert!(last <= 3.2, "{levels} levels on columns: {between}, {last}");
        let between = inverse(4, true, inverse(4, false, 1.0));
        let last = columns(levels).into_iter().rev().fold(between, |x, l| inverse(l, false, x));
        // The product with the factor is within q.
        assert!(product(last) <= 1.0, "{levels} levels on columns: {between}, {last}");
    }
}
