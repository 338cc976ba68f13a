//! Columns whose kind is known at run time: every operation by its name, compared with Rust's integers, on values in
//! the clear.

use crate::common;

use common::clear::{Clear, ClearCiphertext};
use common::{rng, values};
use cryptable_integers::{
    AnyColumn, ColumnKind, Evaluator, Integer, Operand, Operation, Piece, decrypt_booleans,
    decrypt_words, encrypt, encrypt_booleans, encrypt_words,
};

const COUNT: usize = 64;

type Column = AnyColumn<ClearCiphertext>;

/// An engine, and its two operands of one kind.
struct Case<'a> {
    clear: &'a Clear,
    server: Evaluator<'a, Clear>,
    kind: ColumnKind,
    x: Vec<u64>,
    y: Vec<u64>,
}

impl Case<'_> {
    fn column(&self, words: &[u64]) -> Column {
        encrypt_words(self.clear, self.kind, words).unwrap().into()
    }

    fn words(&self, column: &Column) -> Vec<u64> {
        match column {
            AnyColumn::Integers(column) => {
                let words = decrypt_words(self.clear, column).unwrap();
                if column.is_public() { vec![words[0]; COUNT] } else { words }
            }
            AnyColumn::Booleans(column) => {
                let bits = decrypt_booleans(self.clear, column).unwrap();
                let bits = if column.ciphertext().is_none() { vec![bits[0]; COUNT] } else { bits };
                bits.into_iter().map(u64::from).collect()
            }
        }
    }

    fn apply(&self, operation: &Operation, operands: &[Operand<'_, ClearCiphertext>]) -> Vec<u64> {
        let found = operation.apply_moving(&self.server, operands).unwrap();
        for found in &found {
            let is_public = match found {
                AnyColumn::Integers(column) => column.is_public(),
                AnyColumn::Booleans(column) => column.ciphertext().is_none(),
            };
            assert!(!is_public, "{operation:?} of {} and {operands:?}", self.kind);
        }
        self.words(&found[0])
    }

    /// Returns the right results on both operands, as words.
    fn expected(&self, f: impl Fn(i128, i128) -> i128) -> Vec<u64> {
        let number = |word: &u64| self.kind.number(*word);
        let words = self.x.iter().zip(&self.y).map(|(x, y)| f(number(x), number(y)));
        words.map(|number| self.kind.truncated(number as u64)).collect()
    }

    fn check_two_operands(&self) {
        let (a, b) = (self.column(&self.x), self.column(&self.y));
        type Function = fn(i128, i128) -> i128;
        let named: [(&str, Function); 8] = [
            ("add", |x, y| x + y),
            ("sub", |x, y| x - y),
            ("min", |x, y| x.min(y)),
            ("max", |x, y| x.max(y)),
            ("min_max", |x, y| x.min(y)),
            ("less", |x, y| (x < y).into()),
            ("less_or_equal", |x, y| (x <= y).into()),
            ("equal", |x, y| (x == y).into()),
        ];
        for (name, f) in named {
            let operation = Operation::by_name(name).unwrap();
            let found = self.apply(&operation, &[Operand::Column(&a), Operand::Column(&b)]);
            assert_eq!(found, self.expected(f), "{name} of {}", self.kind);
            // The extreme values yield results that are the same for all values.
            let ends = [u64::from(self.kind.is_signed()) << (self.kind.bits() - 1), 0];
            let ends = [ends[0], ends[1], self.kind.truncated(ends[0].wrapping_sub(1))];
            for word in [self.y[3], ends[0], ends[1], ends[2]] {
                let constant = self.kind.number(word);
                let operands = [Operand::Column(&a), Operand::Number(constant)];
                let expected = self.expected(|x, _| f(x, constant));
                assert_eq!(self.apply(&operation, &operands), expected, "{name} of {}", self.kind);
                let operands = [Operand::Number(constant), Operand::Column(&a)];
                let expected = self.expected(|x, _| f(constant, x));
                assert_eq!(self.apply(&operation, &operands), expected, "{name} of {}", self.kind);
            }
        }
        if self.kind.bits() <= 16 {
            let found = self.apply(&Operation::Mul, &[Operand::Column(&a), Operand::Column(&b)]);
            assert_eq!(found, self.expected(|x, y| x * y), "product of {}", self.kind);
            let found = self.apply(&Operation::Mul, &[Operand::Column(&a), Operand::Number(0)]);
            assert_eq!(found, [0; COUNT]);
        }
        let negated = self.apply(&Operation::Negate, &[Operand::Column(&a)]);
        assert_eq!(negated, self.expected(|x, _| -x));
    }

    fn check_shifts_and_casts(&self) {
        let a = self.column(&self.x);
        for amount in [0u32, 1, self.kind.bits() - 1, self.kind.bits(), 256, u32::MAX] {
            let amounts = AnyColumn::from(encrypt(self.clear, &[amount; COUNT]).unwrap());
            let operands = [Operand::Column(&a), Operand::Number(amount.into())];
            let places = amount.min(64);
            for operands in [operands, [Operand::Column(&a), Operand::Column(&amounts)]] {
                let left = self.apply(&Operation::ShiftLeft, &operands);
                assert_eq!(left, self.expected(|x, _| x << places), "{} << {amount}", self.kind);
                let right = self.apply(&Operation::ShiftRight, &operands);
                assert_eq!(right, self.expected(|x, _| x >> places), "{} >> {amount}", self.kind);
            }
            let operands = [Operand::Column(&a), Operand::Number(amount.into())];
            let back = self.apply(&Operation::RotateRight, &operands);
            let again = self.column(&back);
            let operands = [Operand::Column(&again), Operand::Number(amount.into())];
            assert_eq!(self.apply(&Operation::RotateLeft, &operands), self.x);
        }
        for to in [ColumnKind::of::<u8>(), ColumnKind::of::<i32>(), ColumnKind::of::<u64>()] {
            let found = self.apply(&Operation::Cast(to), &[Operand::Column(&a)]);
            let number = |&word: &u64| to.truncated(self.kind.number(word) as u64);
            let expected: Vec<u64> = self.x.iter().map(number).collect();
            assert_eq!(found, expected, "{} as {to}", self.kind);
        }
    }

    fn check_tables(&self) {
        let a = self.column(&self.x);
        let to = ColumnKind::of::<i16>();
        let table: Vec<u64> = (0..16).map(|x| to.truncated(x * 7919)).collect();
        let found = self.apply(&Operation::Table(table.clone(), to), &[Operand::Column(&a)]);
        let expected: Vec<u64> = self.x.iter().map(|x| table[(x % 16) as usize]).collect();
        assert_eq!(found, expected, "table of {}", self.kind);
        let least = if self.kind.is_signed() { -(1 << (self.kind.bits() - 1)) } else { 0 };
        // For 64 bits, values of the second function exceed 128 bits, but only their residues modulo the kind's size
        // matter.
        let middle = 50;
        for slopes in [[0, 0], [1, 3], [i64::MIN, i64::MAX]] {
            let pieces = Piece::continuous(&[(least, slopes[0]), (middle, slopes[1])]);
            let value = |x: i128| pieces[usize::from(x >= middle)].value(x);
            let operation = Operation::Piecewise(pieces.clone(), self.kind);
            let found = self.apply(&operation, &[Operand::Column(&a)]);
            assert_eq!(found, self.expected(|x, _| value(x)), "pieces of {}", self.kind);
        }
        let never = Operation::LessThanEach(vec![least]);
        assert_eq!(self.apply(&never, &[Operand::Column(&a)]), [0; COUNT]);
        let below = Operation::LessThanEach(vec![least + 1, 100]);
        let found = below.apply(&self.server, &[Operand::Column(&a)]).unwrap();
        assert_eq!(self.words(&found[0]), self.expected(|x, _| (x < least + 1).into()));
        assert_eq!(self.words(&found[1]), self.expected(|x, _| (x < 100).into()));
    }
}

