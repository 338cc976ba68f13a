//! The page of a report: one self-contained HTML file.

use std::collections::{BTreeMap, BTreeSet};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::title::title;
use super::{Line, PeerLine, predictions, stages};
use crate::measurement::median;

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #ddd; }
td:first-child { min-width: 15rem; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { width: 55%; } .bar span { display: inline-block; height: 1.1rem; vertical-align: middle; }
.legend span { margin-right: 1rem; } .legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .3rem; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(28rem, 1fr)); gap: 1rem; }
.pictures svg { width: 100%; height: auto; } .wrong { color: #b00; font-weight: bold; }
";

/// Returns the page: machine, lines, pictures (names and SVG), noise, stages, peers.
pub fn html(lines: &[Line], pictures: &[(String, String)], peers: &[PeerLine]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "cryptable: benchmarks" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "cryptable: benchmarks" }
                (origin(lines))
                (measurements(lines))
                @if !pictures.is_empty() {
                    h2 { "Over the width of tables" }
                    div class="pictures" { @for (_, svg) in pictures { (PreEscaped(svg)) } }
                }
                (predictions::section(lines))
                (stages::bars(lines))
                (beside_peers(peers))
            }
        }
    };
    page.into_string()
}

/// Shows the machines, kernels and commits of all lines, and the unit.
fn origin(lines: &[Line]) -> Markup {
    let distinct = |of: fn(&Line) -> &str| -> String {
        let set: BTreeSet<&str> = lines.iter().map(of).filter(|text| !text.is_empty()).collect();
        set.into_iter().collect::<Vec<_>>().join("; ")
    };
    let units = lines.iter().map(|line| line.unit_us);
    let (least, most) = units.fold((f64::INFINITY, 0.0_f64), |(a, b), u| (a.min(u), b.max(u)));
    html! {
        p {
            "Processor " (distinct(|line| &line.processor)) "; instruction set " (distinct(|line| &line.simd))
            "; commit " (distinct(|line| &line.revision)) ". The unit u, one forward NTT of degree 65,536 by tfhe-ntt, took "
            (format!("{least:.0} to {most:.0} microseconds")) " in these runs: times in u compare runs on one machine, whose speed varies from hour to hour. Seconds are of the evaluation alone, without keys; memory is that of the evaluation. Every result was decrypted and compared; what parameters promise of failures is of a value."
        }
    }
}

/// Shows the lines of lookups that many values share, and those of single values.
fn measurements(lines: &[Line]) -> Markup {
    let (packed, single): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.slots > 1);
    html! {
        @for (heading, lines) in [("Many values at once", packed), ("One value at a time", single)] {
            @if !lines.is_empty() {
                h2 { (heading) }
                (measured(&lines))
            }
        }
    }
}

fn measured(lines: &[&Line]) -> Markup {
    let heads = [
        "values",
        "threads",
        "seconds",
        "ms per value",
        "u",
        "memory",
        "keys",
        "a value fails",
        "security",
        "wrong",
    ];
    html! {
        table {
            tr { th { "what" } @for head in heads { th class="number" { (head) } } }
            @for line in lines {
                tr {
                    td { (title(line)) }
                    td class="number" { (line.slots) }
                    td class="number" { (line.threads) }
                    td class="number" { (significant(line.eval_s)) }
                    td class="number" { (significant(line.ms_per_value)) }
                    td class="number" { (format!("{:.0}", line.eval_units)) }
                    td class="number" { (bytes(line.eval_rss_bytes)) }
                    td class="number" { (bytes(line.eval_key_bytes)) }
                    td class="number" { (format!("2^{:.1}", line.log2_fail)) }
                    td class="number" { (format!("{:.0}", line.security_bits)) }
                    td class=(if line.wrong == 0 { "number" } else { "number wrong" }) {
                        (line.wrong) " of " (line.values_checked)
                    }
                }
            }
        }
    }
}

/// Shows the medians of all rounds, in the order in which subjects were first run.
fn beside_peers(lines: &[PeerLine]) -> Markup {
    let mut order: Vec<(&str, &str)> = Vec::new();
    let mut groups: BTreeMap<(&str, &str), Vec<&PeerLine>> = BTreeMap::new();
    for line in lines {
        let key = (line.job.as_str(), line.subject.as_str());
        if !order.contains(&key) {
            order.push(key);
        }
        groups.entry(key).or_default().push(line);
    }
    let median_of = |group: &[&PeerLine], of: fn(&PeerLine) -> Option<f64>| {
        let values: Vec<f64> = group.iter().filter_map(|line| of(line)).collect();
        if values.is_empty() { None } else { Some(median(&values)) }
    };
    html! {
        @if !order.is_empty() {
            h2 { "Beside peers, on one machine in one run" }
            table {
                tr { th { "job" } th { "by" } th { "seconds" } th { "memory" } th { "keys" } th { "wrong" } }
                @for key in &order {
                    @let group = &groups[key];
                    tr {
                        td { (key.0) }
                        td { (key.1) }
                        td class="number" { (median_of(group, |l| Some(l.eval_s)).map_or(String::new(), significant)) }
                        td class="number" { (median_of(group, |l| l.peak_rss_bytes).map_or(String::new(), bytes)) }
                        td class="number" { (median_of(group, |l| l.eval_key_bytes).map_or(String::new(), bytes)) }
                        td class="number" {
                            (group.iter().map(|line| line.wrong).sum::<usize>()) " of "
                            (group.iter().map(|line| line.values_checked).sum::<usize>())
                        }
                    }
                }
            }
        }
    }
}

/// Formats a number with three significant digits.
fn significant(value: f64) -> String {
    let decimals = (2.0 - value.abs().max(1e-12).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}")
}

fn bytes(count: f64) -> String {
    match count {
        ..1e6 => format!("{:.1} kB", count / 1e3),
        ..1e9 => format!("{:.0} MB", count / 1e6),
        _ => format!("{:.2} GB", count / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [3.0977, 0.0074, 148.3, 21450.0].map(significant),
            ["3.10", "0.00740", "148", "21450"]
        );
        assert_eq!([45_170.0, 66_615_296.0, 3.9e9].map(bytes), ["45.2 kB", "67 MB", "3.90 GB"]);
    }
}
