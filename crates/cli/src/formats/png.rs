//! Pictures: 8-bit grey PNG files.

use std::io::{Cursor, Read, Write};

use anyhow::{Context, Result, bail, ensure};
use png::{BitDepth, ColorType, Decoder, Encoder};

/// Largest number of pixels that are read.
const MAX_PIXELS: u64 = 1 << 26;

/// Longest file that is read: twice the uncompressed size of the largest picture.
const MAX_FILE_BYTES: u64 = 2 * MAX_PIXELS;

/// A grey picture, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreyImage {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// `width * height` pixels.
    pub pixels: Vec<u8>,
}

impl GreyImage {
    /// Decodes a picture. `name` is for messages.
    ///
    /// # Errors
    /// If the file is not an 8-bit grey PNG, is damaged, or has more than 2^26 pixels.
    pub fn read(reader: impl Read, name: &str) -> Result<Self> {
        let mut file = Vec::new();
        let length = reader.take(MAX_FILE_BYTES + 1).read_to_end(&mut file);
        let length = length.with_context(|| format!("cannot read {name}"))? as u64;
        ensure!(length <= MAX_FILE_BYTES, "{name}: above the limit of {MAX_FILE_BYTES} bytes");
        let mut reader = Decoder::new(Cursor::new(file))
            .read_info()
            .with_context(|| format!("cannot read {name} as a PNG"))?;
        let (width, height) = reader.info().size();
        let (color, depth) = (reader.info().color_type, reader.info().bit_depth);
        if (color, depth) != (ColorType::Grayscale, BitDepth::Eight) {
            bail!(
                "{name}: its pixels are {} of {} bits per channel; an 8-bit grey PNG is needed",
                color_name(color),
                depth as u8
            );
        }
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            bail!("{name}: {width} x {height} pixels, above the limit of {MAX_PIXELS}");
        }
        // The format was checked, so a pixel is a byte.
        let mut pixels = vec![0; width as usize * height as usize];
        reader.next_frame(&mut pixels).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { width: width as usize, height: height as usize, pixels })
    }

    /// Encodes the picture.
    pub fn write(&self, writer: impl Write) -> Result<()> {
        let mut encoder = Encoder::new(writer, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(())
    }

    /// Joins two pictures of equal height, with a white bar of `bar` pixels between them.
    pub fn side_by_side(left: &Self, right: &Self, bar: usize) -> Self {
        assert_eq!(left.height, right.height, "pictures of one height");
        let rows = left.pixels.chunks(left.width).zip(right.pixels.chunks(right.width));
        let pixels = rows.flat_map(|(a, b)| [a, &vec![255; bar], b].concat()).collect();
        Self { width: left.width + bar + right.width, height: left.height, pixels }
    }
}

fn color_name(color: ColorType) -> &'static str {
    match color {
        ColorType::Grayscale => "grey",
        ColorType::Rgb => "RGB",
        ColorType::Indexed => "palette indices",
        ColorType::GrayscaleAlpha => "grey with alpha",
        ColorType::Rgba => "RGB with alpha",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn pictures_come_back_and_join() {
        let left = GreyImage { width: 2, height: 3, pixels: (0..6).collect() };
        let mut bytes = Vec::new();
        left.write(&mut bytes).unwrap();
        assert_eq!(GreyImage::read(&bytes[..], "a").unwrap(), left);
        let right = GreyImage { width: 1, height: 3, pixels: vec![7, 8, 9] };
        let joined = GreyImage::side_by_side(&left, &right, 1);
        assert_eq!((joined.width, joined.height), (4, 3));
        assert_eq!(joined.pixels, [0, 1, 255, 7, 2, 3, 255, 8, 4, 5, 255, 9]);
    }

    #[test]
    fn other_pictures_are_refused_by_kind() {
        let error = |bytes: &[u8]| format!("{:#}", GreyImage::read(bytes, "a.png").unwrap_err());
        let rgb = encode(ColorType::Rgb, BitDepth::Eight, &[0; 6]);
        assert!(error(&rgb).contains("a.png: its pixels are RGB of 8 bits"));
        let deep = encode(ColorType::Grayscale, BitDepth::Sixteen, &[0; 4]);
        assert!(error(&deep).contains("grey of 16 bits"));
        let good = encode(ColorType::Grayscale, BitDepth::Eight, &[0; 2]);
        assert!(GreyImage::read(&good[..], "a.png").is_ok());
        assert!(error(&good[..good.len() - 20]).contains("a.png"));
        assert!(error(b"GIF89a").contains("cannot read a.png as a PNG"));
    }
}
