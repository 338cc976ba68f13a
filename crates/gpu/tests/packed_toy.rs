//! Whole lookups on a card, or on its emulation where there is none: the words of every result are those of the processor,
//! for toy parameters of every kind.

use cryptable_gpu::{Device, PackedKey};
use cryptable_packed::{
    Ciphertext, EvaluationKey, HermiteOrder, MultiplexerLiteral, Parameters, Progress, SecretKey,
    Table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Keys of parameters, and random values that they encrypt.
struct Setting {
    secret: SecretKey,
    key: EvaluationKey,
    random: ChaCha20Rng,
}

impl Setting {
    fn new(parameters: &Parameters) -> Self {
        let secret = SecretKey::generate(parameters);
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        Self { secret, key, random: ChaCha20Rng::seed_from_u64(7) }
    }

    fn values(&mut self, modulus: u64) -> Vec<u64> {
        let count = self.key.parameters().literal().slots;
        (0..count).map(|_| self.random.random_range(0..modulus)).collect()
    }

    fn table(&mut self) -> Table {
        let parameters = self.key.parameters();
        let (p, output) = (parameters.input_modulus(), parameters.output_modulus());
        let entries = (0..p).map(|_| self.random.random_range(0..output)).collect();
        Table::new(p, output, entries).unwrap()
    }
}

/// Looks so many random tables up on both, and compares words and values.
fn check(parameters: &Parameters, count: usize) {
    let mut setting = Setting::new(parameters);
    let tables: Vec<Table> = (0..count).map(|_| setting.table()).collect();
    let values = setting.values(parameters.input_modulus());
    let input = setting.secret.encrypt(&values).unwrap();
    let on_card = PackedKey::upload(&Device::for_tests(), &setting.key).unwrap();
    let lookups = on_card.lookups();
    let expected = {
        let prepared: Vec<_> =
            tables.iter().map(|table| setting.key.prepare(table).unwrap()).collect();
        setting
            .key
            .lookup_many(&input, &prepared.iter().collect::<Vec<_>>(), Progress::silent())
            .unwrap()
    };
    let prepared: Vec<_> = tables.iter().map(|table| lookups.prepare(table).unwrap()).collect();
    let found = lookups
        .lookup_many(&input, &prepared.iter().collect::<Vec<_>>(), Progress::silent())
        .unwrap();
    let bytes = |ct: &Ciphertext| ct.to_bytes();
    for ((found, expected), table) in found.iter().zip(&expected).zip(&tables) {
        assert!(bytes(found) == bytes(expected), "words of {parameters:?}");
        let outputs: Vec<u64> =
            values.iter().map(|&value| table.values()[value as usize]).collect();
        assert_eq!(setting.secret.decrypt(found).unwrap(), outputs);
    }
}

#[test]
fn interpolations() {
    for p in [2, 5, 16] {
        check(&Parameters::insecure_toy(p, p).unwrap(), 1);
    }
    check(&Parameters::insecure_toy(4, 8).unwrap(), 3);
}

#[test]
fn interpolations_of_other_orders_and_of_few_values() {
    for (order, slots) in [(1, 64), (2, 1024), (3, 64)] {
        let order = HermiteOrder::new(order).unwrap();
        check(&Parameters::insecure_toy_of_order((4, 4), (1024, slots), order).unwrap(), 1);
    }
}

#[test]
fn trees() {
    for (digits, selectors, slots) in [
        (vec![2; 3], vec![1, 1, 1], 1024),
        (vec![4, 4, 4], vec![1, 2], 1024),
        (vec![3, 4], vec![1, 1], 64),
    ] {
        let tree = MultiplexerLiteral { digits, selectors, ..Default::default() };
        check(&Parameters::insecure_toy_tree(8, 1024, slots, tree, 0).unwrap(), 2);
    }
}

/// The table is of the most significant digit.
#[test]
fn digit_by_digit() {
    let parameters = Parameters::insecure_toy_digits(&[4, 8], 2).unwrap();
    let mut setting = Setting::new(&parameters);
    let values = setting.values(32);
    let input = setting.secret.encrypt(&values).unwrap();
    let table = Table::from_fn(8, 2, |x| x >> 2).unwrap();
    let on_card = PackedKey::upload(&Device::for_tests(), &setting.key).unwrap();
    let lookups = on_card.lookups();
    let prepared = lookups.prepare(&table).unwrap();
    let found = lookups.lookup(&input, &prepared, Progress::silent()).unwrap();
    let prepared = setting.key.prepare(&table).unwrap();
    let expected = setting.key.lookup(&input, &prepared, Progress::silent()).unwrap();
    assert!(found.to_bytes() == expected.to_bytes());
    let outputs: Vec<u64> = values.iter().map(|value| value >> 4).collect();
    assert_eq!(setting.secret.decrypt(&found).unwrap(), outputs);
}
