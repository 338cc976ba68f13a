//! The second round: an owner's share of relinearization keys, computed from the first shares of all owners.

use std::io::Write;

use cryptable_ring::{ByteBuffer, kernels};
use cryptable_wire::{CHECKSUM_BYTES, ObjectType};

use super::agreement::Agreement;
use super::error::Message;
use super::owner_secret::OwnerSecret;
use super::session::OwnersParameters;
use super::shares::{self, Share, SharedRows, is_relinearization};
use super::streams::{self, Half};
use crate::error::Result;
use crate::key_rows::{EvaluatedSecret, evaluations};
use crate::progress::Progress;

impl<P: OwnersParameters> OwnerSecret<P> {
    /// Writes the owner's second share, given the first shares of all owners in any order. Progress counts
    /// relinearization keys.
    ///
    /// # Errors
    /// [`OwnersError::NotAgreed`](super::OwnersError::NotAgreed); the errors of [`Agreement::public_key`] if first
    /// shares are not those in the commitments; if writing fails, or [`crate::Error::Cancelled`].
    pub fn write_second_share(
        &self,
        agreement: &Agreement<P>,
        first: &[&[u8]],
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        self.check_agreed(agreement)?;
        let (message, parameters) = (Message::FirstShare, self.session().parameters());
        let ring = self.session().ring();
        let mut first = agreement.first_shares(first)?;
        // Shares are verified before they are combined with the secret.
        first.iter_mut().try_for_each(Share::verify)?;
        agreement.skip_public_keys(&mut first)?;
        let requests = parameters.key_requests();
        let requests = requests.iter().enumerate().filter(|(_, it)| is_relinearization(it));
        let requests: Vec<_> = requests.collect();
        let bodies = requests.iter().map(|(_, it)| it.shape.body_bytes(ring.moduli()) as u64);
        let content = CHECKSUM_BYTES as u64 + bodies.sum::<u64>();
        let kind = ObjectType::OwnerSecondShare;
        let mut writer = shares::begin(out, kind, self.session(), self.owner(), content)?;
        writer.raw(agreement.digest())?;
        let secret = EvaluatedSecret::new(ring, self.secret());
        let seed = streams::second_seed(self.streams(), agreement.digest());
        let steps = progress.steps(requests.len())?;
        for (number, request) in requests {
            let shape = request.shape;
            let bodies = SharedRows::read(ring, shape, message, &mut first)?;
            let masks = SharedRows::read(ring, shape, message, &mut first)?;
            let ephemeral = streams::ephemeral_secret(self.streams(), ring.degree(), number);
            let ephemeral = EvaluatedSecret::new(ring, &ephemeral);
            let errors = streams::share_errors(&seed, ring, shape, number, Half::Body);
            let mut rows = ByteBuffer::zeroed(shape.body_bytes(ring.moduli()));
            bodies.fill(&mut rows, |digit, limb| {
                let prime = ring.prime_index(shape.basis, limb);
                let modulus = ring.modulus(prime);
                // s·h + (u - s)·h' equals s·(h - h') + u·h'.
                let (mut body, mut mask) = (bodies.sum(digit, limb), masks.sum(digit, limb));
                kernels::sub_assign(modulus, &mut body, &mask);
                kernels::mul_assign(modulus, &mut body, secret.limb(prime));
                kernels::mul_assign(modulus, &mut mask, ephemeral.limb(prime));
                kernels::add_assign(modulus, &mut body, &mask);
                kernels::add_assign(modulus, &mut body, &evaluations(ring, prime, &errors[digit]));
                body
            });
            bodies.check()?;
            masks.check()?;
            writer.raw(&rows)?;
            steps.done()?;
        }
        first.into_iter().try_for_each(Share::finish)?;
        writer.into_inner().finish()?;
        Ok(())
    }
}
