//! All numbers of a parameter set, before validation. Files hold these numbers, and everything else is computed from
//! them.

use cryptable_ckks::bootstrapping::block_product::BlockProduct;
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_ckks::dry_run::{SlotNoise, SlotVariance};
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_lattice::block_secret::BlockSecretShape;
use cryptable_lattice::hidden_table::HiddenTables;
use cryptable_lattice::{NoiseBound, NoiseLaw, Owners, SecurityLevel, Table};
use serde::{Deserialize, Serialize};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::parameters::kept_primes::primes;

/// The division of a homomorphic DFT into matrices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DftLiteral {
    /// Butterfly levels merged into each matrix, in order of application; their sum is log2 of the number of slots.
    pub stages: Vec<u32>,
    /// Number of primes that all matrices together use.
    pub primes: usize,
    /// Baby steps per matrix: more are faster but need more keys.
    pub baby_steps: usize,
    /// Number of baby steps with keys of their own. The others reuse these keys, at the cost of one more key switch
    /// each. By default, and so in literals of earlier versions, all baby steps have keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyed_babies: Option<usize>,
    /// Per matrix: the number of baby steps, and how many of them have keys. Overrides the two numbers above. Empty by
    /// default, and so in literals of earlier versions: the two numbers then hold for all matrices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrix_babies: Vec<[usize; 2]>,
}

/// The secret of blocks, which has one coefficient of 1 in each block. Phases of few values are exponentiated under it
/// directly, as products over its blocks, in place of ModRaise, CoeffsToSlots and a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockSecretLiteral {
    /// Its dimension, a power of two that is at least the number of values.
    pub dimension: usize,
    /// Number of its blocks, a power of two.
    pub blocks: usize,
    /// log2 of the prime that ciphertexts are switched to.
    pub log2_prime: f64,
}

/// The numbers of a multiplexer tree over digits (BMT, CMT).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiplexerLiteral {
    /// Sizes of the digits, the least significant first; their product is the input modulus.
    pub digits: Vec<u64>,
    /// Number of digits that each selector joins, the least significant first. The last selector chooses columns of the
    /// table, the others choose rows.
    pub selectors: Vec<usize>,
    /// Number of times that deltas are cleaned by 3x² - 2x³.
    pub delta_cleanings: u32,
    /// Whether selectors are joined by the cleaning polynomial of AND. Always `false`: validation refuses `true`, which
    /// only literals of earlier versions may have.
    pub cleaning_and: bool,
    /// Levels for the entries of tables: 1 if entries are plaintexts or ciphertexts (tables of slots, encrypted
    /// tables), 0 if they are integers that all slots share.
    #[serde(default)]
    pub entry_levels: u32,
    /// Bits by which the scale of every selector stays below its last prime. Selectors have more precision than results
    /// need, and the matrices of SlotsToCoeffs use these bits for their entries. A selector of fewer entries adds less
    /// noise and spares more: one bit more for a quarter of the entries. 0 by default, and so in literals of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spare_bits: u32,
    /// Bits of the modulus of the table step, where its primes other than q_0 are smaller than the rest of the chain:
    /// the time for tables is proportional to these bits. 0 by default, and so in literals of earlier versions: all
    /// primes have the same size.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub table_bits: u32,
}

