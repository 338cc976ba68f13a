//! Handling of interruptions of the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;

/// The line that is printed if the program is interrupted now.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// The call that replaces the end of the program at the first interruption, if any.
#[cfg(feature = "serve")]
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Makes the next interruption run `call` instead of ending the program. The interruption after that ends it.
#[cfg(feature = "serve")]
pub fn instead(call: impl FnOnce() + Send + 'static) {
    *INSTEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(call));
}

/// A guard for the line that an interrupted program prints. Dropping it withdraws the line.
#[derive(Debug, Default)]
pub struct LastWords(());

impl LastWords {
    /// Sets the line, without its end, or withdraws it.
    pub fn set(&mut self, line: Option<String>) {
        *last_words() = line;
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        *last_words() = None;
    }
}

fn last_words() -> MutexGuard<'static, Option<String>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prepares for interruptions: from now on, an interrupted program removes its partial files and prints its last words
/// before it ends.
#[cfg(unix)]
pub fn install() -> Result<()> {
    use std::io::{IsTerminal as _, Write as _};

    use anyhow::Context as _;
    use cryptable_files::Uninterrupted;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::emulate_default_handler;
    let ignored = ignored_signals();
    let handled = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let handled = handled.filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(handled)
        .context("cannot install the handler of interruptions")?;
    let wait = move || {
        for signal in signals.forever() {
            #[cfg(feature = "serve")]
            if let Some(call) = INSTEAD.lock().unwrap_or_else(PoisonError::into_inner).take() {
                call();
                continue;
            }
            let uninterrupted = Uninterrupted::start();
            uninterrupted.remove_partial_files();
            if let Some(words) = last_words().take() {
                // A progress bar leaves its line unfinished.
                let begin = if std::io::stderr().is_terminal() { "\n" } else { "" };
                let _ = writeln!(std::io::stderr(), "{begin}{words}");
            }
            // This ends the process like the signal itself would. Meanwhile, no thread can create a file.
            let _ = emulate_default_handler(signal);
        }
    };
    let thread = std::thread::Builder::new().name("interruptions".into()).spawn(wait);
    thread.context("cannot start a thread: too little memory, or too many threads")?;
    Ok(())
}

/// Does nothing on this system.
#[cfg(not(unix))]
pub fn install() -> Result<()> {
    Ok(())
}

/// Returns the signals that this process ignores since its start, for example because of `nohup`. Bit 0 is signal 1.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
