//! The circuit of a parameter set: one of the packed methods.

use cryptable_ckks::DryRun;
use cryptable_ckks::dry_run::Shape;
use cryptable_lattice::KeyRequest;

use crate::methods::akp::AkpCircuit;
use crate::methods::homomorphic_dft::HomomorphicDft;
use crate::methods::interpolation::Interpolation;
use crate::methods::multiplexer_bootstrapping::MultiplexerCircuit;
use crate::methods::phase_to_wave::PhaseToWave;
use crate::parameters::ParametersLiteral;

/// A planned circuit.
#[derive(Clone, Debug)]
pub enum Circuit {
    /// One trigonometric interpolation of the whole table.
    Akp(AkpCircuit),
    /// A multiplexer tree over digits.
    Multiplexer(MultiplexerCircuit),
}

/// What the dry run of a lookup finds, whatever the method.
#[derive(Debug)]
pub struct CircuitPrediction {
    /// The phases x = t/K after CoeffsToSlots: one, or one a digit.
    pub phases: Vec<Shape>,
    /// The wave of a phase, with the noise that it has beyond the phase's.
    pub wave: Shape,
    /// The result, outputs as fractions of P in its coefficients.
    pub result: Shape,
    /// Operation counts and key requests.
    pub dry_run: DryRun,
}

impl Circuit {
    /// Plans the literal's method over the given chain of primes.
    #[must_use]
    pub fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        match &literal.multiplexer {
            Some(multiplexer) => {
                Self::Multiplexer(MultiplexerCircuit::new(literal, multiplexer, primes))
            }
            None => Self::Akp(AkpCircuit::new(literal, primes)),
        }
    }

    /// CoeffsToSlots and the exponential.
    #[must_use]
    pub fn phase_to_wave(&self) -> &PhaseToWave {
        match self {
            Self::Akp(circuit) => &circuit.phase_to_wave,
            Self::Multiplexer(circuit) => &circuit.phase_to_wave,
        }
    }

    /// SlotsToCoeffs.
    #[must_use]
    pub fn slots_to_coeffs(&self) -> &HomomorphicDft {
        match self {
            Self::Akp(circuit) => &circuit.slots_to_coeffs,
            Self::Multiplexer(circuit) => &circuit.slots_to_coeffs,
        }
    }

    /// Predicts a lookup of the table that amplifies noise most.
    #[must_use]
    pub fn predict_worst(&self, literal: &ParametersLiteral) -> CircuitPrediction {
        match self {
            Self::Akp(circuit) => {
                let found = circuit.predict(&Interpolation::new(&literal.worst_table()));
                let (phases, wave, result) = (vec![found.phase], found.wave, found.result);
                CircuitPrediction { phases, wave, result, dry_run: found.dry_run }
            }
            Self::Multiplexer(circuit) => {
                let found = circuit.predict(circuit.worst_mean_square());
                let (phases, wave, result) = (found.phases, found.wave, found.result);
                CircuitPrediction { phases, wave, result, dry_run: found.dry_run }
            }
        }
    }

    /// Every key that a lookup needs.
    #[must_use]
    pub fn key_requests(&self) -> Vec<KeyRequest> {
        match self {
            Self::Akp(circuit) => circuit.key_requests(),
            Self::Multiplexer(circuit) => circuit.key_requests(),
        }
    }
}
