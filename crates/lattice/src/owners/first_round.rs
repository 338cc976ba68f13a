//! The first round: an owner's share of every key, and its commitment.

use std::io::Write;

use cryptable_ring::kernels::{self, PackedRow};
use cryptable_ring::{Buffer, ByteBuffer, Isa, PackedLayout, Ring};
use cryptable_wire::{ObjectType, packed_field_bytes};
use rayon::prelude::*;

use super::commitment::Commitment;
use super::owner_secret::OwnerSecret;
use super::session::OwnersParameters;
use super::shares::{self, ShareWriter, is_relinearization};
use super::streams::{self, Half};
use crate::error::Result;
use crate::evaluation_keys::KeyRequest;
use crate::key_generation::{EvaluatedSecrets, SecretPair};
use crate::key_rows::{EvaluatedSecret, KeyRows, SecretRow, evaluations, fill_from_to};
use crate::progress::Progress;
use crate::ring_public_key::public_key_rows;

impl<P: OwnersParameters> OwnerSecret<P> {
    /// Writes the owner's first share and its key share, and returns its commitment to both. Progress counts switching keys.
    ///
    /// After this call, save the secret and send the commitment. Send the shares when all commitments are there. The
    /// same secret writes the same shares again.
    ///
    /// # Errors
    /// If writing fails, or [`crate::Error::Cancelled`].
    pub fn write_shares(
        &mut self,
        first: &mut dyn Write,
        keys: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<Commitment> {
        let (session, parameters) = (self.session(), self.session().parameters());
        let (ring, requests) = (session.ring(), parameters.key_requests());
        let bytes = |request: &KeyRequest| request.shape.body_bytes(ring.moduli());
        let content = |is_first: bool| {
            let of = requests.iter().filter(|it| is_relinearization(it) == is_first);
            of.map(|it| bytes(it) as u64).sum::<u64>()
        };
        let length = self.public_share_bytes() + 2 * content(true);
        let first_type = ObjectType::OwnerFirstShare;
        let mut first = shares::begin(first, first_type, session, self.owner(), length)?;
        let key_type = ObjectType::OwnerKeyShare;
        let mut keys = shares::begin(keys, key_type, session, self.owner(), content(false))?;

        self.write_public_share(&mut first)?;
        let weight = parameters.sparse_weight();
        let sparse = streams::sparse_secret(self.streams(), ring.degree(), weight);
        let pair = SecretPair { dense: self.secret(), sparse: &sparse };
        let secrets = EvaluatedSecrets::new(ring, &pair);
        let mut rows = ByteBuffer::zeroed(requests.iter().map(bytes).max().unwrap_or(0));
        let steps = progress.steps(requests.len())?;
        for (number, request) in requests.iter().enumerate() {
            let (seed, rows) = (session.mask_seed(Some(number)), &mut rows[..bytes(request)]);
            let (half, shape) = (Half::Body, request.shape);
            let errors = streams::share_errors(self.streams(), ring, shape, number, half);
            let mut key = KeyRows { seed: &seed, errors: &errors, b: &mut *rows, a: None };
            if is_relinearization(request) {
                let mut masks = ByteBuffer::zeroed(bytes(request));
                key.a = Some(&mut masks);
                let ephemeral = streams::ephemeral_secret(self.streams(), ring.degree(), number);
                let ephemeral = EvaluatedSecret::new(ring, &ephemeral);
                let from = |prime| SecretRow::Shared(secrets.dense.limb(prime));
                let to = |prime| SecretRow::Shared(ephemeral.limb(prime));
                fill_from_to(ring, shape, key, from, to);
                first.raw(rows)?;
                self.fill_masks(request, number, &secrets.dense, &mut masks);
                first.raw(&masks)?;
            } else {
                secrets.fill(request.purpose, shape, key);
                keys.raw(rows)?;
            }
            steps.done()?;
        }
        let (_, first) = first.into_inner().finish_with_checksum()?;
        let (_, keys) = keys.into_inner().finish_with_checksum()?;
        Ok(self.commit([first, keys]))
    }

    /// Returns the number of bytes of the share of a public key, or 0 if there are no public keys.
    fn public_share_bytes(&self) -> u64 {
        let moduli = self.session().parameters().moduli_of_public_keys();
        let bytes = |q: &u64| packed_field_bytes(self.secret().coefficients().len(), *q);
        moduli.map_or(0, |moduli| moduli.values().iter().map(bytes).sum())
    }

    /// Writes the share of a public key, if there are public keys: `-a·s_i + e_i`.
    fn write_public_share(&self, writer: &mut ShareWriter<'_>) -> Result<()> {
        let Some(moduli) = self.session().parameters().moduli_of_public_keys() else {
            return Ok(());
        };
        let (seed, ring) = (self.session().mask_seed(None), Ring::of(moduli));
        let error = streams::public_error(self.streams(), ring.degree());
        let body = public_key_rows(&ring, &seed, self.secret(), &error).c0;
        Ok(writer.packed_limbs(body.words(), ring.moduli().values())?)
    }

    /// Overwrites d with the share of the mask of a relinearization key, `d·s_i + e_(1,i)`.
    fn fill_masks(
        &self,
        request: &KeyRequest,
        number: usize,
        secret: &EvaluatedSecret<'_>,
        rows: &mut [u8],
    ) {
        let (ring, shape) = (self.session().ring(), request.shape);
        let (isa, limbs) = (Isa::detect(), shape.basis.limbs());
        let errors = streams::share_errors(self.streams(), ring, shape, number, Half::Mask);
        let rows = PackedLayout::new(ring.moduli(), shape.basis).rows_mut(rows);
        rows.into_par_iter().enumerate().for_each(|(row, (bytes, bits))| {
            let prime = ring.prime_index(shape.basis, row % limbs);
            let modulus = ring.modulus(prime);
            let mut words = Buffer::unspecified(ring.degree());
            PackedRow::new(bytes, bits).unpack(isa, &mut words);
            kernels::mul_assign(modulus, &mut words, secret.limb(prime));
            kernels::add_assign(
                modulus,
                &mut words,
                &evaluations(ring, prime, &errors[row / limbs]),
            );
            PackedRow::pack(isa, bytes, &words, bits);
        });
    }
}
