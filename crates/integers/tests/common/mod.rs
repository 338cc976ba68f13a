//! Helpers for tests of integers: an engine without encryption, values, and checks of every operation.
#![allow(dead_code)]

pub mod clear;

use cryptable_integers::{
    BooleanColumn, DigitArithmetic, DigitDecryption, Evaluator, Integer, IntegerColumn, Piece,
    Places, decrypt, decrypt_booleans, encrypt,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Extreme values first, then random ones, a third of them small.
pub fn values<T: Integer>(count: usize, rng: &mut ChaCha20Rng) -> Vec<T> {
    let half = 1u64 << (T::BITS - 1);
    let extremes = [0, 1, half, half - 1, u64::MAX, half + 1, u64::MAX - 1];
    let value = |i: usize| match (extremes.get(i), i % 3) {
        (Some(&word), _) => T::from_word(word),
        (None, 0) => T::from_word(rng.random_range(0..4)),
        (None, _) => T::from_word(rng.random()),
    };
    (0..count).map(value).collect()
}

/// Wraps a result of arithmetic to a type.
pub fn wrap<T: Integer>(value: i128) -> T {
    T::from_word(value as u64)
}

/// A server and a client.
pub struct Setting<'a, E: DigitArithmetic, S: DigitDecryption<Ciphertext = E::Ciphertext>> {
    pub server: Evaluator<'a, E>,
    pub secret: &'a S,
    /// Values of a column.
    pub count: usize,
}

