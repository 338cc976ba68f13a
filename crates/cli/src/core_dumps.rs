//! No core dumps of processes that handle secrets.
//!
//! A process that crashes, or that somebody sends a signal such as `SIGQUIT`, leaves its memory in a file or with a
//! service that collects such files, keys and values included.

use anyhow::Result;

/// Turns core dumps of this process off; on Linux also the reading of its memory by other processes of the same user,
/// debuggers among them. Where a system has neither, nothing happens.
///
/// # Errors
/// If the system refuses: going on would promise what does not hold.
#[cfg(unix)]
pub fn disable() -> Result<()> {
    use anyhow::Context;
    use rustix::process::{Resource, Rlimit, setrlimit};

    // The hard limit, too: nothing that runs in this process raises it again.
    let nothing = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, nothing).context("cannot turn core dumps off")?;
    // Where dumps are piped to a program, the limit alone does not count.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .context("cannot turn core dumps off")?;
    }
    Ok(())
}

/// Nothing.
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
