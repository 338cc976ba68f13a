//! Parameters of a table: the plan of its bootstrapping, and the layouts of keys below the largest moduli of 128 bits.

use anyhow::{Context, Result, ensure};
use poulpy_ckks::layouts::{
    BootstrappingKeysLayout, BootstrappingPlan, CKKSPlaintextOwned, EncapsulationKeysLayout,
    EncodedLut, EvalModPlan,
};
use poulpy_ckks::polynomial::SplitStrategy;
use poulpy_ckks::prelude::*;
use poulpy_ckks::presets::bootstrapping::{n16_d35_k685_p19_s2c_ffr_ci, n16_d35_k733_p20_s2c};
use poulpy_ckks::presets::first_factor::{
    first_factor_diagonal_growth, first_factor_small_bits, first_factor_work,
};
use poulpy_core::layouts::{
    Degree, GGLWELayout, GLWELayout, GLWESwitchingKeyLayout, LWEInfos, Rank, TorusPrecision,
};
use poulpy_hal::layouts::{HostBytesBackend, MaxBase2k, Module};

pub const LOG_DEGREE: usize = 16;
pub const SLOTS: usize = 1 << (LOG_DEGREE - 1);

/// The complex exponential of the library's tests: its degree, the largest multiple of the modulus, and halvings of angles.
const EXPONENTIAL: (usize, usize, usize) = (31, 16, 3);
const EXPONENTIAL_SCALE: usize = 50;
/// Scale and integer bits of the constants of polynomials, a limb together.
const CONSTANTS: (usize, usize) = (43, 9);

/// Failures of a radix, as minus the binary logarithm, for which the library's presets are taken.
const RADIX_FAILURE: usize = 128;

/// Bits that a key keeps between its modulus and the input with one digit, as in the library's presets.
const KEY_MARGIN: usize = 2;

pub struct Parameters {
    pub plan: BootstrappingPlan,
    pub keys: BootstrappingKeysLayout,
    /// Bits of a limb.
    pub radix: usize,
    pub dense_weight: usize,
    pub input_bits: usize,
    pub raised_bits: usize,
    scale: usize,
}

impl Parameters {
    /// Parameters for a table, and the encoded table. `raising` takes the transforms of the preset that applies the first
    /// matrix while it raises the modulus.
    pub fn of_table<Engine: MaxBase2k>(
        host: &Module<HostBytesBackend>,
        table: &[f64],
        scale: usize,
        raising: bool,
    ) -> Result<(Self, EncodedLut<CKKSPlaintextOwned<HostBytesBackend>>)> {
        let preset = if raising { n16_d35_k685_p19_s2c_ffr_ci()? } else { n16_d35_k733_p20_s2c()? };
        let radix = preset.max_backend_base2k::<Engine, Engine>(RADIX_FAILURE).min(preset.base2k());
        let constants = CoeffsMeta::from_delta_budget(CONSTANTS.0, CONSTANTS.1);
        let (degree, interval, halvings) = EXPONENTIAL;
        let lut = if let [first, second] = *table {
            let strategy = SplitStrategy::MinDepth;
            EncodedLut::binary(
                host,
                first,
                second,
                degree,
                interval,
                halvings,
                radix.into(),
                constants,
                strategy,
            )?
        } else {
            EncodedLut::general(host, table, radix.into(), constants, SplitStrategy::MinDepth)?
        };
        let exponential = EvalModPlan::complex_exponential(
            degree,
            interval,
            halvings,
            SplitStrategy::MinDepth,
            constants,
            EXPONENTIAL_SCALE,
        );
        let of_preset = preset.plan();
        let plan = BootstrappingPlan::new(
            of_preset.pipeline(),
            of_preset.techniques().clone(),
            of_preset.coeffs_to_slots().clone(),
            exponential,
            of_preset.slots_to_coeffs().clone(),
        )?
        .with_c2s_guard_bits(of_preset.c2s_guard_bits())?
        .with_functional_bootstrap(&lut)?;
        let modulus_bits = scale + lut.log_msg_ratio();
        let input_bits = plan.input_k(modulus_bits);
        let raised_bits = plan.functional_bootstrap_k(input_bits, scale, &lut)?;
        let limits = Limits {
            radix,
            dense: preset.max_dense_modulus(),
            sparse: preset.max_sparse_modulus(),
        };
        ensure!(
            raised_bits <= limits.dense,
            "a modulus of {raised_bits} bits has less than 128 bits of security"
        );
        let keys = limits.keys(&plan, input_bits, raised_bits, scale)?;
        let dense_weight = preset.dense_secret_hamming_weight();
        Ok((Self { plan, keys, radix, dense_weight, input_bits, raised_bits, scale }, lut))
    }

