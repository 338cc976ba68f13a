//! Circuit bootstraps of batches: `cryptable_leveled::bootstrapping`.

use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::error::{Error, Result, demand};
use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::{LweShape, check_shape};
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_leveled::bootstrapping::CircuitBootstrapping;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;
use cryptable_leveled::tree::CmuxTree;
use cryptable_ring::gadget::Gadget;

use crate::arguments::fhew::{BlindRotation, Decomposition, ExtractLwe, FractionModulus, RgswRows};
use crate::device::{Device, Words};
use crate::fhew::blind_rotation::{self, DeviceRotationKey, check_shared_memory};
use crate::fhew::fourier::{FourierTables, coefficients};
use crate::fhew::key_switch::DeviceKeySwitch;
use crate::fhew::lwe_batch::LweBatch;
use crate::fhew::lwe_modulus_switch::{LweSource, PhaseSum};
use crate::kernels::{self, Grid};

/// Words of the RGSW ciphertexts of inputs that are looked up at once: 4 GiB.
const SELECTOR_WORDS: usize = 1 << 29;

/// The keys of circuit bootstraps on a card.
#[derive(Debug)]
pub struct CircuitBootstrappingKey {
    device: Device,
    parameters: CircuitBootstrappingParameters,
    tables: FourierTables,
    rotation: DeviceRotationKey,
    key_switch: DeviceKeySwitch,
    trace: Words,
    relinearization: Words,
    test: Words,
    half_weights: Words,
}

/// RGSW ciphertexts on a card, one of each bit.
#[derive(Debug)]
pub struct RgswBatch {
    /// Of each: 2ℓ rows of body and mask, evaluations.
    words: Words,
    count: usize,
}

impl RgswBatch {
    /// The number of ciphertexts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of the card's memory that they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    /// Whether ciphertext `index` has the rows of one on the processor, word by word.
    ///
    /// # Errors
    /// The first error of the card.
    ///
    /// # Panics
    /// If there is no such ciphertext, or the other has not as many rows.
    pub fn has_rows_of(
        &self,
        key: &CircuitBootstrappingKey,
        index: usize,
        other: &RgswCiphertext,
    ) -> Result<bool> {
        let ring = key.fhew().ring();
        let rows = coefficients(ring, other.rows(), 2 * key.rgsw_gadget().length());
        let expected = key.device.upload(&rows);
        key.tables.prepare_assign(ring, &expected);
        let each = self.words.len() / self.count;
        let mut words = [vec![0; each], vec![0; each]];
        self.words.read(index * each, &mut words[0])?;
        expected.read(0, &mut words[1])?;
        Ok(words[0] == words[1])
    }
}

impl CircuitBootstrappingKey {
    /// Puts the keys of circuit bootstraps on a card.
    ///
    /// # Errors
    /// If rotation is not by CMUXes of a binary secret, the ring degree not 1,024 or 2,048, or numbers are larger than
    /// kernels take; the first error of the card.
    pub fn new(device: &Device, circuit: &CircuitBootstrapping<'_>) -> Result<Self> {
        let (parameters, key) = (circuit.parameters().clone(), circuit.key());
        let ring = parameters.fhew().ring();
        let degree = ring.degree();
        let limit = "circuit bootstraps on a card take 1024 and 2048";
        demand([1024, 2048].contains(&degree), "ring_degree", degree as f64, limit)?;
        let tables = FourierTables::new(device, ring)?;
        let (trace, square) = (key.trace(), key.relinearization());
        for gadget in [trace.gadget(), square.gadget()] {
            let digits = gadget.length();
            let limit = "on a card it is at most 8";
            demand(digits <= 8, "digits of trace and scheme switching", digits as f64, limit)?;
        }
        let out = Self {
            device: device.clone(),
            rotation: DeviceRotationKey::new(device, ring, &key.rotations()[0])?,
            key_switch: DeviceKeySwitch::new(device, key)?,
            trace: tables.prepare(ring, trace.automorphisms(), trace.gadget().length()),
            relinearization: tables.prepare(ring, square.rows(), square.gadget().length()),
            test: device.upload(circuit.test().words()),
            half_weights: device.upload(circuit.half_weights()),
            tables,
            parameters,
        };
        device.check()?;
        Ok(out)
    }

