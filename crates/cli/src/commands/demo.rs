//! `cryptable demo`: a picture that is encrypted, looked up in a table, decrypted and checked.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{
    Ciphertext, Engine, EvaluationKey, Execution, Parameters, Request, SecretKey, Table,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::parameters::ParameterReport;
use crate::args::{DemoArgs, Global};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::ciphertext_file::ciphertexts;
use crate::formats::png::GreyImage;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::input_file;
use crate::progress::{self, Progress};
use crate::report::{self, bytes, seconds};

/// A photograph of a retina; see `examples/data/README.md`.
const RETINA: &[u8] = include_bytes!("../../data/retina-256.png");

/// Number of grey levels of a pixel.
const LEVELS: u64 = 256;

/// Width of the white bar between the pictures, in pixels.
const BAR: usize = 8;

/// Name of the output picture.
const PICTURE: &str = "before-after.png";

/// Runs all steps from key generation to decrypted pixels.
pub fn run(global: Global, args: &DemoArgs) -> Result<()> {
    let (image, name) = read_image(args.image.as_deref())?;
    let table = read_table(&args.table)?;
    fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", input_file::name(&args.output)))?;
    let output = args.output.join(PICTURE);
    let file = atomic_file::create(&output, Access::Public)?;

    let values: Vec<u64> = image.pixels.iter().map(|&pixel| u64::from(pixel)).collect();
    let parameters = choose_parameters(values.len(), args.insecure_toy)?;
    let run = EncryptedRun::new(global, &parameters, &values, &table)?;
    let expected = values.iter().map(|&value| table.values()[value as usize]);
    let wrong = run.results.iter().zip(expected).filter(|(found, right)| **found != *right).count();

    let pixels = run.results.iter().map(|&value| value as u8).collect();
    let after = GreyImage { pixels, ..image };
    let joined = GreyImage::side_by_side(&image, &after, BAR);
    let mut encoded = Vec::new();
    joined.write(&mut encoded)?;
    write_all(file, &encoded)?;

    let parameters = ParameterReport::new(&parameters);
    let (width, height) = (image.width, image.height);
    let mut fields = fields_of(global, &parameters, &run, wrong)?;
    fields["image"] = json!(name);
    fields["width"] = width.into();
    fields["height"] = height.into();
    fields["table"] = json!(args.table);
    fields["output"] = output.to_string_lossy().into();
    let head =
        format!("{name}, {width} x {height} pixels, table \"{}\", under encryption", args.table);
    let text = text_of(global, &parameters, &run, wrong);
    report::told(
        global,
        fields,
        format!("{head}\n{text}  picture      {}", input_file::name(&output)),
    )?;
    ensure!(wrong == 0, "{wrong} of {} pixels are wrong", values.len());
    Ok(())
}

pub(super) fn write_all(mut file: AtomicFile, content: &[u8]) -> Result<u64> {
    std::io::Write::write_all(&mut file, content)?;
    Ok(file.commit(true)?)
}

fn read_image(path: Option<&Path>) -> Result<(GreyImage, String)> {
    match path {
        None => Ok((GreyImage::read(RETINA, "retina-256.png")?, "retina-256.png".into())),
        Some(path) => {
            let name = input_file::name(path);
            Ok((GreyImage::read(std::io::BufReader::new(input_file::open(path)?), &name)?, name))
        }
    }
}

/// Returns a built-in table by name, or reads it from a file.
fn read_table(name: &str) -> Result<Table> {
    let level: fn(f64) -> f64 = match name {
        "contrast" => s_curve,
        "invert" => |x| 1.0 - x,
        "gamma" => |x| x.powf(1.0 / 2.2),
        "threshold" => |x| x.round(),
        _ => {
            let path = Path::new(name);
            let builtin = "contrast, invert, gamma and threshold are built in";
            ensure!(path.exists(), "no table \"{name}\": {builtin}, and no file has that name");
            let moduli = Moduli { input: Some(LEVELS), output: Some(LEVELS) };
            return Ok(table::read(path, &TableOptions::plain(moduli))?.0);
        }
    };
    let top = (LEVELS - 1) as f64;
    let output = |input: u64| (top * level(input as f64 / top).clamp(0.0, 1.0)).round() as u64;
    Ok(Table::from_fn(LEVELS, LEVELS, output)?)
}

