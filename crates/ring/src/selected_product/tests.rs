//! Products of tables with columns and selectors, against sums of terms.

use std::time::Instant;

use super::*;
use crate::Basis;
use crate::primes::ntt_primes;

/// Returns a polynomial of pseudorandom words, or of the largest ones.
fn poly(ring: &Ring, main: usize, seed: usize, largest: bool) -> Poly<Evaluations> {
    let mut poly = Poly::unspecified(ring, Basis::main(main));
    let mut state = seed as u64;
    for (limb, words) in poly.words_mut().chunks_mut(ring.degree()).enumerate() {
        let m = ring.modulus(limb);
        for word in words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99_991);
            *word = if largest { m.value() - 1 } else { m.reduce(state ^ state >> 29) };
        }
    }
    poly
}

fn pairs(ring: &Ring, main: usize, count: usize, largest: bool) -> Vec<[Poly<Evaluations>; 2]> {
    (0..count).map(|i| [2 * i, 2 * i + 1].map(|seed| poly(ring, main, seed, largest))).collect()
}

fn references(pairs: &[[Poly<Evaluations>; 2]]) -> Vec<Parts<'_>> {
    pairs.iter().map(|pair| pair.each_ref()).collect()
}

/// Computes word `word` of the result for one row of entries `rows[i][j]`, term by term.
fn oracle(
    m: &Modulus,
    rows: &[Vec<i64>],
    columns: &[[u64; 2]],
    selectors: &[[u64; 2]],
) -> [u64; 3] {
    let mut tensor = [0; 3];
    for (row, s) in rows.iter().zip(selectors) {
        let sum = |part: usize| {
            row.iter().zip(columns).fold(0, |sum, (&entry, column)| {
                m.add(sum, m.mul(m.reduce_i64(entry), column[part]))
            })
        };
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            tensor[a + b] = m.add(tensor[a + b], m.mul(sum(a), s[b]));
        }
    }
    tensor
}

/// Compares all words of a product with the oracle. If `largest`, all words and entries are extreme.
fn check(ring: &Ring, [outer, inner, count, sets]: [usize; 4], largest: bool) {
    let main = ring.full_basis().main - 1;
    // One limb more than is read.
    let columns = pairs(ring, main + 1, count, largest);
    let selectors = pairs(ring, main + 1, sets * inner, largest);
    let entry = |o: usize, i: usize, j: usize| {
        let x = ((o * 31 + i) * 1009 + j) as u64;
        let random = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed() >> 24;
        match (largest, x % 5) {
            (true, _) => ((1 << 39) - 1) * if o.is_multiple_of(2) { 1 } else { -1 },
            (_, 0) => 0,
            _ => random.clamp(1 - (1 << 39), (1 << 39) - 1),
        }
    };
    let matrix = TableMatrix::new(outer, inner, count, entry);
    let (columns, selectors) = (references(&columns), references(&selectors));
    let selector_sets: Vec<_> = selectors.chunks(inner).map(<[_]>::to_vec).collect();
    let result = selected_matrix_product(ring, main, &columns, &matrix, &selector_sets);
    assert_eq!(result.len(), outer);
    for (o, row) in result.iter().enumerate() {
        assert_eq!(row.len(), sets);
        let rows: Vec<Vec<i64>> =
            (0..inner).map(|i| (0..count).map(|j| entry(o, i, j)).collect()).collect();
        for (set, tensor) in row.iter().enumerate() {
            assert_eq!(tensor.d0.basis(), Basis::main(main));
            for limb in 0..main {
                for word in 0..ring.degree() {
                    let at = |pair: &Parts| pair.map(|poly| poly.limb(limb)[word]);
                    let columns: Vec<_> = columns.iter().map(at).collect();
                    let selectors: Vec<_> = selector_sets[set].iter().map(at).collect();
                    let result =
                        [&tensor.d0, &tensor.d1, &tensor.d2].map(|part| part.limb(limb)[word]);
                    let expected = oracle(ring.modulus(limb), &rows, &columns, &selectors);
                    assert_eq!(result, expected, "{o}, {set}, limb {limb}, word {word}");
                }
            }
        }
    }
}

/// Two primes below 2^50, and one above for the portable kernel.
fn ring(degree: usize) -> Ring {
    let small = ntt_primes(degree, 50.0, 2, &[]);
    let large = ntt_primes(degree, 60.0, 2, &[]);
    Ring::new(degree, &[small[0], large[0], small[1], large[1]], &[])
}

#[test]
fn products_of_all_shapes() {
    let ring = ring(64);
    for shape in [
        [1, 1, 1, 1],
        [1, 1, 2, 2],
        [2, 3, 5, 2],
        [7, 1, 3, 1],
        [5, 2, 4, 2],
        [3, 4, 17, 1],
        [2, 33, 3, 2],
        [0, 4, 2, 1],
        // Residues modulo small numbers, where the processor has VNNI.
        [3, 16, 195, 2],
    ] {
        check(&ring, shape, false);
        check(&ring, shape, true);
    }
}

#[test]
fn blocks_of_all_widths() {
    // More words than a span; the columns and rows leave room for only one strip in a block.
    check(&ring(2048), [2, 2, 3, 1], false);
    check(&ring(64), [2, 2, 4096, 1], true);
    check(&ring(32), [2, 1, 4095, 1], true);
    check(&ring(16), [1, 257, 2, 2], true);
}

#[test]
#[should_panic(expected = "absolute value 549755813888")]
fn entries_beyond_39_bits_are_refused() {
    let _ = TableMatrix::new(1, 1, 1, |_, _, _| 1 << 39);
}

#[test]
#[ignore = "a timing: picoseconds a product of an entry and a word"]
fn time_of_a_product() {
    let (degree, limbs) = (512, 6);
    let ring = Ring::new(degree, &ntt_primes(degree, 49.0, limbs, &[]), &[]);
    for (outer, inner, count, bits) in [(64, 32, 512, 20), (16, 16, 256, 16), (8, 16, 128, 14)] {
        let columns = pairs(&ring, limbs, count, false);
        let selectors = pairs(&ring, limbs, 2 * inner, false);
        let entry = |o: usize, i: usize, j: usize| {
            let x = ((o * inner + i) * count + j) as u64;
            x.wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed() >> (64 - bits)
        };
        let matrix = TableMatrix::new(outer, inner, count, entry);
        let (columns, selectors) = (references(&columns), references(&selectors));
        let sets: Vec<_> = selectors.chunks(inner).map(<[_]>::to_vec).collect();
        for main in [1, 2, 3, 6] {
            let time = || {
                let start = Instant::now();
                let _ = selected_matrix_product(&ring, main, &columns, &matrix, &sets);
                start.elapsed().as_secs_f64()
            };
            let least = (0..4).map(|_| time()).fold(f64::INFINITY, f64::min);
            let products = (2 * outer * inner * count * main * degree) as f64;
            let time = least / products * 1e12;
            println!("{outer} x {inner} x {count}, {bits} bits, {main} limbs: {time:.1} ps");
        }
    }
}
