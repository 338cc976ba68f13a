//! The client's process, and access to its memory from outside.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cryptable_ring::Isa;
use tempfile::TempDir;
use zeroize::Zeroizing;

use crate::client::{self, Case, Sent};
use crate::patterns::{self, Pattern};

/// Environment variables that tell a client its case, whether to hold its data, and where to put its output.
const SETTINGS: [&str; 3] = ["CRYPTABLE_SCAN_CASE", "CRYPTABLE_SCAN_HOLD", "CRYPTABLE_SCAN_PLACE"];

/// Number of bytes of memory that are read at once.
const PIECE: usize = 1 << 22;

/// A client that has finished its work, and waits.
pub struct Client {
    process: Child,
    place: TempDir,
}

/// A form of a secret that was found in memory.
#[derive(Debug)]
#[allow(dead_code, reason = "fields are for messages of failed tests")]
pub struct Finding {
    pub pattern: String,
    /// Name of the mapping; empty for anonymous memory.
    pub mapping: String,
    pub windows: usize,
}

impl Client {
    /// Starts a client whose kernels use an instruction set, and waits until it has finished.
    pub fn run(isa: Isa, case: Case, holds: bool) -> Self {
        let place = tempfile::tempdir().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["client_process", "--exact", "--ignored", "--nocapture"]);
        command.env(SETTINGS[0], format!("{case:?}")).env(SETTINGS[2], place.path());
        command.env("CRYPTABLE_SIMD", format!("{isa:?}").to_lowercase());
        if holds {
            command.env(SETTINGS[1], "1");
        }
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a client starts");
        while !place.path().join("done").exists() {
            let status = process.try_wait().unwrap();
            assert!(status.is_none(), "{case:?}: the client ended with {status:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { process, place }
    }

    /// Reads the data that the client handed over.
    pub fn sent(&self) -> Sent {
        let read = |name| fs::read(self.place.path().join(name)).unwrap();
        Sent { secret: Zeroizing::new(read("secret")), ciphertext: read("ciphertext") }
    }

    /// Returns all forms that occur anywhere in the client's writable memory.
    pub fn scan(&self, patterns: &[Pattern]) -> Vec<Finding> {
        let windows = Windows::of(patterns);
        let directory = Path::new("/proc").join(self.process.id().to_string());
        let memory = File::open(directory.join("mem"))
            .expect("a process may read its child's memory, unless the system forbids tracing");
        let mut found = HashMap::new();
        for line in fs::read_to_string(directory.join("maps")).unwrap().lines() {
            let mut fields = line.split_whitespace();
            let (range, access) = (fields.next().unwrap(), fields.next().unwrap());
            let name = fields.nth(3).unwrap_or_default();
            if access.starts_with("rw") {
                let end = |text| u64::from_str_radix(text, 16).unwrap();
                let (start, stop) = range.split_once('-').unwrap();
                windows.scan(&memory, end(start)..end(stop), |pattern| {
                    *found.entry((pattern, name.to_owned())).or_default() += 1;
                });
            }
        }
        let finding = |((pattern, mapping), windows): ((usize, String), usize)| Finding {
            pattern: patterns[pattern].name.clone(),
            mapping,
            windows,
        };
        found.into_iter().map(finding).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The client waits for the end of its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// All windows of all forms.
///
/// Memory is searched in steps of eight bytes, and forms at all positions, so anything longer than a window plus eight
/// bytes is found wherever it lies. Positions where the first eight bytes are zero are skipped on both sides.
struct Windows<'a> {
    /// Windows by length, each with the pattern that it belongs to.
    by_length: HashMap<usize, HashMap<&'a [u8], usize>>,
    /// First words of all windows.
    starts: HashSet<u64>,
    /// Hashes of the first words, with which most of memory can be skipped quickly.
    filter: Vec<bool>,
}

impl<'a> Windows<'a> {
    const FILTER_BITS: u32 = 20;

    fn of(patterns: &'a [Pattern]) -> Self {
        let mut by_length: HashMap<usize, HashMap<&[u8], usize>> = HashMap::new();
        let (mut starts, mut filter) = (HashSet::new(), vec![false; 1 << Self::FILTER_BITS]);
        for (index, pattern) in patterns.iter().enumerate() {
            assert!(pattern.bytes.len() >= pattern.window + 8, "{} is too short", pattern.name);
            for window in pattern.bytes.windows(pattern.window).step_by(pattern.unit) {
                let start = first_word(window);
                if start != 0 {
                    by_length.entry(pattern.window).or_default().entry(window).or_insert(index);
                    starts.insert(start);
                    filter[Self::hash(start)] = true;
                }
            }
        }
        Self { by_length, starts, filter }
    }

    fn hash(word: u64) -> usize {
        (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - Self::FILTER_BITS)) as usize
    }

    /// Calls `on_found` with the pattern of every window in a range of memory.
    fn scan(&self, memory: &File, range: std::ops::Range<u64>, mut on_found: impl FnMut(usize)) {
        let longest = self.by_length.keys().copied().max().unwrap_or(0);
        let mut piece = vec![0; PIECE + longest];
        for start in range.clone().step_by(PIECE) {
            let length = piece.len().min((range.end - start) as usize);
            // Pages that cannot be read are skipped.
            let found = memory.read_at(&mut piece[..length], start).unwrap_or(0);
            let here = &piece[..found];
            for position in (0..found.saturating_sub(7).min(PIECE)).step_by(8) {
                let word = first_word(&here[position..]);
                if word == 0 || !self.filter[Self::hash(word)] || !self.starts.contains(&word) {
                    continue;
                }
                for (&length, windows) in &self.by_length {
                    let window = here.get(position..position + length);
                    if let Some(&pattern) = window.and_then(|window| windows.get(window)) {
                        on_found(pattern);
                    }
                }
            }
        }
    }
}

fn first_word(bytes: &[u8]) -> u64 {
    u64::from_ne_bytes(bytes[..8].try_into().unwrap())
}

/// Runs the client's process.
pub fn client_main() {
    let setting = |index: usize| std::env::var(SETTINGS[index]).ok();
    let case = Case::of_name(&setting(0).expect("a case"));
    let place = std::path::PathBuf::from(setting(2).expect("a place"));
    let sent = client::run(case);
    fs::write(place.join("secret"), sent.secret.as_slice()).unwrap();
    fs::write(place.join("ciphertext"), &sent.ciphertext).unwrap();
    let held = setting(1).map(|_| patterns::of(case, &sent));
    drop(sent);
    fs::write(place.join("done"), b"").unwrap();
    // Wait until the test has seen enough.
    let _ = std::io::stdin().read(&mut [0]);
    drop(std::hint::black_box(held));
}
