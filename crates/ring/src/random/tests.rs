//! Streams, seeds and the distributions of samplers.

use super::*;

/// Block `counter` of ChaCha20's key stream, by its definition (Bernstein 2008).
fn chacha20_block(key: &[u8; 32], counter: u64, nonce: u64) -> Vec<u8> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    let mut input: Vec<u32> = b"expand 32-byte k".chunks(4).map(word).collect();
    input.extend(key.chunks(4).map(word));
    for number in [counter, nonce] {
        input.extend([number as u32, (number >> 32) as u32]);
    }
    let mut x = input.clone();
    let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
        for (i, j, k, rotation) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            x[i] = x[i].wrapping_add(x[j]);
            x[k] = (x[k] ^ x[i]).rotate_left(rotation);
        }
    };
    for _ in 0..10 {
        (0..4).for_each(|i| quarter(i, i + 4, i + 8, i + 12));
        (0..4).for_each(|i| quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4));
    }
    x.iter().zip(&input).flat_map(|(a, b)| a.wrapping_add(*b).to_le_bytes()).collect()
}

#[test]
fn uniform_words_are_those_of_the_wire_format() {
    let key: [u8; 32] = std::array::from_fn(|i| i as u8);
    let (index, q) = (0x0123_4567_89AB, (1u64 << 50) - 27);
    let nonce = 3 << 56 | index;
    let stream: Vec<u8> =
        (0..800).flat_map(|counter| chacha20_block(&key, counter, nonce)).collect();
    let words = |bits: u32, q: u64, count: usize| -> Vec<u64> {
        let low = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap()) & ((1 << bits) - 1);
        stream.chunks(8).map(low).filter(|&w| w < q).take(count).collect()
    };
    // (1 << 20) + 7 rejects about every second word.
    for (q, bits) in [(q, 50), ((1 << 20) + 7, 21), (1 << 28, 28), (2, 1), (3, 2)] {
        let mut out = vec![0; 3000];
        let mut mask = RandomStream::new(&key, StreamPurpose::Mask, index);
        // Two parts: the words that a call draws do not depend on the batches of earlier calls.
        let (first, second) = out.split_at_mut(1111);
        mask.uniform_assign(first, q);
        mask.uniform_assign(second, q);
        assert_eq!(out, words(bits, q, 3000), "q = {q}");
    }
    // The same words as constants, in case both sides ever change together.
    assert_eq!(words(50, q, 2), [981_226_333_273_378, 610_678_374_479_975]);
}

#[test]
fn draws_of_any_size_take_the_next_bytes_of_the_stream() {
    let (key, nonce) = ([9; 32], u64::MAX - 5);
    let stream: Vec<u8> =
        (0..200).flat_map(|counter| chacha20_block(&key, counter, nonce)).collect();
    let mut drawn = KeyStream::new(&key, nonce);
    let mut at = 0;
    // Sizes below, at and above the bytes that are made ahead, and around whole blocks.
    for size in [4, 0, 1020, 1, 1023, 1024, 7, 2048, 3000, 64, 1025, 8] {
        let mut bytes = vec![0; size];
        drawn.fill_bytes(&mut bytes);
        assert_eq!(bytes, stream[at..at + size], "{size} bytes from {at}");
        at += size;
    }
    assert_eq!(drawn.next_u32().to_le_bytes(), stream[at..at + 4]);
    assert_eq!(drawn.next_u64().to_le_bytes(), stream[at + 4..at + 12]);
}

#[test]
fn streams_of_different_names_differ() {
    let draw = |seed: u8, purpose, index| {
        let mut words = [0u64; 4];
        RandomStream::new(&[seed; 32], purpose, index).uniform_assign(&mut words, 1 << 62);
        words
    };
    let mut streams = Vec::new();
    for seed in [7, 8] {
        for purpose in [
            StreamPurpose::Secret,
            StreamPurpose::Error,
            StreamPurpose::Mask,
            StreamPurpose::Choice,
        ] {
            for index in [0, 1, 1 << 32, MAX_INDEX] {
                streams.push(draw(seed, purpose, index));
                assert_eq!(streams.last(), Some(&draw(seed, purpose, index)));
            }
        }
    }
    streams.sort_unstable();
    streams.dedup();
    assert_eq!(streams.len(), 2 * 4 * 4);
}

