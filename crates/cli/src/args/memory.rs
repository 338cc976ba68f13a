//! The limit of memory of everything that a server runs.

use clap::Args;

/// Memory limit of a run.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct MemoryArgs {
    /// Refuse a run that is predicted to need more memory than this, including keys, such as 6GB [default: the
    /// machine's free memory]
    #[arg(long = "memory", value_name = "SIZE", value_parser = memory_size)]
    pub limit: Option<usize>,
}

/// Bytes, with an optional suffix of thousands (kB, MB, GB) or of powers of two (KiB, MiB, GiB).
pub fn memory_size(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let unit = match suffix.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" | "k" => 1e3,
        "mb" | "m" => 1e6,
        "gb" | "g" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => {
            return Err(format!("unknown suffix \"{suffix}\": use B, kB, MB, GB, KiB, MiB or GiB"));
        }
    };
    let number: f64 = number.parse().map_err(|_| format!("\"{number}\" is no number of bytes"))?;
    let bytes = number * unit;
    if suffix.trim().is_empty() && bytes < LEAST_BARE_MEMORY {
        return Err(format!(
            "{text} is a number of bytes without a unit: write {text}GB, {text}MB or {text}B"
        ));
    }
    Ok(bytes as usize)
}

/// Fewer bytes than this are taken for a number whose unit was forgotten.
const LEAST_BARE_MEMORY: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_memory_have_suffixes() {
        assert_eq!(memory_size("6GB"), Ok(6_000_000_000));
        assert_eq!(memory_size("6000000000"), Ok(6_000_000_000));
        assert_eq!(memory_size("8B"), Ok(8));
        for bare in ["8", "1.5", "0"] {
            assert!(memory_size(bare).unwrap_err().contains(&format!("{bare}GB")), "{bare}");
        }
        assert_eq!(memory_size("1.5 GiB"), Ok(3 << 29));
        assert_eq!(memory_size("4096B"), Ok(4096));
        assert!(memory_size("6 parsecs").unwrap_err().contains("parsecs"));
        assert!(memory_size("GB").unwrap_err().contains("no number"));
    }
}
