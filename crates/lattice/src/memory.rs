//! The memory of the machine, the container and the process.
//!
//! On Linux, the available memory is the minimum of what the machine has left (`MemAvailable`), the limits of control
//! groups, of both versions, less their usage, and the limits of the process on its address space (`ulimit -v`) and its
//! data (`ulimit -d`), less what it has mapped. Programs compare predictions
//! ([`Prediction::peak_bytes`](crate::cost::Prediction::peak_bytes)) with it before they start work, since the system may
//! kill a process that uses too much. Other systems report nothing.
//!
//! If the process has a limit at which allocations fail, programs with the allocator [`WithReserve`] keep a reserve
//! ([`keep_reserve`]). If the system refuses an allocation in the middle of work, the reserve is used for it, and the
//! work ends at its next step with [`Error::Allocation`] ([`check_reserve`]); without a reserve, the process ends.
//! Buffers of keys, which may be larger than the reserve, end work that runs within [`refusable`] with the same error,
//! in every program.
//!
//! The number of processors is the standard library's
//! ([`available_parallelism`](std::thread::available_parallelism)), which knows the quotas of control groups and the
//! processors that a process is bound to.

use std::fs;
use std::path::Path;

pub use cryptable_ring::WithReserve;

use crate::error::{Error, Result};

/// The most bytes of the reserve: more than any step of the library uses in small allocations.
const RESERVE_BYTES: usize = 64 << 20;

/// The reserve is at most the memory that the process may allocate, divided by this number.
const RESERVE_SHARE: usize = 8;

/// Root of the files in which Linux reports memory.
const ROOT: &str = "/";

/// The files in which Linux reports the memory of control groups of one version.
struct Version {
    /// The root folder of all groups.
    folder: &'static str,
    /// The files with limits, and for each whether a group that exceeds the limit is killed (or else slowed down).
    limits: &'static [(&'static str, bool)],
    usage: &'static str,
    /// The controller by which `/proc/self/cgroup` names the group: none in version 2.
    controller: &'static str,
}

const VERSIONS: [Version; 2] = [
    Version {
        folder: "sys/fs/cgroup",
        limits: &[("memory.max", true), ("memory.high", false)],
        usage: "memory.current",
        controller: "",
    },
    Version {
        folder: "sys/fs/cgroup/memory",
        limits: &[("memory.limit_in_bytes", true)],
        usage: "memory.usage_in_bytes",
        controller: "memory",
    },
];

/// Limits of the process itself: their names in `/proc/self/limits`, and the names in `/proc/self/status` of the usage
/// that counts towards them.
const OWN_LIMITS: [(&str, &str); 2] =
    [("Max address space", "VmSize:"), ("Max data size", "VmData:")];

/// Returns the bytes of memory that this process may have in total: the machine's memory, or less if its container or
/// the process itself has a lower limit. `None` if the system does not report it.
#[must_use]
pub fn in_all() -> Option<usize> {
    rooms(Path::new(ROOT)).iter().map(|room| room.limit).min()
}

/// Returns the bytes of memory that this process may still allocate: the machine's available memory, or less if its
/// container or the process itself has a lower limit. `None` if the system does not report it.
#[must_use]
pub fn left() -> Option<usize> {
    rooms(Path::new(ROOT)).iter().map(Room::left).min()
}

/// Returns the bytes of memory that the process may still allocate before it exceeds a limit of its container or its
/// own. `None` if there is no such limit.
#[must_use]
pub fn hard_limit() -> Option<usize> {
    hard_limit_below(Path::new(ROOT))
}

fn hard_limit_below(root: &Path) -> Option<usize> {
    rooms(root).iter().filter(|room| room.is_hard).map(Room::left).min()
}

/// Checks that `needed` more bytes fit into the available memory. Succeeds if the system does not report it.
///
/// ```
/// use cryptable_lattice::memory;
/// assert!(memory::check("the lookup", 1 << 20).is_ok());
/// # #[cfg(target_os = "linux")]
/// assert!(memory::check("the lookup", usize::MAX).is_err());
/// ```
///
/// # Errors
/// [`Error::MemoryLeft`] if they do not, before any of them is allocated.
pub fn check(work: &'static str, needed: usize) -> Result<()> {
    match left() {
        Some(left) if needed > left => Err(Error::MemoryLeft { work, needed, left }),
        _ => Ok(()),
    }
}

/// Sets a reserve aside for allocations that the system refuses, if the process has a limit and there is no reserve
/// yet. Programs call this when they start.
pub fn keep_reserve() {
    if let Some(left) = hard_limit() {
        cryptable_ring::keep_reserve(RESERVE_BYTES.min(left / RESERVE_SHARE));
    }
}

