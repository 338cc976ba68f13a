//! Prevention of core dumps in processes that handle secrets.
//!
//! When a process crashes, or receives a signal such as `SIGQUIT`, the system may store its memory, with keys and
//! values, in a file or send it to a service that collects such files.

use anyhow::Result;

/// Turns off core dumps of this process and, on Linux, access to its memory by other processes of the same user,
/// including debuggers. Does nothing on systems without either.
///
/// # Errors
/// If the system refuses. The program must not continue then, since it promises that no core dump is written.
#[cfg(unix)]
pub fn disable() -> Result<()> {
    use anyhow::Context;
    use rustix::process::{Resource, Rlimit, setrlimit};

    // The hard limit is set too, so that nothing in this process can raise it again.
    let nothing = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, nothing).context("cannot turn core dumps off")?;
    // If dumps are piped to a program, the limit alone has no effect.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .context("cannot turn core dumps off")?;
    }
    Ok(())
}

/// Does nothing on this system.
#[cfg(not(unix))]
pub fn disable() -> Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    use super::*;

    #[test]
    fn dumps_are_off() {
        disable().unwrap();
        let limit = getrlimit(Resource::Core);
        assert_eq!((limit.current, limit.maximum), (Some(0), Some(0)));
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
    }
}
