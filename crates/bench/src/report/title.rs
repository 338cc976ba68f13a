//! Titles of lines of results.

use super::Line;

/// Names of tables that add nothing to the method's name.
const PLAIN_TABLES: [&str; 6] =
    ["random", "integers", "single integers", "identity", "bit", "chain"];

/// Returns a line's title: method, width, digits, operation, tables.
pub fn title(line: &Line) -> String {
    let Line { method, bits_in, digits, tables, table, chain_depth, .. } = line;
    let mut title = method.clone();
    let bits = format!("{} bits", (bits_in * 10.0).round() / 10.0);
    if !method.contains(&bits) {
        title += &format!(", {bits}");
    }
    let digits = powers(digits);
    if !method.contains(&digits) {
        title += &format!(" ({digits})");
    }
    let plain = PLAIN_TABLES.iter().any(|name| table.split(':').next() == Some(name));
    if !plain && !method.to_lowercase().contains(&table.to_lowercase()) {
        title += &format!(", {table}");
    }
    if *tables != 1 {
        title += &format!(", {tables} tables");
    }
    if let Some(depth) = chain_depth {
        title += &format!(", depth {depth}");
    }
    title
}

/// Formats digits with powers: 4 x 8^6.
fn powers(digits: &[u64]) -> String {
    let runs = digits.chunk_by(|x, y| x == y);
    let power = |run: &[u64]| match run.len() {
        1 => run[0].to_string(),
        count => format!("{}^{count}", run[0]),
    };
    runs.map(power).collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_what_a_line_is_of_and_nothing_twice() {
        let line = |method: &str, bits: f64, digits: &[u64], table: &str| {
            title(&Line {
                method: method.to_owned(),
                bits_in: bits,
                digits: digits.to_vec(),
                table: table.to_owned(),
                tables: 1,
                ..Line::default()
            })
        };
        assert_eq!(line("cmt", 20.0, &[4, 8, 8, 8, 8, 8, 8], "random:1"), "cmt, 20 bits (4 x 8^6)");
        assert_eq!(line("AKP 64 x 128", 13.0, &[64, 128], "relu"), "AKP 64 x 128, 13 bits, relu");
        assert_eq!(line("ReLU of 12 bits", 12.0, &[], "ReLU"), "ReLU of 12 bits");
        assert_eq!(line("akp", 8.0, &[], "random:1"), "akp, 8 bits");
    }
}