fn cases(check: impl Fn(&Case<'_>)) {
    for modulus in [16, 64, 256] {
        let clear = Clear::new(modulus, modulus, COUNT);
        for (bits, signed) in [8, 16, 32, 64].into_iter().flat_map(|b| [(b, false), (b, true)]) {
            let kind = ColumnKind::new(bits, signed).unwrap();
            let words = |seed| values::<u64>(COUNT, &mut rng(seed)).into_iter();
            let words = |seed| words(seed).map(|word| kind.truncated(word)).collect::<Vec<_>>();
            let (x, mut y) = (words(1), words(2));
            y[5] = x[5];
            let server = Evaluator::new(&clear).unwrap();
            check(&Case { clear: &clear, server, kind, x, y });
        }
    }
}

#[test]
fn operations_of_two_columns_or_a_number() {
    cases(|case| case.check_two_operands());
}

#[test]
fn shifts_and_casts() {
    cases(|case| case.check_shifts_and_casts());
}

#[test]
fn tables() {
    cases(|case| case.check_tables());
}

#[test]
fn booleans_and_selection() {
    let clear = Clear::new(16, 16, 4);
    let server = Evaluator::new(&clear).unwrap();
    let (a, b) = ([true, true, false, false], [true, false, true, false]);
    let columns = [a, b].map(|bits| Column::from(encrypt_booleans(&clear, &bits).unwrap()));
    let [x, y] = [0, 1].map(|index| Operand::Column(&columns[index]));
    let operands = [x, y];
    type Function = fn(bool, bool) -> bool;
    let named: [(Operation, Function); 3] = [
        (Operation::And, |x, y| x && y),
        (Operation::Or, |x, y| x || y),
        (Operation::Xor, |x, y| x != y),
    ];
    for (operation, f) in named {
        let found = operation.apply(&server, &operands).unwrap();
        let [AnyColumn::Booleans(found)] = &found[..] else { panic!("booleans") };
        let expected: Vec<bool> = a.iter().zip(b).map(|(&x, y)| f(x, y)).collect();
        assert_eq!(decrypt_booleans(&clear, found).unwrap(), expected, "{operation:?}");
    }
    let values = Column::from(encrypt(&clear, &[5i8, -6, 7, -8]).unwrap());
    let operands = [Operand::Column(&columns[0]), Operand::Column(&values), Operand::Number(-1)];
    let found = Operation::Select.apply(&server, &operands).unwrap();
    let [AnyColumn::Integers(found)] = &found[..] else { panic!("integers") };
    assert_eq!(decrypt_words(&clear, found).unwrap(), [5, 0xfa, 0xff, 0xff]);
}

#[test]
fn what_does_not_belong_together_is_named() {
    let clear = Clear::new(16, 16, 4);
    let server = Evaluator::new(&clear).unwrap();
    let small = Column::from(encrypt(&clear, &[1u8, 2, 3, 4]).unwrap());
    let wide = Column::from(encrypt(&clear, &[1u16, 2, 3, 4]).unwrap());
    let flags = Column::from(encrypt_booleans(&clear, &[true; 4]).unwrap());
    let error = |operation: Operation, operands: &[Operand<'_, ClearCiphertext>]| {
        operation.apply(&server, operands).unwrap_err().to_string()
    };
    for name in ["add", "mul", "max", "less", "equal"] {
        let operation = Operation::by_name(name).unwrap();
        let error = error(operation, &[Operand::Column(&small), Operand::Column(&wide)]);
        assert!(error.contains("u16") && error.contains("u8"), "{error}");
    }
    let first = Operand::Column(&small);
    assert!(error(Operation::Add, &[first]).contains("number of operands"));
    let operands = [Operand::Column(&small), Operand::Number(256)];
    assert!(error(Operation::Add, &operands).contains("256"));
    assert!(error(Operation::Not, &[Operand::Column(&small)]).contains("booleans"));
    assert!(error(Operation::Negate, &[Operand::Column(&flags)]).contains("booleans"));
    let none = ColumnKind::BOOLEANS;
    assert!(error(Operation::Cast(none), &[Operand::Column(&small)]).contains("booleans"));
    for (bits, signed) in [(0, false), (1, true), (12, false), (63, true), (65, false), (128, true)]
    {
        let error = ColumnKind::new(bits, signed).unwrap_err().to_string();
        assert!(error.contains("bits of integers") && error.contains(&bits.to_string()), "{error}");
    }
    let table = Operation::Table(vec![0; 3], ColumnKind::of::<u8>());
    assert!(error(table, &[Operand::Column(&small)]).contains("number of outputs"));
    assert!(error(Operation::Merge, &[Operand::Column(&small)]).contains("places"));
    assert!(encrypt_words(&clear, none, &[1]).is_err());
    assert!(encrypt_words(&clear, ColumnKind::of::<u8>(), &[256]).is_err());
    assert!(Operation::by_name("divide").is_none());
    let fits = |number| ColumnKind::of::<i8>().word(number).is_ok();
    assert_eq!([-129, -128, 127, 128].map(fits), [false, true, true, false]);
    assert_eq!(i8::from_word(0x80).to_i128(), ColumnKind::of::<i8>().number(0x80));
}
