//! The stages of evaluations as one picture: one row per line, divided into each stage's share of the time.

use maud::{Markup, html};

use super::Line;

/// Colours that colour-blind people can tell apart (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#999999"];

/// Returns the distinct names of stages, in the order in which they first appear.
fn names<'a>(lines: &[&'a Line]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in lines.iter().flat_map(|line| &line.steps) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// Draws a stacked bar for every line that has the times of its stages; empty if there are none.
pub fn bars(lines: &[Line]) -> Markup {
    let lines: Vec<&Line> = lines.iter().filter(|line| !line.steps.is_empty()).collect();
    let names = names(&lines);
    let colour = |name: &str| {
        let index = names.iter().position(|other| *other == name).unwrap_or(0);
        COLOURS[index % COLOURS.len()]
    };
    html! {
        @if !lines.is_empty() {
            h2 { "Where time goes" }
            p class="legend" {
                @for name in &names {
                    span { i style=(format!("background:{}", colour(name))) {} (name) }
                }
            }
            table {
                @for line in &lines {
                    @let total: f64 = line.steps.iter().map(|step| step.1).sum();
                    tr {
                        td { (super::title::title(line)) }
                        td class="number" { (format!("{total:.2} s")) }
                        td class="bar" {
                            @for (name, seconds) in &line.steps {
                                @let share = 100.0 * seconds / total;
                                span title=(format!("{name}: {seconds:.3} s, {share:.0} %"))
                                    style=(format!("width:{share:.2}%;background:{}", colour(name))) {}
                            }
                        }
                    }
                }
            }
        }
    }
}
