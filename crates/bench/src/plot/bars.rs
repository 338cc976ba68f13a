//! A picture with one bar per method, the fastest at the bottom.

use anyhow::{Result, anyhow, ensure};
use plotters::prelude::*;

/// Content of a picture.
#[derive(Clone, Debug)]
pub struct Bars {
    pub title: String,
    /// Title of the horizontal axis, with the unit.
    pub quantity: &'static str,
    /// Names, and the quantity, which is positive, from top to bottom.
    pub bars: Vec<(String, f64)>,
}

/// Height of a bar, in pixels.
const HEIGHT: u32 = 26;

impl Bars {
    /// Draws the picture as SVG.
    pub fn svg(&self) -> Result<String> {
        ensure!(!self.bars.is_empty(), "{}: nothing was measured", self.title);
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| anyhow!("cannot draw {}: {error}", self.title))?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let count = self.bars.len();
        let largest = self.bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
        let size = (900, 130 + HEIGHT * count as u32);
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(210)
            .build_cartesian_2d(0.0..largest * 1.15, 0.0..count as f64)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .disable_y_mesh()
            .y_labels(0)
            .x_desc(self.quantity)
            .label_style(("sans-serif", 15))
            .draw()?;
        let text = ("sans-serif", 15).into_font();
        for (index, (name, value)) in self.bars.iter().enumerate() {
            let middle = (count - index) as f64 - 0.5;
            let corners = [(0.0, middle - 0.35), (*value, middle + 0.35)];
            chart.draw_series([Rectangle::new(corners, RGBColor(0, 114, 178).filled())])?;
            let anchored = |horizontal| {
                let position = plotters::style::text_anchor::Pos::new(
                    horizontal,
                    plotters::style::text_anchor::VPos::Center,
                );
                TextStyle::from(text.clone()).pos(position)
            };
            let left = anchored(plotters::style::text_anchor::HPos::Left);
            let right = anchored(plotters::style::text_anchor::HPos::Right);
            chart
                .draw_series([EmptyElement::at((*value, middle))
                    + Text::new(format!("{value:.1}"), (6, 0), left)])?;
            chart.draw_series([
                EmptyElement::at((0.0, middle)) + Text::new(name.clone(), (-8, 0), right)
            ])?;
        }
        drop(chart);
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_hold_names_and_values() {
        let bars = vec![("FDFB-Compress".to_owned(), 123.44), ("EvalFunc".to_owned(), 150.0)];
        let picture = Bars { title: "Lookups".to_owned(), quantity: "time (u)", bars };
        let svg = picture.svg().unwrap();
        for text in ["FDFB-Compress", "123.4", "EvalFunc", "150.0", "time (u)", "Lookups"] {
            assert!(svg.lines().any(|line| line == text), "no {text}");
        }
        assert!(Bars { bars: Vec::new(), ..picture }.svg().is_err());
    }
}
