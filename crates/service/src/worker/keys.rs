//! Keys that stay in memory between jobs.

use std::sync::Arc;

use cryptable::engines::packed::EntryKind;
use cryptable::{EvaluationKey, ReadOptions};

use crate::Result;
use crate::store::{QueuedJob, Store};

/// A key, and the file from which it was read.
struct Loaded {
    id: String,
    key: Arc<EvaluationKey>,
}

/// Keys, most recently used last.
#[derive(Default)]
pub(super) struct LoadedKeys(Vec<Loaded>);

impl LoadedKeys {
    /// Drops keys for which `is_kept` returns false.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|loaded| is_kept(&loaded.id));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Drops the least recently used keys until the others use at most `room` bytes.
    fn shrink_to(&mut self, room: u64) {
        let taken = |loaded: &[Loaded]| -> u64 {
            loaded.iter().map(|other| other.key.memory_bytes() as u64).sum()
        };
        while !self.0.is_empty() && taken(&self.0) > room {
            self.0.remove(0);
        }
    }

    /// Returns the key of a job, and loads it if necessary. Drops the least recently used keys until all fit in
    /// `memory` together with the lookup.
    pub(super) fn key_of(
        &mut self,
        job: &QueuedJob,
        store: &Store,
        memory: u64,
        options: ReadOptions,
    ) -> Result<Arc<EvaluationKey>> {
        let this = match self.0.iter().position(|other| other.id == job.key) {
            Some(place) => self.0.remove(place),
            None => {
                let path = store.fetch(&job.key)?;
                // A loaded key may be several times the size of its file; its real size is known only afterwards.
                self.shrink_to((memory / 2).saturating_sub(std::fs::metadata(&path)?.len()));
                let key = Arc::new(EvaluationKey::open(&path, options)?);
                Loaded { id: job.key.clone(), key }
            }
        };
        let parameters = this.key.lookup_parameters()?;
        let values = parameters.values_per_part() as u64;
        let lookup = parameters.lookup_prediction(EntryKind::Shared, job.tables.len(), values);
        let room = memory.saturating_sub(lookup.peak_bytes() as u64);
        self.shrink_to(room.min(memory / 2));
        let key = this.key.clone();
        self.0.push(this);
        Ok(key)
    }
}
