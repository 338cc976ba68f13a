//! The memory from which large buffers are cut, and to which they return.
//!
//! Free neighbours are merged. The buffers of one stage of a circuit can therefore be cut from those of the stage
//! before, whatever the lengths of both, and memory never exceeds the largest use at one time by more than the gaps
//! between buffers. An earlier list of free buffers by length kept the buffers of every stage, which took a third more
//! memory in lookups of 8 bits.
//!
//! Regions are address space. The system supplies pages when they are first written to, 2 MiB at a time where it has
//! such pages, and they stay. Space that was never in use therefore does not count as free memory. The arena uses it
//! only if no free block is long enough, and then only for the bytes that are missing. When such space was counted
//! among the free blocks, it was often the smallest block that was long enough: AKP of 10 bits, which uses at most
//! 1,440 limbs at once, took 2,046; now it takes 1,454.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;
use std::sync::Mutex;

use memmap2::MmapMut;
#[cfg(unix)]
use memmap2::{Advice, UncheckedAdvice};

/// Address space of a region, unless a buffer needs more: lookups of 8 bits need one region.
const REGION_BYTES: usize = 1 << 30;

/// Unit of block lengths: a page of the smallest size.
const PAGE_BYTES: usize = 4096;

/// Bytes of a word.
const WORD_BYTES: usize = 8;

/// Free and used memory.
static ARENA: Mutex<Arena> = Mutex::new(Arena::new());

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    region: usize,
    offset: usize,
}

/// Address space, and the end of the part that was ever in use, in bytes.
#[derive(Debug)]
struct Region {
    map: MmapMut,
    frontier: usize,
}

/// Regions and the free blocks below their frontiers, in bytes.
#[derive(Debug)]
struct Arena {
    regions: Vec<Region>,
    by_place: BTreeMap<Place, usize>,
    by_length: BTreeSet<(usize, Place)>,
    usage: BufferUsage,
}

/// Memory of the arena's buffers, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferUsage {
    /// Bytes in use now.
    pub used: usize,
    /// The most bytes that were in use at once, since the start or since [`reset_buffer_peak`].
    pub peak: usize,
    /// All bytes that were ever in use, gaps included: the resident memory, except for what [`release_buffers`]
    /// returned.
    pub extent: usize,
}

impl Arena {
    const fn new() -> Self {
        let usage = BufferUsage { used: 0, peak: 0, extent: 0 };
        Self { regions: Vec::new(), by_place: BTreeMap::new(), by_length: BTreeSet::new(), usage }
    }

    /// Records a block as free, merged with its free neighbours.
    fn put(&mut self, mut place: Place, mut length: usize) {
        if let Some((&before, &free)) = self.by_place.range(..place).next_back()
            && before.region == place.region
            && before.offset + free == place.offset
        {
            self.remove(before, free);
            (place, length) = (before, free + length);
        }
        let after = Place { offset: place.offset + length, ..place };
        if let Some(&free) = self.by_place.get(&after) {
            self.remove(after, free);
            length += free;
        }
        self.by_place.insert(place, length);
        self.by_length.insert((length, place));
    }

    fn remove(&mut self, place: Place, length: usize) {
        self.by_place.remove(&place);
        self.by_length.remove(&(length, place));
    }

    /// Takes the smallest free block that is long enough, the one at the lowest address among equals, or else bytes
    /// beyond a frontier. Returns `None` if no address space is left.
    fn take(&mut self, length: usize) -> Option<Place> {
        let from = (length, Place { region: 0, offset: 0 });
        let place = match self.by_length.range(from..).next() {
            Some(&(free, place)) => {
                self.remove(place, free);
                if free > length {
                    let rest = Place { offset: place.offset + length, ..place };
                    self.put(rest, free - length);
                }
                place
            }
            None => self.grow(length)?,
        };
        let BufferUsage { used, peak, .. } = &mut self.usage;
        *used += length;
        *peak = (*peak).max(*used);
        Some(place)
    }

    /// Moves the frontier of the first region that has room. Free bytes just below the frontier become part of the
    /// block.
    fn grow(&mut self, length: usize) -> Option<Place> {
        let has_room = |&region: &usize| {
            self.free_below_frontier(region).offset + length <= self.regions[region].map.len()
        };
        let region = match (0..self.regions.len()).find(has_room) {
            Some(region) => region,
            None => self.add_region(length)?,
        };
        let place = self.free_below_frontier(region);
        let frontier = &mut self.regions[region].frontier;
        let free = *frontier - place.offset;
        *frontier = place.offset + length;
        self.usage.extent += length - free;
        if free > 0 {
            self.remove(place, free);
        }
        Some(place)
    }

    /// Returns the start of the free bytes that end at a region's frontier, or the frontier itself if there are none.
    fn free_below_frontier(&self, region: usize) -> Place {
        let frontier = Place { region, offset: self.regions[region].frontier };
        match self.by_place.range(..frontier).next_back() {
            Some((&last, &free))
                if last.region == region && last.offset + free == frontier.offset =>
            {
                last
            }
            _ => frontier,
        }
    }

    /// Maps another region: only as long as the buffer if address space is scarce.
    fn add_region(&mut self, length: usize) -> Option<usize> {
        let map = |bytes: usize| MmapMut::map_anon(bytes).ok();
        let map = map(REGION_BYTES.max(length)).or_else(|| map(length))?;
        // Large pages are optional: everything works without them, only slower.
        #[cfg(unix)]
        let _ = map.advise(Advice::HugePage);
        self.regions.push(Region { map, frontier: 0 });
        Some(self.regions.len() - 1)
    }