/// Sets the reserve aside again if it was used. Servers call this between pieces of work.
pub fn renew_reserve() {
    if check_reserve().is_err() {
        keep_reserve();
    }
}

/// Checks that the system has refused no allocation since [`keep_reserve`]. Every report of progress calls this.
///
/// ```
/// use cryptable_lattice::memory;
/// assert!(memory::check_reserve().is_ok());
/// ```
///
/// # Errors
/// [`Error::Allocation`] if it has refused one.
pub fn check_reserve() -> Result<()> {
    match cryptable_ring::refused_allocation() {
        Some(bytes) => Err(Error::Allocation { object: "current work", bytes }),
        None => Ok(()),
    }
}

/// Runs work that allocates large buffers.
///
/// ```
/// use cryptable_lattice::{Error, memory};
/// assert_eq!(memory::refusable(|| Ok::<_, Error>(3))?, 3);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Errors of the work, and [`Error::Allocation`] if the system refuses one of its buffers.
pub fn refusable<R, E: From<Error>>(
    work: impl FnOnce() -> std::result::Result<R, E>,
) -> std::result::Result<R, E> {
    cryptable_ring::catch_refused(work)
        .unwrap_or_else(|bytes| Err(Error::Allocation { object: "current work", bytes }.into()))
}

/// Allocates zeros for an object whose length comes from a file or a caller.
///
/// ```
/// use cryptable_lattice::{Error, memory};
/// assert_eq!(memory::zeros("ciphertext", 3)?, [0; 3]);
/// let bytes = usize::MAX / 2;
/// assert!(matches!(memory::zeros("ciphertext", bytes), Err(Error::Allocation { bytes: b, .. }) if b == bytes));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::Allocation`] if the system refuses the memory.
pub fn zeros(object: &'static str, bytes: usize) -> Result<Vec<u8>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(bytes).map_err(|_| Error::Allocation { object, bytes })?;
    zeros.resize(bytes, 0);
    Ok(zeros)
}

/// A memory limit and the usage that counts towards it, in bytes.
struct Room {
    limit: usize,
    used: usize,
    /// Whether exceeding the limit kills the process or makes its allocations fail.
    is_hard: bool,
}

impl Room {
    fn left(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }
}

/// Reads all limits from the files below `root`.
fn rooms(root: &Path) -> Vec<Room> {
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
    let (info, status, limits) =
        (read("proc/meminfo"), read("proc/self/status"), read("proc/self/limits"));
    let machine = kibibytes(&info, "MemTotal:").zip(kibibytes(&info, "MemAvailable:"));
    let machine = machine.map(|(limit, left)| Room {
        limit,
        used: limit.saturating_sub(left),
        is_hard: false,
    });
    let own = OWN_LIMITS.iter().filter_map(|(name, usage)| {
        let rest = limits.lines().find_map(|line| line.strip_prefix(name))?;
        let limit = rest.split_whitespace().next()?.parse().ok()?;
        Some(Room { limit, used: kibibytes(&status, usage).unwrap_or(0), is_hard: true })
    });
    let groups = groups(root, &read("proc/self/cgroup"));
    machine.into_iter().chain(own).chain(groups).collect()
}

/// Reads the limits of the control groups that the process is in, according to `/proc/self/cgroup`, and of their
/// ancestors.
fn groups(root: &Path, own: &str) -> Vec<Room> {
    let mut rooms = Vec::new();
    for version in &VERSIONS {
        let path = own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|name| name == version.controller).then_some(path)
        });
        // A container sees its own group as the root, whatever the group's path is outside.
        let path = Path::new(path.unwrap_or("/").trim_start_matches('/'));
        for group in path.ancestors() {
            rooms.extend(rooms_of_group(&root.join(version.folder).join(group), version));
        }
    }
    rooms
}

/// Reads the limits of one control group.
fn rooms_of_group(folder: &Path, version: &Version) -> Vec<Room> {
    let file = |name: &str| fs::read_to_string(folder.join(name));
    let number = |name: &str| file(name).ok()?.trim().parse::<usize>().ok();
    let limits =
        version.limits.iter().filter_map(|&(name, is_hard)| Some((number(name)?, is_hard)));
    let stat = file("memory.stat").unwrap_or_default();
    let count = |name| {
        let count = stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        count.and_then(|count| count.trim().parse::<usize>().ok())
    };
    // The least limit of the group's ancestors, whose own files a container does not see; version 1 has it.
    let inherited = count("hierarchical_memory_limit").map(|limit| (limit, true));
    // The system can reclaim cached pages of files that were not used lately.
    let idle = count("inactive_file").unwrap_or(0);
    let used = number(version.usage).unwrap_or(0).saturating_sub(idle);
    limits.chain(inherited).map(|(limit, is_hard)| Room { limit, used, is_hard }).collect()
}