impl<E: DigitArithmetic, S: DigitDecryption<Ciphertext = E::Ciphertext>> Setting<'_, E, S> {
    pub fn encrypt<T: Integer>(&self, values: &[T]) -> IntegerColumn<T, E::Ciphertext> {
        encrypt(self.secret, values).unwrap()
    }

    pub fn assert<T: Integer>(
        &self,
        what: &str,
        column: &IntegerColumn<T, E::Ciphertext>,
        expected: impl Iterator<Item = T>,
    ) {
        let expected: Vec<T> = expected.collect();
        let mut found = decrypt(self.secret, column).unwrap();
        if column.is_public() {
            found = vec![found[0]; expected.len()];
        }
        assert_eq!(found, expected, "{what} of {} bits", T::BITS);
    }

    /// Repeats a public boolean for all values.
    pub fn flags(&self, column: &BooleanColumn<E::Ciphertext>) -> Vec<bool> {
        let flags = decrypt_booleans(self.secret, column).unwrap();
        if column.ciphertext().is_none() { vec![flags[0]; self.count] } else { flags }
    }

    /// Two columns; the second one meets the extremes of the first.
    pub fn operands<T: Integer>(&self, rng: &mut ChaCha20Rng) -> [Vec<T>; 2] {
        let x = values(self.count, rng);
        let mut y: Vec<T> = values(self.count, rng);
        y.rotate_right(2);
        // Includes equal values.
        for i in (0..self.count).step_by(5) {
            y[i] = x[i];
        }
        [x, y]
    }

    /// Sums and differences, products, shifts, and chains of them.
    pub fn check_arithmetic<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let [x, y] = self.operands::<T>(rng);
        let (a, b, server) = (self.encrypt(&x), self.encrypt(&y), &self.server);
        let pairs = || x.iter().zip(&y).map(|(x, y)| (x.to_i128(), y.to_i128()));
        let sum = server.add(&a, &b).unwrap();
        self.assert("sum", &sum, pairs().map(|(x, y)| wrap(x + y)));
        let difference = server.sub(&a, &b).unwrap();
        self.assert("difference", &difference, pairs().map(|(x, y)| wrap(x - y)));
        self.assert("negation", &server.negate(&a).unwrap(), pairs().map(|(x, _)| wrap(-x)));
        // Sums of sums, far beyond the range of a digit.
        let mut many = server.sub(&sum, &difference).unwrap();
        for _ in 0..9 {
            many = server.add(&many, &sum).unwrap();
        }
        self.assert("many sums", &many, pairs().map(|(x, y)| wrap(9 * x + 11 * y)));
        let reduced = server.reduce(&many).unwrap();
        self.assert("reduced", &reduced, pairs().map(|(x, y)| wrap(9 * x + 11 * y)));
        let constant = server.constant(T::from_word(0x1234_5678_9abc_def1));
        let value = T::from_word(0x1234_5678_9abc_def1).to_i128();
        let shifted = server.sub(&constant, &a).unwrap();
        self.assert("constant minus", &shifted, pairs().map(|(x, _)| wrap(value - x)));
    }

    pub fn check_products<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        // Products of that many digits would take long.
        if T::BITS / self.server.digit_bits() > 16 {
            return;
        }
        let [x, y] = self.operands::<T>(rng);
        let (a, b, server) = (self.encrypt(&x), self.encrypt(&y), &self.server);
        let pairs = || x.iter().zip(&y).map(|(x, y)| (x.to_i128(), y.to_i128()));
        let product = server.mul(&a, &b).unwrap();
        self.assert("product", &product, pairs().map(|(x, y)| wrap(x.wrapping_mul(y))));
        let more = server.mul(&server.sub(&product, &b).unwrap(), &a).unwrap();
        let expected =
            |(x, y): (i128, i128)| wrap(x.wrapping_mul(y).wrapping_sub(y).wrapping_mul(x));
        self.assert("product of a difference", &more, pairs().map(expected));
        for constant in [0, 1, 3, 10, u64::MAX, 0x8000_0000_0000_0000, 0xdead_beef_cafe_4321] {
            let constant = T::from_word(constant);
            let multiple = server.mul_constant(&a, constant).unwrap();
            let expected = |(x, _): (i128, i128)| wrap(x.wrapping_mul(constant.to_i128()));
            self.assert("multiple", &multiple, pairs().map(expected));
        }
        let public = server.mul(&server.constant(wrap::<T>(7)), &a).unwrap();
        self.assert("product with a constant", &public, pairs().map(|(x, _)| wrap(7 * x)));
    }

    pub fn check_shifts<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let [x, y] = self.operands::<T>(rng);
        let (a, b, server) = (self.encrypt(&x), self.encrypt(&y), &self.server);
        let pairs = || x.iter().zip(&y).map(|(x, y)| (x.to_i128(), y.to_i128()));
        let sum = server.add(&a, &b).unwrap();
        for amount in [0, 1, 2, 3, 5, T::BITS / 2, T::BITS - 1, T::BITS, T::BITS + 1, u32::MAX] {
            let places = amount.min(64);
            let left = server.shl(&sum, amount).unwrap();
            self.assert("shl", &left, pairs().map(|(x, y)| wrap((x + y) << places)));
            let right = server.shr(&sum, amount).unwrap();
            let expected = |(x, y)| wrap(wrap::<T>(x + y).to_i128() >> places);
            self.assert("shr", &right, pairs().map(expected));
        }
        let sums = || pairs().map(|(x, y)| wrap::<T>(x + y).to_i128());
        self.assert("u8", &server.cast::<T, u8>(&sum).unwrap(), sums().map(wrap));
        self.assert("i16", &server.cast::<T, i16>(&sum).unwrap(), sums().map(wrap));
        self.assert("u64", &server.cast::<T, u64>(&sum).unwrap(), sums().map(wrap));
    }

    pub fn check_barrel_shifts<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let [x, y] = self.operands::<T>(rng);
        let mut amounts: Vec<u8> = values(self.count, rng);
        for (amount, small) in amounts.iter_mut().zip([0, 1, 2, 3, T::BITS - 1, T::BITS, 255]) {
            *amount = small as u8;
        }
        self.check_shifts_by(&x, &amounts);
        // Shifts of sums, whose digits are too large, and by sums.
        let (a, b, c, server) =
            (self.encrypt(&x), self.encrypt(&y), self.encrypt(&amounts), &self.server);
        let (sum, twice) = (server.add(&a, &b).unwrap(), server.add(&c, &c).unwrap());
        let expected = x.iter().zip(&y).zip(&amounts).map(|((x, y), &amount)| {
            let amount = (2 * u64::from(amount) % 256).min(64);
            wrap(wrap::<T>(x.to_i128() + y.to_i128()).to_i128() >> amount)
        });
        self.assert("sum shifted by a sum", &server.shr_by(&sum, &twice).unwrap(), expected);
        let one = server.constant(T::from_word(1));
        let powers = server.shl_by(&one, &c).unwrap();
        let expected = amounts.iter().map(|&amount| wrap(1 << amount.min(64)));
        self.assert("powers of two", &powers, expected);
        for amount in [0, 7, T::BITS + 2] {
            let rotated = server.rotate_left(&sum, amount).unwrap();
            let sums = x.iter().zip(&y).map(|(x, y)| wrap::<T>(x.to_i128() + y.to_i128()));
            self.assert("rotation", &rotated, sums.map(|sum| rotated_left(sum, amount % T::BITS)));
        }
    }

    pub fn check_shifts_by<T: Integer>(&self, x: &[T], amounts: &[u8]) {
        let (a, c, server) = (self.encrypt(x), self.encrypt(amounts), &self.server);
        let pairs = || x.iter().zip(amounts).map(|(&x, &c)| (x, c.min(64)));
        let left = server.shl_by(&a, &c).unwrap();
        self.assert("shl_by", &left, pairs().map(|(x, c)| wrap(x.to_i128() << c)));
        let right = server.shr_by(&a, &c).unwrap();
        self.assert("shr_by", &right, pairs().map(|(x, c)| wrap(x.to_i128() >> c)));
        let pairs = || x.iter().zip(amounts).map(|(&x, &c)| (x, u32::from(c) % T::BITS));
        let left = server.rotate_left_by(&a, &c).unwrap();
        self.assert("rotate_left_by", &left, pairs().map(|(x, c)| rotated_left(x, c)));
        let right = server.rotate_right_by(&a, &c).unwrap();
        let back = |(x, c)| rotated_left(x, (T::BITS - c) % T::BITS);
        self.assert("rotate_right_by", &right, pairs().map(back));
    }

    pub fn check_comparisons<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let [x, y] = self.operands::<T>(rng);
        let (a, b, server) = (self.encrypt(&x), self.encrypt(&y), &self.server);
        let pairs = || x.iter().zip(&y);
        let flags = |column| self.flags(&column);
        let expected =
            |f: &dyn Fn(&T, &T) -> bool| -> Vec<bool> { pairs().map(|(x, y)| f(x, y)).collect() };
        let lt = server.lt(&a, &b).unwrap();
        let eq = server.eq(&a, &b).unwrap();
        assert_eq!(flags(lt.clone()), expected(&|x, y| x < y), "{} bits", T::BITS);
        assert_eq!(flags(eq.clone()), expected(&|x, y| x == y), "{} bits", T::BITS);
        assert_eq!(flags(server.le(&a, &b).unwrap()), expected(&|x, y| x <= y));
        assert_eq!(flags(server.or(&lt, &eq).unwrap()), expected(&|x, y| x <= y));
        assert_eq!(flags(server.and(&lt, &eq).unwrap()), expected(&|_, _| false));
        assert_eq!(
            flags(server.xor(&lt, &server.not(&lt).unwrap()).unwrap()),
            expected(&|_, _| true)
        );
        let [min, max] = server.min_max(&a, &b).unwrap();
        self.assert("min", &min, pairs().map(|(&x, &y)| x.min(y)));
        self.assert("max", &max, pairs().map(|(&x, &y)| x.max(y)));
        self.assert("min", &server.min(&a, &b).unwrap(), pairs().map(|(&x, &y)| x.min(y)));
        let chosen = server.select(&lt, &a, &b).unwrap();
        self.assert("select", &chosen, pairs().map(|(&x, &y)| x.min(y)));
        // Sums that overflowed count as their wrapped values.
        let sum = server.add(&a, &b).unwrap();
        let sums = || pairs().map(|(x, y)| wrap::<T>(x.to_i128() + y.to_i128()));
        let less: Vec<bool> = sums().zip(&y).map(|(sum, &y)| sum < y).collect();
        let lt = server.lt(&sum, &b).unwrap();
        assert_eq!(flags(lt.clone()), less, "{} bits", T::BITS);
        let max = server.max(&sum, &a).unwrap();
        self.assert("max of a sum", &max, sums().zip(&x).map(|(sum, &x)| sum.max(x)));
        // Digits of sums are wider than those that they are compared with.
        let twice = server.add(&sum, &sum).unwrap();
        let twices = || sums().map(|sum| wrap::<T>(2 * sum.to_i128()));
        let [least, most] = server.min_max(&twice, &sum).unwrap();
        self.assert("min of sums", &least, twices().zip(sums()).map(|(x, y)| x.min(y)));
        self.assert("max of sums", &most, twices().zip(sums()).map(|(x, y)| x.max(y)));
        let either = server.select(&server.xor(&lt, &eq).unwrap(), &sum, &max).unwrap();
        let expected = sums()
            .zip(pairs())
            .zip(&less)
            .map(|((sum, (x, y)), &less)| if less != (x == y) { sum } else { sum.max(*x) });
        self.assert("select of sums", &either, expected);
        self.assert("ones", &server.to_integers::<T>(&lt), less.iter().map(|&l| wrap(l.into())));
        // Constants.
        for threshold in [T::from_word(0), x[3], y[8]] {
            let lt = server.lt(&a, &server.constant(threshold)).unwrap();
            assert_eq!(flags(lt), x.iter().map(|&x| x < threshold).collect::<Vec<_>>());
        }
    }

    pub fn check_tables<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        // Products of that many digits would take long.
        if T::BITS / self.server.digit_bits() > 16 {
            return;
        }
        let x: Vec<T> = values(self.count, rng);
        let (a, server) = (self.encrypt(&x), &self.server);
        let mut thresholds = vec![x[0], x[4], x[9], x[11]];
        let below = server.lt_constants(&a, &thresholds).unwrap();
        for (column, &threshold) in below.iter().zip(&thresholds) {
            let expected: Vec<bool> = x.iter().map(|&x| x < threshold).collect();
            assert_eq!(self.flags(column), expected, "{threshold:?}");
        }
        thresholds.sort();
        thresholds.dedup();
        thresholds.truncate(self.server.digit_bits() as usize * 2 - 1);
        let least = T::from_word(if T::SIGNED { 1 << (T::BITS - 1) } else { 0 });
        thresholds.retain(|&threshold| threshold > least);
        let slopes: Vec<(T, i64)> = std::iter::once((least, 3))
            .chain(thresholds.iter().enumerate().map(|(i, &t)| (t, 10 - 7 * i as i64)))
            .collect();
        let pieces = Piece::continuous(&slopes);
        let piece = |x: T| pieces.iter().rev().find(|piece| piece.start <= x).unwrap();
        let lines = || x.iter().map(|&x| piece(x).value(x));
        let same = server.piecewise_linear::<T, T>(&a, &pieces).unwrap();
        self.assert("pieces", &same, lines().map(wrap));
        let wide = server.piecewise_linear::<T, u64>(&a, &pieces).unwrap();
        self.assert("wide pieces", &wide, lines().map(wrap));
        let ones = server
            .map_digits::<T, u8>(&a, |_, digit| {
                (digit as u64 & ((1 << server.digit_bits()) - 1)).count_ones().into()
            })
            .unwrap();
        let top_bits = T::BITS - (T::BITS - 1) / server.digit_bits() * server.digit_bits();
        let expected = x.iter().map(|x| {
            let extension =
                if T::SIGNED && x.to_i128() < 0 { server.digit_bits() - top_bits } else { 0 };
            (x.to_word().count_ones() + extension) as u8
        });
        self.assert("ones", &ones, expected);
    }

    pub fn check_tree(&self, bits: u32) {
        let (server, mask) = (&self.server, (1u64 << bits) - 1);
        let x: Vec<u16> = (0..self.count).map(|i| (i as u64 & mask) as u16).collect();
        let a = self.encrypt(&x);
        let mut rng = rng(9);
        let table: Vec<u16> = (0..=mask).map(|_| rng.random()).collect();
        let found = server.lookup_tree(&a, bits, |x| table[x as usize]).unwrap();
        self.assert("tree", &found, x.iter().map(|&x| table[usize::from(x)]));
        let parity = server.lookup_tree(&a, bits, |x| (x.count_ones() & 1) as u8).unwrap();
        self.assert("parity", &parity, x.iter().map(|x| (x.count_ones() & 1) as u8));
        let zero = server.lookup_tree(&a, bits, |_| 0i8).unwrap();
        assert!(zero.is_public());
        let top = server.lookup_tree(&a, bits, |x| if x == mask { u64::MAX } else { 0 }).unwrap();
        let expected = x.iter().map(|&x| if u64::from(x) == mask { u64::MAX } else { 0 });
        self.assert("one entry", &top, expected);
    }

    pub fn check_lookup(&self, rng: &mut ChaCha20Rng) {
        let x: Vec<i8> = values(self.count, rng);
        let (a, server) = (self.encrypt(&x), &self.server);
        let f = |x: i8| i32::from(x).pow(3) - 5;
        if server.engine().model().modulus().unwrap() < 256 {
            assert!(server.lookup(&a, f).is_err());
            return;
        }
        let found = server.lookup(&server.add(&a, &a).unwrap(), f).unwrap();
        self.assert("lookup", &found, x.iter().map(|&x| f(x.wrapping_add(x))));
    }
}

