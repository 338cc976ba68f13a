//! Files and streams of Arrow's, whose buffers may be compressed.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::{StreamDecoder, read_footer_length};
use arrow_ipc::{Message, MessageHeader, root_as_message};
use arrow_schema::ArrowError;

use super::{FileKind, decompression_limit, joined, of_file};
use crate::error::{Error, Result};

/// First bytes of an Arrow file. Streams begin otherwise.
const ARROW_MAGIC: &[u8] = b"ARROW1";

/// First bytes of every message of a stream. The last one is followed by four zero bytes.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// Bytes at the end of an Arrow file: the length of its footer and the magic.
const TRAILER_BYTES: usize = 10;

/// Bytes of a length.
const LENGTH_BYTES: usize = 4;

/// Reads an Arrow file or stream. The stream in a file is decoded where it lies, so that no length that it states is
/// reserved.
pub(super) fn read(bytes: Vec<u8>) -> Result<RecordBatch> {
    let failed = |error: ArrowError| of_file(FileKind::Arrow.name(), &error);
    let truncated = || of_file(FileKind::Arrow.name(), &"it is truncated");
    let compressed = bytes.len();
    let mut stream = Buffer::from_vec(bytes);
    if stream.starts_with(ARROW_MAGIC) {
        let trailer = stream.last_chunk::<TRAILER_BYTES>().ok_or_else(truncated)?;
        let footer = read_footer_length(*trailer).map_err(failed)?;
        let end = stream.len().checked_sub(TRAILER_BYTES + footer);
        let length = end.and_then(|end| end.checked_sub(ARROW_MAGIC.len()));
        stream = stream.slice_with_length(ARROW_MAGIC.len(), length.ok_or_else(truncated)?);
        // Zero bytes align the stream, and follow the mark at its end, of which the last four are zero.
        let start = stream.iter().position(|byte| *byte != 0).unwrap_or(0);
        let end = stream.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if stream[start..end].ends_with(&CONTINUATION) {
            let end = stream.len().min(end + CONTINUATION.len());
            stream = stream.slice_with_length(start, end - start);
        }
    }
    check_decompressed(&stream, compressed)?;
    let mut decoder = StreamDecoder::new();
    let mut parts = Vec::new();
    while let Some(part) = decoder.decode(&mut stream).map_err(failed)? {
        parts.push(part);
    }
    decoder.finish().map_err(failed)?;
    joined(decoder.schema().ok_or_else(truncated)?, parts, FileKind::Arrow.name())
}

/// Checks that the buffers of a stream decompress to no more than files of this size are believed to hold. They state their sizes,
/// for which the decoder makes room.
fn check_decompressed(mut stream: &[u8], compressed: usize) -> Result<()> {
    let truncated = || of_file(FileKind::Arrow.name(), &"it is truncated");
    let limit = decompression_limit(compressed);
    let mut total = 0usize;
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
        total = total.saturating_add(decompressed_bytes(message, body).ok_or_else(truncated)?);
        if total > limit {
            return Err(Error::Decompressed { compressed, limit });
        }
        stream = rest;
    }
    Ok(())
}

/// Bytes of the buffers of a message once they are decompressed; none if one is not in its body.
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
            // Buffers that are not compressed have -1.
            total = total.saturating_add(usize::try_from(size.max(0)).ok()?);
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::super::FileFormat;
    use super::*;

    fn sevens(rows: usize) -> RecordBatch {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![7; rows]));
        RecordBatch::try_from_iter([("a", values)]).unwrap()
    }

    /// A file and a stream.
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
    fn compressed_files_and_streams_are_read_up_to_a_multiple_of_their_size() {
        for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            let columns = sevens(1000);
            for bytes in written(&columns, codec) {
                assert_eq!(read(bytes.clone()).unwrap(), columns, "{codec:?}");
                // Damage gives other values or an error.
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