#[test]
fn streams_are_uncorrelated() {
    // Coefficients of ±1/2 of two streams: their product sums to a normal of deviation 128.
    let draw = |index| {
        let mut words = vec![0; 1 << 16];
        RandomStream::new(&[1; 32], StreamPurpose::Mask, index).uniform_assign(&mut words, 2);
        words
    };
    let equal = draw(0).iter().zip(&draw(1)).filter(|(a, b)| a == b).count() as i64;
    assert!((equal - (1 << 15)).abs() < 6 * 128, "{equal} of 2^16 bits agree");
}

#[test]
fn fresh_seeds_differ() {
    assert_ne!(Seed::random(), Seed::random());
    assert_ne!(SecretSeed::random().as_bytes(), SecretSeed::random().as_bytes());
    let draw = || RandomStream::from_os().centered_binomial(64);
    assert_ne!(draw(), draw());
}

/// Prints seeds before, during and after a replay, in the processes that the next test starts.
#[test]
fn seeds_of_a_process() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let print = |name| {
        println!("\n{name} {:?} {:?}", Seed::random().0, SecretSeed::random().0);
        println!("{name} worker {:?}", pool.install(Seed::random).0);
    };
    print("before");
    let replay = replay::begin();
    print("during");
    drop(replay);
    print("after");
}

#[test]
fn seeds_are_replayed_only_where_a_test_asks_for_it() {
    let process = |number: &str| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "random::tests::seeds_of_a_process", "--nocapture"])
            .env(replay::SETTING, number)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("CRYPTABLE_TEST_SEED={number} (test ")), "{text}");
        ["before ", "during ", "after "].map(|name| {
            let lines = text.lines().filter(|line| line.starts_with(name));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            <[String; 2]>::try_from(lines).unwrap()
        })
    };
    let [first, again, other] = ["7", "7", "8"].map(process);
    for line in 0..2 {
        assert_eq!(first[1][line], again[1][line]);
        assert_ne!(first[1][line], other[1][line]);
        for outside in [0, 2] {
            assert_ne!(first[outside][line], again[outside][line]);
        }
    }
}

#[test]
fn debug_shows_no_secrets() {
    let seed = SecretSeed(Box::new(Zeroizing::new([0xA5; 32])));
    assert_eq!(format!("{seed:?}"), "SecretSeed(redacted)");
    let stream = RandomStream::new(seed.as_bytes(), StreamPurpose::Secret, 0);
    assert_eq!(format!("{stream:?}"), "RandomStream(redacted)");
}

/// A stream that makes statistical tests repeatable.
fn fixed_stream() -> RandomStream {
    RandomStream::new(&[42; 32], StreamPurpose::Secret, 0)
}

/// Asserts that counts fit expected numbers. Pearson's chi-square of d = cells - 1 degrees of freedom has mean d and
/// variance 2d; it must be neither far above (biased) nor far below (not random).
fn assert_chi_square(counts: &[f64], expected: &[f64], what: &str) {
    let terms = counts.iter().zip(expected).map(|(c, e)| (c - e).powi(2) / e);
    let (chi, d) = (terms.sum::<f64>(), (counts.len() - 1) as f64);
    let bounds = d - 4.0 * (2.0 * d).sqrt()..d + 8.0 * (2.0 * d).sqrt();
    assert!(bounds.contains(&chi), "{what}: chi-square {chi} of {d} degrees of freedom");
}

#[test]
fn uniform_words_fill_the_range_evenly() {
    let draws = 60_000;
    for q in [1u64, 2, 3, 97, (1 << 20) + 7, (1 << 49) - 111, (1 << 61) - 1] {
        let mut words = vec![0u64; draws];
        fixed_stream().uniform_assign(&mut words, q);
        assert!(words.iter().all(|&w| w < q));
        let cells = q.min(50);
        let mut counts = vec![0.0; cells as usize];
        for &word in &words {
            counts[(u128::from(word) * u128::from(cells) / u128::from(q)) as usize] += 1.0;
        }
        let wide = u128::from(q);
        let first = |cell: u64| (u128::from(cell) * wide).div_ceil(u128::from(cells));
        let expected: Vec<f64> = (0..cells)
            .map(|c| (first(c + 1) - first(c)) as f64 / q as f64 * draws as f64)
            .collect();
        if q > 1 {
            assert_chi_square(&counts, &expected, &format!("q = {q}"));
        }
    }
}

/// Counts how often each value of `range` occurs.
fn histogram(values: &[i8], range: std::ops::RangeInclusive<i8>) -> Vec<f64> {
    range.map(|v| values.iter().filter(|&&w| w == v).count() as f64).collect()
}

