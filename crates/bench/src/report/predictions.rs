//! Measurements beside their predictions: noise as a picture, and a table of noise, time and memory.

use maud::{Markup, PreEscaped, html};

use super::Line;
use super::title::title;

/// Width and height of the picture, and of the margin of its scales.
const SIZE: f64 = 420.0;
const MARGIN: f64 = 46.0;

/// Shows the lines that have predictions; empty if there are none.
pub fn section(lines: &[Line]) -> Markup {
    let of = |line: &&Line| {
        [line.predicted_noise_std_log2, line.predicted_units, line.predicted_peak_bytes]
            .iter()
            .any(Option::is_some)
    };
    let lines: Vec<&Line> = lines.iter().filter(of).collect();
    html! {
        @if !lines.is_empty() {
            h2 { "Predictions" }
            p {
                "Noise is log2 of the standard deviation of results' errors, relative to the distance to a wrong value: a bit "
                "more of it is 1 more. Points below the line have less noise than predicted. Time and memory are what was "
                "measured, relative to the prediction."
            }
            (picture(&lines))
            table {
                tr {
                    th { "what" } th { "noise" } th { "predicted" } th { "difference" } th { "time" } th { "memory" }
                }
                @for line in &lines {
                    tr {
                        td { (title(line)) }
                        td class="number" { (format!("{:.2}", line.noise_std_log2)) }
                        td class="number" { (optional(line.predicted_noise_std_log2, |it| format!("{it:.2}"))) }
                        td class="number" {
                            (optional(line.predicted_noise_std_log2, |it| format!("{:+.2}", line.noise_std_log2 - it)))
                        }
                        td class="number" { (optional(line.predicted_units, |it| percent(line.eval_units / it))) }
                        td class="number" { (optional(line.predicted_peak_bytes, |it| percent(line.peak_rss_bytes / it))) }
                    }
                }
            }
        }
    }
}

fn optional(value: Option<f64>, shown: impl Fn(f64) -> String) -> String {
    value.map_or_else(String::new, shown)
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", 100.0 * ratio)
}

/// Draws one point per line, with predicted noise to the right and measured noise upwards, and the diagonal where both are
/// equal.
fn picture(lines: &[&Line]) -> Markup {
    let points: Vec<(f64, f64, &Line)> = lines
        .iter()
        .filter_map(|line| Some((line.predicted_noise_std_log2?, line.noise_std_log2, *line)))
        .filter(|(x, y, _)| x.is_finite() && y.is_finite())
        .collect();
    let values = || points.iter().flat_map(|&(x, y, _)| [x, y]);
    let least = (values().fold(f64::INFINITY, f64::min) / 2.0).floor() * 2.0;
    let most = (values().fold(f64::NEG_INFINITY, f64::max) / 2.0).ceil() * 2.0;
    let length = SIZE - 2.0 * MARGIN;
    let at = |value: f64| length * (value - least) / (most - least).max(1.0);
    let (x, y) = (|value| MARGIN + at(value), |value| SIZE - MARGIN - at(value));
    let steps = (((most - least) / 8.0).ceil().max(1.0), (most - least).max(1.0));
    let ticks = || (0..).map(|k| f64::from(k) * steps.0).take_while(|&it| it <= steps.1);
    html! {
        @if !points.is_empty() {
            svg class="noise" viewBox=(format!("0 0 {SIZE} {SIZE}")) width=(SIZE) height=(SIZE) role="img" {
                title { "Measured against predicted noise" }
                @for value in ticks().map(|it| least + it) {
                    (segment((x(value), y(least)), (x(value), y(most)), "#ddd"))
                    (segment((x(least), y(value)), (x(most), y(value)), "#ddd"))
                    (label(x(value), y(least) + 18.0, "middle", &format!("{value}")))
                    (label(x(least) - 8.0, y(value) + 4.0, "end", &format!("{value}")))
                }
                (segment((x(least), y(least)), (x(most), y(most)), "#222"))
                @for (predicted, measured, line) in &points {
                    circle cx=(x(*predicted)) cy=(y(*measured)) r="4" fill="#0072B2" fill-opacity="0.6" {
                        title { (format!("{}: {measured:.2}, predicted {predicted:.2}", title(line))) }
                    }
                }
                (label(SIZE / 2.0, SIZE - 6.0, "middle", "predicted noise (log2)"))
                (PreEscaped(format!(
                    r#"<text x="14" y="{0}" transform="rotate(-90 14 {0})" text-anchor="middle" font-size="13">measured noise (log2)</text>"#,
                    SIZE / 2.0
                )))
            }
        }
    }
}

fn segment(from: (f64, f64), to: (f64, f64), colour: &str) -> Markup {
    html! { line x1=(from.0) y1=(from.1) x2=(to.0) y2=(to.1) stroke=(colour) {} }
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> Markup {
    html! { text x=(x) y=(y) text-anchor=(anchor) font-size="13" { (text) } }
}