/// Parses the value of a line `NAME N kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_as_linux_writes_it() {
        let info = "MemTotal:       24631968 kB\nMemAvailable:   17000000 kB\nBuffers: 0 kB\n";
        assert_eq!(kibibytes(info, "MemAvailable:"), Some(17_000_000 * 1024));
        assert_eq!(kibibytes("MemTotal: 3 kB\n", "MemAvailable:"), None);
        assert_eq!(kibibytes("MemAvailable: many\n", "MemAvailable:"), None);
    }

    /// Writes files below a root.
    fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    /// Returns the available and the total memory, given the files below a root.
    fn found(files: &[(&str, &str)]) -> [Option<usize>; 2] {
        let root = written(files);
        let rooms = rooms(root.path());
        [rooms.iter().map(Room::left).min(), rooms.iter().map(|room| room.limit).min()]
    }

    #[test]
    fn the_least_limit_counts() {
        let machine = ("proc/meminfo", "MemTotal: 64 kB\nMemAvailable: 40 kB\n");
        assert_eq!(found(&[]), [None, None]);
        assert_eq!(found(&[machine]), [Some(40 << 10), Some(64 << 10)]);
        let second = [
            machine,
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/memory.max", "9000\n"),
            ("sys/fs/cgroup/a/memory.current", "5000\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 1000\n"),
        ];
        assert_eq!(found(&second), [Some(5000), Some(9000)]);
        // In a container, the path of a version 1 group is the host's.
        let first = [
            machine,
            ("proc/self/cgroup", "5:cpu,memory:/docker/x\n1:name=systemd:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "8000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "7000\n"),
        ];
        assert_eq!(found(&first), [Some(1000), Some(8000)]);
        let own = [
            machine,
            ("proc/self/limits", "Limit  Soft\nMax address space  30000  unlimited  bytes\n"),
            ("proc/self/status", "VmPeak: 21 kB\nVmSize: 20 kB\n"),
        ];
        assert_eq!(found(&own), [Some(30_000 - (20 << 10)), Some(30_000)]);
        let data = [
            machine,
            (
                "proc/self/limits",
                "Max data size  9000  9000  bytes\nMax address space  30000  30000  bytes\n",
            ),
            ("proc/self/status", "VmSize: 20 kB\nVmData: 2 kB\n"),
        ];
        assert_eq!(found(&data), [Some(9000 - (2 << 10)), Some(9000)]);
        let unlimited = [machine, ("proc/self/limits", "Max address space unlimited unlimited\n")];
        assert_eq!(found(&unlimited), found(&[machine]));
    }

    #[test]
    fn limits_that_slow_a_group_down_are_not_hard() {
        let group = [
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/memory.max", "9000\n"),
            ("sys/fs/cgroup/memory.high", "7000\n"),
            ("sys/fs/cgroup/memory.current", "1000\n"),
        ];
        assert_eq!(found(&group), [Some(6000), Some(7000)]);
        let root = written(&group);
        assert_eq!(hard_limit_below(root.path()), Some(8000));
        let none = [("sys/fs/cgroup/memory.max", "max\n"), ("sys/fs/cgroup/memory.high", "7000\n")];
        assert_eq!(hard_limit_below(written(&none).path()), None);
    }

    /// Checks a container of version 1 whose own limit is the largest number, below a group that has a limit.
    #[test]
    fn limits_of_ancestors_outside_of_a_container_count() {
        let group = [
            ("proc/self/cgroup", "3:memory:/kubepods/pod7/x\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1500\n"),
            (
                "sys/fs/cgroup/memory/memory.stat",
                "cache 5\ninactive_file 500\nhierarchical_memory_limit 6000\n",
            ),
        ];
        assert_eq!(found(&group), [Some(5000), Some(6000)]);
    }

    #[test]
    fn work_beyond_the_memory_that_is_left_is_refused_with_both_numbers() {
        let Some(left) = left() else { return };
        assert!(check("the lookup", left / 2).is_ok());
        let error = check("the lookup", usize::MAX).unwrap_err().to_string();
        assert!(error.starts_with("the lookup may take ") && error.contains("are left"), "{error}");
    }
}
