//! All numbers of a parameter set.

use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_ckks::dry_run::{DryRunParameters, PlannedChain};
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_lattice::{Owners, SecurityLevel, SwitchingKeyShape};
use cryptable_ring::Basis;
use serde::{Deserialize, Serialize};

/// Index of the chain in which CoeffsToSlots runs.
pub(crate) const RAISED: usize = 1;

/// Parameters of bootstrapping: SlotsToCoeffs, ModRaise, CoeffsToSlots and an odd function of period 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrappingLiteral {
    /// log2 of q_0 over the largest real or imaginary part of a bootstrapped slot.
    pub log2_range: f64,
    /// SlotsToCoeffs.
    pub slots_to_coeffs: TransformLiteral,
    /// The complex exponential of phases.
    // Files and literals of earlier versions use this name.
    #[serde(rename = "wave")]
    pub exponential: ExponentialLiteral,
    /// log2 of the primes of the products that compute an odd function from the exponential, the last one used first:
    /// one for a function of two sines, two for three.
    pub sines: Vec<f64>,
    /// log2 of the prime of the product that joins both parts of fewer slots than N/2, which share one exponential.
    /// Empty if slots fill the ring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joining: Vec<f64>,
    /// Number of halvings of the trace to the subring of sparse slots that share a decomposition.
    #[serde(default, skip_serializing_if = "TraceHalvings::is_one")]
    pub trace_halvings: TraceHalvings,
    /// CoeffsToSlots.
    pub coeffs_to_slots: TransformLiteral,
    /// Limbs per digit of keys of the chain in which CoeffsToSlots runs.
    pub raised_digit_limbs: usize,
    /// Hamming weight of the encapsulated secret.
    pub sparse_weight: u32,
    /// log2 of the probability per slot that the overflow of ModRaise leaves the interval of the exponential.
    pub log2_fail: f64,
}

impl BootstrappingLiteral {
    /// The secret of raised ciphertexts of this ring degree.
    pub(crate) fn encapsulated_secret(&self, degree: usize) -> EncapsulatedSecret {
        EncapsulatedSecret { degree, weight: self.sparse_weight, owners: Owners::ONE }
    }
}

/// All choices that define a parameter set.
///
/// The chain of primes has, from the bottom up, base, SlotsToCoeffs, levels, the product that joins parts of sparse
/// slots, the odd function, the exponential; without bootstrapping, base and levels only. With bootstrapping there is a
/// second chain, to which ModRaise raises and in which CoeffsToSlots runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// Name of the set, for display.
    pub name: String,
    /// Claimed security, checked by construction.
    pub security: SecurityLevel,
    /// Ring degree N.
    pub ring_degree: usize,
    /// Slots of a ciphertext, a power of two up to N/2.
    pub slots: usize,
    /// log2 of q_0.
    pub base: f64,
    /// log2 of the primes of levels, from the bottom up, one per multiplication. The last one is the scale of fresh
    /// slots.
    pub levels: Vec<f64>,
    /// log2 of the special primes.
    pub special: Vec<f64>,
    /// Limbs per digit of keys.
    pub digit_limbs: usize,
    /// Parameters of bootstrapping, if there is any.
    pub bootstrapping: Option<BootstrappingLiteral>,
}

impl ParametersLiteral {
    /// log2 of all primes of the first chain, from the bottom up.
    pub(crate) fn chain(&self) -> Vec<f64> {
        let mut chain = vec![self.base];
        let bootstrapping = self.bootstrapping.as_ref();
        chain.extend(bootstrapping.iter().flat_map(|it| &it.slots_to_coeffs.primes));
        chain.extend(&self.levels);
        if let Some(it) = bootstrapping {
            chain.extend(&it.joining);
            chain.extend(&it.sines);
            chain.extend(&it.exponential.primes);
        }
        chain
    }

    /// log2 of the primes of the second chain; empty without bootstrapping.
    pub(crate) fn raised_chain(&self) -> &[f64] {
        self.bootstrapping.as_ref().map_or(&[], |it| &it.coeffs_to_slots.primes)
    }

    /// Limbs at which no level is left: those with which SlotsToCoeffs begins, or one.
    pub(crate) fn bottom_limbs(&self) -> usize {
        1 + self.bootstrapping.as_ref().map_or(0, |it| it.slots_to_coeffs.primes.len())
    }

    /// Limbs of fresh and of bootstrapped slots.
    pub(crate) fn top_limbs(&self) -> usize {
        self.bottom_limbs() + self.levels.len()
    }

    /// Limbs of the whole chain, where the exponential begins.
    pub(crate) fn all_limbs(&self) -> usize {
        self.top_limbs()
            + self
                .bootstrapping
                .as_ref()
                .map_or(0, |it| it.joining.len() + it.sines.len() + it.exponential.primes.len())
    }

    /// Returns whether slots leave coefficients of the ring empty: they are packed in a subring.
    pub(crate) fn is_sparse(&self) -> bool {
        2 * self.slots < self.ring_degree
    }

    /// The shape of keys at a level of the first chain.
    pub(crate) fn key_shape(&self, limbs: usize) -> SwitchingKeyShape {
        SwitchingKeyShape::of_digits(Basis::main(limbs), self.digit_limbs, self.special.len())
    }

    /// The shape of keys in the chain in which CoeffsToSlots runs.
    pub(crate) fn raised_key_shape(
        &self,
        bootstrapping: &BootstrappingLiteral,
    ) -> SwitchingKeyShape {
        let (basis, special) = (self.raised_basis(), self.special.len());
        SwitchingKeyShape::of_digits(basis, bootstrapping.raised_digit_limbs, special)
    }

    /// The chain in which CoeffsToSlots runs.
    pub(crate) fn raised_basis(&self) -> Basis {
        Basis { chain: RAISED, ..Basis::main(self.raised_chain().len()) }
    }

    /// Returns the parameters of a dry run.
    pub(crate) fn dry_run_parameters(&self, main: &[f64], raised: &[f64]) -> DryRunParameters {
        // Between bootstraps, keys with fewer limbs are enough. The first of equally cheap shapes is used.
        let mut shapes = vec![self.key_shape(self.top_limbs())];
        if self.bootstrapping.is_some() {
            shapes.push(self.key_shape(self.all_limbs()));
        }
        let mut automorphism = shapes.clone();
        automorphism.extend(self.bootstrapping.as_ref().map(|it| self.raised_key_shape(it)));
        let mut chains = vec![PlannedChain::new(main)];
        chains.extend((!raised.is_empty()).then(|| PlannedChain::new(raised)));
        DryRunParameters {
            degree: self.ring_degree,
            noise_coefficients: self.ring_degree,
            chains,
            relinearization: shapes,
            automorphism,
            log2_special: self.special.iter().sum::<f64>() / self.special.len() as f64,
            owners: Owners::ONE,
        }
    }
}
