//! Changes of the modulus of LWE ciphertexts of a batch: `cryptable_lattice::lwe`.

use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::SecretDistribution;

use crate::arguments::fhew::{Extraction, GateInputs, ScaleArguments};
use crate::device::Words;
use crate::fhew::lwe_batch::LweBatch;
use crate::kernels::{self, Grid};

/// Threads of a block that changes the modulus of one ciphertext.
const THREADS: u32 = 256;

/// A block for each of so many ciphertexts.
fn one_each(count: usize) -> Grid {
    Grid { blocks: [count as u32, 1, 1], threads: THREADS }
}

/// A sum `factor·(a + b) + constant` of phases modulo a power of two, then modulo another, times `2^shift`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseSum {
    pub factor: i64,
    pub constant: u64,
    /// The modulus before it is multiplied.
    pub modulus: u64,
    pub shift: u32,
    /// Distribution of the secret.
    pub secret: SecretDistribution,
}

impl PhaseSum {
    /// The sums of a batch and another, if there is one.
    pub(crate) fn of(self, a: &LweBatch, b: Option<&LweBatch>) -> LweBatch {
        let LweShape { dimension, modulus } = a.shape();
        assert!(modulus.is_power_of_two(), "modulus {modulus}");
        let shape = LweShape { dimension, modulus: self.modulus << self.shift };
        let out = LweBatch::unspecified(a.device(), shape, a.len());
        let is_binary = self.secret == SecretDistribution::Binary;
        let arguments = GateInputs {
            a: a.address(0),
            b: b.map_or(0, |b| b.address(0)),
            out: out.address(0),
            scale: ScaleArguments::new(modulus, self.modulus, is_binary),
            stride: a.stride(),
            out_stride: out.stride(),
            dimension: dimension as u32,
            mask: (modulus - 1) as u32,
            factor: self.factor as u32,
            constant: self.constant as u32,
            shift: self.shift,
            padding: 0,
        };
        a.device().launch(&kernels::SWITCH_GATE_INPUTS, one_each(a.len()), &arguments);
        out
    }
}

/// Words of 64 bits on a card that LWE ciphertexts of dimension N are taken from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LweSource<'a> {
    /// The constant coefficients of RLWE ciphertexts.
    Constants(&'a Words),
    /// LWE ciphertexts.
    Ciphertexts(&'a Words),
}

impl LweSource<'_> {
    fn words(&self) -> &Words {
        match self {
            Self::Constants(words) | Self::Ciphertexts(words) => words,
        }
    }

    /// `count` ciphertexts of this shape under a secret of this distribution, to another modulus.
    pub(crate) fn switch_modulus(
        self,
        from: LweShape,
        count: usize,
        to: u64,
        secret: SecretDistribution,
    ) -> LweBatch {
        let device = self.words().device();
        let out = LweBatch::unspecified(device, LweShape { modulus: to, ..from }, count);
        let arguments = Extraction {
            source: self.words().address(0),
            out: out.address(0),
            modulus: from.modulus,
            scale: ScaleArguments::new(from.modulus, to, secret == SecretDistribution::Binary),
            degree: from.dimension as u32,
            position: 0,
            out_stride: out.stride(),
            is_lwe: u32::from(matches!(self, Self::Ciphertexts(_))),
        };
        device.launch(&kernels::EXTRACT_AND_SWITCH, one_each(count), &arguments);
        out
    }
}
