//! Parameters of packed lookups: a validated literal and everything computed from it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use cryptable_ckks::DryRun;
use cryptable_ckks::dry_run::Counts;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::security::{self, LweInstance, SecretDistribution};
use cryptable_lattice::{FailureProbability, KeyRequest, ReadOptions, SecurityLevel, Table};
use cryptable_ring::{Chain, Ring, RingModuli};
use cryptable_wire::WireError;

use crate::akp::hermite_kernel::HermiteOrder;
use crate::bootstrapping::LookupShapes;
use crate::comparison::slot_selection::SlotSelection;
use crate::formulas::circuit::FormulaCircuit;
use crate::literal::ParametersLiteral;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::circuit::Circuit;
use crate::parameters::failure::{FailureEstimate, FailureModel};
use crate::parameters::hidden_tables::hide;
use crate::parameters::kept_primes::primes;
use crate::parameters::secrets::{check_security, log2_product, lwe_instances, mask_words};
use crate::parameters::validation::{self, MAX_MODULUS};

/// Powers of two below output moduli.
const RANGES: usize = MAX_MODULUS.ilog2() as usize + 1;

/// A validated, immutable parameter set. Clones share what is computed from it.
///
/// ```
/// use cryptable_packed::{Parameters, Request};
/// let request = Request { ring_degree: Some(32_768), ..Request::new(2, 2) };
/// let parameters = Parameters::choose(&request)?;
/// assert_eq!(parameters.method_name(), "AKP");
/// assert!(parameters.security_bits() >= 128.0);
/// assert!(parameters.failure_probability().log2() <= -64.0);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone)]
pub struct Parameters {
    literal: Arc<ParametersLiteral>,
    main_primes: Vec<u64>,
    special_primes: Vec<u64>,
    security_bits: f64,
    failure_model: Arc<FailureModel>,
    /// Models for tables whose outputs differ by at most a power of two, computed on demand.
    models_within: Arc<[OnceLock<FailureModel>; RANGES]>,
    /// The estimate of failures, computed on demand: typical errors need a dry run of their own.
    failure: Arc<OnceLock<FailureEstimate>>,
    value_failure: FailureProbability,
    circuit: Arc<Circuit>,
    selection: Arc<Option<SlotSelection>>,
    formulas: Arc<Option<FormulaCircuit>>,
    /// Counts and keys of a lookup of one table.
    single: Arc<DryRun>,
    digest: [u8; 32],
}

