//! Progress bars on standard error.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Global;

/// Work that is done sooner shows no bar.
const DELAY: Duration = Duration::from_secs(2);

/// A bar of no known length, drawn after some seconds, only on a terminal, and not with `--json` or `--quiet`.
pub fn bar(global: Global, message: &'static str) -> ProgressBar {
    if global.json || global.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style =
        ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {elapsed} (left: {eta})")
            .expect("a valid template")
            .progress_chars("=> ");
    ProgressBar::new(0).with_style(style).with_message(message)
}

/// A spinner for work of unknown length, drawn as a bar is, after a moment.
pub fn spinner(global: Global, message: &'static str) -> ProgressBar {
    if global.json || global.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// The callback that moves a bar, and never stops.
pub fn moving(bar: &ProgressBar) -> impl Fn(usize, usize) -> ControlFlow<()> + Sync + '_ {
    let moved = on(bar);
    move |done, total| {
        moved(done, total);
        ControlFlow::Continue(())
    }
}

/// The callback that moves a bar.
pub fn on(bar: &ProgressBar) -> impl Fn(usize, usize) + Sync + '_ {
    |done, total| {
        if bar.elapsed() >= DELAY {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }
}
