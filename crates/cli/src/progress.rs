//! Progress on standard error: bars on a terminal, lines elsewhere.

use std::fmt;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::args::Global;
use crate::report::seconds;

/// Time before work shows a bar or an estimate.
const DELAY: Duration = Duration::from_secs(2);

/// The progress of one piece of work.
pub struct Progress {
    shown: Shown,
}

enum Shown {
    Nothing,
    Bar(ProgressBar, Arc<State>),
    /// Lines are printed by a thread, which ends when the sender is dropped.
    Lines(Arc<State>, #[allow(dead_code, reason = "ends the thread when dropped")] Sender<()>),
}

/// The state of the work.
#[derive(Default)]
struct State {
    done: AtomicUsize,
    total: AtomicUsize,
    /// Numbers of items done and in total, and the name of the items, as people count them.
    items: Mutex<Option<(u64, u64, &'static str)>>,
    /// Share of the work that was done before this run started.
    start: Mutex<f64>,
    is_finished: AtomicBool,
}

/// The ways to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Nothing,
    Bar,
    Lines,
}

impl Style {
    fn choose(global: Global, is_terminal: bool, terminal: Option<&str>) -> Self {
        if global.json || global.quiet {
            Self::Nothing
        } else if is_terminal && !matches!(terminal, None | Some("" | "dumb")) {
            Self::Bar
        } else {
            Self::Lines
        }
    }

    fn of(global: Global) -> Self {
        let terminal = std::env::var("TERM").ok();
        // Terminals of Windows do not set this variable.
        let terminal = terminal.as_deref().or(cfg!(windows).then_some("windows"));
        Self::choose(global, std::io::stderr().is_terminal(), terminal)
    }
}

/// Starts to show progress: on a terminal, a bar that appears after some seconds; elsewhere, a line every ten seconds
/// or as the options say; nothing with `--json` or `--quiet`.
pub fn bar(global: Global, message: &'static str) -> Progress {
    start(global, message, |state| {
        // The bar's own estimate would count resumed work as work done fast.
        let left = move |bar: &ProgressState, text: &mut dyn fmt::Write| {
            let (done, total) = (bar.pos() as usize, bar.len().unwrap_or(0) as usize);
            let left = state.left(bar.elapsed().as_secs_f64(), done, total);
            let _ = text.write_str(&left.map_or_else(|| "-".into(), seconds));
        };
        let style =
            ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {elapsed} (left: {left})")
                .expect("a valid template")
                .with_key("left", left)
                .progress_chars("=> ");
        ProgressBar::new(0).with_style(style).with_message(message)
    })
}

/// Runs work and shows its progress, which the work reports through the callback that it receives.
pub fn shown<T>(global: Global, message: &'static str, work: impl FnOnce(Moved<'_>) -> T) -> T {
    let bar = bar(global, message);
    let result = work(&on(&bar));
    bar.finish_and_clear();
    result
}

/// Runs work of unknown length and shows that it goes on.
pub fn spinner<T>(global: Global, message: &'static str, work: impl FnOnce() -> T) -> T {
    let spinner = start(global, message, |_| {
        let spinner = ProgressBar::new_spinner().with_message(message);
        spinner.enable_steady_tick(Duration::from_millis(200));
        spinner
    });
    let result = work();
    spinner.finish_and_clear();
    result
}

fn start(
    global: Global,
    message: &'static str,
    bar: impl FnOnce(Arc<State>) -> ProgressBar,
) -> Progress {
    let shown = match Style::of(global) {
        Style::Nothing => Shown::Nothing,
        Style::Bar => {
            let state = Arc::new(State::default());
            Shown::Bar(bar(Arc::clone(&state)), state)
        }
        Style::Lines => {
            let interval = Duration::from_secs_f64(global.progress_seconds);
            lines(message, interval)
        }
    };
    Progress { shown }
}

/// Starts the thread that prints lines.
fn lines(message: &'static str, interval: Duration) -> Shown {
    let (sender, receiver) = channel::<()>();
    let state = Arc::new(State::default());
    let shared = Arc::clone(&state);
    let start = Instant::now();
    let print = move || {
        while receiver.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            if !shared.is_finished.load(Ordering::Relaxed) {
                eprintln!("{message}: {}", shared.line(start.elapsed()));
            }
        }
    };
    // Lines are a convenience: if the system cannot start a thread, none are printed.
    let _ = std::thread::Builder::new().spawn(print);
    Shown::Lines(state, sender)
}

impl State {
    /// Formats a line: `3 of 16 ciphertexts, 12 s, about 52 s left`.
    fn line(&self, elapsed: Duration) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let elapsed = elapsed.as_secs_f64();
        let mut parts = Vec::new();
        match *self.items.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((done, total, what)) => parts.push(format!("{done} of {total} {what}")),
            None if total > 0 => parts.push(format!("{} %", 100 * done / total)),
            None => {}
        }
        parts.push(seconds(elapsed));
        if let Some(left) = self.left(elapsed, done, total) {
            parts.push(format!("about {} left", seconds(left)));
        }
        parts.join(", ")
    }

    /// Estimates the seconds left, from the work that this run has done in `elapsed` seconds; `None` if too little is
    /// done.
    fn left(&self, elapsed: f64, done: usize, total: usize) -> Option<f64> {
        let start = *self.start.lock().unwrap_or_else(PoisonError::into_inner);
        let here = done as f64 - start * total as f64;
        // Less than one step is too little for an estimate.
        (here > 0.5 && total > done).then(|| elapsed * (total - done) as f64 / here)
    }
}

