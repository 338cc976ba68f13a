//! The server's command of transciphering.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::transciphering::{AesKeyId, EncryptedKey, Message, Transciphering};
use cryptable::{Binding, KeyParameters, Progress};
use serde_json::json;

use crate::args::Global;
use crate::args::aes::AesTranscipherArgs;
use crate::atomic_file::{self, Access};
use crate::formats::table::{self, Moduli, TableOptions};
use crate::key_input::KeyFile;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input, memory_limit, progress};

/// Number of values of a byte.
const BYTE_VALUES: u64 = 256;

/// Converts an AES message into homomorphic ciphertexts, and looks them up in a table if there is one.
pub fn run(global: Global, args: &AesTranscipherArgs) -> Result<()> {
    let start = Instant::now();
    // Cheap checks come first, since reading the key takes a while.
    let moduli = Moduli { input: Some(BYTE_VALUES), output: Some(BYTE_VALUES) };
    let options = TableOptions::plain(moduli);
    let found = args.table.as_deref().map(|path| table::read(path, &options)).transpose()?;
    let (table, note) = found.unzip();
    let input = key_input::map(&args.input)?;
    let aes_key = read_aes_key(&args.encrypted_key)?;
    let message = read_message(args, input.as_ref(), aes_key.aes_key_id())?;
    let key_file = KeyFile::open(global, &args.evaluation)?;
    let KeyParameters::Transciphering(parameters) = &key_file.header.parameters else {
        bail!("{}", key_input::of_keygen(&args.evaluation, "aes"));
    };
    let key_id = key_file.header.key_id;
    let binding = Binding { parameter_digest: parameters.digest(), key_id };
    aes_key.check(parameters, &binding).with_context(|| {
        format!(
            "{} does not belong to {}",
            input_file::name(&args.encrypted_key),
            input_file::name(&args.evaluation)
        )
    })?;
    let mapped = key_file.read()?;
    let key = mapped.key.transciphering()?;
    let (key_bytes, working_bytes) = (key.memory_bytes(), key.parameters().working_bytes());
    memory_limit::check(args.memory.limit, "transciphering", key_bytes, working_bytes)?;
    let table = table.map(|table| key.prepare(&table)).transpose()?;
    report::note(global, note.flatten().as_ref());
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let transciphering = Transciphering::new(key, &aes_key, table.as_ref())?;
    let output_bytes = transcipher(global, args, &transciphering, &message)?;
    let (eval_s, message_bytes) = (start.elapsed().as_secs_f64(), message.bytes().len() as u64);
    let text = format!(
        "ciphertexts of {}, {}; key loaded in {}, transciphered in {}",
        bytes(message_bytes),
        bytes(output_bytes),
        seconds(load_s),
        report::on_threads(eval_s)
    );
    let fields = json!({
        "message_bytes": message_bytes,
        "key_memory_bytes": key.memory_bytes(),
        "load_s": load_s,
    });
    report::computed(global, &args.file.output, output_bytes, eval_s, fields, &text)
}

/// Returns the message in a file under this AES key. If a counter is given, the file holds only encrypted bytes.
fn read_message<'a>(
    args: &AesTranscipherArgs,
    file: &'a [u8],
    key_id: AesKeyId,
) -> Result<Message<'a>> {
    let named = || input_file::name(&args.input);
    if let Some(counter) = args.counter {
        ensure!(
            Message::from_bytes(file).is_err(),
            "{}: the message contains its own counter; --counter is for bytes of other programs",
            named()
        );
        return Message::from_counter_mode(key_id, counter, file).with_context(named);
    }
    let message = Message::from_bytes(file).with_context(named)?;
    message.check_key(key_id).with_context(|| {
        format!("{} is not for {}", named(), input_file::name(&args.encrypted_key))
    })?;
    Ok(message)
}

/// Converts all bytes into ciphertexts, and returns the length of the output.
fn transcipher(
    global: Global,
    args: &AesTranscipherArgs,
    transciphering: &Transciphering<'_>,
    message: &Message<'_>,
) -> Result<u64> {
    let mut output = atomic_file::create(&args.file.output, Access::Public)?;
    progress::shown(global, "AES rounds", |moved| {
        transciphering.transcipher_stream(message, &mut output, Progress::new(moved))
    })
    .with_context(|| format!("cannot transcipher {}", input_file::name(&args.input)))?;
    Ok(output.commit(true)?)
}

fn read_aes_key(path: &Path) -> Result<EncryptedKey> {
    key_input::read_mapped(path, |file| EncryptedKey::from_bytes((**file).as_ref()))
}
