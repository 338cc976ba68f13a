//! A table of time and memory over the width of tables, in Markdown (Tables A1 and 5 of Dumezy et al., TCHES 2026(1)).

use std::collections::{BTreeMap, BTreeSet};

use cryptable_papers::dumezy_2026::{AKP_LOOKUPS, CMT_LOOKUPS, PEAK_MEMORY, PublishedLookup};

use super::records::Record;
use crate::measurement::median;

/// Methods in columns. For trees over digits, the column shows the fastest digits.
const METHODS: [&str; 3] = ["akp", "bmt", "cmt"];

/// Measurements of a method for a width: medians over lines.
#[derive(Clone, Copy, Debug)]
struct Cell {
    seconds: f64,
    milliseconds_a_value: f64,
    gigabytes: f64,
    digit_bits: Option<u32>,
}

/// Returns the table, with one row per whole width and the paper's figures beside; `None` if no method was measured.
pub fn markdown(records: &[Record]) -> Option<String> {
    let widths: BTreeSet<u32> = records
        .iter()
        .filter(|record| METHODS.contains(&record.method.as_str()))
        .filter_map(|record| whole(record.bits_in))
        .collect();
    if widths.is_empty() {
        return None;
    }
    let mut table = String::from(
        "| bits | AKP: s, ms per value | BMT | CMT, its digits | paper AKP, CMT: ms per value | memory: AKP, BMT, CMT, GB | paper, GB |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for bits in widths {
        let cells = METHODS.map(|method| fastest(records, method, bits));
        let times = cells.map(|cell| cell.map_or_else(String::new, Cell::time));
        let paper = [&AKP_LOOKUPS[..], &CMT_LOOKUPS[..]].map(|lookups| published(lookups, bits));
        let memory = cells.map(|cell| cell.map_or_else(String::new, Cell::memory));
        let theirs = PEAK_MEMORY.iter().find(|row| whole(row.0) == Some(bits));
        let theirs =
            theirs.map_or_else(String::new, |row| row.1.map(|gb| gb.to_string()).join(", "));
        let columns = [times.join(" | "), joined(&paper), joined(&memory), theirs].join(" | ");
        table += &format!("| {bits} | {columns} |\n");
    }
    Some(table)
}

/// Joins entries, with a dash for missing ones; empty if all are missing.
fn joined(entries: &[String]) -> String {
    if entries.iter().all(String::is_empty) {
        return String::new();
    }
    let shown = entries.iter().map(|entry| if entry.is_empty() { "-" } else { entry });
    shown.collect::<Vec<_>>().join(", ")
}

/// Returns a width as an integer, if it is one.
fn whole(bits: f64) -> Option<u32> {
    (bits > 0.0 && bits.fract() == 0.0).then_some(bits as u32)
}

fn published(lookups: &[PublishedLookup], bits: u32) -> String {
    let found = lookups.iter().find(|lookup| whole(lookup.bits) == Some(bits));
    found.map_or_else(String::new, |lookup| format!("{:.2}", lookup.milliseconds_a_value))
}

/// Returns the cell of the digits with the least median time per value.
fn fastest(records: &[Record], method: &str, bits: u32) -> Option<Cell> {
    let mut by_shape: BTreeMap<(Option<u32>, usize), Vec<&Record>> = BTreeMap::new();
    for record in records {
        if record.method == method && whole(record.bits_in) == Some(bits) {
            by_shape.entry((record.digit_bits(), record.slots)).or_default().push(record);
        }
    }
    let cell = |((digit_bits, _), lines): ((Option<u32>, usize), Vec<&Record>)| {
        let of = |quantity: fn(&Record) -> f64| {
            median(&lines.iter().map(|line| quantity(line)).collect::<Vec<_>>())
        };
        Cell {
            seconds: of(|line| line.eval_s),
            milliseconds_a_value: of(|line| line.ms_per_value),
            gigabytes: of(|line| line.eval_rss_bytes / 1e9),
            digit_bits,
        }
    };
    let cells = by_shape.into_iter().map(cell);
    cells.min_by(|a, b| a.milliseconds_a_value.total_cmp(&b.milliseconds_a_value))
}

impl Cell {
    fn time(self) -> String {
        let digits = self.digit_bits.map_or_else(String::new, |bits| format!(", {bits} bits"));
        format!("{:.2}, {:.3}{digits}", self.seconds, self.milliseconds_a_value)
    }

    fn memory(self) -> String {
        format!("{:.1}", self.gigabytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::records;

    fn lines(entries: &[(&str, u32, f64, &str)]) -> Vec<Record> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = |&(method, bits, seconds, digits): &(&str, u32, f64, &str)| {
            let ms = seconds / 65.536;
            format!(
                r#"{{"method":"{method}","bits_in":{bits},"threads":1,"slots":65536,"ring_degree":65536,"eval_s":{seconds},"eval_units":2e5,"ms_per_value":{ms},"eval_rss_bytes":7e9,"digits":{digits}}}"#
            )
        };
        let text: Vec<String> = entries.iter().map(line).collect();
        std::fs::write(file.path(), text.join("\n")).unwrap();
        records::read(file.path()).unwrap()
    }

    #[test]
    fn the_fastest_digits_of_every_width() {
        let records = lines(&[
            ("akp", 8, 2.5, "[]"),
            ("akp", 8, 2.7, "[]"),
            ("akp", 8, 9.0, "[]"),
            ("cmt", 10, 9.0, "[8,8,16]"),
            ("cmt", 10, 7.0, "[32,32]"),
            ("bmt", 10, 20.0, "[2,2,2,2,2,2,2,2,2,2]"),
        ]);
        let table = markdown(&records).unwrap();
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0], "| 8 | 2.70, 0.041 |  |  | 0.86, 1.76 | 7.0, -, - |  |");
        assert_eq!(
            rows[1],
            "| 10 |  | 20.00, 0.305 | 7.00, 0.107, 5 bits | 1.86, 2.31 | -, 7.0, 7.0 | 22.9, 22.4, 13.8 |"
        );
        assert_eq!(markdown(&[]), None);
    }
}
