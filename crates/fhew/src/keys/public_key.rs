//! The public key of every face, which encrypts phases for the holder of a secret key.

use cryptable_lattice::coefficient_ciphertext::RlwePublicKey;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Binding, ReadOptions, Result, bound_key};
use cryptable_wire::{KeyId, ObjectType, object_bytes};

use crate::keys::client_key::ClientKey;
use crate::keys::server_key::BootstrappingParameters;

/// Longest body of a public key, 1 MiB.
const MAX_PUBLIC_KEY_BYTES: u64 = 1 << 20;

/// Parameters of a face that supports encryption with public keys.
pub trait PublicParameters: BootstrappingParameters {
    /// Type of the files of public keys.
    const PUBLIC_KEY: ObjectType;
}

/// The public key of one client: anyone who has it encrypts, only the secret key decrypts.
///
/// The key consists of one ring element and a seed: little more than `N·k/8` bytes at ring degree N modulo 2^k
/// ([`crate::parameters::Parameters::public_shape`]), 8 kB in most cases. Ciphertexts are compact lists: LWE ciphertexts of
/// dimension N, every N of which share one mask. A server switches them to the LWE secret before it computes with them.
#[derive(Clone, Debug)]
pub struct PublicKey<P> {
    parameters: P,
    binding: Binding,
    key: RlwePublicKey,
}

impl<P: PublicParameters> ClientKey<P> {
    /// Generates a public key of this secret key. Every call draws a new one; ciphertexts under any of them belong to this
    /// secret key.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Unsupported`] if the secret's norm exceeds the bound on noise, which has a probability
    /// below 2^-80.
    pub fn public_key(&self) -> Result<PublicKey<P>> {
        let parameters = self.parameters().clone();
        let log2_modulus = parameters.fhew().public_shape().modulus.ilog2();
        let key = RlwePublicKey::generate(self.fhew().ring_coefficients(), log2_modulus)?;
        Ok(PublicKey { parameters, binding: *self.binding(), key })
    }
}

impl<P: PublicParameters> PublicKey<P> {
    bound_key!(P, id);

    /// Encrypts phases modulo the modulus of [`crate::parameters::Parameters::public_shape`].
    ///
    /// # Panics
    /// If a phase is not below the modulus.
    #[must_use]
    pub fn encrypt_phases(&self, phases: &[u64]) -> LweList {
        self.key.encrypt_list(phases)
    }

    /// Returns the key in its wire format: parameters, the identifier of the secret key, the ring element and the seed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        object_bytes(P::PUBLIC_KEY, &self.binding.parameter_digest, |writer| {
            writer.bytes(&self.parameters.to_bytes())?;
            writer.raw(&self.id().0)?;
            self.key.write(writer)
        })
    }

    /// Reads a public key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged public key of this kind, or its parameters are insecure and the options
    /// do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, mut reader) =
            P::open(bytes, P::PUBLIC_KEY, MAX_PUBLIC_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("key identifier")?);
        let shape = parameters.fhew().public_shape();
        let key = RlwePublicKey::read(&mut reader, shape.dimension, shape.modulus.ilog2())?;
        reader.finish()?;
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Ok(Self { parameters, binding, key })
    }
}