/// Returns a steep S curve around the greys of retina photographs: vessels are about 20 levels darker than the ground
/// at level 115, and become about 100 levels darker.
fn s_curve(x: f64) -> f64 {
    let (middle, width) = (108.0 / 255.0, 11.0 / 255.0);
    let logistic = |x: f64| 1.0 / (1.0 + (-(x - middle) / width).exp());
    (logistic(x) - logistic(0.0)) / (logistic(1.0) - logistic(0.0))
}

fn choose_parameters(pixels: usize, insecure_toy: bool) -> Result<Parameters> {
    Ok(if insecure_toy {
        Parameters::insecure_toy(Engine::Packed, LEVELS, LEVELS)?
    } else {
        packed_parameters(&Request::new(LEVELS, LEVELS).values(pixels as u64))?
    })
}

/// Returns the best parameters of packed values.
pub(super) fn packed_parameters(request: &Request) -> Result<Parameters> {
    Ok(request.clone().engine(Engine::Packed).plan()?.best().parameters().clone())
}

/// The costs of each step.
#[derive(Clone, Copy, Default, Serialize)]
struct Costs {
    keygen_s: f64,
    encrypt_s: f64,
    eval_s: f64,
    decrypt_s: f64,
    secret_key_bytes: usize,
    /// Bytes of the evaluation key on disk.
    eval_key_bytes: usize,
    /// Bytes of the evaluation key in memory.
    eval_key_memory_bytes: usize,
    ciphertexts: usize,
    input_bytes: usize,
    output_bytes: usize,
}

/// The results and costs of encrypting, looking up and decrypting some values with a new key.
pub(super) struct EncryptedRun {
    pub(super) results: Vec<u64>,
    costs: Costs,
}

impl EncryptedRun {
    pub(super) fn new(
        global: Global,
        parameters: &Parameters,
        values: &[u64],
        table: &Table,
    ) -> Result<Self> {
        let mut costs = Costs::default();
        let start = Instant::now();
        let secret = SecretKey::generate(parameters);
        let key = progress::shown(global, "evaluation key", |moved| {
            secret.evaluation_key_with(Execution::default().progress(moved))
        })?;
        costs.keygen_s = start.elapsed().as_secs_f64();
        costs.secret_key_bytes = secret.to_bytes().len();
        costs.eval_key_bytes = parameters.prediction().key_file_bytes;
        costs.eval_key_memory_bytes = key.memory_bytes();

        let start = Instant::now();
        let encrypt = |chunk: &[u64]| Ok(secret.encrypt(chunk)?.to_bytes());
        let inputs: Vec<Vec<u8>> =
            values.chunks(secret.values_per_part()?).map(encrypt).collect::<Result<_>>()?;
        costs.encrypt_s = start.elapsed().as_secs_f64();
        costs.ciphertexts = inputs.len();
        costs.input_bytes = inputs.iter().map(Vec::len).sum();

        let bar = progress::bar(global, "lookup");
        let start = Instant::now();
        let outputs = look_up(&key, &inputs, table, &bar)?;
        costs.eval_s = start.elapsed().as_secs_f64();
        costs.output_bytes = outputs.iter().map(Vec::len).sum();
        bar.finish_and_clear();

        let start = Instant::now();
        let mut results = Vec::with_capacity(values.len());
        for output in &outputs {
            results.extend(secret.decrypt(&Ciphertext::from_bytes(output)?)?);
        }
        costs.decrypt_s = start.elapsed().as_secs_f64();
        Ok(Self { results, costs })
    }
}