/// All choices that make up a parameter set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// Human-readable name: method, moduli, ring degree, slots.
    pub name: String,
    /// Claimed security, which is checked when the parameters are constructed.
    pub security: SecurityLevel,
    /// Ring degree N: 32,768, 65,536 or 131,072 for 128 bits.
    pub ring_degree: usize,
    /// Input modulus p of the tables.
    pub input_modulus: u64,
    /// Output modulus P of the tables.
    pub output_modulus: u64,
    /// Values per ciphertext, a power of two of at most N.
    pub slots: usize,
    /// log2 of the primes of the chain, and therefore of the scale.
    pub log2_scale: f64,
    /// log2 of the special primes.
    pub log2_special: f64,
    /// Key-switching digits (dnum) of the keys at the top of the chain: fewer are faster but need more special primes.
    pub dnum: usize,
    /// Relinearization keys: the number of limbs that each serves, and its key-switching digits. Products at fewer
    /// limbs need fewer special primes. Empty by default, and so in literals of earlier versions: the keys then follow
    /// from the chain alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relinearization: Vec<[usize; 2]>,
    /// Halvings of the trace to the subring of sparse slots that share a decomposition.
    #[serde(default, skip_serializing_if = "TraceHalvings::is_one")]
    pub trace_halvings: TraceHalvings,
    /// The division of CoeffsToSlots into matrices.
    pub coeffs_to_slots: DftLiteral,
    /// Whether the first matrix of CoeffsToSlots, or the first step of the trace, switches back from the encapsulated
    /// secret, by a key of one digit for every rotation. `false` by default, and so in literals of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raising_matrix: bool,
    /// The secret of blocks that phases are exponentiated under. None by default, and so in literals of earlier
    /// versions: phases are then raised. With a secret of blocks, the numbers of CoeffsToSlots and of the exponential
    /// are 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_secret: Option<BlockSecretLiteral>,
    /// The division of SlotsToCoeffs into matrices.
    pub slots_to_coeffs: DftLiteral,
    /// log2 of the number of Chebyshev coefficients of the exponential, including the omitted ones.
    pub chebyshev_log_length: u32,
    /// Number of Chebyshev coefficients that are omitted, counted from the last. 0 by default, and so in literals of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chebyshev_left_out: u32,
    /// log2 of the number of baby steps of the Chebyshev evaluation.
    pub chebyshev_log_babies: u32,
    /// Whether the Chebyshev evaluation has the least depth, without a level for its constants. `false` by default, and
    /// so in literals of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chebyshev_least_depth: bool,
    /// Number of doublings of the angle after the Chebyshev evaluation.
    pub doublings: u32,
    /// Number of doublings, counted from the last, that are cleaned of errors of modulus.
    #[serde(default)]
    pub exponential_cleanings: u32,
    /// The digits of a multiplexer tree. None for AKP.
    #[serde(default)]
    pub multiplexer: Option<MultiplexerLiteral>,
    /// Sizes of the digits that AKP processes one after the other, the least significant first. Their product is the
    /// input modulus, and tables are looked up at the last digit. Empty if AKP processes inputs as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub digits: Vec<u64>,
    /// Number of primes that products in slots consume. Where AKP processes digits and signs select values, the
    /// products of digits and signs drop them; formulas have one for each choice within another and one for constants.
    /// Elsewhere 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub selection_primes: usize,
    /// Number of groups by which results of formulas may be added up, a power of two. 0 if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub groups: usize,
    /// Number of derivatives of AKP's interpolation that vanish at its nodes.
    #[serde(default, skip_serializing_if = "HermiteOrder::is_first")]
    pub hermite_order: HermiteOrder,
    /// Largest difference of two outputs of a table, each by its representative in `[-P/2, P/2)`: the most that a jump
    /// of phase may amount to. By default P - 1, which every table keeps. Only for AKP without digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_range: Option<u64>,
    /// Whether outputs are complex: a real and an imaginary part, in two coefficients. For AKP without digits, with at
    /// most N/2 values; for trees, with exactly N/2 values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub complex_outputs: bool,
    /// Whether a tree computes everything between CoeffsToSlots and SlotsToCoeffs in a ring of N real slots, one value
    /// per slot. `false` by default, and so in literals of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub real_slots: bool,
    /// Key-switching digits (dnum) of the widest keys of the half ring, where tables of at most N/4 values are
    /// evaluated in a ring of half the degree. 0 by default, and so in literals of earlier versions: tables are then
    /// evaluated in the whole ring.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub half_digits: usize,
    /// Bits κ of hidden tables: results reveal nothing of a table but its outputs, up to a statistical distance of
    /// 2^-κ. None if tables are not hidden. Only for AKP of the first order without digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_bits: Option<u32>,
    /// log2 of the number of baby steps of the interpolation.
    pub log_babies: u32,
    /// Bits of the interpolation's constants, which remain part of the scale.
    pub constant_bits: f64,
    /// log2 of the modulus of the client's ciphertexts.
    pub log2_ciphertext_modulus: u32,
    /// Hamming weight of the encapsulated secret, or of each owner's share of it.
    pub sparse_weight: u32,
    /// Owners of the secret key. With several, the secret key and the encapsulated secret are the sums of the owners'.
    /// By default one.
    #[serde(default, skip_serializing_if = "Owners::is_one")]
    pub owners: Owners,
    /// log2 of the stated failure probability per value (not per ciphertext, which depends on the number of slots).
    pub log2_fail: f64,
}

