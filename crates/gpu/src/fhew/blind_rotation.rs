//! Blind rotation of batches by CMUXes: `cryptable_fhew::rotation::cmux`.

use cryptable_fhew::rotation::{BlindRotationKey, CmuxRotationKey};
use cryptable_lattice::error::demand;
use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::{Error, Result};
use cryptable_ring::prime_ring::PrimeRing;

use crate::arguments::fhew::{BlindRotation, Decomposition, FractionModulus};
use crate::device::{Device, MAX_SHARED_BYTES, Words};
use crate::fhew::fourier::FourierTables;
use crate::fhew::lwe_batch::LweBatch;
use crate::kernels::{self, Grid, Kernel};

/// The most threads of a block.
const MAX_THREADS: u32 = 256;

/// RGSW ciphertexts of the coefficients of a binary LWE secret, on a card.
#[derive(Debug)]
pub(crate) struct DeviceRotationKey {
    tables: FourierTables,
    rows: Words,
    gadget: RgswGadget,
    steps: usize,
    modulus: FractionModulus,
}

impl DeviceRotationKey {
    /// Puts a key on a card.
    ///
    /// # Errors
    /// If it is not one of CMUXes of a binary secret, of a ring that the kernels take.
    pub(crate) fn new(device: &Device, ring: &PrimeRing, key: &BlindRotationKey) -> Result<Self> {
        let key = cmux(key)?;
        let tables = FourierTables::new(device, ring)?;
        let gadget = key.gadget();
        check_shared_memory(ring.degree(), gadget)?;
        let rows = tables.prepare(ring, key.rgsw(), gadget.rows());
        let modulus = FractionModulus::new(ring.modulus());
        Ok(Self { tables, rows, gadget, steps: key.rgsw().count(), modulus })
    }

    /// `test·X^-phase` of each phase modulo 2N, `phases.len()` ciphertexts from that number on: body and mask, residues.
    pub(crate) fn rotate(&self, test: &Words, phases: &LweBatch, start: usize, out: &Words) {
        let each = 2 * self.tables.degree();
        let count = out.len() / each;
        assert_eq!(phases.shape().dimension, self.steps, "LWE dimension");
        assert!(start + count <= phases.len() && test.len() == each, "batch of a rotation");
        let arguments = BlindRotation {
            key: self.rows.address(0),
            key_stride: 0,
            twiddles: self.tables.address(),
            test: test.address(0),
            phases: phases.address(start),
            out: out.address(0),
            modulus: self.modulus,
            digits: [self.gadget.body, self.gadget.mask].map(Decomposition::new),
            phase_stride: phases.stride(),
            steps: self.steps as u32,
            count: count as u32,
            per_key: count as u32,
            tests: 1,
            are_fractions: 0,
        };
        launch(self.rows.device(), &self.tables, self.gadget, &arguments);
    }
}

/// Shared memory of one ciphertext: an accumulator, and a polynomial for every row.
fn shared_bytes(degree: usize, gadget: RgswGadget) -> u32 {
    (8 * degree * (2 + gadget.rows())) as u32
}

/// Demands that a card has the shared memory for a rotation.
///
/// # Errors
/// If not.
pub(crate) fn check_shared_memory(degree: usize, gadget: RgswGadget) -> Result<()> {
    let needed = shared_bytes(degree, gadget);
    let limit = format!("a card has {MAX_SHARED_BYTES}");
    let name = "bytes of an accumulator with its digits";
    demand(needed <= MAX_SHARED_BYTES, name, needed.into(), &limit)
}

/// Rotates all ciphertexts.
pub(crate) fn launch(
    device: &Device,
    tables: &FourierTables,
    gadget: RgswGadget,
    arguments: &BlindRotation,
) {
    let each = shared_bytes(tables.degree(), gadget);
    let together = ciphertexts_of_block(each, tables.threads());
    let blocks = arguments.count.div_ceil(together);
    let grid = Grid { blocks: [blocks, 1, 1], threads: together * tables.threads() };
    let kernel = kernel(tables.degree());
    device.launch_sharing(kernel, grid, together * each, arguments);
}

/// Ciphertexts of a block, which read the key together: two at least if a multiprocessor has room for them, as the key
/// is some 60 MB a ciphertext; half of what it has room for, if that is as many, so that one block computes while
/// another waits.
fn ciphertexts_of_block(shared_bytes: u32, threads: u32) -> u32 {
    let room = MAX_SHARED_BYTES / shared_bytes;
    let most = (MAX_THREADS / threads).max(1);
    if room >= 4 { (room / 2).min(most) } else { room.min(most) }
}

fn kernel(degree: usize) -> &'static Kernel<BlindRotation> {
    match degree {
        256 => &kernels::BLIND_ROTATE_256,
        512 => &kernels::BLIND_ROTATE_512,
        1024 => &kernels::BLIND_ROTATE_1024,
        2048 => &kernels::BLIND_ROTATE_2048,
        _ => &kernels::BLIND_ROTATE_4096,
    }
}

/// The key of a rotation by CMUXes of a binary secret.
fn cmux(key: &BlindRotationKey) -> Result<&CmuxRotationKey> {
    let refused = |limit: &str| {
        let (name, limit) = ("blind rotation on a card", limit.to_owned());
        Error::Parameter { name, value: 0.0, limit }
    };
    match key {
        BlindRotationKey::Cmux(key) if key.per_coefficient() == 1 => Ok(key),
        BlindRotationKey::Cmux(_) => Err(refused("it takes binary LWE secrets")),
        BlindRotationKey::Automorphism(_) => Err(refused("it goes by CMUXes")),
    }
}
