//! The circuit of a parameter set: that of one of the packed methods.

use cryptable_ckks::DryRun;
use cryptable_ckks::dry_run::Shape;
use cryptable_lattice::KeyRequest;

use crate::akp::AkpCircuit;
use crate::akp::interpolation::Interpolation;
use crate::bootstrapping::homomorphic_dft::HomomorphicDft;
use crate::bootstrapping::phase_exponential::PhaseExponential;
use crate::literal::ParametersLiteral;
use crate::multiplexer::circuit::MultiplexerCircuit;

/// A planned circuit: which matrices, polynomials and products a lookup is made of.
#[derive(Clone, Debug)]
pub(crate) enum Circuit {
    /// One trigonometric interpolation of the whole table.
    Akp(AkpCircuit),
    /// A multiplexer tree over digits.
    Multiplexer(MultiplexerCircuit),
}

/// What the dry run of a lookup finds, whatever the method.
#[derive(Debug)]
pub(crate) struct CircuitPrediction {
    /// The phases x = t/K after CoeffsToSlots: one, or one a digit.
    pub phases: Vec<Shape>,
    /// The exponential of a phase, with the noise that it has beyond the phase's.
    pub exponential: Shape,
    /// The result, outputs as fractions of P in its coefficients.
    pub result: Shape,
    /// Operation counts and key requests.
    pub dry_run: DryRun,
}

impl Circuit {
    /// Plans the literal's method over the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        match &literal.multiplexer {
            Some(multiplexer) => {
                Self::Multiplexer(MultiplexerCircuit::new(literal, multiplexer, primes))
            }
            None => Self::Akp(AkpCircuit::new(literal, primes)),
        }
    }

    /// The plan of CoeffsToSlots and of the exponential.
    pub(crate) fn phase_exponential(&self) -> &PhaseExponential {
        match self {
            Self::Akp(circuit) => &circuit.phase_exponential,
            Self::Multiplexer(circuit) => &circuit.phase_exponential,
        }
    }

    /// The plan of SlotsToCoeffs.
    pub(crate) fn slots_to_coeffs(&self) -> &HomomorphicDft {
        match self {
            Self::Akp(circuit) => &circuit.slots_to_coeffs,
            Self::Multiplexer(circuit) => &circuit.slots_to_coeffs,
        }
    }

    /// Predicts a lookup of so many tables, each the one that amplifies noise most.
    pub(crate) fn predict_worst(
        &self,
        literal: &ParametersLiteral,
        tables: usize,
    ) -> CircuitPrediction {
        match self {
            Self::Akp(circuit) => {
                let table = Interpolation::new(&literal.worst_table());
                let found = circuit.predict(&table, tables);
                let (phases, exponential, result) =
                    (vec![found.phase], found.exponential, found.result);
                CircuitPrediction { phases, exponential, result, dry_run: found.dry_run }
            }
            Self::Multiplexer(circuit) => {
                let found = circuit.predict(circuit.worst_mean_square(), tables);
                let (phases, exponential, result) = (found.phases, found.exponential, found.result);
                CircuitPrediction { phases, exponential, result, dry_run: found.dry_run }
            }
        }
    }

    /// Every key that a lookup needs.
    pub(crate) fn key_requests(&self) -> Vec<KeyRequest> {
        match self {
            Self::Akp(circuit) => circuit.key_requests(),
            Self::Multiplexer(circuit) => circuit.key_requests(),
        }
    }
}
