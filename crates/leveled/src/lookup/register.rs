//! Registers: encrypted numbers that encrypted bits increment and choose, and that are read through a table.
//!
//! A register is an RLWE ciphertext of X^-w times a table's polynomial, where w is the number that it holds. A CMUX by an
//! RGSW ciphertext adds to w if a bit is 1, or replaces the register by another one. A CMUX takes 40 microseconds, and
//! thousands can follow each other before the next bootstrap (Wang et al., EUROCRYPT 2024, ePrint 2024/323, Figure 4).
//! Counters by "bit sequence representation" (Chillotti et al., J. Cryptology 2020, Sec. 5.3) have a ciphertext for every
//! bit of the number; here one ciphertext holds all outputs that fit side by side.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use cryptable_lattice::error::out_of_range;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_lattice::{Binding, Error, Progress, Result, Table};

use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::{Parameters, width};
use crate::keys::BITS_A_THREAD;
use crate::tree::{Cmux, LeveledCiphertext, PlaintextPolynomial};

/// The layout of a table's outputs in polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    degree: usize,
    /// Number of coefficients per output: a power of two.
    run: usize,
    /// Number of outputs per polynomial.
    outputs_each: usize,
    /// Number of outputs in all, each an LWE ciphertext of one or two bits.
    outputs: usize,
    output_modulus: u64,
    /// Whether numbers wrap around.
    cyclic: bool,
}

impl Layout {
    /// Returns the layout with all outputs side by side that fit into a polynomial.
    ///
    /// # Errors
    /// If the table has more than N entries, or outputs have more bits than the parameters support.
    pub(super) fn packed(parameters: &Parameters, table: &Table) -> Result<Self> {
        parameters.check_bits("number of bits of the outputs", table.output_modulus())?;
        let (degree, entries) = (parameters.ring_degree(), table.values().len());
        if entries > degree {
            let limit = format!("a polynomial has {degree} coefficients");
            return Err(out_of_range("number of entries", entries as u64, limit));
        }
        let run = entries.next_power_of_two();
        let output_modulus = table.output_modulus();
        let outputs = parameters.ciphertexts_of(output_modulus);
        let outputs_each = degree / run;
        Ok(Self { degree, run, outputs_each, outputs, output_modulus, cyclic: false })
    }

    /// Returns the layout with one output per polynomial, repeated, so that numbers wrap around.
    ///
    /// # Errors
    /// The errors of [`Layout::packed`], or if the number of entries is not a power of two, or digits have two bits.
    fn cyclic(parameters: &Parameters, table: &Table) -> Result<Self> {
        let packed = Self::packed(parameters, table)?;
        let entries = table.values().len();
        if packed.run != entries {
            let limit = "it must be a power of two for cyclic registers";
            return Err(out_of_range("number of entries", entries as u64, limit));
        }
        // X^N = -1, and a half is its own negative, but a quarter is not.
        parameters.circuit_bootstrapping().check_single_bits()?;
        Ok(Self { outputs_each: 1, cyclic: true, ..packed })
    }

    /// Returns the polynomials of a table.
    pub(super) fn polynomials(
        &self,
        parameters: &Parameters,
        table: &Table,
    ) -> Vec<LeveledCiphertext> {
        let circuit = parameters.circuit_bootstrapping();
        let (bits, ring) = (circuit.bits_per_ciphertext(), circuit.fhew().ring());
        let values = table.values();
        let polynomial = |first: usize| {
            let value = |position: usize| {
                let output = first + if self.cyclic { 0 } else { position / self.run };
                let entry = values.get(position % self.run).copied().unwrap_or(0);
                match output < self.outputs && output < first + self.outputs_each {
                    true => entry >> (output as u32 * bits) & ((1 << bits) - 1),
                    false => 0,
                }
            };
            LeveledCiphertext::of_plaintexts(
                ring,
                &PlaintextPolynomial::from_fn(self.degree, bits, value),
            )
        };
        (0..self.outputs).step_by(self.outputs_each).map(polynomial).collect()
    }

    /// Reads the outputs, from the first coefficient of every run.
    pub(super) fn read(
        &self,
        key: &EvaluationKey,
        polynomials: &[&LeveledCiphertext],
    ) -> Result<LweList> {
        let circuit = key.parameters().circuit_bootstrapping();
        let ring = circuit.fhew().ring();
        let places = || (0..self.outputs_each).map(|output| output * self.run);
        let outputs = polynomials.iter().flat_map(|polynomial| polynomial.extract(ring, places()));
        LweList::computed(circuit.lwe_shape(), outputs.take(self.outputs))
    }

    /// Wraps outputs as a ciphertext of values.
    pub(super) fn ciphertext(&self, key: &EvaluationKey, outputs: LweList) -> Ciphertext {
        Ciphertext::new(key.parameters(), self.output_modulus, *key.binding(), outputs)
    }
}

