use super::*;
use proptest::prelude::*;

const LAPLACE: f64 = f64::INFINITY;

/// Computes `P(|ε| > r·σ)` of slots by integration over X, in steps that bound it from both sides.
fn slots_by_integration(ratio: f64, limit: f64) -> [f64; 2] {
    let end = limit.min(200.0);
    let steps = 40_000;
    let mut sums = [0.0; 2];
    for i in 0..steps {
        let [from, to] = [i, i + 1].map(|i| end * f64::from(i) / f64::from(steps));
        let mass = (-from).exp() - (-to).exp();
        let tail = |x: f64| gaussian_tail_log2(ratio / x.sqrt()).exp2();
        sums[0] += mass * tail(from);
        sums[1] += mass * tail(to);
    }
    sums.map(|sum| (sum / (1.0 - (-limit).exp())).log2())
}

#[test]
fn bounds_are_above_exact_tails_and_near_them() {
    for log2_fail in [-20.0, -65.0, -81.0, -145.0] {
        let gaussian = NoiseLaw::gaussian(1.0).largest(log2_fail);
        assert!((1.0..1.15).contains(&(gaussian / gaussian_ratio_for(log2_fail))), "{gaussian}");
        let laplace = NoiseLaw::slots(1.0, LAPLACE).largest(log2_fail);
        let exact = -log2_fail * LN_2 / SQRT_2;
        assert!((1.0..1.3).contains(&(laplace / exact)), "{laplace} and {exact}");
    }
    for limit in [7.0, 10.0, LAPLACE] {
        for ratio in [8.0, 15.0, 30.0, 40.0] {
            let law = NoiseLaw::slots(1.0, limit);
            let (bound, estimate) = (law.log2_exceeds(ratio), law.log2_exceeds_estimate(ratio));
            let [low, high] = slots_by_integration(ratio, limit);
            assert!(
                bound > low && bound < high + 8.0,
                "{limit}, {ratio}: {bound}, {low} to {high}"
            );
            // Near Laplace's pole the saddlepoint approximation is less exact.
            let tolerance = if limit.is_infinite() { 0.2 } else { 0.5 };
            assert!((estimate - high).abs() < tolerance, "{limit}, {ratio}: {estimate}, {high}");
        }
    }
}

/// Compares with known distributions: two equal products are Laplace's, and very many are Gaussian.
#[test]
fn products_are_between_laplace_and_gauss() {
    for ratio in [5.0, 10.0, 40.0] {
        let (two, laplace) = (NoiseLaw::products(1.0, 0.5), NoiseLaw::slots(1.0, LAPLACE));
        assert!((two.log2_exceeds(ratio) - laplace.log2_exceeds(ratio)).abs() < 1e-6);
        let many = NoiseLaw::mean_of_slots(1.0, 1 << 30).log2_exceeds(ratio);
        let chernoff = 1.0 - ratio * ratio / 2.0 * LOG2_E;
        assert!((many / chernoff - 1.0).abs() < 1e-5 && many < 0.0);
        let gaussian = NoiseLaw::gaussian(1.0).log2_exceeds(ratio);
        assert!(gaussian < many && gaussian > many - 8.0, "{gaussian}, {many}");
        assert!(NoiseLaw::products(1.0, 1.0).log2_exceeds(ratio) > two.log2_exceeds(ratio));
    }
    let kurtosis = |law: NoiseLaw| (law.kurtosis() * 1e6).round() / 1e6;
    assert_eq!(kurtosis(NoiseLaw::gaussian(2.0)), 3.0);
    assert_eq!(kurtosis(NoiseLaw::slots(2.0, LAPLACE)), 6.0);
    assert_eq!(kurtosis(NoiseLaw::products(2.0, 2.0)), 9.0);
    assert_eq!(kurtosis(NoiseLaw::products(2.0, 1.0)), 6.0);
}

/// Counts products x·y of standard Gaussians: estimates follow the counts, and bounds are above them.
#[test]
fn estimates_follow_counts_of_products() {
    let mut state = 1u64;
    let mut uniform = || {
        // SplitMix64 (Steele, Lea, Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53)
    };
    let samples = 400_000;
    let mut beyond = [0u32; 3];
    let ratios = [3.0, 4.0, 6.0];
    for _ in 0..samples {
        // Box and Muller: two Gaussians.
        let (radius, angle) = ((-2.0 * (1.0 - uniform()).ln()).sqrt(), 2.0 * PI * uniform());
        let product = radius * radius * angle.cos() * angle.sin();
        beyond.iter_mut().zip(ratios).for_each(|(n, at)| *n += u32::from(product.abs() > at));
    }
    let law = NoiseLaw::products(1.0, 1.0);
    for (count, ratio) in beyond.into_iter().zip(ratios) {
        let measured = (f64::from(count) / f64::from(samples)).log2();
        let (bound, estimate) = (law.log2_exceeds(ratio), law.log2_exceeds_estimate(ratio));
        assert!(bound > measured, "{ratio}: {bound}, {measured}");
        assert!((estimate - measured).abs() < 0.3, "{ratio}: {estimate}, {measured}");
    }
}

