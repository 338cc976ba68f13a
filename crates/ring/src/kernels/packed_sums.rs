//! Sums of products with packed rows, unpacked in registers.

use super::packed_row::{KeyTerm, Multiple, PackedRow};
use super::sums::MAX_TERMS;
#[cfg(target_arch = "x86_64")]
use super::{avx512_packed, avx512_sums};
use super::{elementwise, scalar, sums};
use crate::{Isa, Modulus};

/// Words of a row that are unpacked at a time if no kernel unpacks them in registers: together with digits they stay in
/// the first-level cache.
const UNPACKED: usize = 512;

/// `out = Σ_k a_k·b_k`, term by term, for packed rows `b_k` (0 for no terms): the kernel of key switching.
///
/// ```
/// use cryptable_ring::{Isa, Modulus, kernels};
/// let m = Modulus::new(97);
/// let mut bytes = [0; 7];
/// kernels::PackedRow::pack(Isa::detect(), &mut bytes, &[0, 1, 2, 3, 4, 5, 6, 96], 7);
/// let mut out = [0; 8];
/// let row = kernels::PackedRow::new(&bytes, 7);
/// kernels::packed_inner_product(&m, &mut out, &[(&[10; 8], row)]);
/// assert_eq!(out, [0, 10, 20, 30, 40, 50, 60, 87]);
/// ```
///
/// # Panics
/// If lengths differ, or if a row has another width than residues modulo `m`.
pub fn packed_inner_product(m: &Modulus, out: &mut [u64], terms: &[(&[u64], PackedRow<'_>)]) {
    check_terms(m, out.len(), terms);
    sum_products::<false>(m, out, terms, None);
}

/// `acc += Σ_k a_k·b_k`; see [`packed_inner_product`].
///
/// # Panics
/// Panics like [`packed_inner_product`].
pub fn packed_inner_product_add(m: &Modulus, acc: &mut [u64], terms: &[(&[u64], PackedRow<'_>)]) {
    check_terms(m, acc.len(), terms);
    sum_products::<true>(m, acc, terms, None);
}

/// `out[s] = c_s·x_s + Σ_k a_k·b_ks` for two sums s of the same words with two rows each, and x_s and c_s in `[0, q)`,
/// without the multiples if there are none: a product of digits with both parts of a key. All rows are read at the same
/// time, each from its beginning to its end, which is the fastest way to read memory.
///
/// ```
/// use cryptable_ring::{Isa, Modulus, kernels};
/// let m = Modulus::new(97);
/// let mut bytes = [0; 7];
/// kernels::PackedRow::pack(Isa::detect(), &mut bytes, &[0, 1, 2, 3, 4, 5, 6, 96], 7);
/// let row = kernels::PackedRow::new(&bytes, 7);
/// let [mut out0, mut out1] = [[0; 8]; 2];
/// let multiples = [None, Some((&[1; 8][..], 2))];
/// kernels::packed_inner_products(&m, [&mut out0, &mut out1], &[(&[10; 8], [row; 2])], multiples);
/// assert_eq!(out0, [0, 10, 20, 30, 40, 50, 60, 87]);
/// assert_eq!(out1, [2, 12, 22, 32, 42, 52, 62, 89]);
/// ```
///
/// # Panics
/// Panics like [`packed_inner_product`].
pub fn packed_inner_products(
    m: &Modulus,
    out: [&mut [u64]; 2],
    terms: &[KeyTerm<'_>],
    multiples: [Option<Multiple<'_>>; 2],
) {
    let of_part = |part: usize| terms.iter().map(|(a, rows)| (*a, rows[part])).collect();
    let parts: [Vec<_>; 2] = [0, 1].map(of_part);
    for ((out, terms), multiple) in out.iter().zip(&parts).zip(multiples) {
        check_terms(m, out.len(), terms);
        assert!(multiple.is_none_or(|(x, _)| x.len() == out.len()), "length of a multiple");
    }
    #[cfg(target_arch = "x86_64")]
    if out.iter().all(|out| avx512_sums::serves_whole_groups(m, out.len()))
        && terms.len() <= avx512_sums::MAX_UNROLLED
    {
        // SAFETY: the processor has the instruction set of `Modulus::isa`.
        return unsafe { avx512_packed::packed_inner_products(m, out, terms, multiples) };
    }
    for ((out, terms), multiple) in out.into_iter().zip(&parts).zip(multiples) {
        sum_products::<false>(m, out, terms, multiple);
    }
}

/// `c·x + Σ_k a_k·b_k`, added to `out` if `ADD`, for checked operands.
fn sum_products<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: Option<Multiple<'_>>,
) {
    if m.isa() == Isa::Scalar {
        return sum_unpacked::<ADD>(m, out, terms, multiple);
    }
    let (first, rest) = terms.split_at(terms.len().min(MAX_TERMS));
    let written = dispatch!(
        m.isa(),
        [avx2: avx2_packed, avx512: avx512_packed],
        packed_inner_product::<ADD>(m, out, first, multiple)
    );
    let end = out.len();
    let tail = &mut out[written..];
    if !tail.is_empty() {
        let first: Vec<_> =
            first.iter().map(|(a, b)| (&a[written..], b.range(written..end))).collect();
        let multiple = multiple.map(|(x, c)| (&x[written..], c));
        scalar::packed_inner_product::<ADD>(m, tail, &first, multiple);
    }
    if !rest.is_empty() {
        sum_products::<true>(m, out, rest, None);
    }
}

/// Adds products like [`sum_products`], for words that may be wide: unpacks a piece of every row at a time.
fn sum_unpacked<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: Option<Multiple<'_>>,
) {
    let mut unpacked = vec![0; terms.len() * UNPACKED];
    for (piece, out) in out.chunks_mut(UNPACKED).enumerate() {
        let range = piece * UNPACKED..piece * UNPACKED + out.len();
        let rows = unpacked.chunks_mut(UNPACKED);
        let terms: Vec<(&[u64], &[u64])> = terms
            .iter()
            .zip(rows)
            .map(|((a, b), row)| {
                let row = &mut row[..out.len()];
                b.range(range.clone()).unpack(m.wide_isa(), row);
                (&a[range.clone()], &*row)
            })
            .collect();
        match multiple {
            Some((x, c)) if ADD => elementwise::mul_scalar_add_assign(m, out, &x[range], c),
            Some((x, c)) => elementwise::mul_scalar(m, out, &x[range], c),
            None => {}
        }
        if ADD || multiple.is_some() {
            sums::inner_product_add(m, out, &terms);
        } else {
            sums::inner_product(m, out, &terms);
        }
    }
}

/// Panics unless lengths and widths agree.
fn check_terms(m: &Modulus, len: usize, terms: &[(&[u64], PackedRow<'_>)]) {
    for (a, b) in terms {
        assert!(a.len() == len && b.len() == len, "{} and {} words of {len}", a.len(), b.len());
        assert_eq!(b.bits(), m.bits(), "bits of residues modulo {}", m.value());
    }
}