impl Parameters {
    /// Validates a literal: checks every number against its bounds before anything is built, the claimed security of
    /// the dense and the sparse secret by the embedded tables, and the failure probability by the noise model.
    ///
    /// # Errors
    /// If a number is out of bounds, security is below what is claimed, or the predicted failure probability exceeds
    /// the stated one.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        validation::check(&literal)?;
        let degree = literal.ring_degree;
        let special_count = literal.widest_basis().special;
        if !literal.security.is_insecure() {
            // Primes are searched only where there may be enough room for them.
            let least = literal.log2_modulus_bound() - 1.0;
            security::check(degree, SecretDistribution::UniformTernary, least)?;
        }
        let field = literal.field_degree();
        let main_primes = literal.main_primes();
        let special_primes = primes(field, literal.log2_special, special_count, &main_primes);
        let security_bits = check_security(&literal, &main_primes, &special_primes)?;
        let chain: Vec<f64> = main_primes.iter().map(|&q| q as f64).collect();
        let bottom = [main_primes[0] as f64, special_primes[0] as f64];
        let fresh = literal.noise_of_inputs(literal.input_modulus, bottom);
        let circuit = Arc::new(hide(&literal, Circuit::new(&literal, &chain), fresh)?);
        let (selection, formulas) = match &*circuit {
            Circuit::MultiPrecision(circuit) => {
                (SlotSelection::new(&literal, circuit, &chain), None)
            }
            Circuit::Akp(circuit) => (None, FormulaCircuit::new(&literal, circuit, &chain)),
            Circuit::Multiplexer(_) => (None, None),
        };
        let single = circuit.dry_run();
        let shapes = predict_worst(&circuit, &single, literal.log2_fail)?;
        let failure_model = Arc::new(FailureModel::new(&literal, &circuit, shapes));
        let log2_fail =
            failure_model.worst_case(&circuit, &[(fresh, circuit.digits())]).value_log2_fail();
        // A probability that is NaN is refused as too large.
        if log2_fail.is_nan() || log2_fail > literal.log2_fail {
            let (found, limit) = (log2_fail, literal.log2_fail);
            return Err(Error::FailureProbability { found, limit });
        }
        let digest = *blake3::hash(&bytes_of(&literal)).as_bytes();
        Ok(Self {
            literal: Arc::new(literal),
            main_primes,
            special_primes,
            security_bits,
            failure_model,
            models_within: Arc::default(),
            failure: Arc::default(),
            value_failure: FailureProbability::from_log2(log2_fail),
            circuit,
            selection: Arc::new(selection),
            formulas: Arc::new(formulas),
            single: Arc::new(single),
            digest,
        })
    }

    /// The model for tables whose outputs differ by at most `range`, rounded up to a power of two. Returns the model
    /// for all tables if that range is not smaller than the parameters' own, or if they are not those of AKP.
    pub(crate) fn model_within(&self, range: u64) -> &FailureModel {
        let range = range.max(1).checked_next_power_of_two().unwrap_or(u64::MAX);
        match &*self.circuit {
            Circuit::Akp(circuit)
                if range < self.output_range() && self.literal.hidden_bits.is_none() =>
            {
                self.models_within[range.ilog2() as usize].get_or_init(|| {
                    let circuit = circuit.within(range);
                    let literal = circuit.literal().clone();
                    let circuit = Circuit::Akp(circuit);
                    let shapes = circuit.predict_worst(&circuit.dry_run(), 1);
                    FailureModel::new(&literal, &circuit, shapes)
                })
            }
            _ => &self.failure_model,
        }
    }

    /// Returns the constants for selecting values by signs in slots, if these parameters have them.
    pub(crate) fn selection(&self) -> Option<&SlotSelection> {
        (*self.selection).as_ref()
    }

    /// The circuit of formulas, if there are primes for it.
    pub(crate) fn formula_circuit(&self) -> Option<&FormulaCircuit> {
        (*self.formulas).as_ref()
    }

    /// Every key that lookups, selections and formulas need.
    pub(crate) fn key_requests(&self) -> Vec<KeyRequest> {
        let mut all = self.single.key_requests();
        let selection = self.selection().map_or(&[][..], SlotSelection::key_requests);
        let formulas = self.formula_circuit().map_or(&[][..], FormulaCircuit::key_requests);
        let more = selection.iter().chain(formulas).filter(|it| !all.contains(it));
        all.extend(more.copied().collect::<Vec<_>>());
        all
    }

    /// Input modulus p of the tables.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.literal.input_modulus
    }

    /// Input modulus of tables: that of inputs, or of their most significant digit if inputs are processed digit by
    /// digit.
    #[must_use]
    pub fn table_modulus(&self) -> u64 {
        self.literal.table_modulus()
    }

    /// Output modulus P of the tables.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.literal.output_modulus
    }

    /// The largest difference of two outputs of a table, each by its representative in `[-P/2, P/2)`; P - 1 unless less is
    /// stated ([`crate::Request::output_range`]).
    #[must_use]
    pub fn output_range(&self) -> u64 {
        self.literal.output_range()
    }

    /// Ring degree N.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        self.literal.ring_degree
    }

    /// The literal that these parameters were made from.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// log2 of the product of all primes, including special ones: the modulus for which security is estimated.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        let main = &self.main_primes[..self.literal.switched_limbs()];
        log2_product(main.iter().chain(&self.special_primes))
    }

    /// Returns the claimed security, which was checked.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.literal.security
    }

    /// Estimated security in bits, classical: the least of the dense secret at all primes and of the sparse one at
    /// q_0·p_0. 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.security_bits
    }

    /// The LWE problems that the security of the secrets rests on: the dense secret's at all primes, and the sparse
    /// one's at q_0·p_0.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        lwe_instances(&self.literal, &self.main_primes, &self.special_primes)
    }

    /// log2 of [`Parameters::failure_probability`].
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.failure_probability().log2()
    }

    /// The predicted probability that any value of a full ciphertext decrypts wrong after a lookup. Requests bound this
    /// probability.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        self.value_failure_probability().of_any(self.literal.output_slots())
    }

    /// The predicted probability that one value decrypts wrong after a lookup. Literals state and readers bound this
    /// probability.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        self.value_failure
    }

    /// The predicted failure probability and its parts.
    #[must_use]
    pub fn failure(&self) -> &FailureEstimate {
        self.failure.get_or_init(|| {
            let fresh = self.fresh_noise(self.literal.input_modulus);
            self.failure_model.of_inputs(&self.circuit, &[(fresh, self.circuit.digits())])
        })
    }

    /// Standard deviation of the errors of a table's outputs on fresh inputs, as a fraction of half a step.
    /// [`FailureEstimate::typical_ratio`] is the same for random tables; a table with few entries may have up to twice
    /// as much, or half.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Table};
    /// let parameters = Parameters::insecure_toy(16, 16)?;
    /// let noise = |f: fn(u64) -> u64| parameters.noise_of_table(&Table::from_fn(16, 16, f)?);
    /// assert!(noise(|_| 3)? < noise(|x| 15 * (x % 2))?);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the table has other moduli than the parameters' tables.
    pub fn noise_of_table(&self, table: &Table) -> Result<f64> {
        table.check_moduli(self.table_modulus(), self.output_modulus())?;
        let fresh = self.fresh_noise(self.literal.input_modulus);
        let inputs = [(fresh, self.circuit.digits())];
        Ok(self.failure_model.ratio_of_table(&self.circuit, &inputs, table))
    }

    /// Returns the counts of a lookup of `tables` tables on one input.
    pub(crate) fn counts(&self, tables: usize) -> Counts {
        match tables {
            0 | 1 => self.single.counts(),
            _ => {
                let dry_run = self.circuit.dry_run();
                self.circuit.predict_worst(&dry_run, tables);
                dry_run.counts()
            }
        }
    }

    /// The human-readable name of the method: `AKP`; `AKP-2` with the order of the interpolation if it is not the
    /// first; `BMT 2^8` or `CMT 8 x 16^2` with the sizes of digits, the least significant first; `AKP 64^2` if AKP
    /// processes digits one by one.
    #[must_use]
    pub fn method_name(&self) -> String {
        if !self.literal.digits.is_empty() {
            return format!("AKP {}", runs_of(&self.literal.digits));
        }
        let Some(tree) = &self.literal.multiplexer else {
            return match self.literal.hermite_order {
                HermiteOrder::First => "AKP".into(),
                order => format!("AKP-{}", order.derivatives()),
            };
        };
        let method = if tree.is_binary() { "BMT" } else { "CMT" };
        format!("{method} {}", runs_of(&tree.digits))
    }

    /// Whether lookups accept tables with entries of this kind. All parameters accept tables that all values share.
    #[must_use]
    pub fn serves(&self, kind: EntryKind) -> bool {
        match self.circuit() {
            _ if kind == EntryKind::Shared => true,
            Circuit::Multiplexer(circuit) => circuit.has_entry_level(),
            Circuit::Akp(_) | Circuit::MultiPrecision(_) => false,
        }
    }

    /// The canonical bytes of the literal, whose digest identifies these parameters.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(&self.literal)
    }

    /// Reads parameters that [`Parameters::to_bytes`] wrote, and validates them as [`Parameters::new`] does.
    ///
    /// # Errors
    /// [`Error::Insecure`] if they claim no security, and [`Error::WeakFailureProbability`] if a value fails too often,
    /// unless the options allow it; other errors if the bytes are not a literal, or the literal is not valid.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: ParametersLiteral = serde_json::from_slice(bytes).map_err(|error| {
            WireError::invalid("parameters", error, "a literal of packed values")
        })?;
        options.check(literal.security)?;
        let parameters = Self::new(literal)?;
        options.check_failures(parameters.value_failure_probability())?;
        Ok(parameters)
    }

    /// BLAKE3 of [`Parameters::to_bytes`], which keys and ciphertexts carry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The moduli of the ring, without their tables.
    pub(crate) fn moduli(&self) -> RingModuli {
        let mut chains = vec![Chain::new(&self.main_primes)];
        chains.extend(self.literal.block_prime().map(|prime| Chain::new(&[prime])));
        RingModuli::new(self.literal.ring_degree, chains, &self.special_primes)
    }

    /// The ring, with the tables of all primes.
    pub(crate) fn ring(&self) -> Ring {
        Ring::of(self.moduli())
    }

    /// Returns the moduli q_0 and p_0, which a switch between secrets at the bottom of the chain uses.
    pub(crate) fn bottom_moduli(&self) -> RingModuli {
        let chains = vec![Chain::new(&self.main_primes[..1])];
        RingModuli::new(self.literal.ring_degree, chains, &self.special_primes[..1])
    }

    /// Returns the number of words of the short masks of compressed results; none if there are no keys for them.
    pub(crate) fn mask_words(&self) -> Option<usize> {
        mask_words(&self.literal, &self.main_primes, &self.special_primes)
    }

    /// Returns q_0 and p_0.
    pub(crate) fn bottom_primes(&self) -> [f64; 2] {
        [self.main_primes[0] as f64, self.special_primes[0] as f64]
    }

    /// Returns the variance of `at_bottom` roundings of a ciphertext modulo q_0 and one modulo `2^log2_modulus`, as a fraction
    /// of the modulus squared.
    pub(crate) fn rounding_noise(&self, at_bottom: u32, log2_modulus: u32) -> f64 {
        let [bottom, _] = self.bottom_primes();
        let units =
            (-2.0 * f64::from(log2_modulus)).exp2() + f64::from(at_bottom) / (bottom * bottom);
        self.literal.owners.rounding_variance(self.literal.ring_degree) * units
    }

    /// Returns the model of the failure probability of lookups.
    pub(crate) fn failure_model(&self) -> &FailureModel {
        &self.failure_model
    }

    /// The planned circuit.
    pub(crate) fn circuit(&self) -> &Circuit {
        &self.circuit
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParametersLiteral { name, input_modulus, output_modulus, ring_degree, slots, .. } =
            self.literal();
        write!(
            f,
            "{name}: table {input_modulus} -> {output_modulus} by {}, {slots} values in a ciphertext of ring degree \
             {ring_degree} and modulus 2^{:.0}, ",
            self.method_name(),
            self.log2_modulus(),
        )?;
        if self.security_level().is_insecure() {
            write!(f, "{}", self.security_level())?;
        } else {
            write!(f, "{:.1} bits of security", self.security_bits)?;
        }
        write!(
            f,
            ", a value fails with {}, a ciphertext with {}",
            self.value_failure_probability(),
            self.failure_probability()
        )
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameters").field("literal", &self.literal).finish_non_exhaustive()
    }
}