/// x rotated by fewer bits than it has.
fn rotated_left<T: Integer>(x: T, amount: u32) -> T {
    let word = u128::from(x.to_word());
    T::from_word((word << amount | word >> (T::BITS - amount)) as u64)
}

impl<E: Places, S: DigitDecryption<Ciphertext = E::Ciphertext>> Setting<'_, E, S> {
    pub fn check_merge<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let (places, server) = (self.server.engine().places(), &self.server);
        let first = places / 2 - 3;
        let mut x: Vec<T> = values(first, rng);
        let mut y: Vec<T> = values(places - first, rng);
        x.sort();
        y.sort_by(|a, b| b.cmp(a));
        let both = server.concatenate(&self.encrypt(&x), &self.encrypt(&y)).unwrap();
        self.assert("concatenation", &both, x.iter().chain(&y).copied());
        let merged = server.bitonic_merge(&both).unwrap();
        let mut all: Vec<T> = x.iter().chain(&y).copied().collect();
        all.sort();
        self.assert("merge", &merged, all.iter().copied());
    }

    pub fn check_full_merge<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let (places, server) = (self.server.engine().places(), &self.server);
        let [mut x, mut y]: [Vec<T>; 2] = [values(places, rng), values(places, rng)];
        x.sort();
        y.sort_by(|a, b| b.cmp(a));
        let merged = server.merge(&self.encrypt(&x), &self.encrypt(&y)).unwrap();
        let mut all: Vec<T> = x.iter().chain(&y).copied().collect();
        all.sort();
        self.assert("smaller half", &merged[0], all[..places].iter().copied());
        self.assert("larger half", &merged[1], all[places..].iter().copied());
    }

    /// Checks the rows of the k largest values, and the k-th largest value, on fresh columns and results.
    pub fn check_largest<T: Integer>(&self, rng: &mut ChaCha20Rng, counts: &[usize]) {
        let (x, server): (Vec<T>, _) = (values(self.count, rng), &self.server);
        let mut sorted = x.clone();
        sorted.sort_by(|a, b| b.cmp(a));
        let fresh = self.encrypt(&x);
        let zero = server.sub(&fresh, &fresh).unwrap();
        let result = server.add(&fresh, &zero).unwrap();
        for (column, &k) in [&fresh, &result].into_iter().cycle().zip(counts) {
            let (selected, least) = server.largest(column, k as u64).unwrap();
            let expected = sorted[k - 1];
            self.assert("k-th largest", &least, x.iter().map(|_| expected));
            let wanted: Vec<bool> = x.iter().map(|&value| value >= expected).collect();
            assert_eq!(self.flags(&selected), wanted, "{k} largest of {} bits", T::BITS);
        }
    }

    pub fn check_argmax<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let (mut x, server): (Vec<T>, _) = (values(self.count, rng), &self.server);
        let most = *x.iter().max().unwrap();
        // Two rows have the largest value.
        x[self.count / 2] = most;
        let row = x.iter().position(|&value| value == most).unwrap();
        let found = server.argmax(&self.encrypt(&x)).unwrap();
        self.assert("row", &found.row, x.iter().map(|_| row as u32));
        self.assert("largest value", &found.value, x.iter().map(|_| most));
        let wanted: Vec<bool> = (0..self.count).map(|place| place == row).collect();
        assert_eq!(self.flags(&found.is_there), wanted);
    }

    pub fn check_sort<T: Integer>(&self, rng: &mut ChaCha20Rng) {
        let mut x: Vec<T> = values(self.count, rng);
        let sorted = self.server.sort(&self.encrypt(&x)).unwrap();
        x.sort();
        self.assert("sort", &sorted, x.iter().copied());
    }
}