#[test]
fn ternary_secrets_are_uniform() {
    let count = 90_000;
    let values = fixed_stream().uniform_ternary(count);
    let counts = histogram(&values, -1..=1);
    assert_eq!(counts.iter().sum::<f64>(), count as f64);
    assert_chi_square(&counts, &[count as f64 / 3.0; 3], "uniform ternary");
}

#[test]
fn errors_are_centred_binomial() {
    let count = 200_000;
    let values = fixed_stream().centered_binomial(count);
    let counts = histogram(&values, -21..=21);
    assert_eq!(counts.iter().sum::<f64>(), count as f64);
    // The difference of two sums of 21 coins is a sum of 42 coins less 21. Cells of at least 10
    // expected errors are enough for a chi-square, |e| <= 12.
    let mut binomial = vec![1.0f64];
    for _ in 0..42 {
        let up = binomial.iter().map(|x| x / 2.0);
        let mut next: Vec<f64> = up.chain([0.0]).collect();
        binomial.iter().zip(&mut next[1..]).for_each(|(x, y)| *y += x / 2.0);
        binomial = next;
    }
    let expected: Vec<f64> = binomial.iter().map(|x| x * count as f64).collect();
    assert_chi_square(&counts[9..34], &expected[9..34], "centred binomial");
    let variance = values.iter().map(|&e| f64::from(e).powi(2)).sum::<f64>() / count as f64;
    // Deviation of the estimate of a variance: 10.5·sqrt(2/200,000) = 0.033.
    assert!((variance - 10.5).abs() < 0.2, "variance {variance}");
}

#[test]
fn fixed_weight_positions_are_those_of_floyds_sampling() {
    for (count, weight) in [(1, 1), (16, 16), (64, 8), (1000, 32), (1 << 12, 64)] {
        let mut stream = fixed_stream();
        let mut expected = vec![0i8; count];
        for last in count - weight..count {
            let mut draw = [0];
            stream.uniform_assign(&mut draw, last as u64 + 1);
            let drawn = draw[0] as usize;
            let sign = if stream.generator.next_u32() & 1 == 0 { 1 } else { -1 };
            let position = if expected[drawn] == 0 { drawn } else { last };
            expected[position] = sign;
        }
        assert_eq!(*fixed_stream().fixed_weight_ternary(count, weight), expected);
    }
}

#[test]
fn fixed_weight_is_exact_and_spread_out() {
    let mut stream = fixed_stream();
    let (mut hits, mut positive) = ([0.0; 64], 0i32);
    let rounds = 4000;
    for _ in 0..rounds {
        let secret = stream.fixed_weight_ternary(64, 8);
        assert_eq!(secret.iter().filter(|&&c| c != 0).count(), 8);
        assert!(secret.iter().all(|c| (-1..=1).contains(c)));
        positive += secret.iter().filter(|&&c| c == 1).count() as i32;
        secret.iter().zip(&mut hits).for_each(|(&c, hit)| *hit += f64::from(c.abs()));
    }
    assert_chi_square(&hits, &[f64::from(rounds) / 8.0; 64], "positions");
    // Half of 32,000 signs, deviation 89.
    assert!((positive - 4 * rounds).abs() < 6 * 89, "{positive} positive signs");
    let all = stream.fixed_weight_ternary(5, 5);
    assert!(all.iter().all(|&c| c != 0));
    assert!(stream.fixed_weight_ternary(5, 0).iter().all(|&c| c == 0));
}

#[test]
fn chosen_positions_are_uniform_sets() {
    let mut stream = fixed_stream();
    let mut hits = [0.0; 64];
    let rounds = 20_000;
    for _ in 0..rounds {
        let chosen = stream.chosen_positions(6, 3);
        assert!(chosen.iter().sum::<u8>() == 3 && chosen.iter().all(|&flag| flag <= 1));
        hits[chosen.iter().zip(0..).fold(0, |set, (&flag, bit)| set | usize::from(flag) << bit)] +=
            1.0;
    }
    let sets: Vec<f64> =
        (0..64_usize).filter(|set| set.count_ones() == 3).map(|set| hits[set]).collect();
    assert_eq!(sets.len(), 20);
    assert_chi_square(&sets, &[f64::from(rounds) / 20.0; 20], "sets of three positions");
    assert_eq!(*stream.chosen_positions(3, 3), [1; 3]);
    assert_eq!(*stream.chosen_positions(3, 0), [0; 3]);
    assert!(stream.chosen_positions(0, 0).is_empty());
    let many = stream.chosen_positions(100_000, 1_000);
    assert_eq!(many.iter().map(|&flag| u32::from(flag)).sum::<u32>(), 1_000);
}