#[test]
fn noise_of_one_slot_is_gaussian() {
    let law = NoiseLaw::gaussian(1.0).with_independent(NoiseLaw::slots(2.0, 10.0));
    for (size, variance) in [(1.0, 3.0), (10.0, 21.0), (f64::INFINITY, 21.0)] {
        let found = law.in_slots_up_to(size);
        assert!((found.variance() - variance).abs() < 1e-9 && found.kurtosis() == 3.0);
    }
    assert!(law.in_slots_up_to(10.0).log2_exceeds(10.0) > law.log2_exceeds(10.0));
    let products = NoiseLaw::products(1.0, 0.5);
    assert_eq!(products.in_slots_up_to(9.0), products);
}

#[test]
fn no_noise_exceeds_nothing() {
    assert_eq!(NoiseLaw::ZERO.log2_exceeds(1e-9), f64::NEG_INFINITY);
    assert_eq!(NoiseLaw::ZERO.largest(-64.0), 0.0);
    assert_eq!(NoiseLaw::gaussian(1.0).log2_exceeds(0.0), 0.0);
    assert_eq!(NoiseLaw::slots(0.0, 10.0), NoiseLaw::ZERO);
    assert_eq!(NoiseLaw::products(0.0, 0.0), NoiseLaw::ZERO);
}

#[test]
fn laws_are_read_back_and_others_refused() {
    let all = NoiseLaw::gaussian(1e-6).with_independent(NoiseLaw::slots(1e-8, 10.0));
    let all = all.with_independent(NoiseLaw::products(1e-7, 1e-9));
    for law in [NoiseLaw::ZERO, NoiseLaw::slots(1e-8, LAPLACE), all] {
        let mut writer = BodyWriter::new(Vec::new());
        law.write(&mut writer).unwrap();
        let bytes = writer.into_inner();
        assert_eq!(bytes.len() as u64, NoiseLaw::BYTES);
        assert_eq!(NoiseLaw::read(&mut BodyReader::new(&bytes)).unwrap(), law);
    }
    for parts in [
        [0.6, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.1, 0.5, 0.0, 0.0],
        [0.0, 0.0, 5.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.1, 0.0],
        [0.0, 0.0, 0.0, 0.1, 0.2],
        [f64::NAN, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.1, f64::NAN, 0.0, 0.0],
        [-0.0, 0.0, 0.0, 0.0, 0.0],
    ] {
        let mut writer = BodyWriter::new(Vec::new());
        parts.iter().for_each(|&part| writer.f64(part).unwrap());
        assert!(NoiseLaw::read(&mut BodyReader::new(&writer.into_inner())).is_err(), "{parts:?}");
    }
}

fn any_law() -> impl Strategy<Value = NoiseLaw> {
    let part = || prop_oneof![Just(0.0), 1e-3..1.0f64];
    (part(), part(), prop_oneof![Just(LAPLACE), 2.0..14.0f64], part(), 0.01..1.0f64).prop_map(
        |(gaussian, slots, limit, products, share)| {
            NoiseLaw::gaussian(gaussian)
                .with_independent(NoiseLaw::slots(slots, limit))
                .with_independent(NoiseLaw::products(products, products * share))
        },
    )
}

proptest! {
    #[test]
    fn largest_sizes_invert_the_tail(law in any_law(), log2_fail in -200.0..-10.0f64) {
        prop_assume!(law.variance() > 0.0);
        let found = law.log2_exceeds(law.largest(log2_fail));
        prop_assert!((found - log2_fail).abs() < 1e-4 * log2_fail.abs(), "{}", found);
        prop_assert!(law.log2_exceeds_estimate(law.largest(log2_fail)) < log2_fail + 0.1);
    }

    /// Sums of dependent noises are bounded by more than sums of independent ones, and `x + x` is twice x.
    #[test]
    fn sums_bound_what_they_are_of(a in any_law(), b in any_law(), ratio in 2.0..40.0f64) {
        prop_assume!(a.variance() > 0.0);
        let margin = ratio * a.deviation();
        let twice = (a + a).log2_exceeds(2.0 * margin);
        prop_assert!((twice - a.log2_exceeds(margin)).abs() < 1e-6 * twice.abs().max(1.0));
        let (sum, independent) = (a + b, a.with_independent(b));
        prop_assert!(sum.log2_exceeds(margin) >= independent.log2_exceeds(margin) - 1e-6);
        prop_assert!(independent.log2_exceeds(margin) >= a.log2_exceeds(margin) - 1e-6);
        prop_assert!(a.max(b).log2_exceeds(margin) >= a.log2_exceeds(margin) - 1e-6);
    }
}
