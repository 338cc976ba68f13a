//! A card, or its emulation on the processor: memory, copies, kernels.

mod card;
#[cfg(feature = "emulation")]
mod emulation;
mod words;

use std::sync::{Arc, OnceLock};

use cryptable_lattice::error::{Error, Result};

use crate::arguments::Arguments;
use crate::kernels::{Grid, Kernel};

use card::Card;
#[cfg(test)]
pub(crate) use card::MODULES;
pub(crate) use words::Words;

/// The most shared memory that a block may ask for: `MAX_SHARED_BYTES` of the kernels.
pub(crate) const MAX_SHARED_BYTES: u32 = 232_448;

/// One NVIDIA card. Clones are of the same card.
///
/// Work runs in the order in which it is given, on one stream. The first error of it is kept, nothing runs after it, and
/// [`Device::check`] and downloads return it.
#[derive(Clone, Debug)]
pub struct Device {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: Kind,
    /// The message of the first error.
    failure: OnceLock<String>,
}

/// Where kernels run.
#[derive(Debug)]
enum Kind {
    Card(Card),
    #[cfg(feature = "emulation")]
    Emulation,
}

/// What a card has.
#[derive(Clone, Debug)]
pub struct DeviceProperties {
    /// Its name, as the driver tells it.
    pub name: String,
    /// Bytes of its memory.
    pub memory_bytes: usize,
    /// Bytes that are free.
    pub free_bytes: usize,
}

impl Device {
    /// The number of cards: 0 without a driver.
    #[must_use]
    pub fn count() -> usize {
        Card::count()
    }

    /// The card with this number, from 0.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no driver, no such card, or it is too old for the kernels.
    pub fn card(number: usize) -> Result<Self> {
        Ok(Self::of_kind(Kind::Card(Card::open(number)?)))
    }

    /// A card that is emulated on the processor, by the same kernels: for tests. Thousands of times slower than a card.
    #[cfg(feature = "emulation")]
    #[must_use]
    pub fn emulated() -> Self {
        Self::of_kind(Kind::Emulation)
    }

    /// The first card, or where tests find none the emulation.
    ///
    /// # Panics
    /// If there is no card, but `CRYPTABLE_TEST_CARD` demands one.
    #[cfg(feature = "emulation")]
    #[must_use]
    pub fn for_tests() -> Self {
        let demanded = std::env::var_os("CRYPTABLE_TEST_CARD").is_some();
        Self::card(0).unwrap_or_else(|error| {
            assert!(!demanded, "{error}");
            Self::emulated()
        })
    }

    fn of_kind(kind: Kind) -> Self {
        Self { inner: Arc::new(Inner { kind, failure: OnceLock::new() }) }
    }

    /// What the card has.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver does not tell.
    pub fn properties(&self) -> Result<DeviceProperties> {
        match &self.inner.kind {
            Kind::Card(card) => card.properties(),
            #[cfg(feature = "emulation")]
            Kind::Emulation => Ok(DeviceProperties {
                name: "emulation".to_owned(),
                memory_bytes: usize::MAX,
                free_bytes: usize::MAX,
            }),
        }
    }

    /// Waits for all work, and returns the first error of it.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn check(&self) -> Result<()> {
        if let Kind::Card(card) = &self.inner.kind {
            self.keep(card.synchronize());
        }
        match self.inner.failure.get() {
            Some(message) => Err(Error::Device { message: message.clone() }),
            None => Ok(()),
        }
    }

    /// Whether there was an error: nothing more runs.
    fn has_failed(&self) -> bool {
        self.inner.failure.get().is_some()
    }

    /// Keeps the first error.
    fn keep<T>(&self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let _ = self.inner.failure.set(error.to_string());
                None
            }
        }
    }

    /// Memory for so many words, of unspecified values.
    pub(crate) fn allocate(&self, len: usize) -> Words {
        match &self.inner.kind {
            Kind::Card(card) if !self.has_failed() => match self.keep(card.allocate(len)) {
                Some(slice) => Words::of_card(self, slice, len),
                None => Words::missing(self, len),
            },
            Kind::Card(_) => Words::missing(self, len),
            #[cfg(feature = "emulation")]
            Kind::Emulation => Words::of_emulation(self, len),
        }
    }

    /// A copy of words.
    pub(crate) fn upload(&self, words: &[u64]) -> Words {
        let mut out = self.allocate(words.len());
        out.write(0, words);
        out
    }

    /// Runs a kernel after all that was given before.
    ///
    /// # Panics
    /// If the grid is empty.
    pub(crate) fn launch<A: Arguments>(&self, kernel: &Kernel<A>, grid: Grid, arguments: &A) {
        self.launch_sharing(kernel, grid, 0, arguments);
    }

    /// As [`Device::launch`], with so many bytes of shared memory for each block, besides what kernels declare.
    ///
    /// # Panics
    /// If the grid is empty, or the bytes are more than any card has.
    pub(crate) fn launch_sharing<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        shared_bytes: u32,
        arguments: &A,
    ) {
        assert!(shared_bytes <= MAX_SHARED_BYTES, "{shared_bytes} bytes of shared memory");
        assert!(grid.threads > 0 && grid.blocks.iter().all(|&count| count > 0), "{grid:?}");
        match &self.inner.kind {
            Kind::Card(card) => {
                if !self.has_failed() {
                    self.keep(card.launch(kernel.name, grid, shared_bytes, arguments));
                }
            }
            #[cfg(feature = "emulation")]
            Kind::Emulation => emulation::run(kernel, grid, arguments),
        }
    }

    pub(in crate::device) fn as_card(&self) -> Option<&Card> {
        match &self.inner.kind {
            Kind::Card(card) => Some(card),
            #[cfg(feature = "emulation")]
            Kind::Emulation => None,
        }
    }
}
