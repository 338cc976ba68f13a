//! Tables per value, in the clear and encrypted, at full size: parameters of the planner, 65,536 values.

use crate::common;
use crate::common::mixed;

use std::sync::Arc;
use std::time::Instant;

use cryptable_packed::{
    Ciphertext, CostModel, EncryptedTables, EntryKind, EvaluationKey, Parameters, Progress,
    Request, SecretKey, SlotTables,
};
use cryptable_ring::random::replay;
use cryptable_wire::MappedFile;

struct Client {
    parameters: Parameters,
    secret: SecretKey,
    keys: EvaluationKey,
    tables: SlotTables,
    values: Vec<u64>,
    input: Ciphertext,
}

impl Client {
    fn new(bits: u32, entries: EntryKind) -> Self {
        let p = 1 << bits;
        let parameters = common::choose(&Request { entries, ..Request::new(p, p) });
        let (secret, keys) = common::keys(&parameters);
        let outputs = (0..p << 16).map(|i| (mixed(0, i) % p) as u32).collect();
        let tables = SlotTables::from_outputs(p, p, outputs).unwrap();
        let values: Vec<u64> = (0..1 << 16).map(|i| (i * 31 + i / p) % p).collect();
        let input = secret.encrypt(&values).unwrap();
        Self { parameters, secret, keys, tables, values, input }
    }

    /// Runs a lookup. Checks every value, and that noise is as predicted; prints the time and its prediction.
    fn check(&self, kind: EntryKind, lookup: impl FnOnce(&Self) -> Ciphertext) {
        let start = Instant::now();
        let output = lookup(self);
        let seconds = start.elapsed().as_secs_f64();
        let predicted = self.parameters.prediction_for(kind, 1);
        println!(
            "{kind} by {}: {seconds:.1} s on {} threads, predicted {:.1}; peak memory predicted {:.2} GB",
            self.parameters.literal().name,
            rayon::current_num_threads(),
            predicted
                .duration(&CostModel::default(), 1 << 16, rayon::current_num_threads())
                .as_secs_f64(),
            predicted.peak_bytes() as f64 / 1e9,
        );
        let expected: Vec<u64> =
            self.values.iter().enumerate().map(|(k, &x)| self.tables.output(k, x)).collect();
        let deviation = common::deviation(&self.secret, &output, &expected);
        let mean_square = (self.parameters.output_modulus() as f64).powi(2) / 12.0;
        let noise = self.parameters.predicted_deviation(kind, mean_square).unwrap();
        println!("noise 2^{:.2} of half a step, predicted 2^{:.2}", deviation.log2(), noise.log2());
        let worst = self.parameters.failure();
        assert!(deviation > noise / 2.0 && deviation < worst.noise_ratio + worst.bias_ratio);
    }
}

fn plain(bits: u32) {
    let _replay = replay::begin();
    let client = Client::new(bits, EntryKind::Plain);
    client.check(EntryKind::Plain, |it| {
        it.keys.lookup_slots(&it.input, &it.tables, Progress::silent()).unwrap()
    });
}

/// Checks lookups with encrypted tables in a file, as on a server.
fn encrypted(bits: u32) {
    let _replay = replay::begin();
    let client = Client::new(bits, EntryKind::Encrypted);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tables");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let start = Instant::now();
    client.secret.write_encrypted_tables(&client.tables, &mut file, Progress::silent()).unwrap();
    drop(file);
    println!("encrypted in {:.1} s", start.elapsed().as_secs_f64());
    let mapped = Arc::new(MappedFile::open(&path).unwrap());
    let tables = EncryptedTables::from_shared(&client.keys, mapped).unwrap();
    client.check(EntryKind::Encrypted, |it| {
        it.keys.lookup_encrypted(&it.input, &tables, Progress::silent()).unwrap()
    });
}

#[test]
#[ignore = "half a minute and 5 GB"]
fn eight_bits_a_table_for_every_value() {
    plain(8);
}

#[test]
#[ignore = "half a minute and 5 GB"]
fn eight_bits_encrypted_tables() {
    encrypted(8);
}

#[test]
#[ignore = "minutes and 8 GB"]
fn twelve_bits_a_table_for_every_value() {
    plain(12);
}

#[test]
#[ignore = "minutes, 15 GB of memory, of which 10 are pages of a file on disk"]
fn twelve_bits_encrypted_tables() {
    encrypted(12);
}
