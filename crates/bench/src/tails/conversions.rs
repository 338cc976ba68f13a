//! Tails of ring packing, and of extraction back, for sums of two FHEW ciphertexts each.

use clap::ValueEnum;
use cryptable_conversion::{EncryptedPhases, ExtractionKey, RingPackingKey};
use cryptable_fhew::booleans::EncryptedBits;
use cryptable_lattice::NoiseBound;
use cryptable_lattice::lwe_list::LweList;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::subject::{self, Part, Sampling, Subject, scaled};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::timed;
use crate::packing::{Client, computed, packed_noise};

/// log2 of the ring degree, the one of packed gates.
const LOG2_DEGREE: u32 = 14;

/// log2 of the prime that values are packed to.
const LOG2_BOTTOM: f64 = 28.0;

/// Number of half steps per unit of the torus: sums of two bits are quarters.
const HALF_STEPS: f64 = 8.0;

/// A direction between LWE ciphertexts and a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Conversion {
    /// LWE ciphertexts into one of a ring.
    RingPacking,
    /// The same, and back.
    Extraction,
}

/// Conversions of sums of the same bits, encrypted afresh.
struct Conversions {
    client: Client,
    packing: RingPackingKey,
    extraction: Option<ExtractionKey>,
    bits: [Vec<bool>; 2],
    sums: Vec<f64>,
    bound: NoiseBound,
}

/// A packed list, or the list that was extracted from it.
enum Converted {
    Packed(EncryptedPhases),
    Extracted(LweList),
}

impl Subject for Conversions {
    type Input = [EncryptedBits; 2];
    type Output = Converted;

    fn encrypt(&self) -> anyhow::Result<Self::Input> {
        Ok(self.bits.each_ref().map(|bits| self.client.single.encrypt(bits)))
    }

    fn evaluate(&self, fresh: &Self::Input) -> anyhow::Result<Converted> {
        let lists = fresh.each_ref().map(computed);
        let quarter = self.client.parameters.lwe_shape().modulus / 4;
        let lists = [&lists[0], &lists[1]];
        let packed = self.packing.pack(&lists, quarter, self.sums.len())?;
        Ok(match &self.extraction {
            None => Converted::Packed(packed),
            Some(extraction) => Converted::Extracted(extraction.extract(&packed, 0)?),
        })
    }

    fn parts(&self, converted: &Converted) -> anyhow::Result<Vec<Part>> {
        let errors = match converted {
            Converted::Packed(packed) => self.client.packing_errors(packed, &self.sums),
            Converted::Extracted(list) => self.client.extraction_errors(list, &self.sums),
        };
        let errors: Vec<f64> = errors.into_iter().map(|error| HALF_STEPS * error).collect();
        let wrong = errors.iter().filter(|error| error.abs() >= 1.0).count();
        Ok(vec![Part { name: None, bound: self.bound, errors, wrong }])
    }

    fn bytes(&self, _: &Self::Input, _: &Converted) -> anyhow::Result<[usize; 2]> {
        let lwe = self.client.parameters.lwe_shape();
        let bits = u64::BITS - (lwe.modulus - 1).leading_zeros();
        // Masks come from a seed.
        let bytes = self.sums.len() * bits as usize / 8;
        Ok([2 * bytes, bytes])
    }
}

/// Measures a conversion of `2^log2_degree` sums. The worst bits are all 1, since their sums do not reduce the noise.
pub fn measure(
    log2_degree: u32,
    conversion: Conversion,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let is_worst = arguments.table == TableChoice::Worst;
    let client = Client::new(log2_degree, LOG2_BOTTOM)?;
    let degree = client.parameters.literal().ring_degree;
    let bits = [0, 1].map(|_| (0..degree).map(|_| is_worst || rng.random()).collect::<Vec<bool>>());
    let sum = |(&x, &y): (&bool, &bool)| f64::from(u8::from(x) + u8::from(y)) / 4.0;
    let sums = bits[0].iter().zip(&bits[1]).map(sum).collect();
    let parameters = &client.parameters;
    let (keys, keygen_s) = timed(|| -> anyhow::Result<_> {
        let packing = RingPackingKey::expand(&client.secrets().packing_key(parameters)?);
        let extraction = client.secrets().extraction_key(parameters)?;
        let is_extracted = conversion == Conversion::Extraction;
        Ok((packing, is_extracted.then(|| ExtractionKey::expand(&extraction))))
    });
    let (packing, extraction) = keys?;
    let mut noise = packed_noise(parameters);
    if extraction.is_some() {
        noise = noise + parameters.extraction_noise();
    }
    let law = noise.law();
    let contract = Contract {
        method: match conversion {
            Conversion::RingPacking => "ring packing".to_owned(),
            Conversion::Extraction => "ring packing and extraction".to_owned(),
        },
        bits_in: 2.0,
        bits_out: 2.0,
        modulus_in: 4,
        ring_degree: degree,
        keygen_s,
        eval_key_bytes: packing.memory_bytes()
            + extraction.as_ref().map_or(0, ExtractionKey::memory_bytes),
        log2_fail: law.log2_exceeds(1.0 / HALF_STEPS) + (degree as f64).log2(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    let bound = scaled(NoiseBound::of_law(law, 0.0), HALF_STEPS);
    let conversions = Conversions { client, packing, extraction, bits, sums, bound };
    let sampling = Sampling::new(arguments, degree);
    subject::measure(&conversions, contract, "law of sums of fresh bits", sampling)
}

/// Measures a conversion at full size.
pub fn run(conversion: Conversion, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    measure(LOG2_DEGREE, conversion, arguments)
}
