//! The division of a literal's chain of primes into steps, and the shapes of its keys.

use std::ops::Range;

use cryptable_ckks::bootstrapping::block_product::BlockProduct;
use cryptable_ckks::bootstrapping::exponential::{ExponentialShape, PhaseFunction};
use cryptable_ckks::bootstrapping::homomorphic_dft::key_shape;
use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::cleaning::H1_LEVELS;
use cryptable_ckks::dry_run::{DryRunParameters, PlannedChain, PlannedInner};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::{Owners, SwitchingKeyShape};
use cryptable_ring::{Basis, SharedLimbs};

use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::multiplexer::{kronecker_deltas, kronecker_product};
use crate::parameters::kept_primes::primes;

/// Number of blocks of formulas' series that are held at once: those of 16 tables of 8 bits, half a gigabyte. In
/// processor time on a loaded Zen 5, a table takes 0.14 s alone, and 0.11, 0.073, 0.055 and 0.042 s per table with 2,
/// 4, 8 and 16.
const BLOCKS_AT_ONCE: usize = 64;

/// log2 of the scale of the plaintexts by which real slots are entered and left. At this scale, roundings change slots
/// by some 2^-25 of themselves.
const LOG2_CROSSING_SCALE: f64 = 32.0;

impl ParametersLiteral {
    /// Limbs of the whole chain.
    pub(crate) fn limbs(&self) -> usize {
        let start = match &self.block_secret {
            Some(secret) => BlockProduct::levels(secret.blocks),
            None => self.exponential_shape().levels() + self.coeffs_to_slots.primes,
        };
        self.exponential_limbs() + start
    }

    /// Whether slots are computed in an inner ring before SlotsToCoeffs: real ones, or those of the half ring.
    pub(crate) fn has_inner_ring(&self) -> bool {
        self.real_slots || self.half_digits > 0
    }

    /// Calls `f` with the arithmetic of the slots that tables are evaluated in.
    pub(crate) fn in_slots<A: Arithmetic, T>(&self, arithmetic: &A, f: impl FnOnce(&A) -> T) -> T {
        if self.has_inner_ring() { f(&arithmetic.over_inner()) } else { f(arithmetic) }
    }

    /// Converts a number of limbs of the ring that tables are evaluated in to limbs of the whole ring.
    pub(crate) fn limbs_in_slots(&self, limbs: usize) -> usize {
        if self.half_digits > 0 { limbs.div_ceil(2) } else { limbs }
    }

    /// Limbs at which real slots are entered: the way in uses the last prime of CoeffsToSlots.
    pub(crate) fn entry_limbs(&self) -> usize {
        self.product_limbs() + 1
    }

    /// The degree of the field whose roots of unity all primes must have: twice the ring degree with real slots.
    pub(crate) fn field_degree(&self) -> usize {
        if self.real_slots { 2 * self.ring_degree } else { self.ring_degree }
    }

    /// Scale of the plaintexts on the ways to real slots and back, or 1 if there are no real slots.
    pub(crate) fn crossing_scale(&self) -> f64 {
        if self.real_slots { LOG2_CROSSING_SCALE.exp2() } else { 1.0 }
    }

    /// Limbs that the widest switching keys serve: all limbs except the one of the sums over blocks, which need no key
    /// switch.
    pub(crate) fn switched_limbs(&self) -> usize {
        self.limbs() - usize::from(self.block_secret.is_some())
    }

    /// Limbs below CoeffsToSlots or the sums over blocks, where products of ciphertexts begin.
    pub(crate) fn product_limbs(&self) -> usize {
        self.switched_limbs() - self.coeffs_to_slots.primes
    }

    /// Limbs of exponentials, where the table's part begins.
    pub(crate) fn exponential_limbs(&self) -> usize {
        let table = match &self.multiplexer {
            Some(multiplexer) => multiplexer.levels(),
            None => self.interpolation_levels(),
        };
        self.output_limbs() + self.selection_primes + table
    }

    /// Limbs of outputs in slots: those of SlotsToCoeffs, and q_0.
    pub(crate) fn output_limbs(&self) -> usize {
        1 + self.slots_to_coeffs.primes
    }

    /// The sizes of the exponential.
    pub(crate) fn exponential_shape(&self) -> ExponentialShape {
        ExponentialShape {
            doublings: self.doublings,
            cleanings: self.exponential_cleanings,
            log_length: self.chebyshev_log_length,
            left_out: self.chebyshev_left_out,
            log_babies: self.chebyshev_log_babies,
            least_depth: self.chebyshev_least_depth,
        }
    }

    /// Whether AKP evaluates its tables on the cosine: tables of two entries, with the interpolation of the first
    /// order.
    pub(crate) fn is_cosine_table(&self) -> bool {
        self.interpolated_modulus() == 2
            && self.hermite_order.is_first()
            && self.hidden_bits.is_none()
    }

