//! ChaCha20's key stream, by the crate `chacha20`, as a generator of words.

use chacha20::ChaCha20LegacyCore;
use chacha20::cipher::{Block, KeyIvInit, StreamCipherCore};
use rand::RngCore;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes that are made at once for words drawn one by one: sixteen blocks, which AVX-512 makes in parallel.
const AHEAD: usize = 1024;

/// The key stream of a key and a nonce, in Bernstein's original variant: 64 bits of nonce, 64 bits of block counter.
///
/// Every draw takes the next bytes of the stream, whatever the size of draws before.
#[derive(ZeroizeOnDrop)]
pub(super) struct KeyStream {
    cipher: ChaCha20LegacyCore,
    /// Bytes of the stream that were made ahead of draws.
    ahead: [u8; AHEAD],
    /// The number of bytes of `ahead` that were drawn.
    #[zeroize(skip)]
    drawn: usize,
}

impl KeyStream {
    /// Returns the stream, on the heap: where its owner is moved, only a pointer is copied.
    pub(super) fn new(key: &[u8; 32], nonce: u64) -> Box<Self> {
        let cipher = ChaCha20LegacyCore::new(key.into(), &nonce.to_le_bytes().into());
        Box::new(Self { cipher, ahead: [0; AHEAD], drawn: AHEAD })
    }

    /// Draws the next `N` bytes.
    fn draw<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill_bytes(&mut bytes);
        bytes
    }
}

/// Casts bytes to the whole blocks that they consist of.
fn blocks(bytes: &mut [u8]) -> &mut [Block<ChaCha20LegacyCore>] {
    Block::<ChaCha20LegacyCore>::slice_as_chunks_mut(bytes).0
}

impl RngCore for KeyStream {
    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.draw())
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.draw())
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        let left = &mut self.ahead[self.drawn..];
        let (start, rest) = out.split_at_mut(out.len().min(left.len()));
        start.copy_from_slice(&left[..start.len()]);
        left[..start.len()].zeroize();
        self.drawn += start.len();
        // The stream has 2^64 blocks.
        let (whole, end) = rest.split_at_mut(rest.len() / AHEAD * AHEAD);
        self.cipher.write_keystream_blocks(blocks(whole));
        if !end.is_empty() {
            self.cipher.write_keystream_blocks(blocks(&mut self.ahead));
            self.drawn = 0;
            self.fill_bytes(end);
        }
    }
}
