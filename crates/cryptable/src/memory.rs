//! The memory of the machine, the container and the process.
//!
//! On Linux, the available memory is the minimum of three: what the machine has left (`MemAvailable`), the limits of
//! control groups, of both versions, less their usage, and the limit on the address space of the process (`ulimit -v`)
//! less what it has mapped. Programs compare predictions ([`crate::Prediction::peak_bytes`]) with it before they start
//! work, since the system may kill a process that uses too much.

use std::fs;
use std::path::Path;

/// Root of the files in which Linux reports memory.
const ROOT: &str = "/";

/// Where Linux reports the memory of a control group, for each version: the root folder of all groups, the file of the
/// limit, the file of the usage, and whether it is version 2.
const GROUPS: [(&str, &str, &str, bool); 2] = [
    ("sys/fs/cgroup", "memory.max", "memory.current", true),
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", false),
];

/// Returns the bytes of memory that this process may have in total: the machine's, or less if a limit of its container
/// or its own is lower. `None` if the system does not report it.
#[must_use]
pub fn in_all() -> Option<usize> {
    rooms(Path::new(ROOT)).iter().map(|room| room.limit).min()
}

/// Returns the bytes of memory that this process may still allocate: what the machine has left, or less if a limit of
/// its container or its own is lower. `None` if the system does not report it.
#[must_use]
pub fn left() -> Option<usize> {
    rooms(Path::new(ROOT)).iter().map(Room::left).min()
}

/// Returns the bytes of memory that the process may still allocate before it exceeds a limit of its container or its
/// own. `None` if there is no such limit.
#[must_use]
pub fn hard_limit() -> Option<usize> {
    let rooms = rooms(Path::new(ROOT));
    rooms.iter().filter(|room| room.is_hard).map(Room::left).min()
}

/// A memory limit and the usage that counts towards it, in bytes.
struct Room {
    limit: usize,
    used: usize,
    /// Whether a process that exceeds the limit is killed, or its allocations fail.
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
    let space = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    let space = space.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    let own = space.map(|limit| Room {
        limit,
        used: kibibytes(&status, "VmSize:").unwrap_or(0),
        is_hard: true,
    });
    let groups = groups(root, &read("proc/self/cgroup"));
    machine.into_iter().chain(own).chain(groups).collect()
}

/// Reads the limits of the control groups that the process is in, according to `/proc/self/cgroup`, and of their
/// ancestors.
fn groups(root: &Path, own: &str) -> Vec<Room> {
    let mut rooms = Vec::new();
    for (folder, limit, used, is_second) in GROUPS {
        let path = own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            let is_memory = match is_second {
                true => controllers.is_empty(),
                false => controllers.split(',').any(|name| name == "memory"),
            };
            is_memory.then_some(path)
        });
        // A container sees its own group as the root, whatever its path is outside.
        let path = Path::new(path.unwrap_or("/").trim_start_matches('/'));
        for group in path.ancestors() {
            let file = |name: &str| fs::read_to_string(root.join(folder).join(group).join(name));
            let number = |name: &str| file(name).ok()?.trim().parse::<usize>().ok();
            let Some(limit) = number(limit) else { continue };
            // The system reclaims cached pages of files that were not used lately.
            let stat = file("memory.stat").unwrap_or_default();
            let idle = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
            let idle = idle.and_then(|count| count.trim().parse::<usize>().ok()).unwrap_or(0);
            let used = number(used).unwrap_or(0).saturating_sub(idle);
            rooms.push(Room { limit, used, is_hard: true });
        }
    }
    rooms
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

    /// Returns the memory left and the total memory, given the files below a root.
    fn found(files: &[(&str, &str)]) -> [Option<usize>; 2] {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
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
        let unlimited = [machine, ("proc/self/limits", "Max address space unlimited unlimited\n")];
        assert_eq!(found(&unlimited), found(&[machine]));
    }
}