    /// RGSW ciphertexts of all bits of ciphertexts, those of one after those of another, the lowest bit first: of
    /// two-bit ciphertexts, of the bits of their Gray codes.
    ///
    /// Rows are those of [`CircuitBootstrapping::bootstrap_values`].
    ///
    /// # Errors
    /// If a ciphertext is not of dimension N modulo Q; the first error of the card.
    pub fn bootstrap_many(&self, inputs: &[&LweCiphertext]) -> Result<RgswBatch> {
        let count = inputs.len() * self.parameters.bits_per_ciphertext() as usize;
        let words = self.rows(inputs)?;
        if count > 0 {
            self.tables.prepare_assign(self.fhew().ring(), &words);
        }
        self.device.check()?;
        Ok(RgswBatch { words, count })
    }

    /// Looks up several encrypted inputs, the lowest bits first: a circuit bootstrap for every ciphertext, then the table.
    ///
    /// Results are those of [`CmuxTree::lookup_many`].
    ///
    /// # Errors
    /// If the table is of other parameters or has several polynomials an output, an input has not as many ciphertexts as
    /// the table's, or one is not of dimension N modulo Q; the first error of the card.
    pub fn lookup_many(
        &self,
        tree: &CmuxTree,
        inputs: &[Vec<LweCiphertext>],
    ) -> Result<Vec<Vec<LweCiphertext>>> {
        self.check_lookup(tree, inputs)?;
        let rows = 2 * self.rgsw_gadget().length() * tree.input_bits();
        let at_once = (SELECTOR_WORDS / (2 * self.fhew().ring_degree() * rows)).max(1);
        let mut results = Vec::with_capacity(inputs.len());
        for inputs in inputs.chunks(at_once) {
            results.extend(self.lookup_checked(tree, inputs)?);
        }
        Ok(results)
    }

    fn lookup_checked(
        &self,
        tree: &CmuxTree,
        inputs: &[Vec<LweCiphertext>],
    ) -> Result<Vec<Vec<LweCiphertext>>> {
        let selectors = self.bootstrap_many(&inputs.iter().flatten().collect::<Vec<_>>())?;
        let (shape, q) = (tree.shape(), self.fhew().prime());
        let (degree, each) = (self.fhew().ring_degree(), shape.outputs_each());
        let (groups, count) = (tree.groups().len(), inputs.len() * tree.groups().len());
        let rotated = self.device.allocate(2 * degree * count);
        self.rotate_table(tree, &selectors, &rotated, count)?;
        let out = self.device.allocate(count * each * (degree + 1));
        let arguments = ExtractLwe {
            source: rotated.address(0),
            out: out.address(0),
            modulus: q,
            degree: degree as u32,
            shift: shape.rotating_bits() as u32,
            outputs: each as u32,
            padding: 0,
        };
        let blocks = [(degree + 1).div_ceil(256) as u32, each as u32, count as u32];
        self.device.launch(&kernels::EXTRACT_LWE, Grid { blocks, threads: 256 }, &arguments);
        let mut words = vec![0; out.len()];
        out.read(0, &mut words)?;
        let of_input = |words: &[u64]| {
            let all = words.chunks_exact(degree + 1).take(shape.outputs());
            all.map(|words| LweCiphertext::from_words(words.to_vec(), q)).collect()
        };
        Ok(words.chunks_exact(groups * each * (degree + 1)).map(of_input).collect())
    }

    /// Demands inputs of a table that one polynomial an output holds.
    fn check_lookup(&self, tree: &CmuxTree, inputs: &[Vec<LweCiphertext>]) -> Result<()> {
        if tree.parameters() != &self.parameters {
            let (expected, found) = (self.parameters.digest(), tree.parameters().digest());
            return Err(Error::OtherParameters { object: "table", expected, found });
        }
        let single = tree.groups().iter().all(|group| group.len() == 1);
        let limit = "on a card a table's entries fit one polynomial";
        demand(single, "bits of a table's inputs", tree.input_bits() as f64, limit)?;
        let bits = self.parameters.bits_per_ciphertext() as usize;
        for input in inputs {
            let whole = input.len() * bits == tree.input_bits();
            let limit = format!("the table has inputs of {} bits", tree.input_bits());
            demand(whole, "number of ciphertexts", input.len() as f64, &limit)?;
        }
        Ok(())
    }

