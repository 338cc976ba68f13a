//! Arrow files and streams, whose buffers may be compressed.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow_ipc::{Message, MessageHeader, root_as_footer, root_as_message};
use arrow_schema::ArrowError;

use super::{FileKind, decompression_limit, joined, of_file};
use crate::error::{Error, Result};

/// First bytes of an Arrow file. Streams begin with other bytes.
const ARROW_MAGIC: &[u8] = b"ARROW1";

/// First bytes of every message of a stream. The last one is followed by four zero bytes.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// Bytes at the end of an Arrow file: the length of its footer and the magic.
const TRAILER_BYTES: usize = 10;

/// Bytes of a length.
const LENGTH_BYTES: usize = 4;

/// Reads an Arrow file or stream. Batches are decoded in place, so that no memory is reserved for lengths that the file
/// only claims.
pub(super) fn read(bytes: Vec<u8>) -> Result<RecordBatch> {
    let bytes = Buffer::from_vec(bytes);
    if bytes.starts_with(ARROW_MAGIC) { read_file(&bytes) } else { read_stream(bytes) }
}

fn failed(error: ArrowError) -> Error {
    of_file(FileKind::Arrow.name(), &error)
}

fn truncated() -> Error {
    of_file(FileKind::Arrow.name(), &"it is truncated")
}

/// Reads a file by its footer, which lists the batches, since polars writes no stream between the magics.
fn read_file(bytes: &Buffer) -> Result<RecordBatch> {
    let (rest, trailer) = bytes.split_last_chunk::<TRAILER_BYTES>().ok_or_else(truncated)?;
    let footer = read_footer_length(*trailer).map_err(failed)?;
    let end = rest.len().checked_sub(footer).ok_or_else(truncated)?;
    let (rest, footer) = rest.split_at(end);
    let footer = root_as_footer(footer).map_err(|error| of_file(FileKind::Arrow.name(), &error))?;
    let schema = Arc::new(fb_to_schema(footer.schema().ok_or_else(truncated)?));
    let mut decoder = FileDecoder::new(schema.clone(), footer.version());
    let mut parts = Vec::new();
    let mut sizes = Sizes::of_file(bytes.len());
    for (blocks, is_dictionary) in [(footer.dictionaries(), true), (footer.recordBatches(), false)]
    {
        for block in blocks.into_iter().flatten() {
            let [offset, metadata, body] =
                [block.offset(), block.metaDataLength().into(), block.bodyLength()]
                    .map(|number| usize::try_from(number).map_err(|_| truncated()));
            let (offset, metadata) = (offset?, metadata?);
            let length = metadata.checked_add(body?).ok_or_else(truncated)?;
            let data = rest.get(offset..).and_then(|it| it.get(..length)).ok_or_else(truncated)?;
            let (message, body) = data.split_at(metadata);
            let message = message.strip_prefix(&CONTINUATION[..]).unwrap_or(message);
            sizes.add(message.get(LENGTH_BYTES..).ok_or_else(truncated)?, body)?;
            let data = bytes.slice_with_length(offset, length);
            match is_dictionary {
                true => decoder.read_dictionary(block, &data).map_err(failed)?,
                false => parts.extend(decoder.read_record_batch(block, &data).map_err(failed)?),
            }
        }
    }
    joined(schema, parts, FileKind::Arrow.name())
}

fn read_stream(mut stream: Buffer) -> Result<RecordBatch> {
    check_stream(&stream)?;
    let mut decoder = StreamDecoder::new();
    let mut parts = Vec::new();
    while let Some(part) = decoder.decode(&mut stream).map_err(failed)? {
        parts.push(part);
    }
    decoder.finish().map_err(failed)?;
    joined(decoder.schema().ok_or_else(truncated)?, parts, FileKind::Arrow.name())
}

/// Total sizes of messages, which the size of their file limits.
struct Sizes {
    file: usize,
    /// Bytes of all messages, no two of which may share a byte of the file.
    messages: usize,
    /// Bytes of all compressed buffers after decompression.
    decompressed: usize,
}

impl Sizes {
    fn of_file(file: usize) -> Self {
        Self { file, messages: 0, decompressed: 0 }
    }

    /// Adds a message and checks that its buffers decompress to no more than is plausible for a file of this size.
    /// Buffers state their sizes, for which the decoder reserves memory.
    fn add(&mut self, message: &[u8], body: &[u8]) -> Result<()> {
        self.messages = self.messages.saturating_add(message.len() + body.len());
        if self.messages > self.file {
            return Err(of_file(FileKind::Arrow.name(), &"its batches overlap"));
        }
        let message =
            root_as_message(message).map_err(|error| of_file(FileKind::Arrow.name(), &error))?;
        let bytes = decompressed_bytes(message, body).ok_or_else(truncated)?;
        self.decompressed = self.decompressed.saturating_add(bytes);
        let (compressed, limit) = (self.file, decompression_limit(self.file));
        match self.decompressed > limit {
            true => Err(Error::Decompressed { compressed, limit }),
            false => Ok(()),
        }
    }
}

