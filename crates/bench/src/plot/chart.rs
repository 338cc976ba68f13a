//! A picture of curves over the width of tables, with a logarithmic axis.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, anyhow};
use cryptable_files::{Access, AtomicFile};
use plotters::prelude::*;

use crate::measurement::median;

/// Points in ascending order, with the method that they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the method in the JSON contract, which decides the colour and the marker.
    pub method: String,
    /// Who measured, for figures that others published; their curves are dashed.
    pub source: Option<&'static str>,
    /// Points: the value on the horizontal axis, such as bits of the table's inputs, and the quantity; both are positive.
    pub points: Vec<(f64, f64)>,
}

/// Returns the points of each curve, by the curve's key. Measurements at the same place, to a thousandth, become one point at
/// their median.
pub fn medians<K: Ord>(
    measured: impl Iterator<Item = (K, f64, f64)>,
) -> BTreeMap<K, Vec<(f64, f64)>> {
    let mut curves: BTreeMap<K, BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for (key, place, quantity) in measured {
        let place = (place * 1000.0).round() as u64;
        curves.entry(key).or_default().entry(place).or_default().push(quantity);
    }
    let point = |(place, values): (u64, Vec<f64>)| (place as f64 / 1000.0, median(&values));
    curves.into_iter().map(|(key, curve)| (key, curve.into_iter().map(point).collect())).collect()
}

/// Content of a picture.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Name of the file, without extension.
    pub file_name: &'static str,
    pub title: String,
    /// Title of the horizontal axis.
    pub axis: &'static str,
    /// Title of the vertical axis, with the unit.
    pub quantity: &'static str,
    /// The curves, at least one of which has a point.
    pub curves: Vec<Curve>,
}

/// Text between the name of a method and the exponent of the requested failure probability, if a picture has several of
/// them.
pub const REQUESTED: &str = ", a ciphertext failing with 2^-";

/// Text between the name of a method and the bits of its digits.
pub const DIGITS: &str = ", digits of ";

/// Text between the name of a method and a ring degree that is not the usual one.
pub const RING_DEGREE: &str = ", ring degree ";

/// Colours that colour-blind people can tell apart (Okabe and Ito), and outlines of markers in pixels.
/// A method has its own pair, the same in every picture; where failure probabilities are told apart, its own colour.
fn style_of(method: &str) -> (RGBColor, &'static [(i32, i32)]) {
    // Twelve integer points at a distance of exactly 5.
    const CIRCLE: &[(i32, i32)] = &[
        (5, 0),
        (4, 3),
        (3, 4),
        (0, 5),
        (-3, 4),
        (-4, 3),
        (-5, 0),
        (-4, -3),
        (-3, -4),
        (0, -5),
        (3, -4),
        (4, -3),
    ];
    const SQUARE: &[(i32, i32)] = &[(-4, -4), (4, -4), (4, 4), (-4, 4)];
    const TRIANGLE: &[(i32, i32)] = &[(0, -6), (6, 4), (-6, 4)];
    const DIAMOND: &[(i32, i32)] = &[(0, -6), (6, 0), (0, 6), (-6, 0)];
    const INVERTED: &[(i32, i32)] = &[(0, 6), (6, -4), (-6, -4)];
    const BAR: &[(i32, i32)] = &[(-6, -2), (6, -2), (6, 2), (-6, 2)];
    if let Some((method, _)) = method.split_once(REQUESTED) {
        return (style_of(method).0, BAR);
    }
    if let Some((method, _)) = method.split_once(RING_DEGREE) {
        return (style_of(method).0, DIAMOND);
    }
    if let Some((_, bits)) = method.split_once(DIGITS) {
        return match bits.split(' ').next() {
            Some("2") => (RGBColor(86, 180, 233), DIAMOND),
            Some("3") => (RGBColor(230, 159, 0), INVERTED),
            Some("4") => (RGBColor(213, 94, 0), SQUARE),
            Some("5") => (RGBColor(204, 121, 167), CIRCLE),
            Some("6") => (RGBColor(0, 0, 0), TRIANGLE),
            _ => (RGBColor(110, 110, 110), BAR),
        };
    }
    match method {
        "akp" => (RGBColor(0, 114, 178), CIRCLE),
        "cmt" => (RGBColor(213, 94, 0), SQUARE),
        "bmt" => (RGBColor(0, 158, 115), TRIANGLE),
        "mvb" => (RGBColor(204, 121, 167), DIAMOND),
        "fdd" => (RGBColor(230, 159, 0), INVERTED),
        "HomDecomp-Reduce" => (RGBColor(213, 94, 0), SQUARE),
        "HomDecomp-FDFB" => (RGBColor(204, 121, 167), DIAMOND),
        "HomFloor" => (RGBColor(0, 114, 178), CIRCLE),
        "HomFloorAlt" => (RGBColor(0, 158, 115), TRIANGLE),
        _ => (RGBColor(0, 0, 0), BAR),
    }
}

/// A filled outline and its border, in pixels.
type Marker = (Polygon<(i32, i32)>, PathElement<(i32, i32)>);

impl Curve {
    fn label(&self) -> String {
        match self.source {
            Some(source) => format!("{}, {source}", self.method),
            None => format!("{}, cryptable", self.method),
        }
    }

    /// Returns the colour and width of the line.
    fn stroke(&self) -> ShapeStyle {
        style_of(&self.method).0.stroke_width(if self.source.is_some() { 1 } else { 3 })
    }