    pub fn layout(&self, bits: usize) -> CKKSLayout {
        layout(self.radix, self.scale, bits)
    }

    /// Layout of constants of the exponential.
    pub fn constants(&self) -> CKKSLayout {
        layout(self.radix, CONSTANTS.0, CONSTANTS.0 + CONSTANTS.1)
    }

    /// Layouts of the keys that switch to the sparse secret and back; every diagonal of a first matrix that raises has one.
    pub fn switching_keys(&self) -> impl Iterator<Item = GLWESwitchingKeyLayout> {
        let encapsulation = self.keys.encapsulation.iter();
        let encapsulation =
            encapsulation.flat_map(|keys| [Some(keys.dense_to_sparse), keys.sparse_to_dense]);
        let rotations = self.plan.coeffs_to_slots().first_factor_rotations(LOG_DEGREE);
        let first =
            self.keys.first_factor_key.iter().flat_map(move |key| vec![*key; rotations.len()]);
        encapsulation.flatten().chain(first)
    }

    /// Bits of the largest modulus that anything has.
    pub fn largest_modulus(&self) -> usize {
        let rotations = self.keys.rotation_keys.values().map(|key| key.k());
        let keys = rotations
            .chain(self.switching_keys().map(|key| key.k()))
            .chain([self.keys.tensor_key.k()]);
        keys.map(|bits| bits.as_usize()).max().unwrap_or(0).max(self.raised_bits)
    }
}

fn layout(radix: usize, scale: usize, bits: usize) -> CKKSLayout {
    CKKSLayout {
        glwe_layout: GLWELayout {
            n: Degree(1 << LOG_DEGREE),
            base2k: radix.into(),
            k: bits.into(),
            rank: Rank(1),
        },
        meta: GLWEPlaintextMeta {
            scale: Scale::Log(scale),
            slots: SlotsKind::Complex,
            log_sparsity: 0,
        },
    }
}

/// Bits of a limb, and the largest moduli of 128 bits under the dense and the sparse secret.
struct Limits {
    radix: usize,
    dense: usize,
    sparse: usize,
}

impl Limits {
    fn keys(
        &self,
        plan: &BootstrappingPlan,
        input_bits: usize,
        raised_bits: usize,
        scale: usize,
    ) -> Result<BootstrappingKeysLayout> {
        let widths = plan.key_widths(LOG_DEGREE, raised_bits, input_bits, scale);
        let rotations = widths.rotation_keys.into_iter();
        let rotations =
            rotations.map(|(element, bits)| Ok((element, self.key(bits, self.dense)?.into())));
        let modulus_bits = input_bits - plan.pre_mod_up_consumed_bits();
        let window = plan.raised_window(modulus_bits);
        let raising = plan.coeffs_to_slots().first_factor_on_raise();
        let first =
            raising.then(|| self.first_matrix_key(plan, window, raised_bits)).transpose()?;
        let back = (!raising).then(|| self.raising_key(window, raised_bits)).transpose()?;
        Ok(BootstrappingKeysLayout {
            rotation_keys: rotations.collect::<Result<_>>()?,
            tensor_key: self.key(widths.tensor_key, self.dense)?.into(),
            encapsulation: Some(EncapsulationKeysLayout {
                dense_to_sparse: self.of_digits(modulus_bits, self.radix, self.sparse)?.into(),
                sparse_to_dense: back.map(Into::into),
            }),
            first_factor_key: first.map(Into::into),
            conversion_keys: None,
        })
    }

