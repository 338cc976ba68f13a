//! What happens when the program is interrupted.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;

/// What people are told if the program is interrupted now.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// What the first interruption does in place of ending the program, if anything.
#[cfg(feature = "serve")]
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// The first interruption from now on does this; the program ends by itself then, or by the next one.
#[cfg(feature = "serve")]
pub fn instead(call: impl FnOnce() + Send + 'static) {
    *INSTEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(call));
}

/// As long as it lives, an interrupted program tells what this was given last, if anything.
#[derive(Debug, Default)]
pub struct LastWords(());

impl LastWords {
    /// Tells this from now on: a line as standard error takes it, without its end.
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

/// From now on, an interrupted program removes its partial files before it ends, and says its last words.
///
/// # Errors
/// If the system refuses.
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
        .context("cannot prepare for being interrupted")?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            #[cfg(feature = "serve")]
            if let Some(call) = INSTEAD.lock().unwrap_or_else(PoisonError::into_inner).take() {
                call();
                continue;
            }
            let uninterrupted = Uninterrupted::start();
            uninterrupted.remove_partial_files();
            if let Some(words) = last_words().take() {
                // A bar leaves its line unfinished.
                let begin = if std::io::stderr().is_terminal() { "\n" } else { "" };
                let _ = writeln!(std::io::stderr(), "{begin}{words}");
            }
            // Ends the process as the signal would have; nobody makes a file in between.
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Nothing to prepare for.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn install() -> Result<()> {
    Ok(())
}

/// Signals that this process was started with to ignore, as by `nohup`: bit 0 is signal 1.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
