//! The file that keeps calibrations: one for each of the last machines and programs.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use cryptable_files::{Access, AtomicFile};
use cryptable_ring::Isa;
use cryptable_ring::processor::processor_name;
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use crate::cost::CostModel;

/// The version of the format, and of the measurements: files of other versions are ignored.
const FORMAT: u32 = 2;

/// The most calibrations in a file: machines may share a home directory, and programs a machine.
const MAX_ENTRIES: usize = 16;

/// The most bytes of a file that are read.
const MAX_BYTES: u64 = 1 << 16;

/// Identifies the machine and build for which a calibration is valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Machine {
    /// [`processor_name`].
    processor: String,
    /// The instruction set of the kernels.
    instruction_set: String,
    /// The version of this library.
    library: String,
    /// The program's size in bytes and its date in seconds since 1970: optimisation differs between builds.
    program: (u64, u64),
}

impl Machine {
    /// Returns this machine and program.
    pub(super) fn here() -> Self {
        Self {
            processor: processor_name(),
            instruction_set: format!("{:?}", Isa::detect()),
            library: env!("CARGO_PKG_VERSION").into(),
            program: program_stamp().unwrap_or_default(),
        }
    }
}

/// Returns the size and date of the running program's file.
fn program_stamp() -> Option<(u64, u64)> {
    let metadata = std::env::current_exe().and_then(fs::metadata).ok()?;
    let date = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), date.as_secs()))
}

/// One calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    machine: Machine,
    /// The model, in seconds.
    model: CostModel,
}

/// The content of the file, with the latest calibrations last.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    format: u32,
    calibrations: Vec<Entry>,
}

/// A file of calibrations.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    file: PathBuf,
}