    /// The function of the phase that tables are evaluated on: bits need the cosine only.
    pub(crate) fn phase_function(&self) -> PhaseFunction {
        let bits = match &self.multiplexer {
            Some(multiplexer) => multiplexer.is_binary(),
            None => self.is_cosine_table(),
        };
        match (bits, self.real_slots) {
            (true, _) => PhaseFunction::Cosine,
            (false, true) => PhaseFunction::Parts,
            (false, false) => PhaseFunction::Exponential,
        }
    }

    /// Limbs of the table step of a tree.
    pub(crate) fn table_limbs(&self) -> usize {
        let rows = self.multiplexer.as_ref().map_or(0, |tree| tree.row_sizes().len());
        self.output_limbs() + rows
    }

    /// The range and log2 of the primes that are smaller than the rest of the chain: those of the table step except
    /// q_0.
    pub(crate) fn narrow_primes(&self) -> Option<(Range<usize>, f64)> {
        let bits = self.multiplexer.as_ref().map_or(0, |tree| tree.table_bits);
        let primes = 1..self.table_limbs();
        let log2 = (f64::from(bits) - self.log2_scale) / primes.len() as f64;
        (bits > 0).then_some((primes, log2))
    }

    /// log2 of the primes of the table step, from the bottom up.
    pub(crate) fn log2_table_primes(&self) -> Vec<f64> {
        let mut primes = vec![self.log2_scale; self.table_limbs()];
        if let Some((narrow, log2)) = self.narrow_primes() {
            primes[narrow].fill(log2);
        }
        primes
    }

    /// The primes of the chain, from the bottom up.
    pub(crate) fn main_primes(&self) -> Vec<u64> {
        let degree = self.field_degree();
        let mut chain = primes(degree, self.log2_scale, self.limbs(), &[]);
        if let Some((narrow, log2_narrow)) = self.narrow_primes() {
            let smaller = primes(degree, log2_narrow, narrow.len(), &chain);
            chain.splice(narrow, smaller);
        }
        chain
    }

    /// Levels of AKP's interpolation: those of its coefficients, or none for a cosine.
    pub(crate) fn interpolation_levels(&self) -> usize {
        if self.is_cosine_table() {
            return 0;
        }
        let coefficients = self.hermite_order.coefficients(self.interpolated_modulus() as usize);
        // Hidden tables multiply all powers of the exponential in one last product.
        let last = usize::from(self.hidden_bits.is_some());
        coefficients.next_power_of_two().trailing_zeros() as usize + last
    }

    /// Number of tables of one exponential that formulas evaluate together, so that each step is read once for the
    /// blocks of all.
    pub(crate) fn tables_at_once(&self) -> usize {
        let log_blocks = self.interpolation_levels().saturating_sub(self.log_babies as usize);
        (BLOCKS_AT_ONCE >> log_blocks).max(1)
    }

    /// Shape of the keys of CoeffsToSlots.
    pub(crate) fn transform_shape(&self, limbs: usize) -> SwitchingKeyShape {
        key_shape(limbs, self.dnum, self.log2_scale, self.log2_special)
    }

    /// Shape of the keys of SlotsToCoeffs: one digit, if the special primes of the keys at the top are enough for it.
    pub(crate) fn low_transform_shape(&self, limbs: usize) -> SwitchingKeyShape {
        self.shape_of_fewest_digits(limbs, 1)
    }

    /// Shape of keys with the fewest digits, but at least `least`, that need no more special primes than the keys at
    /// the top.
    fn shape_of_fewest_digits(&self, limbs: usize, least: usize) -> SwitchingKeyShape {
        let special = self.special_primes();
        (least..=limbs)
            .map(|digits| key_shape(limbs, digits, self.log2_scale, self.log2_special))
            .find(|shape| shape.basis.special <= special)
            .expect("single limbs need two special primes at most")
    }

    /// Shape of relinearization keys with `least` digits or more. Keys that several owners make in two rounds have
    /// errors larger by some `√N`; one special prime more than their digits need makes these vanish.
    fn relinearization_shape(&self, limbs: usize, least: usize) -> SwitchingKeyShape {
        if self.owners.is_one() {
            return self.shape_of_fewest_digits(limbs, least);
        }
        let shapes = (least..=limbs).map(|digits| {
            let shape = key_shape(limbs, digits, self.log2_scale, self.log2_special);
            SwitchingKeyShape { basis: Basis::new(limbs, shape.basis.special + 1), ..shape }
        });
        let special = self.special_primes();
        let narrowest = shapes.clone().min_by_key(|shape| shape.basis.special);
        let fewest = shapes.clone().find(|shape| shape.basis.special <= special);
        fewest.or(narrowest).expect("no more digits than limbs are asked for")
    }

