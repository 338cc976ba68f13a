//! One lookup: an input, and the tables in which it is looked up together.

use cryptable_lattice::lwe::LweCiphertext;

use crate::full_domain::encoded_table::EncodedTable;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::{FactoredTest, boot_raw_factored};
use crate::test_polynomial::half_slot;

/// An input and at least one table. All tables have the same moduli and were encoded by one method for the parameters of the
/// key; the input belongs to the same key.
#[derive(Clone, Copy, Debug)]
pub struct TableLookup<'a> {
    pub(crate) key: &'a EvaluationKey,
    pub(crate) tables: &'a [&'a EncodedTable],
    pub(crate) input: &'a LweCiphertext,
}

impl TableLookup<'_> {
    /// Input modulus p.
    pub(crate) fn input_modulus(&self) -> u64 {
        self.tables[0].input_modulus()
    }

    /// Output modulus P.
    pub(crate) fn output_modulus(&self) -> u64 {
        self.tables[0].output_modulus()
    }

    /// Returns the phase modulo 2N of an input m·q/p, in the middle of slot m, which has width 2N/p.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::lwe_modulus_switch`].
    pub(crate) fn phase(&self) -> LweCiphertext {
        let two_n = self.key.parameters().rotation_modulus();
        slot_phase(self.key, self.input, self.input_modulus(), two_n)
    }

    /// Returns a phase like [`TableLookup::phase`], modulo 2q: with half the noise, and an unknown top bit.
    pub(crate) fn phase_with_extra_bit(&self) -> LweCiphertext {
        let phase = with_extra_bit(self.input, self.input_modulus());
        self.key.to_rotation_modulus(&phase, self.key.parameters().rotation_modulus())
    }

    /// Looks a phase up in test polynomial `index` of every table: LWE modulo Q.
    pub(crate) fn in_test(&self, index: usize, phase: &LweCiphertext) -> Vec<LweCiphertext> {
        self.tables.iter().map(|table| self.key.boot_raw(table.test(index), phase)).collect()
    }

    /// Looks a phase up in all tests of every table, by one rotation if they are tests of multi-value bootstrapping. The last
    /// `shared` tests are the same for all tables and are looked up once.
    ///
    /// Results are LWE modulo Q: table by table, then those of the shared tests.
    pub(crate) fn in_all_tests(&self, shared: usize, phase: &LweCiphertext) -> Vec<LweCiphertext> {
        if self.tables[0].factored().is_empty() {
            let tests = self.each_once(shared, EncodedTable::tests);
            return tests.map(|test| self.key.boot_raw(test, phase)).collect();
        }
        let tests = self.each_once(shared, EncodedTable::factored).cloned();
        boot_raw_factored(self.key, &tests.collect::<Vec<FactoredTest>>(), phase)
    }

    /// Lists the tests of all tables, with the last `shared` ones only once, at the end.
    fn each_once<'a, T: 'a>(
        &'a self,
        shared: usize,
        tests: impl Fn(&'a EncodedTable) -> &'a [T],
    ) -> impl Iterator<Item = &'a T> {
        let own = tests(self.tables[0]).len() - shared;
        let last = &tests(self.tables[0])[own..];
        self.tables.iter().flat_map(move |table| &tests(table)[..own]).chain(last)
    }
}

/// Adds half a slot of width 1/p to a ciphertext of phase m/p, and switches it to 2N or a divisor of 2N.
pub(crate) fn slot_phase(
    key: &EvaluationKey,
    ciphertext: &LweCiphertext,
    p: u64,
    modulus: u64,
) -> LweCiphertext {
    let mut phase = ciphertext.clone();
    phase.add_constant_assign(half_slot(p, phase.modulus()));
    key.to_rotation_modulus(&phase, modulus)
}

/// Reads a ciphertext of phase m·q/p modulo q as one modulo 2q, which adds an unknown multiple of q, and adds half a slot.
pub(crate) fn with_extra_bit(input: &LweCiphertext, plaintext_modulus: u64) -> LweCiphertext {
    let doubled = 2 * input.modulus();
    let mut phase = input.mod_up(doubled);
    phase.add_constant_assign(half_slot(2 * plaintext_modulus, doubled));
    phase
}