impl Cache {
    /// Returns the user's file, or `None` without a home directory.
    pub(super) fn of_user() -> Option<Self> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(Self { file: strategy.cache_dir().join("cryptable").join("calibration.json") })
    }

    /// Returns the path of the file.
    pub(super) fn into_path(self) -> PathBuf {
        self.file
    }

    /// Returns the stored model of a machine. If there is none, measures it and stores it if the file can be written.
    pub(super) fn get_or_measure(
        &self,
        machine: &Machine,
        measure: impl FnOnce() -> Option<CostModel>,
    ) -> Option<CostModel> {
        self.read(machine).or_else(|| {
            let model = measure()?;
            // If the model is not stored, the next process measures it again, which is no error here.
            let _ = self.write(machine, &model);
            Some(model)
        })
    }

    /// Returns the stored model of a machine.
    fn read(&self, machine: &Machine) -> Option<CostModel> {
        let entries = self.entries();
        entries.into_iter().rfind(|entry| entry.machine == *machine).map(|entry| entry.model)
    }

    /// Stores a machine's model instead of an older one. The file is replaced as a whole: if two processes write at
    /// once, only the entry of one of them remains.
    ///
    /// # Errors
    /// If the directory or the file cannot be written.
    pub(super) fn write(&self, machine: &Machine, model: &CostModel) -> io::Result<()> {
        let mut calibrations = self.entries();
        calibrations.retain(|entry| entry.machine != *machine);
        calibrations.push(Entry { machine: machine.clone(), model: *model });
        calibrations.drain(..calibrations.len().saturating_sub(MAX_ENTRIES));
        let directory = self.file.parent().ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(directory)?;
        let mut file = AtomicFile::create(&self.file, Access::Private)?;
        let text = serde_json::to_string_pretty(&Content { format: FORMAT, calibrations })?;
        file.write_all(text.as_bytes())?;
        file.commit(true).map(drop)
    }

    /// Returns all plausible calibrations, and none if the file is absent, damaged or of another format.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = self.content().map_or_else(Vec::new, |content| content.calibrations);
        entries.retain(|entry| entry.model.is_plausible());
        entries
    }

    fn content(&self) -> Option<Content> {
        // Opening a pipe would block.
        fs::metadata(&self.file).ok()?.is_file().then_some(())?;
        let file = File::open(&self.file).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let content: Content = serde_json::from_slice(&bytes).ok()?;
        (content.format == FORMAT).then_some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file in a directory that does not exist yet, and the temporary directory around it.
    fn empty_cache() -> (tempfile::TempDir, Cache) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("new").join("calibration.json");
        (directory, Cache { file })
    }

    fn machine(number: u64) -> Machine {
        Machine { program: (number, 0), ..Machine::here() }
    }

    fn model(number: u64) -> CostModel {
        CostModel::of_unit((number + 1) as f64 * f64::exp2(-14.0))
    }

    #[test]
    fn is_measured_once_a_machine() {
        let (_directory, cache) = empty_cache();
        for number in [1, 2] {
            assert_eq!(cache.read(&machine(number)), None);
            let first = cache.get_or_measure(&machine(number), || Some(model(number)));
            assert_eq!(first, Some(model(number)));
        }
        for number in [1, 2] {
            let kept = cache.get_or_measure(&machine(number), || panic!("measured again"));
            assert!((kept.unwrap().unit() / model(number).unit() - 1.0).abs() < 1e-12);
        }
        cache.write(&machine(1), &model(9)).unwrap();
        assert!((cache.read(&machine(1)).unwrap().unit() / model(9).unit() - 1.0).abs() < 1e-12);
        assert_eq!(cache.entries().len(), 2);
    }

    #[test]
    fn any_difference_is_another_machine() {
        let (_directory, cache) = empty_cache();
        let here = Machine::here();
        cache.write(&here, &model(1)).unwrap();
        let other = |change: fn(&mut Machine)| {
            let mut machine = here.clone();
            change(&mut machine);
            machine
        };
        let others = [
            other(|machine| machine.processor.push('x')),
            other(|machine| machine.instruction_set.push('x')),
            other(|machine| machine.library.push('x')),
            other(|machine| machine.program.1 += 1),
        ];
        assert!(cache.read(&here).is_some());
        for other in others {
            assert_eq!(cache.read(&other), None, "{other:?}");
        }
    }

    #[test]
    fn foreign_and_damaged_files_are_replaced() {
        let (_directory, cache) = empty_cache();
        cache.write(&machine(1), &model(1)).unwrap();
        let good = fs::read_to_string(&cache.file).unwrap();
        let implausible = good.replace("\"key_byte\": ", "\"key_byte\": -");
        let contents = [
            "".into(),
            "null".into(),
            "{\"format\": 1}".into(),
            good[..good.len() / 2].into(),
            good.replace(&format!("\"format\": {FORMAT}"), &format!("\"format\": {}", FORMAT + 1)),
            good.replace("key_byte", "key_bit"),
            implausible,
            format!("{}{good}", " ".repeat(1 << 17)),
        ];
        for content in &contents {
            assert_ne!(*content, good);
            fs::write(&cache.file, content).unwrap();
            assert_eq!(cache.read(&machine(1)), None, "{content}");
            assert_eq!(cache.get_or_measure(&machine(1), || Some(model(2))), Some(model(2)));
            assert!(cache.read(&machine(1)).is_some());
        }
        // Only the file itself remains.
        assert_eq!(fs::read_dir(cache.file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn failing_to_write_is_no_error() {
        let directory = tempfile::tempdir().unwrap();
        let occupied = directory.path().join("a file");
        fs::write(&occupied, "").unwrap();
        let cache = Cache { file: occupied.join("calibration.json") };
        assert_eq!(cache.get_or_measure(&machine(1), || Some(model(1))), Some(model(1)));
        assert!(cache.write(&machine(1), &model(1)).is_err());
        assert_eq!(cache.get_or_measure(&machine(1), || None), None);
    }

    #[test]
    fn the_oldest_calibrations_are_dropped() {
        let (_directory, cache) = empty_cache();
        let count = MAX_ENTRIES as u64 + 3;
        for number in 0..count {
            cache.write(&machine(number), &model(number)).unwrap();
        }
        assert_eq!(cache.entries().len(), MAX_ENTRIES);
        assert_eq!(cache.read(&machine(2)), None);
        assert!(cache.read(&machine(3)).is_some() && cache.read(&machine(count - 1)).is_some());
    }
}
