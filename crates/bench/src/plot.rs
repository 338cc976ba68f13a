//! `bench plot`: time and memory over the width of tables, one curve a method (Figure 3 of Dumezy et al.).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use plotters::prelude::*;
use serde::Deserialize;

/// Arguments of `bench plot`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable bench plot --out plots crates/bench/results/*.jsonl")]
pub struct PlotArguments {
    /// Folder for the pictures.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Files of JSON lines that other benchmarks printed.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Which lines: those measured on this many threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    of_threads: usize,
}

/// What is plotted of a line of the JSON contract.
#[derive(Clone, Debug, Deserialize)]
struct Point {
    method: String,
    bits_in: f64,
    threads: usize,
    slots: usize,
    ring_degree: usize,
    eval_s: f64,
    ms_per_value: f64,
    eval_rss_bytes: f64,
    #[serde(default = "one")]
    tables: usize,
}

fn one() -> usize {
    1
}

/// Figures of Dumezy et al. on their machine, one thread: bits, seconds, milliseconds a value.
const PAPER_CMT: [(f64, f64, f64); 9] = [
    (8.0, 115.02, 1.76),
    (10.0, 151.71, 2.31),
    (11.0, 156.38, 2.39),
    (12.0, 167.27, 2.55),
    (13.0, 315.04, 4.81),
    (14.0, 335.88, 5.13),
    (16.0, 480.80, 7.34),
    (18.0, 1290.5, 19.69),
    (20.0, 8447.0, 64.45),
];

/// AKP as measured there (their Table A1).
const PAPER_AKP: [(f64, f64, f64); 9] = [
    (4.0, 30.181, 0.4605),
    (6.0, 39.933, 0.6093),
    (8.0, 56.593, 0.8635),
    (9.0, 75.036, 1.145),
    (10.0, 243.95, 1.8612),
    (11.0, 401.51, 3.0632),
    (12.0, 706.98, 5.3938),
    (14.0, 2479.2, 18.915),
    (16.0, 45722.0, 348.83),
];

/// Peak memory of CMT in GB there (their Table 5).
const PAPER_CMT_MEMORY: [(f64, f64); 4] = [(10.0, 13.8), (12.0, 13.9), (14.0, 27.3), (16.0, 28.5)];

/// A curve: its label, whether it is the paper's, and its points.
type Curve = (String, bool, Vec<(f64, f64)>);

/// Okabe and Ito's palette, which colour-blind people can tell apart.
const PALETTE: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// Reads all files and writes the pictures.
///
/// # Errors
/// If a file cannot be read, a line is no record, nothing was measured on that many threads, or a picture
/// cannot be written.
pub fn run(arguments: &PlotArguments) -> Result<()> {
    let mut points = Vec::new();
    for file in &arguments.files {
        let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        points.extend(parse(&text).with_context(|| format!("{}", file.display()))?);
    }
    // Single tables on full ciphertexts.
    points.retain(|point| {
        point.threads == arguments.of_threads
            && point.tables == 1
            && point.slots == point.ring_degree
    });
    ensure!(!points.is_empty(), "no line was measured on {} threads", arguments.of_threads);
    fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let paper = |label: &str, points: Vec<(f64, f64)>| (label.to_string(), true, points);
    let (cmt, akp) = ("cmt, Dumezy et al., their machine", "akp, Dumezy et al., their machine");
    let mut curves = curves(&points, |point| point.ms_per_value);
    curves.push(paper(cmt, PAPER_CMT.map(|(bits, _, ms)| (bits, ms)).to_vec()));
    curves.push(paper(akp, PAPER_AKP.map(|(bits, _, ms)| (bits, ms)).to_vec()));
    write(&arguments.out.join("time_per_value.svg"), "milliseconds a value", &curves)?;
    let mut curves = self::curves(&points, |point| point.eval_s);
    curves.push(paper(cmt, PAPER_CMT.map(|(bits, seconds, _)| (bits, seconds)).to_vec()));
    curves.push(paper(akp, PAPER_AKP.map(|(bits, seconds, _)| (bits, seconds)).to_vec()));
    write(&arguments.out.join("latency.svg"), "seconds a lookup", &curves)?;
    let mut curves = self::curves(&points, |point| point.eval_rss_bytes / 1e9);
    curves.push(paper(cmt, PAPER_CMT_MEMORY.to_vec()));
    write(&arguments.out.join("memory.svg"), "peak memory in GB", &curves)
}