    /// Returns a closed outline around `center`, and its inside, which is hollow for figures of others.
    fn marker(&self, center: (i32, i32)) -> Marker {
        let (color, outline) = style_of(&self.method);
        let place = |&(x, y): &(i32, i32)| (center.0 + x, center.1 + y);
        let inside: Vec<_> = outline.iter().map(place).collect();
        let closed: Vec<_> = outline.iter().chain(&outline[..1]).map(place).collect();
        let fill = if self.source.is_some() { WHITE } else { color };
        (Polygon::new(inside, fill.filled()), PathElement::new(closed, color.stroke_width(1)))
    }
}

impl Chart {
    /// Draws the picture as SVG.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| anyhow!("cannot draw {}: {error}", self.file_name))?;
        Ok(svg)
    }

    /// Returns the ranges of both axes. Widths begin at 0, or just before the narrowest if all are large, and end beyond the
    /// widest. The quantity begins at a power of ten, and leaves room for the legend above small tables.
    fn ranges(&self) -> Result<(std::ops::Range<f64>, std::ops::Range<f64>)> {
        let (mut narrowest, mut widest) = (f64::INFINITY, 0.0f64);
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for &(bits, value) in self.curves.iter().flat_map(|curve| &curve.points) {
            (narrowest, widest) = (narrowest.min(bits), widest.max(bits));
            (low, high) = (low.min(value), high.max(value));
        }
        anyhow::ensure!(high > 0.0, "nothing was measured");
        let first = if narrowest > 10.0 { narrowest.floor() - 1.0 } else { 0.0 };
        Ok((first..widest.ceil() + 1.0, 10f64.powf(low.log10().floor())..high * 4.0))
    }

    fn draw(&self, svg: &mut String) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let (widths, quantities) = self.ranges()?;
        let ticks = (widths.end - widths.start) as usize + 1;
        let area = SVGBackend::with_string(svg, (900, 600)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(widths, quantities.log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(self.axis)
            .y_desc(self.quantity)
            .x_labels(ticks)
            .x_label_formatter(&|bits| format!("{bits:.0}"))
            .y_label_formatter(&|value| tick(*value))
            .label_style(("sans-serif", 15))
            .draw()?;
        for curve in &self.curves {
            let (points, stroke) = (curve.points.iter().copied(), curve.stroke());
            let series = if curve.source.is_some() {
                chart.draw_series(DashedLineSeries::new(points.clone(), 7, 5, stroke))?
            } else {
                chart.draw_series(LineSeries::new(points.clone(), stroke))?
            };
            // A dashed line has a gap behind its marker in the legend too.
            let gap = if curve.source.is_some() { 4 } else { 0 };
            series.label(curve.label()).legend(move |(x, y)| {
                let (inside, outline) = curve.marker((16, 0));
                EmptyElement::at((x, y))
                    + PathElement::new([(0, 0), (16 - gap, 0)], stroke)
                    + PathElement::new([(16 + gap, 0), (32, 0)], stroke)
                    + inside
                    + outline
            });
            chart.draw_series(points.map(|point| {
                let (inside, outline) = curve.marker((0, 0));
                EmptyElement::at(point) + inside + outline
            }))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .legend_area_size(40)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 15))
            .draw()?;
        drop(chart);
        area.present()?;
        Ok(())
    }
}

/// Formats a value of the logarithmic axis with no more decimals than it needs.
fn tick(value: f64) -> String {
    // Powers of ten are computed by multiplication and may lie a little below.
    let decimals = (-value.log10() - 1e-9).ceil().max(0.0) as usize;
    format!("{value:.decimals$}")
}

/// Writes a picture, either completely or not at all.
pub fn write(path: &Path, svg: &str) -> Result<()> {
    let mut file = AtomicFile::create(path, Access::Public)?;
    file.write_all(svg.as_bytes())?;
    file.commit(true)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn chart(points: &[(f64, f64)]) -> Chart {
        let curve = |method: &str, source| {
            let points = points.to_vec();
            Curve { method: method.to_string(), source, points }
        };
        Chart {
            file_name: "latency",
            title: "Latency".to_string(),
            axis: "width of the table's inputs (bits)",
            quantity: "time of a lookup (s)",
            curves: vec![curve("cmt", None), curve("akp", Some("someone"))],
        }
    }

    #[test]
    fn pictures_hold_labels_colours_and_axes() {
        let svg = chart(&[(8.0, 0.05), (16.0, 30.0)]).svg().unwrap();
        assert!(svg.trim_end().ends_with("</svg>"));
        let texts = ["Latency", "cmt, cryptable", "akp, someone", "time of a lookup (s)"];
        let ticks = ["0.1", "1", "10", "100", "17"];
        for text in texts.iter().chain(&ticks) {
            assert!(svg.lines().any(|line| line == *text), "no {text}");
        }
        assert!(svg.contains("inputs (bits)"), "no label of the widths");
        for color in ["#D55E00", "#0072B2"] {
            assert!(svg.contains(color), "no {color}");
        }
    }

    #[test]
    fn one_point_is_enough_and_none_an_error() {
        for value in [1e-9, 1.0, 5.0, 10.0, 1e15] {
            let svg = chart(&[(1.0, value)]).svg().unwrap();
            assert!(svg.contains("cmt, cryptable"), "{value}");
        }
        let message = chart(&[]).svg().unwrap_err().to_string();
        assert!(message.contains("latency: nothing was measured"), "{message}");
    }

    #[test]
    fn ticks_are_short() {
        let found = [0.001 * 10.0, 1e-3 * 1e2 * 3.0, 1.0, 99.99999999, 1e6].map(tick);
        assert_eq!(found, ["0.01", "0.3", "1", "100", "1000000"]);
    }

    #[test]
    fn writing_replaces_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        write(&path, "old").unwrap();
        write(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let taken = folder.path().join("folder.svg");
        fs::create_dir(&taken).unwrap();
        let message = format!("{:#}", write(&taken, "new").unwrap_err());
        assert!(message.contains("folder.svg"), "{message}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
