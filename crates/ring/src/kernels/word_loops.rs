//! Loops over the words of slices, a vector at a time, and the kernels that are the same on all instruction sets.

/// Defines these kernels for an instruction set from the names of its features and its vectors, in a module that has
/// `VectorModulus`, `load`, `store`, `load_tail`, `store_tail`, `splat` and `LANES`.
macro_rules! word_loops {
    ($features:literal, $vector:ty) => {
        #[target_feature(enable = $features)]
        pub(super) fn add_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
            let v = VectorModulus::new(m);
            zip_assign(a, b, |a, b| v.add(a, b));
        }

        #[target_feature(enable = $features)]
        pub(super) fn sub_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
            let v = VectorModulus::new(m);
            zip_assign(a, b, |a, b| v.sub(a, b));
        }

        #[target_feature(enable = $features)]
        pub(super) fn neg_assign(m: &Modulus, a: &mut [u64]) {
            let v = VectorModulus::new(m);
            map_assign(a, |a| v.neg(a));
        }

        #[target_feature(enable = $features)]
        pub(super) fn add_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
            let (v, c) = (VectorModulus::new(m), splat(c));
            map_assign(a, |a| v.add(a, c));
        }

        /// `a = f(a)` in every word.
        #[target_feature(enable = $features)]
        #[inline]
        fn map_assign(a: &mut [u64], f: impl Fn($vector) -> $vector) {
            let (chunks, tail) = a.as_chunks_mut::<LANES>();
            for chunk in chunks {
                store(chunk, f(load(chunk)));
            }
            store_tail(tail, f(load_tail(tail)));
        }

        /// `a = f(a, b)` in every word of two slices of one length.
        #[target_feature(enable = $features)]
        #[inline]
        fn zip_assign(a: &mut [u64], b: &[u64], f: impl Fn($vector, $vector) -> $vector) {
            let (chunks, tail) = a.as_chunks_mut::<LANES>();
            let (chunks_b, tail_b) = b.as_chunks::<LANES>();
            for (a, b) in chunks.iter_mut().zip(chunks_b) {
                store(a, f(load(a), load(b)));
            }
            store_tail(tail, f(load_tail(tail), load_tail(tail_b)));
        }

        /// `a = f(a, b, c)` in every word of three slices of one length.
        #[target_feature(enable = $features)]
        #[inline]
        fn zip3_assign(
            a: &mut [u64],
            b: &[u64],
            c: &[u64],
            f: impl Fn($vector, $vector, $vector) -> $vector,
        ) {
            let (chunks, tail) = a.as_chunks_mut::<LANES>();
            let ((chunks_b, tail_b), (chunks_c, tail_c)) =
                (b.as_chunks::<LANES>(), c.as_chunks::<LANES>());
            for ((a, b), c) in chunks.iter_mut().zip(chunks_b).zip(chunks_c) {
                store(a, f(load(a), load(b), load(c)));
            }
            store_tail(tail, f(load_tail(tail), load_tail(tail_b), load_tail(tail_c)));
        }
    };
}
pub(super) use word_loops;