/// The records of JSON lines; other benchmarks' lines, without a width of inputs, are passed over.
fn parse(text: &str) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: serde_json::Value =
            serde_json::from_str(line).with_context(|| format!("line {}", index + 1))?;
        if value.get("bits_in").is_some() && value.get("method").is_some() {
            let point =
                serde_json::from_value(value).with_context(|| format!("line {}", index + 1))?;
            points.push(point);
        }
    }
    Ok(points)
}

/// One curve a method, with the median of repeated measurements.
fn curves(points: &[Point], quantity: impl Fn(&Point) -> f64) -> Vec<Curve> {
    let mut methods: BTreeMap<&str, BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for point in points {
        let bits = (point.bits_in * 1000.0).round() as u64;
        let method = methods.entry(&point.method).or_default();
        method.entry(bits).or_default().push(quantity(point));
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    methods
        .into_iter()
        .map(|(method, points)| {
            let points = points.into_iter();
            let points = points.map(|(bits, values)| (bits as f64 / 1000.0, median(values)));
            (method.to_string(), false, points.collect())
        })
        .collect()
}

/// Draws curves and writes the picture whole or not at all.
fn write(path: &Path, quantity: &str, curves: &[Curve]) -> Result<()> {
    let mut svg = String::new();
    draw(&mut svg, quantity, curves).map_err(|error| anyhow::anyhow!("{error}"))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, svg.as_bytes())?;
    file.persist(path).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

fn draw(
    svg: &mut String,
    quantity: &str,
    curves: &[Curve],
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let all = || curves.iter().flat_map(|(_, _, points)| points.iter().copied());
    let (mut low, mut high, mut widest) = (f64::INFINITY, 0.0f64, 1.0f64);
    for (bits, value) in all() {
        (low, high, widest) = (low.min(value), high.max(value), widest.max(bits));
    }
    let area = SVGBackend::with_string(svg, (900, 600)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..widest + 1.0, (low / 1.5..high * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(BLACK.mix(0.06))
        .bold_line_style(BLACK.mix(0.15))
        .x_desc("bits of inputs and outputs")
        .y_desc(quantity)
        .x_labels(26)
        .label_style(("sans-serif", 15))
        .draw()?;
    for (index, (label, paper, points)) in curves.iter().enumerate() {
        let color = PALETTE[index % PALETTE.len()];
        let width = if *paper { 1 } else { 3 };
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(width)))?
            .label(label)
            .legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 24, y)], color.stroke_width(width))
            });
        if *paper {
            chart.draw_series(points.iter().map(|&p| TriangleMarker::new(p, 5, color)))?;
        } else {
            chart.draw_series(points.iter().map(|&p| Circle::new(p, 4, color.filled())))?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 15))
        .draw()?;
    drop(chart);
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"method":"cmt","bits_in":16.0,"threads":1,"slots":65536,"ring_degree":65536,"eval_s":30.0,"ms_per_value":0.5,"eval_rss_bytes":7e9,"more":1}"#;

    #[test]
    fn lines_are_parsed_and_bad_ones_named() {
        let other = r#"{"name":"ntt","unit_us":140.0}"#;
        let points = parse(&format!("{LINE}\n\n{other}\n")).unwrap();
        assert_eq!((points.len(), points[0].tables), (1, 1));
        let error = parse(&format!("{LINE}\nnonsense")).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
        let error = parse(r#"{"method":"cmt","bits_in":16.0}"#).unwrap_err();
        assert!(format!("{error:#}").contains("threads"), "{error:#}");
    }

    #[test]
    fn curves_hold_medians_and_pictures_their_labels() {
        let mut points = parse(&[LINE; 3].join("\n")).unwrap();
        points[0].eval_s = 10.0;
        points[2].eval_s = 90.0;
        let curves = curves(&points, |point| point.eval_s);
        assert_eq!(curves, [("cmt".to_string(), false, vec![(16.0, 30.0)])]);
        let mut svg = String::new();
        draw(&mut svg, "seconds a lookup", &curves).unwrap();
        assert!(svg.contains("seconds a lookup") && svg.contains("cmt") && svg.contains("</svg>"));
    }
}
