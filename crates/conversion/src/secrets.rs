//! Generation of conversion keys from the two secrets of a client.

use cryptable_fhew::keys::{RowEncryptor, lwe_key_switching_key};
use cryptable_fhew::seeded_rows::RowDomain;
use cryptable_fhew::switching::SeededKeySwitchingKey;
use cryptable_lattice::Result;
use cryptable_lattice::error::check_equal;
use cryptable_lattice::lwe_encryption::weighted_coefficient;
use cryptable_lattice::secret::TernarySecret;
use cryptable_ring::Modulus;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::random::Seed;
use zeroize::Zeroizing;

use crate::clients::Clients;
use crate::extraction::{ExtractionRows, SeededExtractionKey};
use crate::packing::{PackingRows, SeededRingPackingKey, column_method};
use crate::parameters::Parameters;

/// Secrets from which a client generates conversion keys, with the identifiers of their keys. Redacted in Debug.
#[derive(Clone, Copy)]
pub struct Secrets<'a> {
    /// Coefficients of the LWE secret.
    pub lwe: &'a [i8],
    /// The secret of packed values.
    pub ring: &'a TernarySecret,
    /// Identifiers of the keys that these secrets belong to.
    pub clients: Clients,
}

impl std::fmt::Debug for Secrets<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({:?}, redacted)", self.clients)
    }
}

impl Secrets<'_> {
    /// Generates a key that packs LWE ciphertexts. Row j of its columns encrypts `s_j·⌊Q'/q⌉` under a fresh secret z'
    /// of degree N', and its switch encrypts `z'(X^r)·weight(k)` under the ring's secret.
    ///
    /// # Errors
    /// If a secret has another dimension or degree than the parameters.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    pub fn packing_key(&self, parameters: &Parameters) -> Result<SeededRingPackingKey> {
        self.check(parameters)?;
        let (seed, rings) = (Seed::random(), parameters.packing());
        let block = TernarySecret::uniform(rings.block.degree());
        let m = rings.block.modulus();
        let weight = column_method::gadget(parameters.literal(), m.value()).weight(0);
        let encryptor = RowEncryptor::under(&rings.block, block.coefficients(), &seed);
        let columns = encryptor.rows(RowDomain::RingPackingColumns, self.lwe.len(), |j, out| {
            out[0] = weighted_coefficient(self.lwe[j], weight, m.value());
        });
        let source = stretched(block.coefficients(), rings.whole.degree());
        let encryptor = RowEncryptor::under(&rings.whole, self.ring.coefficients(), &seed);
        let domain = RowDomain::RingPackingSwitch;
        let residues = residues(rings.whole.modulus(), &source);
        let switching = encryptor.gadget_rows(domain, rings.gadget, 1, |_| residues.clone());
        let (parameters, clients) = (parameters.clone(), self.clients);
        drop(encryptor);
        let rows = PackingRows { columns, switching };
        Ok(SeededRingPackingKey { parameters, clients, rows, seed })
    }

    /// Generates a key that extracts LWE ciphertexts. Its switch encrypts the ring's secret under `z'(X^r)` with a
    /// fresh z', and LWE key switching encrypts z' under the LWE secret. With parameters without LWE key switching, z'
    /// is the given secret itself, a ring secret, under which values are extracted.
    ///
    /// # Errors
    /// The errors of [`Secrets::packing_key`].
    ///
    /// # Panics
    /// The same as for [`Secrets::packing_key`].
    pub fn extraction_key(&self, parameters: &Parameters) -> Result<SeededExtractionKey> {
        self.check(parameters)?;
        let gadget = parameters.key_switching_gadget();
        if gadget.is_none() {
            let degree = parameters.literal().extraction.degree;
            check_equal("degree of a block", self.lwe.len(), degree)?;
            return self.extraction_key_by(parameters, self.lwe, None);
        }
        let block = TernarySecret::uniform(parameters.extraction().block.degree());
        self.extraction_key_by(parameters, block.coefficients(), gadget)
    }

    /// Generates its switch to the secret of blocks, and the key switching from there to the LWE secret.
    fn extraction_key_by(
        &self,
        parameters: &Parameters,
        block: &[i8],
        gadget: Option<Gadget>,
    ) -> Result<SeededExtractionKey> {
        let (seed, rings) = (Seed::random(), parameters.extraction());
        let target = stretched(block, rings.whole.degree());
        let encryptor = RowEncryptor::under(&rings.whole, &target, &seed);
        let domain = RowDomain::ExtractionSwitch;
        let residues = residues(rings.whole.modulus(), self.ring.coefficients());
        let switching = encryptor.gadget_rows(domain, rings.gadget, 1, |_| residues.clone());
        let key_switching = match gadget {
            Some(gadget) => {
                let multiples = parameters.literal().multiples();
                lwe_key_switching_key(block, self.lwe, gadget, multiples, &seed)
            }
            None => SeededKeySwitchingKey::new(Vec::new()),
        };
        let (parameters, clients) = (parameters.clone(), self.clients);
        drop(encryptor);
        let rows = ExtractionRows { switching, key_switching };
        Ok(SeededExtractionKey { parameters, clients, rows, seed })
    }

    fn check(&self, parameters: &Parameters) -> Result<()> {
        let literal = parameters.literal();
        check_equal("LWE dimension", self.lwe.len(), literal.lwe_dimension)?;
        check_equal("ring degree", self.ring.coefficients().len(), literal.ring_degree)
    }
}

/// Returns z'(X^r) for r = N/N'.
fn stretched(secret: &[i8], degree: usize) -> Zeroizing<Vec<i8>> {
    let mut out = Zeroizing::new(vec![0; degree]);
    let step = degree / secret.len();
    out.iter_mut().step_by(step).zip(secret).for_each(|(out, &c)| *out = c);
    out
}

/// Returns a secret modulo a prime.
fn residues(m: &Modulus, secret: &[i8]) -> Zeroizing<Vec<u64>> {
    let mut out = Zeroizing::new(vec![0; secret.len()]);
    out.iter_mut().zip(secret).for_each(|(out, &c)| *out = m.reduce_i64(c.into()));
    out
}