/// RGSW ciphertexts of encrypted bits, each usable in any number of CMUXes. A bit needs 150 to 400 kB.
#[derive(Debug)]
pub struct Selectors {
    binding: Binding,
    /// The number of the first selector among all selectors of the process.
    first: u64,
    bits: Vec<RgswCiphertext>,
}

impl Selectors {
    /// Returns the number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Returns whether there is no bit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }
}

/// An encrypted number, and the table through which it is read: see [`EvaluationKey::register`].
#[derive(Clone, Debug)]
pub struct Register {
    binding: Binding,
    layout: Layout,
    polynomials: Vec<LeveledCiphertext>,
    /// Number of entries of the table.
    entries: u64,
    /// The number that the register holds if all bits were 1.
    largest: u64,
    /// Number of CMUXes in a row.
    depth: u64,
    /// Number of uses of each selector.
    uses: HashMap<u64, u64>,
}

impl Register {
    /// Returns the number that the register holds if all bits were 1.
    #[must_use]
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Returns the number of CMUXes in a row that computed this register.
    #[must_use]
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// Counts a CMUX.
    fn used(&mut self, selector: u64) {
        self.depth += 1;
        *self.uses.entry(selector).or_default() += 1;
    }
}

impl EvaluationKey {
    /// Makes an RGSW ciphertext of every bit of encrypted values, by circuit bootstraps: value by value, the lowest bit of each
    /// first, for all given lists. A step of progress is a value.
    ///
    /// # Errors
    /// If the values belong to another client or other parameters; if they have more than one bit each and the parameters have
    /// two bits per ciphertext, for which bootstraps return the bits of a Gray code; [`cryptable_lattice::Error::Cancelled`].
    pub fn selectors(&self, values: &[&Ciphertext], progress: Progress<'_>) -> Result<Selectors> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut found = Vec::new();
        let (mut done, total) = (0, values.iter().map(|part| part.count()).sum());
        progress.report(0, total)?;
        for part in values {
            let before = done;
            let selectors =
                self.selectors_of(part, |part| progress.report(before + part, total))?;
            found.extend(selectors);
            done += part.count();
        }
        let first = NEXT.fetch_add(found.len() as u64, Ordering::Relaxed);
        Ok(Selectors { binding: *self.binding(), first, bits: found })
    }

    /// Makes the RGSW ciphertexts of one list of values.
    fn selectors_of(
        &self,
        values: &Ciphertext,
        report: impl Fn(usize) -> Result<()>,
    ) -> Result<Vec<RgswCiphertext>> {
        let values = self.switched(values)?;
        let circuit = self.circuit_bootstrapping();
        let bits = width(values.modulus());
        if bits > 1 {
            circuit.parameters().check_single_bits()?;
        }
        let (count, each) = (values.count(), values.ciphertexts_per_value());
        let at_once = (BITS_A_THREAD * rayon::current_num_threads()).div_ceil(bits);
        let mut found = Vec::with_capacity(count * bits);
        for start in (0..count).step_by(at_once) {
            let end = count.min(start + at_once);
            let ciphertexts: Vec<LweCiphertext> =
                (start * each..end * each).map(|i| values.list().ciphertext(i)).collect();
            let ciphertexts: Vec<&LweCiphertext> = ciphertexts.iter().collect();
            found.extend(circuit.bootstrap_values(&ciphertexts, bits)?);
            report(end)?;
        }
        Ok(found)
    }

    /// Returns a register that holds 0 and is read through a table with an entry for every number that the register may hold.
    ///
    /// ```
    /// use cryptable_lattice::{Progress, Table};
    /// use cryptable_leveled::lookup::{Parameters, SecretKey};
    ///
    /// // `Parameters::candidates` has parameters of 128 bits for thousands of CMUXes in a row.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(2, 8)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let votes = key.selectors(&[&secret.encrypt(&[1, 0, 1, 1])?], Progress::silent())?;
    /// let mut register = key.register(&Table::from_fn(8, 8, |sum| sum)?)?;
    /// let weights = [(0, 3), (1, 2), (2, 1), (3, 1)];
    /// key.add_all(&mut register, &votes, &weights, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&key.read(&register)?)?, [3 + 1 + 1]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the table has more than N entries, or outputs have more bits than [`Parameters::max_bits`].
    pub fn register(&self, outputs: &Table) -> Result<Register> {
        Ok(self.new_register(Layout::packed(self.parameters(), outputs)?, outputs))
    }

    /// Returns a register like [`EvaluationKey::register`] whose numbers are modulo the number of entries. A CMUX then
    /// processes one ciphertext per bit of the outputs.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::register`], or if the number of entries is not a power of two, or the parameters have two
    /// bits per ciphertext.
    pub fn cyclic_register(&self, outputs: &Table) -> Result<Register> {
        Ok(self.new_register(Layout::cyclic(self.parameters(), outputs)?, outputs))
    }

    fn new_register(&self, layout: Layout, outputs: &Table) -> Register {
        Register {
            binding: *self.binding(),
            layout,
            polynomials: layout.polynomials(self.parameters(), outputs),
            entries: outputs.input_modulus(),
            largest: 0,
            depth: 0,
            uses: HashMap::new(),
        }
    }

