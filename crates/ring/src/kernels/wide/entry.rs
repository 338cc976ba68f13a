//! The kernels compiled for each instruction set.

/// Defines the kernels of an instruction set from its lanes, the names of its features, and the number of vectors whose
/// sums of an inner product, three each, stay in registers.
macro_rules! entries {
    ($lanes:ty, $features:tt, $multiplied:literal) => {
        use super::{elementwise, sums};
        use crate::Modulus;
        use crate::kernels::scalar;
        use crate::modulus::Factor;

        /// See [`sums::linear_combination`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn linear_combination<const ADD: bool>(
            m: &Modulus,
            out: &mut [u64],
            inputs: &[&[u64]],
            coefficients: &[u64],
        ) -> usize {
            let (first, rest) = inputs.split_at(inputs.len().min(sums::MAX_FACTORS));
            let (factors, rest_factors) = coefficients.split_at(first.len());
            // The inputs are read without a check.
            assert!(first.iter().all(|input| input.len() == out.len()));
            let written =
                // SAFETY: the instruction set is enabled, lengths agree.
                unsafe { sums::linear_combination::<$lanes, ADD>(m, out, first, factors) };
            match rest {
                [] => written,
                _ => linear_combination::<true>(m, out, rest, rest_factors),
            }
        }

        /// See [`sums::inner_product`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn inner_product<const ADD: bool>(
            m: &Modulus,
            out: &mut [u64],
            terms: &[(&[u64], &[u64])],
            log_run: u32,
        ) -> usize {
            let len = out.len();
            assert!(terms.iter().all(|(a, b)| a.len() == len && b.len() << log_run == len));
            // SAFETY: the instruction set is enabled, lengths agree.
            unsafe {
                match log_run {
                    0 => sums::inner_product::<$lanes, $multiplied, ADD, false>(m, out, terms, 0),
                    _ => sums::inner_product::<$lanes, $multiplied, ADD, true>(
                        m, out, terms, log_run,
                    ),
                }
            }
        }

        /// See [`crate::kernels::mul_scalar_assign`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn mul_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
            let (words, factor) = (a.as_mut_ptr(), Factor::new(m.value(), c));
            let written =
                // SAFETY: the instruction set is enabled; one pointer, valid for the words.
                unsafe { elementwise::mul_factor::<$lanes>(m, words, words, a.len(), factor) };
            scalar::mul_scalar_assign(m, &mut a[written..], c);
        }

        /// See [`crate::kernels::mul_scalar`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn mul_scalar(m: &Modulus, out: &mut [u64], a: &[u64], c: u64) {
            multiply_by(m, out, a, Factor::new(m.value(), c));
        }

        /// See [`crate::kernels::reduce`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn reduce(m: &Modulus, out: &mut [u64], input: &[u64]) {
            multiply_by(m, out, input, m.one());
        }

        /// `out = a·factor`.
        #[target_feature(enable = $features)]
        fn multiply_by(m: &Modulus, out: &mut [u64], a: &[u64], factor: Factor) {
            assert_eq!(out.len(), a.len());
            let (target, source) = (out.as_mut_ptr(), a.as_ptr());
            let written =
                // SAFETY: the instruction set is enabled; the pointers are valid for the words of both.
                unsafe { elementwise::mul_factor::<$lanes>(m, target, source, a.len(), factor) };
            scalar::mul_factor_to(m, &mut out[written..], &a[written..], factor);
        }

        /// See [`crate::kernels::mul_scalar_add_assign`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn mul_scalar_add_assign(
            m: &Modulus,
            acc: &mut [u64],
            a: &[u64],
            c: u64,
        ) {
            assert_eq!(acc.len(), a.len());
            let factor = Factor::new(m.value(), c);
            // SAFETY: the instruction set is enabled, lengths agree.
            let written = unsafe { elementwise::mul_factor_add::<$lanes>(m, acc, a, factor) };
            scalar::mul_scalar_add_assign(m, &mut acc[written..], &a[written..], c);
        }

        /// See [`crate::kernels::sub_mul_scalar_assign`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn sub_mul_scalar_assign(
            m: &Modulus,
            a: &mut [u64],
            b: &[u64],
            c: u64,
        ) {
            assert_eq!(a.len(), b.len());
            let factor = Factor::new(m.value(), c);
            // SAFETY: the instruction set is enabled, lengths agree.
            let written = unsafe { elementwise::sub_mul_factor::<$lanes>(m, a, b, factor) };
            scalar::sub_mul_scalar_assign(m, &mut a[written..], &b[written..], c);
        }

        /// See [`crate::kernels::lift_centered`].
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn lift_centered(
            m_out: &Modulus,
            out: &mut [u64],
            input: &[u64],
            m_in: &Modulus,
        ) {
            assert_eq!(out.len(), input.len());
            // SAFETY: the instruction set is enabled, lengths agree.
            let written = unsafe { elementwise::lift_centered::<$lanes>(m_out, out, input, m_in) };
            scalar::lift_centered(m_out, &mut out[written..], &input[written..], m_in);
        }
    };
}
pub(super) use entries;