    /// Returns the address of the first word of a block.
    fn pointer(&mut self, place: Place) -> NonNull<u64> {
        let region = self.regions[place.region].map.as_mut_ptr();
        // SAFETY: places lie within their regions.
        NonNull::new(unsafe { region.add(place.offset) }.cast()).expect("mapped memory")
    }

    /// Returns the pages of free memory to the system, if it accepts them.
    fn release(&mut self) {
        #[cfg(unix)]
        for (place, &length) in &self.by_place {
            let region = &self.regions[place.region].map;
            // SAFETY: nobody uses these bytes, and zeros are as good as what they hold.
            let advised = unsafe {
                region.unchecked_advise_range(UncheckedAdvice::DontNeed, place.offset, length)
            };
            // If the system does not accept them, the memory stays resident.
            drop(advised);
        }
    }
}

/// Words of the arena that one buffer owns, aligned to pages. They hold their last contents, or zeros.
#[derive(Debug)]
pub(crate) struct Block {
    place: Place,
    pointer: NonNull<u64>,
    words: usize,
}

// SAFETY: a block owns its words, as a boxed slice does.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Allocates a block of at least `words` words. Returns `None` if the system has no memory.
    pub(crate) fn take(words: usize) -> Option<Self> {
        let length = (words * WORD_BYTES).next_multiple_of(PAGE_BYTES);
        let mut arena = ARENA.lock().expect("no panic under lock");
        let place = arena.take(length)?;
        Some(Self { place, pointer: arena.pointer(place), words: length / WORD_BYTES })
    }

    pub(crate) fn words(&self) -> &[u64] {
        // SAFETY: mapped memory is initialised, and the arena gave these words to this block only.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.words) }
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.words) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut arena = ARENA.lock().expect("no panic under lock");
        arena.usage.used -= self.words * WORD_BYTES;
        arena.put(self.place, self.words * WORD_BYTES);
    }
}

/// Returns the memory of recycled buffers: what circuits themselves need, and the gaps between buffers.
///
/// ```
/// use cryptable_ring::{Buffer, buffer_usage};
/// let buffer = Buffer::zeroed(1 << 16);
/// assert!(buffer_usage().used >= 8 << 16 && buffer_usage().peak >= buffer_usage().used);
/// # drop(buffer);
/// ```
pub fn buffer_usage() -> BufferUsage {
    ARENA.lock().expect("no panic under lock").usage
}

/// Resets the peak of [`buffer_usage`] to the memory that is in use now.
pub fn reset_buffer_peak() {
    let usage = &mut ARENA.lock().expect("no panic under lock").usage;
    usage.peak = usage.used;
}

/// Returns the memory of recycled buffers that are free to the system.
pub fn release_buffers() {
    ARENA.lock().expect("no panic under lock").release();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: usize) -> Place {
        Place { region: 0, offset }
    }

    #[test]
    fn free_neighbours_become_one() {
        let mut arena = Arena::new();
        assert_eq!(
            [arena.take(10), arena.take(30), arena.take(20), arena.take(40)],
            [0, 10, 40, 60].map(|offset| Some(at(offset)))
        );
        arena.put(at(10), 30);
        arena.put(at(60), 40);
        // The smallest free block that is long enough.
        assert_eq!(arena.take(25), Some(at(10)));
        arena.put(at(10), 25);
        arena.put(at(40), 20);
        assert_eq!(arena.by_place.iter().collect::<Vec<_>>(), [(&at(10), &90)]);
        arena.put(at(0), 10);
        assert_eq!(arena.by_length.iter().collect::<Vec<_>>(), [&(100, at(0))]);
        // Blocks of different regions are not merged.
        arena.put(Place { region: 1, offset: 100 }, 50);
        assert_eq!(arena.by_place.len(), 2);
    }

    #[test]
    fn memory_that_was_never_in_use_comes_last() {
        let mut arena = Arena::new();
        let taken = [10, 30, 20].map(|length| arena.take(length));
        assert_eq!(taken, [0, 10, 40].map(|offset| Some(at(offset))));
        assert_eq!(arena.usage.extent, 60);
        arena.put(at(0), 10);
        arena.put(at(40), 20);
        // Free bytes at the frontier become the beginning of a longer block.
        assert_eq!((arena.take(25), arena.usage.extent), (Some(at(40)), 65));
        assert_eq!((arena.take(10), arena.usage.extent), (Some(at(0)), 65));
        assert_eq!((arena.take(7), arena.usage.extent), (Some(at(65)), 72));
        // A buffer that is longer than the rest of a region goes to another one.
        let next = Place { region: 1, offset: 0 };
        assert_eq!(arena.take(REGION_BYTES), Some(next));
        assert_eq!((arena.take(8), arena.usage.extent), (Some(at(72)), 80 + REGION_BYTES));
    }

    #[test]
    fn blocks_are_their_owners_only() {
        let fill = |seed: u64| {
            let mut blocks: Vec<Block> = Vec::new();
            for step in 0..200 {
                let words = (seed * 7919 + step * 104_729) as usize % 100_000;
                let mut block = Block::take(words).unwrap();
                assert!(block.words().len() >= words);
                block.words_mut().fill(seed << 32 | step);
                blocks.push(block);
                if step % 3 == 0 {
                    blocks.swap_remove((step as usize * 31) % blocks.len());
                }
                assert!(blocks.iter().all(|b| b.words().iter().all(|w| w >> 32 == seed)));
                let same = |b: &Block| b.words().windows(2).all(|pair| pair[0] == pair[1]);
                assert!(step % 50 != 0 || blocks.iter().all(same));
            }
        };
        std::thread::scope(|scope| {
            (1..4).for_each(|seed| drop(scope.spawn(move || fill(seed))));
            scope.spawn(|| (0..20).for_each(|_| release_buffers()));
        });
    }
}