    /// Rotates the polynomials of a table by each input's own selectors: residues.
    fn rotate_table(
        &self,
        tree: &CmuxTree,
        selectors: &RgswBatch,
        rotated: &Words,
        count: usize,
    ) -> Result<()> {
        let ring = self.fhew().ring();
        let (degree, steps) = (ring.degree(), tree.input_bits());
        let gadget = RgswGadget::uniform(self.rgsw_gadget());
        check_shared_memory(degree, gadget)?;
        let mut leaves = vec![0; 2 * degree * tree.groups().len()];
        for (leaf, group) in leaves.chunks_exact_mut(2 * degree).zip(tree.groups()) {
            group[0].write_fractions(&mut leaf[..degree]);
        }
        let leaves = self.device.upload(&leaves);
        // Selector i rotates by X^(-2^i), which brings entry x + 2^i to x.
        let words = (0..steps).map(|i| 1 << i).chain([0]).collect();
        let exponents = [LweCiphertext::from_words(words, 2 * degree as u64)];
        let phases = LweBatch::upload(&self.device, LweShape::of(&exponents[0]), exponents.iter())?;
        let arguments = BlindRotation {
            key: selectors.words.address(0),
            key_stride: (steps * gadget.rows() * degree) as u64,
            twiddles: self.tables.address(),
            test: leaves.address(0),
            phases: phases.address(0),
            out: rotated.address(0),
            modulus: FractionModulus::new(ring.modulus()),
            digits: [gadget.body, gadget.mask].map(Decomposition::new),
            phase_stride: 0,
            steps: steps as u32,
            count: count as u32,
            per_key: tree.groups().len() as u32,
            tests: tree.groups().len() as u32,
            are_fractions: 1,
        };
        blind_rotation::launch(&self.device, &self.tables, gadget, &arguments);
        Ok(())
    }

    fn fhew(&self) -> &Parameters {
        self.parameters.fhew()
    }

    /// The rows of all RGSW ciphertexts: residues.
    fn rows(&self, inputs: &[&LweCiphertext]) -> Result<Words> {
        let shape = self.parameters.lwe_shape();
        let mut words = Vec::with_capacity(inputs.len() * (shape.dimension + 1));
        for &input in inputs {
            check_shape(input.into(), shape)?;
            words.extend_from_slice(input.words());
        }
        let count = inputs.len();
        let ring = self.fhew().ring();
        let rows = self.parameters.bits_per_ciphertext() as usize * self.rgsw_gadget().length();
        let out = self.device.allocate(count * 2 * rows * 2 * ring.degree());
        if count == 0 {
            return Ok(out);
        }
        let words = self.device.upload(&words);
        let mut switched = LweBatch::unspecified(&self.device, self.fhew().lwe_shape(), count);
        self.key_switch.switch(LweSource::Ciphertexts(&words), count, &mut switched, 0);
        let rotated = self.device.allocate(2 * ring.degree() * count);
        self.rotation.rotate(&self.test, &self.phases(&switched), 0, &rotated);
        self.convert(&rotated, count, &out);
        Ok(out)
    }

    fn rgsw_gadget(&self) -> Gadget {
        self.parameters.rgsw_gadget()
    }

    /// Phases modulo 2N, multiples of 2^θ, plus half of what lies between two inputs.
    fn phases(&self, switched: &LweBatch) -> LweBatch {
        let modulus = switched.shape().modulus;
        let sum = PhaseSum {
            factor: 1,
            constant: modulus >> (self.parameters.bits_per_ciphertext() + 1),
            modulus: self.parameters.sparse_modulus(),
            shift: self.parameters.sparsity_log2(),
            secret: self.fhew().literal().lwe_secret,
        };
        sum.of(switched, None)
    }

    /// Traces and scheme switching of rotated test polynomials.
    fn convert(&self, rotated: &Words, count: usize, out: &Words) {
        let ring = self.fhew().ring();
        let (m, degree) = (ring.modulus(), ring.degree());
        let length = self.rgsw_gadget().length();
        let rows = self.parameters.bits_per_ciphertext() as usize * length;
        let (trace, square) =
            (self.fhew().automorphism_gadget(), self.fhew().relinearization_gadget());
        let barrett = u128::MAX / u128::from(m.value());
        let reciprocal = (1.0 / m.value() as f64).to_bits();
        let arguments = RgswRows {
            rotated: rotated.address(0),
            trace: self.trace.address(0),
            relinearization: self.relinearization.address(0),
            twiddles: self.tables.address(),
            out: out.address(0),
            half_weights: self.half_weights.address(0),
            // Kernels of single values have no use for a square root of -1.
            q: [m.value(), barrett as u64, (barrett >> 64) as u64, reciprocal, 0],
            modulus: FractionModulus::new(m),
            inverse_degree: m.inv(degree as u64),
            trace_digits: Decomposition::new(trace),
            relinearization_digits: Decomposition::new(square),
            length: length as u32,
            rows: rows as u32,
        };
        let kernel = match degree {
            1024 => &kernels::RGSW_ROWS_1024,
            _ => &kernels::RGSW_ROWS_2048,
        };
        let blocks = [rows as u32, count as u32, 1];
        let grid = Grid { blocks, threads: self.tables.threads() };
        let digits = trace.length().max(square.length()).max(2);
        let shared = (8 * degree * (3 + digits)) as u32;
        self.device.launch_sharing(kernel, grid, shared, &arguments);
    }
}

