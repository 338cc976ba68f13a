//! Blocks of AES-128 under an encrypted key (FIPS 197; Wang et al., EUROCRYPT 2024, ePrint 2024/323, Algorithm 9).
//!
//! Every bit of the state is an LWE ciphertext. XOR is addition. SubBytes needs eight circuit bootstraps per byte, and a
//! table that includes the multiplications of MixColumns (`column_table.rs`), where the paper has plain S-box outputs.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;

use super::column_table::{ColumnTable, MIX_COLUMNS};
use super::field;
use super::linear_layer::{INVERSE_MIX_COLUMNS, LinearLayer};
use super::parameters::{BOOTSTRAPS_A_BLOCK, Parameters};
use crate::bootstrapping::{CircuitBootstrapping, check, xor_assign};
use crate::parameters::CircuitBootstrappingParameters;
use crate::tree::CmuxTree;
use cryptable_lattice::error::out_of_range;

/// Rounds of AES-128.
pub const ROUNDS: usize = 10;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 16;

/// A byte of eight encrypted bits, the lowest first.
pub type EncryptedByte = Vec<LweCiphertext>;

/// Round keys, encrypted bit by bit: 11 of 16 bytes.
#[derive(Clone, Debug)]
pub struct EncryptedRoundKeys {
    bytes: Vec<EncryptedByte>,
}

impl EncryptedRoundKeys {
    /// Collects the bytes of all round keys, in the order of the key expansion.
    ///
    /// # Errors
    /// If there are not 176 bytes of 8 bits.
    pub fn new(bytes: Vec<EncryptedByte>) -> Result<Self> {
        let expected = (ROUNDS + 1) * BLOCK_BYTES;
        if bytes.len() != expected || bytes.iter().any(|byte| byte.len() != 8) {
            let limit = format!("AES-128 has {expected} bytes of 8 bits");
            return Err(out_of_range("number of round key bytes", bytes.len() as u64, limit));
        }
        Ok(Self { bytes })
    }

    /// Returns the key of a round, from 0 to 10.
    fn round(&self, round: usize) -> &[EncryptedByte] {
        &self.bytes[round * BLOCK_BYTES..][..BLOCK_BYTES]
    }
}

/// AES-128 under one server's key.
#[derive(Debug)]
pub struct Aes<'a> {
    circuit: CircuitBootstrapping<'a>,
    /// SubBytes and MixColumns of all rounds except the last.
    round: ColumnTable,
    /// SubBytes of the last round.
    last_round: CmuxTree,
    /// InvMixColumns and InvSubBytes of all rounds except the last.
    inverse_round: ColumnTable,
    /// InvSubBytes of the last round.
    inverse_last_round: CmuxTree,
    inverse_mix_columns: LinearLayer,
    log2_fail: f64,
}

impl<'a> Aes<'a> {
    /// Returns AES-128 evaluated by these circuit bootstraps.
    ///
    /// # Errors
    /// If the parameters are for two bits per ciphertext, or the failure probability of a block is above 2^-64.
    pub fn new(circuit: CircuitBootstrapping<'a>) -> Result<Self> {
        let table = |of: fn(u8) -> u8| -> Vec<u64> { (0..=255).map(|x| of(x).into()).collect() };
        let parameters = circuit.parameters();
        let log2_fail = Parameters::new(parameters.clone())?.log2_fail();
        Ok(Self {
            round: ColumnTable::new(parameters, field::sub_byte, MIX_COLUMNS)?,
            last_round: CmuxTree::new(parameters, &table(field::sub_byte), 8)?,
            inverse_round: ColumnTable::new(
                parameters,
                field::inverse_sub_byte,
                INVERSE_MIX_COLUMNS,
            )?,
            inverse_last_round: CmuxTree::new(parameters, &table(field::inverse_sub_byte), 8)?,
            inverse_mix_columns: LinearLayer::circulant(INVERSE_MIX_COLUMNS),
            log2_fail,
            circuit,
        })
    }

    /// Returns the parameters of circuit bootstrapping.
    #[must_use]
    pub fn parameters(&self) -> &CircuitBootstrappingParameters {
        self.circuit.parameters()
    }

    /// Returns log2 of the probability that one of a block's circuit bootstraps reads its bit wrong. The bound also holds for
    /// decryption, which adds more bits of round keys.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns the number of circuit bootstraps of a block.
    #[must_use]
    pub fn bootstraps() -> usize {
        BOOTSTRAPS_A_BLOCK
    }

