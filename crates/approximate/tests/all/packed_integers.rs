//! Conversion of slots to packed integers and back, on toy rings: every value checked.

use std::sync::LazyLock;

use cryptable_approximate::{
    Complex64, EvaluationKey, Grid, KeySet, PackedKey, Parameters, SecretKey, SharedSecret,
    SlotBounds, SlotTable,
};
use cryptable_lattice::{Progress, Table};
use cryptable_packed as packed;
use cryptable_ring::random::replay;
use rand::Rng;

struct InsecureClient {
    integers: packed::SecretKey,
    secret: SecretKey,
    shared: SharedSecret,
    server: EvaluationKey,
    key: packed::EvaluationKey,
}

/// Clients of slots that fill their ring, and of fewer.
static INSECURE: LazyLock<[InsecureClient; 2]> = LazyLock::new(|| {
    let _replay = replay::begin();
    let full = Parameters::insecure_toy_bootstrapping().unwrap();
    let sparse = Parameters::insecure_toy_sparse_bootstrapping(128).unwrap();
    [full, sparse].map(|parameters| InsecureClient::generate(&parameters))
});

impl InsecureClient {
    fn generate(parameters: &Parameters) -> Self {
        let (degree, values) = (parameters.literal().ring_degree, 2 * parameters.slots());
        let packed = packed::Parameters::insecure_toy_of(16, 16, degree, values).unwrap();
        let integers = packed::SecretKey::generate(&packed);
        let secret = SecretKey::sharing(parameters, &integers).unwrap();
        let shared = secret.shared_secret(&integers).unwrap();
        let keys = KeySet::new().lookups();
        let server = secret.evaluation_key_for(&keys, Progress::silent()).unwrap();
        let key = integers.evaluation_key(Progress::silent()).unwrap();
        Self { integers, secret, shared, server, key }
    }

    fn packed(&self) -> PackedKey<'_> {
        PackedKey { key: &self.key, shared: self.shared }
    }

    /// The packed values of slots: real parts, then imaginary ones.
    fn packed_values(&self, slots: &[[u64; 2]], parts: usize) -> Vec<u64> {
        let count = slots.len();
        let mut values = vec![0; parts * count];
        for (slot, parts_of_slot) in slots.iter().enumerate() {
            let index = self.server.parameters().packed_index(slot);
            for (part, &value) in parts_of_slot[..parts].iter().enumerate() {
                values[part * count + index] = value;
            }
        }
        values
    }
}

#[test]
fn insecure_slots_are_packed_and_looked_up_as_packed_integers() {
    INSECURE.iter().for_each(packed_and_looked_up);
}

fn packed_and_looked_up(client: &InsecureClient) {
    let mut rng = rand::rng();
    let slots = client.server.parameters().slots();
    let table = Table::from_fn(16, 16, |x| (x * x + 3) % 16).unwrap();
    let prepared = client.key.prepare(&table).unwrap();
    for parts in [1, 2] {
        let mut digit = |slot: usize| if slot < 16 { slot as u64 } else { rng.random_range(0..16) };
        let values: Vec<[u64; 2]> = (0..slots)
            .map(|j| [digit(j), if parts == 2 { digit(15 - j % 16) } else { 0 }])
            .collect();
        let encoded: Vec<_> =
            values.iter().map(|v| Complex64::new(v[0] as f64, v[1] as f64)).collect();
        let bounds = SlotBounds { re: 15.0, im: 15.0 * (parts - 1) as f64 };
        let ct = client.secret.encrypt_within(&encoded, bounds).unwrap();
        let expected = client.packed_values(&values, parts);
        let ct = client.server.to_packed(&ct, 16, client.packed()).unwrap();
        assert_eq!(client.integers.decrypt(&ct).unwrap(), expected);
        // The noise is as stated, from both sides.
        let errors = client.integers.errors(&ct, &expected).unwrap();
        let measured = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        let stated = ct.noise();
        // Errors are in half steps.
        let ratio = measured / (32.0 * stated.deviation());
        assert!((0.7..1.2).contains(&ratio), "{slots} slots, {parts} parts: {ratio}");
        let found = client.key.lookup(&ct, &prepared, Progress::silent()).unwrap();
        let outputs: Vec<u64> = expected.iter().map(|&x| (x * x + 3) % 16).collect();
        assert_eq!(client.integers.decrypt(&found).unwrap(), outputs);
        // And back, through a table of real numbers.
        let halves = SlotTable::from_fn(Grid::integers(16), 1, |m| m / 2.0 - 3.0).unwrap();
        let back = client.server.from_packed(&found, &halves, client.packed()).unwrap();
        assert!(back.level() >= 3);
        for (slot, z) in client.secret.decrypt(&back).unwrap().into_iter().enumerate() {
            let index = client.server.parameters().packed_index(slot);
            let value = |m: u64| m as f64 / 2.0 - 3.0;
            let im = if parts == 2 { value(outputs[slots + index]) } else { 0.0 };
            let expected = Complex64::new(value(outputs[index]), im);
            assert!((z - expected).norm() < 1e-4, "slot {slot}: {z} and {expected}");
        }
    }
}