/// Checks the sizes of all messages of a stream.
fn check_stream(mut stream: &[u8]) -> Result<()> {
    let mut sizes = Sizes::of_file(stream.len());
    while !stream.is_empty() {
        stream = stream.strip_prefix(&CONTINUATION[..]).unwrap_or(stream);
        let (length, rest) = stream.split_first_chunk::<LENGTH_BYTES>().ok_or_else(truncated)?;
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 {
            break;
        }
        let (metadata, rest) = rest.split_at_checked(length).ok_or_else(truncated)?;
        let message =
            root_as_message(metadata).map_err(|error| of_file(FileKind::Arrow.name(), &error))?;
        let length = usize::try_from(message.bodyLength()).map_err(|_| truncated())?;
        let (body, rest) = rest.split_at_checked(length).ok_or_else(truncated)?;
        sizes.add(metadata, body)?;
        stream = rest;
    }
    Ok(())
}

/// Returns the number of bytes of a message's buffers after decompression; `None` if a buffer is not within its body.
fn decompressed_bytes(message: Message<'_>, body: &[u8]) -> Option<usize> {
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch()?.data(),
        _ => return Some(0),
    };
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Some(0) };
    let mut total = 0usize;
    for buffer in batch.buffers()? {
        let (offset, length) = (usize::try_from(buffer.offset()).ok()?, buffer.length());
        let bytes = body.get(offset..offset.checked_add(usize::try_from(length).ok()?)?)?;
        if let Some(size) = bytes.first_chunk().map(|size| i64::from_le_bytes(*size)) {
            // The size -1 stands for a buffer that is not compressed.
            total = total.saturating_add(usize::try_from(size.max(0)).ok()?);
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Int64Array};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::super::FileFormat;
    use super::*;

    fn sevens(rows: usize) -> RecordBatch {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![7; rows]));
        RecordBatch::try_from_iter([("a", values)]).unwrap()
    }

    /// Writes a file and a stream.
    fn written(columns: &RecordBatch, codec: CompressionType) -> [Vec<u8>; 2] {
        let options = || IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let (mut file, mut stream, schema) = (Vec::new(), Vec::new(), columns.schema());
        let mut writer = FileWriter::try_new_with_options(&mut file, &schema, options()).unwrap();
        writer.write(columns).unwrap();
        writer.finish().unwrap();
        let mut writer =
            StreamWriter::try_new_with_options(&mut stream, &schema, options()).unwrap();
        writer.write(columns).unwrap();
        writer.finish().unwrap();
        [file, stream]
    }

    #[test]
    fn files_are_read_by_their_footer() {
        let mut file = Vec::new();
        let [many, few] = [sevens(1000), sevens(3)];
        let mut writer = FileWriter::try_new(&mut file, &many.schema()).unwrap();
        [&many, &few].iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
        // The schema's message, as polars writes it: without length.
        file[8..16].copy_from_slice(&[4, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF]);
        assert_eq!(read(file.clone()).unwrap(), sevens(1003));

        // There may be many batches, but not the same one many times.
        let blocks = |file: &[u8]| {
            let (rest, trailer) = file.split_last_chunk::<TRAILER_BYTES>().unwrap();
            let start = rest.len() - read_footer_length(*trailer).unwrap();
            let footer = root_as_footer(&rest[start..]).unwrap();
            footer.recordBatches().unwrap().bytes().as_ptr() as usize - file.as_ptr() as usize
        };
        let first = blocks(&file);
        file.copy_within(first..first + 24, first + 24);
        let error = read(file).unwrap_err().to_string();
        assert!(error.contains("its batches overlap"), "{error}");
    }

    #[test]
    fn compressed_files_and_streams_are_read_up_to_a_multiple_of_their_size() {
        for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            let columns = sevens(1000);
            for bytes in written(&columns, codec) {
                assert_eq!(read(bytes.clone()).unwrap(), columns, "{codec:?}");
                // Damage results in other values or an error.
                let read = |bytes: &[u8]| FileFormat::from(FileKind::Arrow).read(bytes);
                for byte in 0..bytes.len() {
                    let mut damaged = bytes.clone();
                    damaged[byte] ^= 0x81;
                    let _ = read(&damaged);
                    let _ = read(&bytes[..byte]);
                }
            }
            for bytes in written(&sevens(1 << 20), codec) {
                let error = read(bytes).unwrap_err();
                assert!(matches!(error, Error::Decompressed { .. }), "{codec:?}: {error}");
            }
        }
    }
}