#[cfg(test)]
mod tests {
    use cryptable_fhew::keys::{EvaluationKey, SecretKey};
    use cryptable_leveled::bootstrapping::{Plaintext, encrypt_plaintext};
    use cryptable_leveled::parameters::ParameterSet;
    use cryptable_ring::Isa;

    use super::*;

    /// Rows of RGSW ciphertexts of all plaintexts, on a card and on the processor.
    fn check(parameters: &CircuitBootstrappingParameters) {
        let secret = SecretKey::generate(parameters.fhew());
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let circuit = CircuitBootstrapping::new(parameters, &key);
        let device = Device::for_tests();
        let on_card = CircuitBootstrappingKey::new(&device, &circuit).unwrap();
        let bits = parameters.bits_per_ciphertext();
        let encrypt = |value| encrypt_plaintext(&secret, Plaintext { value, bits });
        let inputs: Vec<_> = (0..1 << bits).map(encrypt).collect();
        let inputs: Vec<&LweCiphertext> = inputs.iter().collect();
        let words = on_card.rows(&inputs).unwrap();
        let mut found = vec![0; words.len()];
        words.read(0, &mut found).unwrap();
        let expected = circuit.bootstrap_values(&inputs, bits as usize).unwrap();
        let each = found.len() / expected.len();
        let ring = parameters.fhew().ring();
        let rows = 2 * parameters.rgsw_gadget().length();
        for (found, expected) in found.chunks_exact(each).zip(&expected) {
            let expected = coefficients(ring, expected.rows(), rows);
            let differ = found.iter().zip(expected.iter()).filter(|(a, b)| a != b).count();
            assert!(differ == 0 || Isa::detect() < Isa::Avx512f, "{differ} of {each} words");
        }
        let batch = on_card.bootstrap_many(&inputs).unwrap();
        assert_eq!((batch.len(), batch.bytes()), (expected.len(), 8 * found.len()));
        if Isa::detect() >= Isa::Avx512f {
            let last = expected.len() - 1;
            assert!(batch.has_rows_of(&on_card, last, &expected[last]).unwrap());
            assert!(!batch.has_rows_of(&on_card, 0, &expected[last]).unwrap());
        }
    }

    #[test]
    fn rows_are_those_of_the_processor() {
        for set in [ParameterSet::Aes128, ParameterSet::TwoBitDepth11, ParameterSet::CmuxDepth2] {
            check(&set.insecure_toy());
        }
    }

    #[test]
    fn lookups_are_those_of_the_processor() {
        let parameters = ParameterSet::Aes128.insecure_toy();
        let secret = SecretKey::generate(parameters.fhew());
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let circuit = CircuitBootstrapping::new(&parameters, &key);
        let on_card = CircuitBootstrappingKey::new(&Device::for_tests(), &circuit).unwrap();
        let table: Vec<u64> = (0..256).map(|x| x * 40_503 % (1 << 24)).collect();
        let tree = CmuxTree::new(&parameters, &table, 24).unwrap();
        let bit = |value| encrypt_plaintext(&secret, Plaintext { value, bits: 1 });
        let input = |x: u64| -> Vec<_> { (0..8).map(|i| bit(x >> i & 1)).collect() };
        let inputs = [input(0), input(0xa7)];
        let found = on_card.lookup_many(&tree, &inputs).unwrap();
        let expected = tree.lookup_many(&circuit, &inputs).unwrap();
        assert!(found == expected || Isa::detect() < Isa::Avx512f);
    }

    #[test]
    fn rows_of_full_size_are_those_of_the_processor() {
        check(&ParameterSet::CmuxDepth2.parameters());
    }
}