    /// Returns the number of CMUXes of a block's encryption.
    #[must_use]
    pub fn cmuxes(&self) -> usize {
        BLOCK_BYTES * ((ROUNDS - 1) * self.round.tree().cmuxes() + self.last_round.cmuxes())
    }

    /// Returns the number of CMUXes of a block's decryption.
    #[must_use]
    pub fn decryption_cmuxes(&self) -> usize {
        let rounds = (ROUNDS - 1) * self.inverse_round.tree().cmuxes();
        BLOCK_BYTES * (rounds + self.inverse_last_round.cmuxes())
    }

    /// Encrypts a block of encrypted bytes by AES: results are encrypted bits of the AES ciphertext.
    ///
    /// # Errors
    /// If there are not 16 bytes of 8 bits, or the block or the round keys belong to other parameters.
    pub fn encrypt(
        &self,
        keys: &EncryptedRoundKeys,
        block: &[EncryptedByte],
    ) -> Result<Vec<EncryptedByte>> {
        self.check(keys, block)?;
        self.encrypt_with_progress(keys, block, &|_round| Ok(()))
    }

    /// Encrypts a block that has been checked; `progress` receives the number of completed rounds, and may stop.
    pub(super) fn encrypt_with_progress(
        &self,
        keys: &EncryptedRoundKeys,
        block: &[EncryptedByte],
        progress: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Vec<EncryptedByte>> {
        let mut state = added(block, keys.round(0));
        for round in 1..=ROUNDS {
            let moved = shifted(&state, |row, column| (row + column) % 4);
            state = if round < ROUNDS {
                self.round.apply(&self.circuit, &moved)?
            } else {
                self.last_round.lookup_many(&self.circuit, &moved)?
            };
            state = added(&state, keys.round(round));
            progress(round)?;
        }
        Ok(state)
    }

    /// Checks a block, and that the block and the round keys belong to the parameters.
    pub(super) fn check(&self, keys: &EncryptedRoundKeys, block: &[EncryptedByte]) -> Result<()> {
        check_block(block)?;
        let bits = keys.bytes.iter().chain(block).flatten();
        bits.into_iter().try_for_each(|bit| check(self.parameters(), bit))
    }

    /// Decrypts a block of encrypted bytes by AES.
    ///
    /// # Errors
    /// The errors of [`Aes::encrypt`].
    pub fn decrypt(
        &self,
        keys: &EncryptedRoundKeys,
        block: &[EncryptedByte],
    ) -> Result<Vec<EncryptedByte>> {
        self.check(keys, block)?;
        let mut state = added(block, keys.round(ROUNDS));
        for round in (0..ROUNDS).rev() {
            let moved = shifted(&state, |row, column| (4 + column - row) % 4);
            // InvMixColumns is linear (FIPS 197, Sec. 5.3.5).
            state = if round > 0 {
                let key = self.inverse_mix_columns.apply(keys.round(round));
                added(&self.inverse_round.apply(&self.circuit, &moved)?, &key)
            } else {
                let bytes = self.inverse_last_round.lookup_many(&self.circuit, &moved)?;
                added(&bytes, keys.round(round))
            };
        }
        Ok(state)
    }
}

fn check_block(block: &[EncryptedByte]) -> Result<()> {
    if block.len() == BLOCK_BYTES && block.iter().all(|byte| byte.len() == 8) {
        return Ok(());
    }
    let limit = format!("a block has {BLOCK_BYTES} bytes of 8 bits");
    Err(out_of_range("number of bytes of a block", block.len() as u64, limit))
}

/// AddRoundKey: adds all bits.
fn added(state: &[EncryptedByte], key: &[EncryptedByte]) -> Vec<EncryptedByte> {
    let mut sum = state.to_vec();
    for (bit, other) in sum.iter_mut().flatten().zip(key.iter().flatten()) {
        xor_assign(bit, other);
    }
    sum
}

/// ShiftRows: byte (row, column) comes from column `from(row, column)`. Bytes are ordered column by column.
fn shifted(state: &[EncryptedByte], from: impl Fn(usize, usize) -> usize) -> Vec<EncryptedByte> {
    let byte = |i: usize| state[i % 4 + 4 * from(i % 4, i / 4)].clone();
    (0..BLOCK_BYTES).map(byte).collect()
}
