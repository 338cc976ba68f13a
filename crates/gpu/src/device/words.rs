//! Memory of a device.

use cryptable_lattice::error::Result;
use cudarc::driver::CudaSlice;

use super::Device;

/// Words in the memory of a device, freed when they are dropped, after the work that was given before.
#[derive(Debug)]
pub(crate) struct Words {
    device: Device,
    address: u64,
    len: usize,
    storage: Storage,
}

#[derive(Debug)]
enum Storage {
    Card(#[expect(dead_code, reason = "owns the memory")] CudaSlice<u64>),
    /// There was an error before: nothing runs that would use it.
    Missing,
    #[cfg(feature = "emulation")]
    Emulation(#[expect(dead_code, reason = "owns the memory")] Box<[u64]>),
}

impl Words {
    pub(super) fn of_card(device: &Device, slice: CudaSlice<u64>, len: usize) -> Self {
        let address = super::card::address(&slice);
        Self { device: device.clone(), address, len, storage: Storage::Card(slice) }
    }

    pub(super) fn missing(device: &Device, len: usize) -> Self {
        Self { device: device.clone(), address: 0, len, storage: Storage::Missing }
    }

    #[cfg(feature = "emulation")]
    pub(super) fn of_emulation(device: &Device, len: usize) -> Self {
        // Not zeros: what is read before it is written is to show.
        let mut words = vec![0xdead_beef_dead_beef; len].into_boxed_slice();
        let address = words.as_mut_ptr() as u64;
        Self { device: device.clone(), address, len, storage: Storage::Emulation(words) }
    }

    /// The device that has them.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The address of a word, for kernels.
    ///
    /// # Panics
    /// If it is beyond the end.
    pub(crate) fn address(&self, index: usize) -> u64 {
        assert!(index <= self.len, "word {index} of {}", self.len);
        self.address + 8 * index as u64
    }

    /// Writes words from `start` on.
    ///
    /// # Panics
    /// If they are beyond the end.
    pub(crate) fn write(&mut self, start: usize, words: &[u64]) {
        assert!(
            start + words.len() <= self.len,
            "{} words at {start} of {}",
            words.len(),
            self.len
        );
        match &mut self.storage {
            Storage::Card(_) => {
                if let Some(card) = self.device.as_card()
                    && !self.device.has_failed()
                {
                    self.device.keep(card.write(self.address + 8 * start as u64, words));
                }
            }
            Storage::Missing => {}
            #[cfg(feature = "emulation")]
            Storage::Emulation(_) => {
                // SAFETY: the words are this object's own, and there are as many.
                unsafe {
                    let target = (self.address as *mut u64).add(start);
                    std::ptr::copy_nonoverlapping(words.as_ptr(), target, words.len());
                }
            }
        }
    }

    /// Reads words from `start` on, after all work that was given before.
    ///
    /// # Errors
    /// The first error of the device.
    ///
    /// # Panics
    /// If they are beyond the end.
    pub(crate) fn read(&self, start: usize, out: &mut [u64]) -> Result<()> {
        assert!(start + out.len() <= self.len, "{} words at {start} of {}", out.len(), self.len);
        match &self.storage {
            Storage::Card(_) => {
                if let Some(card) = self.device.as_card()
                    && !self.device.has_failed()
                {
                    self.device.keep(card.read(self.address + 8 * start as u64, out));
                }
            }
            Storage::Missing => {}
            #[cfg(feature = "emulation")]
            Storage::Emulation(_) => {
                // SAFETY: as in `write`.
                unsafe {
                    let source = (self.address as *const u64).add(start);
                    std::ptr::copy_nonoverlapping(source, out.as_mut_ptr(), out.len());
                }
            }
        }
        self.device.check()
    }

    /// Copies words of another buffer of the same device.
    ///
    /// # Panics
    /// If they are beyond either end.
    pub(crate) fn copy_from(&mut self, start: usize, from: &Self, from_start: usize, len: usize) {
        assert!(start + len <= self.len && from_start + len <= from.len, "{len} words");
        match (&mut self.storage, &from.storage) {
            (Storage::Card(_), Storage::Card(_)) => {
                if let Some(card) = self.device.as_card()
                    && !self.device.has_failed()
                {
                    let (to, from) = (self.address(start), from.address(from_start));
                    self.device.keep(card.copy(to, from, len));
                }
            }
            #[cfg(feature = "emulation")]
            (Storage::Emulation(_), Storage::Emulation(_)) => {
                // SAFETY: both are long enough, and of two objects.
                unsafe {
                    let source = (from.address as *const u64).add(from_start);
                    let target = (self.address as *mut u64).add(start);
                    std::ptr::copy_nonoverlapping(source, target, len);
                }
            }
            _ => {}
        }
    }
}
