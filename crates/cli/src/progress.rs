//! Progress bars on standard error.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Global;

/// A bar of no known length, drawn only on a terminal, and not with `--json` or `--quiet`.
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

/// The callback that moves a bar.
pub fn on(bar: &ProgressBar) -> impl Fn(usize, usize) + Sync + '_ {
    |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    }
}