    /// The key of fewest digits that fits a modulus of `limit` bits, and of these the one of the smallest digits.
    fn key(&self, input_bits: usize, limit: usize) -> Result<GGLWELayout> {
        let digits = (1..=input_bits.div_ceil(self.radix)).map(|limbs| limbs * self.radix);
        let fitting = digits.filter(|&digit| self.of_digits(input_bits, digit, limit).is_ok());
        let digit = fitting.min_by_key(|&digit| (input_bits.div_ceil(digit), digit));
        self.of_digits(input_bits, digit.unwrap_or(self.radix), limit)
    }

    /// The key that raises: its rows end at the raised width, and cover `window` bits.
    fn raising_key(&self, window: usize, raised_bits: usize) -> Result<GGLWELayout> {
        let of_digit = |digit: usize| -> Result<GGLWELayout> {
            let covered = window.div_ceil(digit) * digit;
            let offset = raised_bits
                .checked_sub(covered)
                .context("digits of the raising key are too wide")?;
            let key = self.of_digits(covered, digit, self.dense.saturating_sub(offset))?;
            Ok(GGLWELayout { k_offset: TorusPrecision(offset as u32), ..key })
        };
        let digits = (1..=window.div_ceil(self.radix)).map(|limbs| limbs * self.radix);
        let fitting = digits.filter(|&digit| of_digit(digit).is_ok());
        of_digit(fitting.min_by_key(|&digit| (window.div_ceil(digit), digit)).unwrap_or(self.radix))
    }

    /// The key of a diagonal of the first matrix, where that is applied while the modulus is raised.
    fn first_matrix_key(
        &self,
        plan: &BootstrappingPlan,
        window: usize,
        raised_bits: usize,
    ) -> Result<GGLWELayout> {
        let (limbs, _) = first_factor_work(self.radix, raised_bits);
        let growth =
            first_factor_diagonal_growth(self.radix, &plan.coeffs_to_slots().coeffs_meta());
        let bits = first_factor_small_bits(self.radix, LOG_DEGREE, raised_bits, window, growth);
        let covered = bits.div_ceil(self.radix) * self.radix;
        let offset = (limbs * self.radix)
            .checked_sub(covered)
            .context("terms of the first matrix are too wide")?;
        let key = self.key(covered, self.dense.saturating_sub(offset))?;
        Ok(GGLWELayout { k_offset: TorusPrecision(offset as u32), ..key })
    }

    /// A key for inputs of `input_bits` in digits of `digit` bits, with what the limit leaves of a digit as guard.
    fn of_digits(&self, input_bits: usize, digit: usize, limit: usize) -> Result<GGLWELayout> {
        let rows = GGLWELayout::dnum_for_input(
            TorusPrecision(input_bits as u32),
            TorusPrecision(digit as u32),
        );
        let covered = rows.as_usize() * digit;
        let guard = (digit + LOG_DEGREE).min(limit.saturating_sub(covered));
        let fits = guard >= digit && covered + guard >= input_bits + digit + KEY_MARGIN;
        ensure!(
            fits,
            "a key of digits of {digit} bits for {input_bits} bits does not fit {limit} bits"
        );
        Ok(GGLWELayout {
            n: Degree(1 << LOG_DEGREE),
            base2k: self.radix.into(),
            dnum: rows,
            k_aux: TorusPrecision(guard as u32),
            rank_in: Rank(1),
            rank_out: Rank(1),
            k_digit: TorusPrecision(digit as u32),
            k_offset: TorusPrecision(0),
            stride: 1,
        })
    }
}