/// Formats sizes of digits for people: `8 x 16^2`.
fn runs_of(digits: &[u64]) -> String {
    let runs = digits.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => run[0].to_string(),
        count => format!("{}^{count}", run[0]),
    });
    runs.collect::<Vec<_>>().join(" x ")
}

/// Predicts a lookup of the worst table.
///
/// # Errors
/// If its noise is not finite, since failures are then certain. This happens where the first scale is far from that of
/// its prime: the scales of high powers then overflow.
fn predict_worst(circuit: &Circuit, dry_run: &DryRun, limit: f64) -> Result<LookupShapes> {
    let shapes = circuit.predict_worst(dry_run, 1);
    let is_known =
        [shapes.exponential, shapes.result].iter().all(|it| it.noise.total().is_finite());
    if is_known { Ok(shapes) } else { Err(Error::FailureProbability { found: 0.0, limit }) }
}

fn bytes_of(literal: &ParametersLiteral) -> Vec<u8> {
    serde_json::to_vec(literal).expect("a literal serialises")
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::KeyPurpose;
    use cryptable_ring::Basis;

    use super::*;
    use crate::planner::request::Request;

    #[test]
    fn full_size_parameters_keep_the_sparse_secret_at_the_bottom() {
        // The only key under the sparse secret is at q_0·p_0, where weight 32 has 128 bits.
        for (p, degree) in [(2, 1 << 15), (16, 1 << 16), (256, 1 << 16)] {
            let request = Request { ring_degree: Some(degree), ..Request::new(p, p) };
            let parameters = Parameters::choose(&request).unwrap();
            let requests = parameters.key_requests();
            let towards_sparse: Vec<_> =
                requests.iter().filter(|r| r.purpose == KeyPurpose::DenseToSparse).collect();
            assert_eq!(towards_sparse.len(), 1);
            assert_eq!(towards_sparse[0].shape.basis, Basis::new(1, 1));
            assert!(parameters.security_bits() >= 128.0);
            assert!(parameters.failure_probability().log2() <= -64.0);
        }
    }

    #[test]
    fn security_is_that_of_the_weaker_secret() {
        let parameters = Parameters::choose(&Request::new(16, 16)).unwrap();
        let degree = parameters.ring_degree();
        let dense = SecretDistribution::UniformTernary;
        let sparse = SecretDistribution::FixedWeightTernary(32);
        let bottom =
            log2_product([&parameters.main_primes[0], &parameters.special_primes[0]].into_iter());
        let both = [
            security::security_bits(degree, dense, parameters.log2_modulus()),
            security::security_bits(degree, sparse, bottom),
        ];
        assert_eq!(parameters.security_bits(), both[0].min(both[1]));
        let mut literal = parameters.literal().clone();
        literal.sparse_weight = 31;
        let error = Parameters::new(literal.clone()).unwrap_err().to_string();
        assert!(error.contains("weight of the sparse secret is 31"), "{error}");
        literal.security = SecurityLevel::Insecure;
        let insecure = Parameters::new(literal).unwrap();
        assert_eq!(
            (insecure.security_bits(), insecure.log2_modulus()),
            (0.0, parameters.log2_modulus())
        );
    }
}
