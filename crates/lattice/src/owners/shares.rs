//! Files of shares, and sums of their rows.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use cryptable_ring::kernels::{self, PackedRow};
use cryptable_ring::{Buffer, Isa, PackedLayout, Ring};
use cryptable_wire::{
    BodyReader, BodyWriter, CHECKSUM_BYTES, HEADER_BYTES, ObjectCheck, ObjectType, ObjectWriter,
    open_object,
};
use rayon::prelude::*;

use super::error::{Message, OwnersError};
use super::session::{OwnersParameters, Session};
use crate::error::Result;
use crate::evaluation_keys::{KeyPurpose, KeyRequest};
use crate::switching_key::SwitchingKeyShape;

/// The longest body of a share, 64 GiB.
const MAX_SHARE_BYTES: u64 = 1 << 36;

/// Words that are unpacked, compared and summed up at once: they stay in the first-level cache.
const SUMMED: usize = 1024;

/// Bytes of a subtree of the hash.
const HASHED: usize = 1 << 16;

/// The bytes at the start of every share.
pub(super) const HEAD_BYTES: u64 = 32 + 4;

/// Writer of a share's body.
pub(super) type ShareWriter<'a> = BodyWriter<ObjectWriter<&'a mut dyn Write>>;

/// Begins a share with a content of this length.
pub(super) fn begin<'a, P: OwnersParameters>(
    out: &'a mut dyn Write,
    object_type: ObjectType,
    session: &Session<P>,
    owner: u32,
    content: u64,
) -> io::Result<ShareWriter<'a>> {
    let digest = session.parameters().digest();
    let object = ObjectWriter::new(out, object_type, &digest, HEAD_BYTES + content)?;
    let mut writer = BodyWriter::new(object);
    writer.raw(session.digest())?;
    writer.u32(owner)?;
    Ok(writer)
}

/// A share of the session, whose bytes are hashed once: before they are used, or in the meantime.
pub(super) struct Share<'a> {
    /// Number of the share's owner, counted from 1.
    pub owner: u32,
    /// Reader of the share's content.
    pub content: BodyReader<'a>,
    body: &'a [u8],
    check: ObjectCheck,
    /// Number of bytes of the body that were hashed.
    hashed: usize,
}

impl<'a> Share<'a> {
    /// Opens a share without hashing any of it.
    ///
    /// # Errors
    /// If the bytes are not a share of this kind, session and parameters.
    pub(super) fn open<P: OwnersParameters>(
        bytes: &'a [u8],
        object_type: ObjectType,
        message: Message,
        session: &Session<P>,
    ) -> Result<Self> {
        let digest = session.parameters().digest();
        let opened = open_object(bytes, object_type, Some(&digest), MAX_SHARE_BYTES)?;
        let (body, check) = opened;
        let mut content = BodyReader::new(body);
        let found = content.array("session of a share")?;
        let owner = content.u32("owner of a share")?;
        check_session(message, owner, &found, session)?;
        Ok(Self { owner, content, body, check, hashed: 0 })
    }

    /// Returns the checksum that the share states.
    pub(super) fn checksum(&self) -> &[u8; CHECKSUM_BYTES] {
        self.check.checksum()
    }

    /// Hashes the unhashed part of the body up to about 64 KiB before this position: BLAKE3 is fast on whole subtrees.
    pub(super) fn hash_towards(&mut self, position: usize) {
        let of_file = (HEADER_BYTES + position) / HASHED * HASHED;
        self.hash_to(of_file.saturating_sub(HEADER_BYTES));
    }

    /// Hashes the unhashed part of the body up to this position.
    fn hash_to(&mut self, position: usize) {
        if position > self.hashed {
            self.check.update(&self.body[self.hashed..position]);
            self.hashed = position;
        }
    }

    /// Hashes the whole body, and checks that it is undamaged.
    ///
    /// # Errors
    /// If it is damaged.
    pub(super) fn verify(&mut self) -> Result<()> {
        self.hash_to(self.body.len());
        Ok(self.check.finish()?)
    }

    /// Checks that nothing follows and that nothing is damaged. The content that was read may be used only after this
    /// check.
    ///
    /// # Errors
    /// If something follows or is damaged.
    pub(super) fn finish(mut self) -> Result<()> {
        self.verify()?;
        Ok(self.content.finish()?)
    }
}

/// Checks that a message belongs to a session, and to one of its owners.
///
/// # Errors
/// [`OwnersError::OtherSession`], [`OwnersError::NoSuchOwner`].
pub(super) fn check_session<P: OwnersParameters>(
    message: Message,
    owner: u32,
    found: &[u8; 32],
    session: &Session<P>,
) -> Result<()> {
    if found != session.digest() {
        let (found, expected) = (*found, *session.digest());
        return Err(OwnersError::OtherSession { message, owner, found, expected }.into());
    }
    session.owners().check(message.name(), owner)
}