impl Progress {
    /// Sets the number of items done, as people count them.
    pub fn items(&self, done: u64, total: u64, what: &'static str) {
        if let Shown::Lines(state, _) = &self.shown {
            *state.items.lock().unwrap_or_else(PoisonError::into_inner) = Some((done, total, what));
        }
    }

    /// Sets the share of the work that was done before this run started.
    pub fn start_at(&self, share: f64) {
        if let Shown::Lines(state, _) | Shown::Bar(_, state) = &self.shown {
            *state.start.lock().unwrap_or_else(PoisonError::into_inner) = share;
        }
    }

    /// Sets the number of steps done and in total.
    fn set(&self, done: usize, total: usize) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar, _) if bar.elapsed() < DELAY => {}
            Shown::Bar(bar, _) => {
                bar.set_length(total as u64);
                bar.set_position(done as u64);
            }
            Shown::Lines(state, _) => {
                state.total.store(total, Ordering::Relaxed);
                state.done.store(done, Ordering::Relaxed);
            }
        }
    }

    /// Marks the work as done, and removes the bar.
    pub fn finish_and_clear(&self) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar, _) => bar.finish_and_clear(),
            Shown::Lines(state, _) => state.is_finished.store(true, Ordering::Relaxed),
        }
    }
}

/// A callback that receives the number of steps done and in total, and returns whether to go on.
pub type Moved<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// Returns the callback that updates the progress. It never cancels the work, since an interruption ends the program.
pub fn on(progress: &Progress) -> impl Fn(usize, usize) -> ControlFlow<()> + Sync + '_ {
    on_part(progress, 0, 1)
}

/// Returns a callback like [`on`], for one of several parts with equal numbers of steps.
pub fn on_part(
    progress: &Progress,
    part: usize,
    parts: usize,
) -> impl Fn(usize, usize) -> ControlFlow<()> + Sync + '_ {
    move |done, steps| {
        progress.set(part * steps + done, parts * steps);
        ControlFlow::Continue(())
    }
}

/// Prints a predicted time, unless it is short.
pub fn estimate(global: Global, what: &str, predicted_s: f64) {
    if predicted_s > DELAY.as_secs_f64() && !global.json && !global.quiet {
        eprintln!("{what}: about {}", seconds(predicted_s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_what_is_left() {
        let state = State::default();
        assert_eq!(state.line(Duration::from_secs(12)), "12.0 s");
        state.total.store(160, Ordering::Relaxed);
        state.done.store(30, Ordering::Relaxed);
        assert_eq!(state.line(Duration::from_secs(12)), "18 %, 12.0 s, about 52.0 s left");
        *state.items.lock().unwrap() = Some((3, 16, "ciphertexts"));
        let line = state.line(Duration::from_secs(12));
        assert_eq!(line, "3 of 16 ciphertexts, 12.0 s, about 52.0 s left");
        // Resumed work took no time in this run.
        *state.start.lock().unwrap() = 0.125;
        let line = state.line(Duration::from_secs(12));
        assert_eq!(line, "3 of 16 ciphertexts, 12.0 s, about 2 min 36 s left");
        *state.start.lock().unwrap() = 0.1875;
        assert_eq!(state.line(Duration::from_secs(12)), "3 of 16 ciphertexts, 12.0 s");
    }

    #[test]
    fn bars_tell_what_is_left_by_what_was_done_here() {
        let state = Arc::new(State::default());
        *state.start.lock().unwrap() = 0.5;
        // Of 100 steps, 50 were done before; 10 more took 20 seconds.
        assert_eq!(state.left(20.0, 60, 100), Some(80.0));
        assert_eq!(state.left(20.0, 50, 100), None);
        assert_eq!(state.left(20.0, 100, 100), None);
    }

    #[test]
    fn only_terminals_that_move_cursors_get_bars() {
        let (threads, json, quiet, allow_insecure) = (None, false, false, false);
        let global = Global {
            threads,
            json,
            quiet,
            progress_seconds: 10.0,
            allow_insecure,
            allow_log2_fail: None,
            max_key_memory: None,
        };
        assert_eq!(Style::choose(global, true, Some("xterm")), Style::Bar);
        assert_eq!(Style::choose(global, true, Some("dumb")), Style::Lines);
        assert_eq!(Style::choose(global, true, None), Style::Lines);
        assert_eq!(Style::choose(global, false, Some("xterm")), Style::Lines);
        let quiet = Global { quiet: true, ..global };
        assert_eq!(Style::choose(quiet, true, Some("xterm")), Style::Nothing);
    }
}