    /// Shapes of relinearization keys: those that the literal states, or by default those that follow from the chain.
    pub(crate) fn relinearization_shapes(&self) -> Vec<SwitchingKeyShape> {
        let stated = self
            .relinearization
            .iter()
            .map(|&[limbs, digits]| key_shape(limbs, digits, self.log2_scale, self.log2_special));
        if self.relinearization.is_empty() { self.product_shapes() } else { stated.collect() }
    }

    /// Shapes of keys for ciphertexts of products: one for the exponential, others for the steps below it.
    pub(crate) fn product_shapes(&self) -> Vec<SwitchingKeyShape> {
        let shape = |limbs, least| self.relinearization_shape(limbs, least);
        let top = self.product_limbs();
        let middle = self.exponential_limbs();
        let mut shapes = vec![match self.owners {
            Owners::ONE => self.transform_shape(top),
            _ => shape(top, self.dnum.min(top)),
        }];
        if let Some(multiplexer) = &self.multiplexer {
            if middle > 6 {
                shapes.push(shape(middle, 2));
            }
            // Products of selectors, and the tree: many at few limbs.
            let deltas = self.output_limbs() + multiplexer.levels_below_deltas();
            shapes.push(shape(deltas, if deltas > 6 { 2 } else { 1 }));
        } else if middle >= 8 {
            shapes.push(shape(middle, 2));
        }
        shapes
    }

    /// The special primes that all keys together need.
    pub(crate) fn special_primes(&self) -> usize {
        self.transform_shape(self.switched_limbs()).basis.special
    }

    /// The widest basis of any key: what security is checked for.
    pub(crate) fn widest_basis(&self) -> Basis {
        let special = self.relinearization_shapes().into_iter().map(|s| s.basis.special).max();
        let special = special.unwrap_or(0).max(self.special_primes());
        Basis::new(self.limbs(), special)
    }

    /// An upper bound on log2 of the product of all primes, before they are found.
    pub(crate) fn log2_modulus_bound(&self) -> f64 {
        let special = self.widest_basis().special as f64;
        // If the topmost prime has no switching keys, nothing is encrypted modulo all primes and special primes.
        let of_chain = self.switched_limbs() as f64 * self.log2_scale;
        let lost = self
            .narrow_primes()
            .map_or(0.0, |(narrow, log2)| narrow.len() as f64 * (self.log2_scale - log2));
        of_chain - lost + special * self.log2_special + 0.5
    }

    /// Requests the keys of ModRaise, if phases are raised.
    pub(crate) fn request_raising(&self, dry_run: &DryRun) {
        if self.block_secret.is_none() {
            let requests = mod_raise::key_requests(SharedLimbs::NONE, Basis::main(self.limbs()));
            requests.into_iter().for_each(|request| dry_run.request(request));
        }
    }

    /// Shape of the widest keys of the half ring, by which exponentials enter it.
    pub(crate) fn widest_half_shape(&self) -> SwitchingKeyShape {
        let limbs = self.exponential_limbs();
        key_shape(limbs, self.half_digits, self.log2_scale, self.log2_special)
    }

    /// Shapes of all keys of the half ring: those of fewer limbs have as few digits as a modulus no wider than the widest admits.
    pub(crate) fn half_shapes(&self) -> Vec<SwitchingKeyShape> {
        let bits = |shape: SwitchingKeyShape| {
            let Basis { main, special, .. } = shape.basis;
            main as f64 * self.log2_scale + special as f64 * self.log2_special
        };
        let widest = self.widest_half_shape();
        let most = self.special_primes();
        let shape = |limbs| {
            let all = (1..=limbs)
                .map(|digits| key_shape(limbs, digits, self.log2_scale, self.log2_special));
            let mut fit = all.filter(|&it| it.basis.special <= most && bits(it) <= bits(widest));
            fit.next().expect("digits of as many limbs as the widest have fit")
        };
        let tree = self.multiplexer.as_ref();
        let deltas = tree.map(|tree| shape(self.output_limbs() + tree.levels_below_deltas()));
        let deltas = deltas.filter(|it| it.basis.main < widest.basis.main);
        [widest].into_iter().chain(deltas).collect()
    }

    /// Returns a dry run over the given chain of primes.
    pub(crate) fn dry_run(&self, primes: &[f64]) -> DryRun {
        let inner = match (self.real_slots, self.half_digits) {
            (true, _) => Some(PlannedInner::Real(self.crossing_scale())),
            (false, 1..) => Some(PlannedInner::Half(self.half_shapes())),
            (false, 0) => None,
        };
        DryRun::new(self.dry_run_parameters(primes)).with_inner(inner)
    }

