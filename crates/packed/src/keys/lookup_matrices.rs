//! The matrices of the homomorphic DFTs of lookups, in the form that arithmetic multiplies by.

use cryptable_ckks::LinearTransform;
use cryptable_ring::Ring;

use crate::parameters::parameter_set::Parameters;

/// The matrices of all lookups with one parameter set: encoded for the processor, or whatever other arithmetic makes of
/// those ([`LookupMatrices::map`]).
#[derive(Clone, Debug)]
pub struct LookupMatrices<M> {
    /// Those of CoeffsToSlots.
    pub coeffs_to_slots: Vec<M>,
    /// Those of SlotsToCoeffs.
    pub slots_to_coeffs: Vec<M>,
    /// Those of SlotsToCoeffs for every digit that is cleared; none where parameters take values as one.
    pub clearing: Vec<Vec<M>>,
    /// Those of SlotsToCoeffs for digits that are selected by signs; none where they are not.
    pub selection: Vec<M>,
}

impl LookupMatrices<LinearTransform> {
    /// Encodes the matrices of a parameter set.
    pub(crate) fn encode(parameters: &Parameters, ring: &Ring) -> Self {
        let circuit = parameters.circuit();
        let selection = parameters.selection();
        Self {
            coeffs_to_slots: circuit.phase_exponential().coeffs_to_slots.encode(ring),
            slots_to_coeffs: circuit.slots_to_coeffs().encode(ring),
            clearing: circuit.clearing_plans().map(|plan| plan.encode(ring)).collect(),
            selection: selection.map(|it| it.slots_to_coeffs.encode(ring)).unwrap_or_default(),
        }
    }

    /// Bytes in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.all().map(LinearTransform::memory_bytes).sum()
    }
}

impl<M> LookupMatrices<M> {
    /// All matrices.
    fn all(&self) -> impl Iterator<Item = &M> {
        let [front, back] = [&self.coeffs_to_slots, &self.slots_to_coeffs];
        front.iter().chain(back).chain(self.clearing.iter().flatten()).chain(&self.selection)
    }

    /// The same in another form, matrix by matrix.
    #[must_use]
    pub fn map<N>(&self, form: impl Fn(&M) -> N) -> LookupMatrices<N> {
        let list = |list: &Vec<M>| list.iter().map(&form).collect();
        LookupMatrices {
            coeffs_to_slots: list(&self.coeffs_to_slots),
            slots_to_coeffs: list(&self.slots_to_coeffs),
            clearing: self.clearing.iter().map(list).collect(),
            selection: list(&self.selection),
        }
    }
}