/// Returns whether the count is zero, so that files omit it.
fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl ParametersLiteral {
    /// The parameters for hiding tables, if tables are hidden.
    pub(crate) fn hidden_tables(&self) -> Option<HiddenTables> {
        self.hidden_bits.map(|bits| HiddenTables::new(bits, self.input_modulus))
    }

    /// Mean square of the slots of the worst table: its outputs are 1/2 in both parts, or the largest numbers that hide
    /// outputs.
    pub(crate) fn worst_power(&self) -> SlotVariance {
        let largest = self.hidden_tables().map_or(0.5, HiddenTables::largest);
        SlotVariance(2.0 * largest * largest)
    }

    /// The share of the failure probability that the overflow bound may use: half.
    pub(crate) fn log2_fail_overflow(&self) -> f64 {
        self.log2_fail - 1.0 - self.log2_raises()
    }

    /// The secret that raised ciphertexts are encrypted under.
    pub(crate) fn encapsulated_secret(&self) -> EncapsulatedSecret {
        let Self { ring_degree: degree, sparse_weight: weight, owners, .. } = *self;
        EncapsulatedSecret { degree, weight, owners }
    }

    /// The layout of the secret of blocks in slots, if there is one.
    pub(crate) fn block_secret_shape(&self) -> Option<BlockSecretShape> {
        let block_secret = self.block_secret.as_ref()?;
        Some(BlockSecretShape {
            ring_degree: self.ring_degree,
            dimension: block_secret.dimension,
            blocks: block_secret.blocks,
            slots: self.slots,
            limbs: self.limbs(),
            log2_scale: self.log2_scale,
        })
    }

    /// The prime of the secret of blocks, if there is one.
    pub(crate) fn block_prime(&self) -> Option<u64> {
        let block_secret = self.block_secret.as_ref()?;
        Some(primes(self.ring_degree, block_secret.log2_prime, 1, &[])[0])
    }

    /// The product over blocks of the secret, if there is one, over the given chain of primes.
    pub(crate) fn block_product(&self, primes: &[f64]) -> Option<BlockProduct> {
        let (shape, prime) = (self.block_secret_shape()?, self.block_prime()?);
        let place = |slot| self.place_of_slot(slot);
        Some(BlockProduct::new(shape, primes, prime as f64, place))
    }

    /// log2 of the number of times that a value is raised: once, or once per digit.
    pub(crate) fn log2_raises(&self) -> f64 {
        let tree = self.multiplexer.as_ref().map_or(1, |multiplexer| multiplexer.digits.len());
        (tree.max(self.digits.len()) as f64).log2()
    }

    /// Number of nodes of AKP's interpolation: the size of the largest digit if there are digits.
    pub(crate) fn interpolated_modulus(&self) -> u64 {
        self.digits.iter().copied().max().unwrap_or(self.input_modulus)
    }

    /// Input modulus of tables: that of the last digit if AKP processes digits.
    pub(crate) fn table_modulus(&self) -> u64 {
        self.digits.last().copied().unwrap_or(self.input_modulus)
    }

    /// Coefficients of inputs that may hold values. Where a tree has complex outputs, inputs fill the first half of the
    /// ring, since imaginary parts of outputs need the other half.
    pub(crate) fn input_slots(&self) -> usize {
        let halves = if self.complex_outputs && self.multiplexer.is_some() { 2 } else { 1 };
        self.slots * halves
    }

    /// The coefficient of the value in a slot, or in the slot's real part: each half is in bit-reversed order.
    pub(crate) fn place_of_slot(&self, slot: usize) -> usize {
        let half = self.slots / 2;
        slot / half * half + ((slot % half).reverse_bits() >> (usize::BITS - half.ilog2()))
    }

    /// Number of tables of real numbers that make one output: two if outputs are complex.
    pub(crate) fn tables_of_output(&self) -> usize {
        if self.complex_outputs { 2 } else { 1 }
    }

    /// Number of coefficients of a result that hold values.
    pub(crate) fn output_slots(&self) -> usize {
        self.slots * self.tables_of_output()
    }

    /// Largest difference of two outputs of a table.
    pub(crate) fn output_range(&self) -> u64 {
        self.output_range.unwrap_or(self.output_modulus - 1)
    }

    /// Bound on the difference of two outputs, as a fraction of the output modulus.
    pub(crate) fn output_width(&self) -> f64 {
        self.output_range.map_or(1.0, |range| range as f64 / self.output_modulus as f64)
    }

    /// Noise of a coefficient after the switch to q_0 = `scale`. The noise `input` is a fraction of the client's
    /// modulus.
    pub(crate) fn input_noise(&self, scale: f64, input: NoiseLaw) -> NoiseLaw {
        let rounding = NoiseLaw::gaussian(self.mean_rounding_variance());
        input.times(scale).with_independent(rounding)
    }

    /// A bound on the noise of coefficients, for noise of slots that `count` slots distribute over `count`
    /// coefficients.
    pub(crate) fn coefficient_bound(&self, noise: SlotNoise, count: usize) -> NoiseBound {
        let share = 1.0 / (count as f64).sqrt();
        let law = self.slot_law(noise).times(share);
        NoiseBound::of_law(law, noise.bound * share)
    }

    /// The law of a slot's noise, without the errors that the table and the inputs determine.
    pub(crate) fn slot_law(&self, noise: SlotNoise) -> NoiseLaw {
        let copies = self.limbs_in_slots(self.ring_degree) / self.noise_coefficients();
        noise.law(self.owners.embedding_limit(self.ring_degree), copies)
    }

    /// Number of coefficients whose noise reaches results. Values of sparse ciphertexts are real numbers, one per slot.
    pub(crate) fn noise_coefficients(&self) -> usize {
        self.ring_degree.min(2 * self.slots)
    }

    /// Noise of a ciphertext that a secret key encrypts, for values of this modulus. No ciphertext has less.
    pub(crate) fn fresh_noise(&self, modulus: u64) -> NoiseBound {
        NoiseBound::fresh(f64::from(self.log2_ciphertext_modulus).exp2(), modulus)
    }

    /// Noise of a ciphertext that a public key with primes q_0 and p_0 encrypts, for values of this modulus: the
    /// roundings to q_0 and to the ciphertext modulus, and the error of the key over p_0.
    pub(crate) fn public_noise(&self, modulus: u64, [bottom, special]: [f64; 2]) -> NoiseBound {
        let (degree, whole) = (self.ring_degree, f64::from(self.log2_ciphertext_modulus).exp2());
        let error = self.owners.public_error_variance(degree) / (bottom * special).powi(2);
        let units = 1.0 / (whole * whole) + 1.0 / (bottom * bottom);
        let roundings = self.owners.rounding_variance(degree) * units;
        NoiseBound::of_law(NoiseLaw::gaussian(roundings + error), 0.0)
            + NoiseBound::encoding(whole, modulus)
    }

    /// Noise of inputs of lookups, for values of this modulus. The secret key encrypts them, or the public key where no
    /// owner has the whole secret.
    pub(crate) fn noise_of_inputs(&self, modulus: u64, bottom: [f64; 2]) -> NoiseBound {
        if self.owners.is_one() {
            self.fresh_noise(modulus)
        } else {
            self.public_noise(modulus, bottom)
        }
    }

    /// Variance that the rounding to the client's modulus adds to a result's coefficient, as a fraction of that modulus
    /// squared.
    pub(crate) fn output_rounding(&self) -> f64 {
        self.mean_rounding_variance() / (2.0 * f64::from(self.log2_ciphertext_modulus)).exp2()
    }

    /// Variance of a phase after both halves of a ciphertext were rounded to integers.
    pub(crate) fn mean_rounding_variance(&self) -> f64 {
        self.owners.mean_rounding_variance(self.ring_degree)
    }

    /// The table that amplifies noise most: the largest output at 0 and the least elsewhere; 1/2 and -1/2 if no range
    /// of outputs is stated.
    pub(crate) fn worst_table(&self) -> Table {
        let range = self.output_range();
        self.table_from(self.least_output(), |x| if x == 0 { range } else { 0 })
    }

    /// The least output, modulo P, of tables whose range is centred at 0.
    fn least_output(&self) -> u64 {
        self.output_modulus - self.output_range().div_ceil(2)
    }

    /// The table of `least + f(x)`.
    fn table_from(&self, least: u64, f: impl Fn(u64) -> u64) -> Table {
        let modulus = self.output_modulus;
        Table::from_fn(self.input_modulus, modulus, |x| (least + f(x)) % modulus)
            .expect("moduli are validated before")
    }

    /// A table that looks random within the range of outputs, for which typical noise is predicted.
    pub(crate) fn typical_table(&self) -> Table {
        // The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
        let mix = |x: u64| {
            let x = (x + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            x ^ (x >> 31)
        };
        let least = self.output_range.map_or(0, |_| self.least_output());
        self.table_from(least, |x| mix(x) % (self.output_range() + 1))
    }
}