    /// Returns the parameters of a dry run.
    pub(crate) fn dry_run_parameters(&self, primes: &[f64]) -> DryRunParameters {
        let relinearization = self.relinearization_shapes();
        let mut automorphism: Vec<SwitchingKeyShape> = match self.block_secret {
            // One key per rotation of copies, no wider than it is used.
            Some(_) => (self.exponential_limbs() + 1..=self.product_limbs())
                .map(|limbs| self.shape_of_fewest_digits(limbs, 1))
                .collect(),
            None => vec![key_shape(self.limbs(), self.dnum, self.log2_scale, self.log2_special)],
        };
        let shared = if self.multiplexer.is_some() { usize::MAX } else { 1 };
        automorphism.extend(self.product_shapes().into_iter().take(shared));
        if self.real_slots {
            automorphism.push(self.transform_shape(self.entry_limbs()));
        }
        let bottom = self.output_limbs() + self.selection_primes;
        automorphism.push(self.low_transform_shape(bottom));
        DryRunParameters {
            degree: self.ring_degree,
            noise_coefficients: self.noise_coefficients(),
            chains: vec![PlannedChain::new(primes)],
            relinearization,
            automorphism,
            log2_special: self.log2_special,
            owners: self.owners,
        }
    }
}

impl MultiplexerLiteral {
    /// Whether all digits are bits: BMT, for which the cosine of the phase is enough.
    pub(crate) fn is_binary(&self) -> bool {
        self.digits.iter().all(|&digit| digit == 2)
    }

    /// Number of columns: the values of all digits of the last selector.
    pub(crate) fn columns(&self) -> usize {
        let last = self.selectors.last().map_or(0, |&digits| digits);
        self.digits[self.digits.len() - last..].iter().product::<u64>() as usize
    }

    /// Entries of every row selector, the least significant first.
    pub(crate) fn row_sizes(&self) -> Vec<usize> {
        let mut digits = self.digits.iter();
        let rows = &self.selectors[..self.selectors.len() - 1];
        rows.iter().map(|&count| digits.by_ref().take(count).product::<u64>() as usize).collect()
    }

    /// Returns the levels above the outputs at which a selector is used: the tree descends one level per row selector,
    /// and columns meet the first of them, after the level of the entries if there is one.
    fn selector_levels(&self, selector: usize) -> usize {
        let rows = self.selectors.len() - 1;
        if selector == rows { rows + self.entry_levels as usize } else { rows - selector }
    }

    /// Levels above the outputs that the cleaned deltas of a digit have: those of its selector, and those of the
    /// products that make the selector.
    pub(crate) fn delta_levels(&self, digit: usize) -> usize {
        let (selector, _) = self.selector_of(digit);
        self.selector_levels(selector) + kronecker_product::levels(self.selectors[selector])
    }

    /// The selector of a digit, and the digit's index within that selector.
    fn selector_of(&self, digit: usize) -> (usize, usize) {
        let mut place = digit;
        for (selector, &count) in self.selectors.iter().enumerate() {
            if place < count {
                return (selector, place);
            }
            place -= count;
        }
        panic!("digit {digit} belongs to no selector");
    }

    /// Whether selectors may spare bits: digits have more than two values, deltas are not cleaned, and entries have no
    /// level.
    pub(crate) fn may_spare_bits(&self) -> bool {
        !self.digits.contains(&2) && self.delta_cleanings == 0 && self.entry_levels == 0
    }

    /// Bits by which the scale of the deltas of a digit stays below their last prime. The first digit of a selector
    /// spares all of the selector's bits.
    pub(crate) fn spare_bits_of(&self, digit: usize) -> f64 {
        match self.selector_of(digit) {
            (selector, 0) => self.spare_bits_of_selectors().swap_remove(selector),
            _ => 0.0,
        }
    }

    /// Bits that each selector spares, chosen so that all selectors add equal noise: one bit more with a quarter of the
    /// entries.
    pub(crate) fn spare_bits_of_selectors(&self) -> Vec<f64> {
        let sizes = self.row_sizes().into_iter().chain([self.columns()]);
        let bits: Vec<f64> = sizes.map(|size| (size as f64).log2()).collect();
        let most = bits.iter().copied().fold(0.0, f64::max);
        let spare = |bits: f64| match self.spare_bits {
            0 => 0.0,
            spare => f64::from(spare) + (most - bits) / 2.0,
        };
        bits.into_iter().map(spare).collect()
    }

    /// The largest number of levels above the outputs that any cleaned delta has.
    pub(crate) fn levels_below_deltas(&self) -> usize {
        (0..self.digits.len()).map(|digit| self.delta_levels(digit)).max().unwrap_or(0)
    }

    /// Levels from the exponential to the outputs.
    pub(crate) fn levels(&self) -> usize {
        let deltas = self.digits.iter().map(|&p| kronecker_deltas::levels(p)).max().unwrap_or(0);
        self.levels_below_deltas() + H1_LEVELS * self.delta_cleanings as usize + deltas
    }
}