/// Returns whether a key takes two rounds.
pub(super) fn is_relinearization(request: &KeyRequest) -> bool {
    request.purpose == KeyPurpose::Relinearization
}

/// The rows of one switching key in the shares of all owners.
pub(super) struct SharedRows<'a> {
    ring: &'a Ring,
    shape: SwitchingKeyShape,
    layout: PackedLayout,
    message: Message,
    parts: Vec<&'a [u8]>,
    /// Number of an owner whose words are not below their primes, or 0 if none was found.
    wrong: AtomicUsize,
}

impl<'a> SharedRows<'a> {
    /// Reads the rows of the next key in all shares, in the order of owners.
    ///
    /// # Errors
    /// If bytes are missing.
    pub(super) fn read<'b: 'a>(
        ring: &'a Ring,
        shape: SwitchingKeyShape,
        message: Message,
        shares: &mut [Share<'b>],
    ) -> Result<Self> {
        let length = shape.body_bytes(ring.moduli());
        let rows = shares.iter_mut().map(|share| share.content.raw("rows of a share", length));
        let parts = rows.collect::<std::result::Result<_, _>>()?;
        let (layout, wrong) = (PackedLayout::new(ring.moduli(), shape.basis), AtomicUsize::new(0));
        Ok(Self { ring, shape, layout, message, parts, wrong })
    }

    /// Returns the sum of the rows of a digit and limb. Words that are not below their prime count as zeros, and are
    /// recorded.
    pub(super) fn sum(&self, digit: usize, limb: usize) -> Buffer {
        let modulus = self.ring.modulus(self.ring.prime_index(self.shape.basis, limb));
        let row = |part: &'a [u8]| self.layout.row(&part[digit * self.layout.bytes()..], limb);
        let mut sum = Buffer::zeroed(self.ring.degree());
        let mut words = [0; SUMMED];
        for (block, sum) in sum.chunks_mut(SUMMED).enumerate() {
            let (start, words) = (block * SUMMED, &mut words[..sum.len()]);
            for (index, part) in self.parts.iter().enumerate() {
                row(part).range(start..start + words.len()).unpack(Isa::detect(), words);
                // The highest bits of differences say which words are below the prime. There is no early exit, so that
                // vectors can do this.
                let differences = words.iter().map(|word| word.wrapping_sub(modulus.value()));
                if differences.fold(u64::MAX, |all, difference| all & difference) >> 63 == 1 {
                    kernels::add_assign(modulus, sum, words);
                } else {
                    self.wrong.store(index + 1, Ordering::Relaxed);
                }
            }
        }
        sum
    }

    /// Writes the rows that `make` returns for a digit and limb, on all threads.
    pub(super) fn fill(&self, out: &mut [u8], make: impl Fn(usize, usize) -> Buffer + Sync) {
        let limbs = self.shape.basis.limbs();
        let rows = self.layout.rows_mut(out).into_par_iter();
        rows.enumerate().for_each(|(row, (bytes, bits))| {
            PackedRow::pack(Isa::detect(), bytes, &make(row / limbs, row % limbs), bits);
        });
    }

    /// Writes the sums of all rows, and hashes the shares up to the end of these rows: one row per thread at a time,
    /// which is then in the caches. `buffer` has room for a digit.
    ///
    /// # Errors
    /// [`OwnersError::Words`], or if writing fails.
    pub(super) fn write_sums<W: Write>(
        &self,
        shares: &mut [Share<'_>],
        writer: &mut BodyWriter<W>,
        buffer: &mut [u8],
    ) -> Result<()> {
        let digit_bytes = self.layout.bytes();
        let mut following = self.shape.digits() * digit_bytes;
        for digit in 0..self.shape.digits() {
            let rows = self.layout.rows_mut(&mut buffer[..digit_bytes]);
            let mut rows: Vec<_> = rows.into_iter().enumerate().collect();
            for group in rows.chunks_mut(rayon::current_num_threads()) {
                following -= group.iter().map(|(_, (bytes, _))| bytes.len()).sum::<usize>();
                for share in &mut *shares {
                    share.hash_towards(share.content.position() - following);
                }
                group.par_iter_mut().for_each(|(limb, (bytes, bits))| {
                    PackedRow::pack(Isa::detect(), bytes, &self.sum(digit, *limb), *bits);
                });
            }
            writer.raw(&buffer[..digit_bytes])?;
        }
        self.check()
    }

    /// Checks that all words that were summed up were below their primes.
    ///
    /// # Errors
    /// [`OwnersError::Words`].
    pub(super) fn check(&self) -> Result<()> {
        match self.wrong.load(Ordering::Relaxed) {
            0 => Ok(()),
            owner => Err(OwnersError::Words { message: self.message, owner: owner as u32 }.into()),
        }
    }
}
