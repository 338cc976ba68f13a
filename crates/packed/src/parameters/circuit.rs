//! The circuit of a parameter set, for any of the packed methods.

use std::ops::Range;

use cryptable_ckks::DryRun;
use cryptable_ckks::bootstrapping::block_product::BlockProduct;
use cryptable_ckks::bootstrapping::homomorphic_dft::HomomorphicDft;
use cryptable_lattice::{NoiseBound, NoiseLaw};

use crate::akp::AkpCircuit;
use crate::bootstrapping::LookupShapes;
use crate::bootstrapping::phase_exponential::PhaseExponential;
use crate::bootstrapping::phase_start::PhaseStart;
use crate::literal::ParametersLiteral;
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::multiplexer::circuit::MultiplexerCircuit;

/// Planned circuit: the matrices, polynomials and products of a lookup.
#[derive(Clone, Debug)]
pub(crate) enum Circuit {
    /// One trigonometric interpolation of the whole table.
    Akp(AkpCircuit),
    /// A multiplexer tree over digits.
    Multiplexer(MultiplexerCircuit),
    /// AKP on one digit at a time.
    MultiPrecision(MultiPrecisionCircuit),
}

/// Noise of a coefficient that is raised; for a digit, after the multiplication that isolates the digit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaisedNoise {
    /// Its law modulo q_0.
    pub law: NoiseLaw,
    /// Bound on the deterministic error, as a fraction of q_0.
    pub bias: f64,
}

impl Circuit {
    /// Plans the literal's method over the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        match &literal.multiplexer {
            Some(multiplexer) => {
                Self::Multiplexer(MultiplexerCircuit::new(literal, multiplexer, primes))
            }
            None if !literal.digits.is_empty() => {
                Self::MultiPrecision(MultiPrecisionCircuit::new(literal, primes))
            }
            None => Self::Akp(AkpCircuit::new(literal, primes)),
        }
    }

    /// The plan of CoeffsToSlots and of the exponential, if phases are raised.
    pub(crate) fn phase_exponential(&self) -> Option<&PhaseExponential> {
        match self {
            Self::Akp(circuit) => circuit.start.raised(),
            Self::MultiPrecision(circuit) => circuit.akp.start.raised(),
            Self::Multiplexer(circuit) => Some(&circuit.phase_exponential),
        }
    }

    /// The product over the blocks of a secret, if phases are exponentiated by one.
    pub(crate) fn block_product(&self) -> Option<&BlockProduct> {
        match self {
            Self::Akp(AkpCircuit { start: PhaseStart::Blocks(product), .. }) => Some(product),
            Self::Akp(_) | Self::MultiPrecision(_) | Self::Multiplexer(_) => None,
        }
    }

    /// The plan of SlotsToCoeffs that results go through.
    pub(crate) fn slots_to_coeffs(&self) -> &HomomorphicDft {
        match self {
            Self::Akp(circuit) => &circuit.slots_to_coeffs,
            Self::MultiPrecision(circuit) => &circuit.akp.slots_to_coeffs,
            Self::Multiplexer(circuit) => &circuit.slots_to_coeffs,
        }
    }

    /// The plans of SlotsToCoeffs that cleared digits go through.
    pub(crate) fn clearing_plans(&self) -> impl Iterator<Item = &HomomorphicDft> {
        let clearing = match self {
            Self::MultiPrecision(circuit) => circuit.clearing.as_slice(),
            Self::Akp(_) | Self::Multiplexer(_) => &[],
        };
        clearing.iter().map(|clearing| &clearing.slots_to_coeffs)
    }

    /// Predicts a lookup of `tables` tables, each the one that amplifies noise most, with all keys that it needs.
    pub(crate) fn predict_worst(&self, dry_run: &DryRun, tables: usize) -> LookupShapes {
        match self {
            Self::Akp(circuit) => {
                circuit.literal().request_raising(dry_run);
                circuit.predict_worst(dry_run, tables, &circuit.slots_to_coeffs)
            }
            Self::MultiPrecision(circuit) => {
                circuit.akp.literal().request_raising(dry_run);
                circuit.predict(dry_run, tables)
            }
            Self::Multiplexer(circuit) => {
                circuit.predict(dry_run, circuit.worst_mean_square(), tables)
            }
        }
    }

    /// A dry run with nothing counted yet.
    pub(crate) fn dry_run(&self) -> DryRun {
        match self {
            Self::Akp(circuit) => circuit.dry_run(),
            Self::MultiPrecision(circuit) => circuit.akp.dry_run(),
            Self::Multiplexer(circuit) => circuit.dry_run(),
        }
    }

    /// Number of digits of the input; 1 for AKP.
    pub(crate) fn digits(&self) -> usize {
        match self {
            Self::Akp(_) => 1,
            Self::MultiPrecision(circuit) => circuit.digits().len(),
            Self::Multiplexer(circuit) => circuit.digits().len(),
        }
    }

    /// Noise of the raised coefficients, digit by digit, for an input with this noise that consists of the digits
    /// `all`.
    ///
    /// # Panics
    /// If digits are cleared one after the other: the failure model computes the noise of those.
    pub(crate) fn raised_noise(&self, input: NoiseBound, all: Range<usize>) -> Vec<RaisedNoise> {
        let (law, bias) = (input.law(), input.bias());
        match self {
            Self::Akp(circuit) => {
                vec![RaisedNoise { law: circuit.input_noise(law), bias }]
            }
            Self::Multiplexer(circuit) => {
                let of_digit = |digit| RaisedNoise {
                    law: circuit.digit_input_noise(digit, &all, law),
                    bias: bias * circuit.digit_multiplier(digit, all.end) as f64,
                };
                all.clone().map(of_digit).collect()
            }
            Self::MultiPrecision(_) => {
                unreachable!("noise of later digits depends on how earlier ones were cleared")
            }
        }
    }
}