    /// Adds a number to a register if a bit is 1: one CMUX.
    ///
    /// # Errors
    /// If the bits or the register belong to another client or other parameters, there is no such bit, or the register could
    /// hold a number for which its table has no entry.
    pub fn add_if(
        &self,
        register: &mut Register,
        bits: &Selectors,
        bit: usize,
        number: u64,
    ) -> Result<()> {
        self.add_all(register, bits, &[(bit, number)], Progress::silent())
    }

    /// Adds numbers to a register, each if its bit is 1: a chain of CMUXes, each a step of progress. A bit may be used more
    /// than once.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add_if`], before anything is added; [`cryptable_lattice::Error::Cancelled`], after a part
    /// of the numbers may have been added.
    pub fn add_all(
        &self,
        register: &mut Register,
        bits: &Selectors,
        numbers: &[(usize, u64)],
        progress: Progress<'_>,
    ) -> Result<()> {
        register.binding.check("register", self.binding())?;
        let selector = |&(bit, _): &(usize, u64)| self.selector(bits, bit);
        let selectors = numbers.iter().map(selector).collect::<Result<Vec<_>>>()?;
        let add = |sum: u64, &(_, number): &(usize, u64)| sum.saturating_add(number);
        let (most, entries) = (numbers.iter().fold(register.largest, add), register.entries);
        if most >= entries && !register.layout.cyclic {
            let limit = format!("its table has {entries} entries");
            return Err(out_of_range("largest number of the register", most, limit));
        }
        let circuit = self.parameters().circuit_bootstrapping();
        let (ring, cycle) = (circuit.fhew().ring(), 2 * register.layout.degree as u64);
        let mut cmux = Cmux::new(ring, circuit.rgsw_gadget());
        let total = numbers.len();
        for (step, (selector, &(bit, number))) in selectors.into_iter().zip(numbers).enumerate() {
            progress.report(step, total)?;
            let exponent = (cycle - number % cycle) % cycle;
            for polynomial in &mut register.polynomials {
                cmux.rotate_if_assign(selector, polynomial, exponent as usize);
            }
            register.largest = register.largest.saturating_add(number);
            register.used(bits.first + bit as u64);
        }
        progress.report(total, total)
    }

    /// Replaces a register by another one if a bit is 1: one CMUX.
    ///
    /// # Errors
    /// If the bits or the registers belong to another client or other parameters, there is no such bit, or the tables differ in
    /// their number of entries or in their outputs.
    pub fn choose_if(
        &self,
        register: &mut Register,
        bits: &Selectors,
        bit: usize,
        other: &Register,
    ) -> Result<()> {
        let selector = self.selector(bits, bit)?;
        register.binding.check("register", self.binding())?;
        other.binding.check("register", self.binding())?;
        let shape = |register: &Register| (register.layout, register.entries);
        if shape(register) != shape(other) {
            let shown = |r: &Register| {
                let round = if r.layout.cyclic { ", cyclic" } else { "" };
                format!("{} to outputs below {}{round}", r.entries, r.layout.output_modulus)
            };
            return Err(Error::mismatch("register's table", shown(other), shown(register)));
        }
        let circuit = self.parameters().circuit_bootstrapping();
        let mut cmux = Cmux::new(circuit.fhew().ring(), circuit.rgsw_gadget());
        for (zero, one) in register.polynomials.iter_mut().zip(&other.polynomials) {
            cmux.select_assign(selector, zero, one);
        }
        register.largest = register.largest.max(other.largest);
        register.depth = register.depth.max(other.depth);
        for (&selector, &uses) in &other.uses {
            let most = register.uses.entry(selector).or_default();
            *most = uses.max(*most);
        }
        register.used(bits.first + bit as u64);
        Ok(())
    }

    /// Reads a register: returns one value, the table's entry at the register's number. The register can be used further.
    ///
    /// # Errors
    /// If the register belongs to another client or other parameters; [`cryptable_lattice::Error::NoiseTooLarge`] after more
    /// CMUXes in a row than the stated failure probability allows.
    pub fn read(&self, register: &Register) -> Result<Ciphertext> {
        register.binding.check("register", self.binding())?;
        let uses = register.uses.values().copied().max().unwrap_or(0);
        self.parameters().check_chain(register.depth, uses)?;
        let polynomials: Vec<&LeveledCiphertext> = register.polynomials.iter().collect();
        let outputs = register.layout.read(self, &polynomials)?;
        Ok(register.layout.ciphertext(self, outputs))
    }

    /// Returns the RGSW ciphertext of a bit.
    fn selector<'a>(&self, bits: &'a Selectors, bit: usize) -> Result<&'a RgswCiphertext> {
        bits.binding.check("bit", self.binding())?;
        let count = bits.len();
        bits.bits.get(bit).ok_or_else(|| {
            out_of_range("number of the bit", bit as u64, format!("there are {count} bits"))
        })
    }
}