/// Runs the server's part: bytes in, bytes out, and no secret.
fn look_up(
    key: &EvaluationKey,
    inputs: &[Vec<u8>],
    table: &Table,
    bar: &Progress,
) -> Result<Vec<Vec<u8>>> {
    let prepared = key.prepare(table)?;
    let one = |(index, input): (usize, &Vec<u8>)| {
        let step = progress::on_part(bar, index, inputs.len());
        let execution = Execution::default().progress(&step);
        let input = Ciphertext::from_bytes(input)?;
        Ok(key.lookup_with(&input, &prepared, execution)?.to_bytes())
    };
    inputs.iter().enumerate().map(one).collect()
}

/// Returns the fields of both demos' reports: parameters, costs, and the results that were checked.
pub(super) fn fields_of(
    global: Global,
    parameters: &ParameterReport,
    run: &EncryptedRun,
    wrong: usize,
) -> Result<Value> {
    let mut fields = serde_json::to_value(parameters)?;
    let known = fields.as_object_mut().context("parameters are not fields")?;
    if let Value::Object(costs) = serde_json::to_value(run.costs)? {
        known.extend(costs);
    }
    fields["threads"] = global.threads().into();
    fields["values_checked"] = run.results.len().into();
    fields["wrong"] = wrong.into();
    fields["peak_rss_bytes"] = report::peak_memory_bytes().into();
    Ok(fields)
}

/// Formats the time of a lookup, in total and per pixel or number.
pub(super) fn lookup_line(global: Global, run: &EncryptedRun, each: &str) -> String {
    let time = run.costs.eval_s;
    let one = time * 1e3 / run.results.len() as f64;
    let threads = global.threads();
    format!("  lookup       {} on {threads} threads: {one:.3} ms per {each}\n", seconds(time))
}

/// Formats the peak memory, if the system reports it.
pub fn peak_line() -> String {
    let line =
        |peak| format!("  peak memory  {} (client and server in one process)\n", bytes(peak));
    report::peak_memory_bytes().map_or_else(String::new, line)
}

/// Formats the human-readable report of a picture, after the line that names it.
fn text_of(
    global: Global,
    parameters: &ParameterReport,
    run: &EncryptedRun,
    wrong: usize,
) -> String {
    let (costs, size) = (&run.costs, |count: usize| bytes(count as u64));
    let (security, failures) = (parameters.security(), parameters.failures());
    let degree = parameters.ring_degree;
    let keys = format!(
        "{}: secret key {}, evaluation key {} ({} in memory)",
        seconds(costs.keygen_s),
        size(costs.secret_key_bytes),
        size(costs.eval_key_bytes),
        size(costs.eval_key_memory_bytes)
    );
    let count = ciphertexts(costs.ciphertexts as u64);
    let (encrypt, input) = (seconds(costs.encrypt_s), size(costs.input_bytes));
    let (decrypt, output) = (seconds(costs.decrypt_s), size(costs.output_bytes));
    let checked = run.results.len();
    [
        format!("  parameters   ring degree {degree}, {security}, {failures}\n"),
        format!("  method       {}\n", parameters.named_method),
        format!("  keys         {keys}\n"),
        format!("  encryption   {encrypt}: {count}, {input}\n"),
        lookup_line(global, run, "pixel"),
        format!("  decryption   {decrypt}: results {output}\n"),
        peak_line(),
        format!(
            "  check        {checked} pixels compared with the table in the clear, {wrong} wrong\n"
        ),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_picture_and_tables_are_valid() {
        let (image, _) = read_image(None).unwrap();
        assert_eq!((image.width, image.height), (256, 256));
        for name in ["contrast", "invert", "gamma", "threshold"] {
            let table = read_table(name).unwrap();
            let ends = [table.values()[0], table.values()[255]];
            assert_eq!(ends, if name == "invert" { [255, 0] } else { [0, 255] }, "{name}");
        }
        assert!(read_table("sepia").unwrap_err().to_string().contains("contrast, invert"));
    }

    #[test]
    fn contrast_spreads_the_greys_of_vessels() {
        let table = read_table("contrast").unwrap();
        let (vessel, ground) = (table.values()[95], table.values()[115]);
        assert!(ground - vessel > 90, "{vessel} {ground}");
        assert!(table.values().is_sorted());
    }
}