#[test]
fn insecure_packed_integers_go_through_slots_and_come_back() {
    INSECURE.iter().for_each(through_slots_and_back);
}

fn through_slots_and_back(client: &InsecureClient) {
    let mut rng = rand::rng();
    let count = client.integers.values_per_ciphertext();
    let values: Vec<u64> =
        (0..count as u64).map(|t| if t < 16 { t } else { rng.random_range(0..16) }).collect();
    let ct = client.integers.encrypt(&values).unwrap();
    for order in 1..=3 {
        let table =
            SlotTable::from_fn(Grid::integers(16), order, |m| (5.0 * m + 2.0) % 16.0).unwrap();
        let slots = client.server.from_packed(&ct, &table, client.packed()).unwrap();
        let slots_count = slots.slots();
        let expected: Vec<_> = (0..slots_count)
            .map(|slot| {
                let index = client.server.parameters().packed_index(slot);
                let value = |t: usize| table.values()[values[t] as usize];
                Complex64::new(value(index), value(slots_count + index))
            })
            .collect();
        let errors = client.secret.errors(&slots, &expected).unwrap();
        let mean =
            (errors.iter().map(Complex64::norm_sqr).sum::<f64>() / errors.len() as f64).sqrt();
        let stated = slots.error();
        let ratio = mean / stated.deviation.hypot(stated.bias);
        assert!((0.05..1.0).contains(&ratio), "order {order}: {ratio}");
        // Twice the values, modulo 16, by the slots' own arithmetic.
        let doubled = client.server.add(&slots, &slots).unwrap();
        let back = client.server.to_packed(&doubled, 16, client.packed()).unwrap();
        let expected: Vec<u64> = values.iter().map(|m| 2 * (5 * m + 2) % 16).collect();
        assert_eq!(client.integers.decrypt(&back).unwrap(), expected);
    }
}

#[test]
fn insecure_keys_that_do_not_belong_together_are_refused() {
    let [client, sparse] = &*INSECURE;
    let wrong = PackedKey { key: &sparse.key, shared: sparse.shared };
    let x = client.secret.encrypt_reals(&[1.0]).unwrap();
    assert!(client.server.to_packed(&x, 16, wrong).is_err());
    let x = client.secret.encrypt_reals(&[1.0]).unwrap();
    let other = packed::SecretKey::generate(client.integers.parameters());
    assert!(client.secret.shared_secret(&other).unwrap_err().to_string().contains("client"));
    let other_key = other.evaluation_key(Progress::silent()).unwrap();
    let wrong = PackedKey { key: &other_key, shared: client.shared };
    assert!(client.server.to_packed(&x, 16, wrong).is_err());
    let shared = SharedSecret { vectors: other.id(), ..client.shared };
    let wrong = PackedKey { key: &client.key, shared };
    assert!(client.server.to_packed(&x, 16, wrong).is_err());
    let message =
        |modulus| client.server.to_packed(&x, modulus, client.packed()).unwrap_err().to_string();
    assert!(message(1).contains("modulus of packed integers is 1"), "{}", message(1));
    let table = SlotTable::from_fn(Grid::integers(8), 1, |m| m).unwrap();
    let ct = client.integers.encrypt(&[1]).unwrap();
    let found = client.server.from_packed(&ct, &table, client.packed()).unwrap_err().to_string();
    assert!(found.contains("grid of a table"), "{found}");
    let bottom = client.server.lower(&x, 0).unwrap();
    assert!(client.server.to_packed(&bottom, 16, client.packed()).is_ok());
    assert!(client.server.to_packed(&bottom, 10, client.packed()).is_err());
    // Reals that are not integers modulo 2^24.
    let loud = client.server.to_packed(&x, 1 << 24, client.packed());
    assert!(loud.is_err(), "noise above half a step of 2^24");
}
