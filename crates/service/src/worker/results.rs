//! Results of a job in progress: the parts that other workers wrote, and the file to which this one appends.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom};

use cryptable::{CiphertextWriter, Contents};

use crate::identifiers::new_id;
use crate::store::{Part, QueuedJob, Store, Whole};
use crate::{Error, Problem, Result};

pub(super) type Writer = CiphertextWriter<BufWriter<File>>;

/// The result of one table.
pub(super) struct Written {
    parts: Vec<Part>,
    file: String,
    pub(super) writer: Writer,
}

/// Opens the results of a job, one per table. All hold the same number of values.
pub(super) fn open(store: &Store, job: &QueuedJob, contents: &[Contents]) -> Result<Vec<Written>> {
    let (parts, files) = if job.results.is_empty() {
        (vec![Vec::new(); contents.len()], begin(store, job)?)
    } else if job.was_own {
        (job.parts.clone(), job.results.clone())
    } else {
        take_over(store, job, contents)?
    };
    let writers = whole_values(store, job, &files, contents)?;
    let all = parts.into_iter().zip(files).zip(writers);
    Ok(all.map(|((parts, file), writer)| Written { parts, file, writer }).collect())
}

/// Creates and records the files of a job's results.
fn begin(store: &Store, job: &QueuedJob) -> Result<Vec<String>> {
    let files = new_ids(job.tables.len())?;
    if !store.begin_results(job, &files)? {
        return Err(Problem::not_found("job").into());
    }
    create(store, job, &files)?;
    Ok(files)
}

fn new_ids(count: usize) -> Result<Vec<String>> {
    Ok((0..count).map(|_| new_id()).collect::<io::Result<_>>()?)
}

fn create(store: &Store, job: &QueuedJob, files: &[String]) -> Result<()> {
    for file in files {
        store.open_result(job, file)?;
    }
    store.sync_files()
}

/// Opens files for appending after the last value that all of them hold.
fn whole_values(
    store: &Store,
    job: &QueuedJob,
    files: &[String],
    contents: &[Contents],
) -> Result<Vec<Writer>> {
    let open = |file: &String, contents: &Contents, values: u64| -> Result<Writer> {
        Ok(CiphertextWriter::resume(store.open_result(job, file)?, *contents, values)?)
    };
    let all = files.iter().zip(contents);
    let mut writers: Vec<Writer> = all
        .clone()
        .map(|(file, contents)| open(file, contents, u64::MAX))
        .collect::<Result<_>>()?;
    let least = writers.iter().map(|writer| writer.summary().values).min().unwrap_or(0);
    for (writer, (file, contents)) in writers.iter_mut().zip(all) {
        if writer.summary().values > least {
            *writer = open(file, contents, least)?;
        }
    }
    Ok(writers)
}

/// Turns the files of the last worker, which may still be writing, into parts, and returns all parts and new files in
/// which to continue.
fn take_over(
    store: &Store,
    job: &QueuedJob,
    contents: &[Contents],
) -> Result<(Vec<Vec<Part>>, Vec<String>)> {
    let copies = new_ids(contents.len())?;
    store.name_parts(job, &copies)?;
    for (from, to) in job.results.iter().zip(&copies) {
        let mut to = store.open_result(job, to)?;
        match File::open(store.file(from)) {
            Ok(mut from) => drop(io::copy(&mut from, &mut to)?),
            // The last worker ended before it created the file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    let writers = whole_values(store, job, &copies, contents)?;
    let all = job.parts.iter().zip(copies).zip(writers);
    let copied = all.map(|((parts, file), writer)| Written { parts: parts.clone(), file, writer });
    end(store, job, copied.collect())
}

/// Ends the parts that are being written, and continues in new files.
pub(super) fn end_parts(
    store: &Store,
    job: &QueuedJob,
    results: Vec<Written>,
) -> Result<Vec<Written>> {
    let names: Vec<String> = results.iter().map(|written| written.file.clone()).collect();
    let contents: Vec<Contents> =
        results.iter().map(|written| written.writer.summary().contents).collect();
    store.name_parts(job, &names)?;
    let (parts, files) = end(store, job, results)?;
    let writers = whole_values(store, job, &files, &contents)?;
    let all = parts.into_iter().zip(files).zip(writers);
    Ok(all.map(|((parts, file), writer)| Written { parts, file, writer }).collect())
}

/// Turns files into parts, which rows name as such, and returns all parts and new files in which to continue.
fn end(
    store: &Store,
    job: &QueuedJob,
    results: Vec<Written>,
) -> Result<(Vec<Vec<Part>>, Vec<String>)> {
    let mut ended = Vec::with_capacity(results.len());
    let mut parts = Vec::with_capacity(results.len());
    for Written { parts: before, file, mut writer } in results {
        writer.flush()?;
        store.open_result(job, &file)?.sync_all()?;
        let (bytes, values) = (writer.summary().bytes, writer.summary().values);
        if values > 0 {
            store.keep(&file)?;
        }
        ended.push(Part { file, bytes, values });
        parts.push(before);
    }
    store.sync_files()?;
    let files = new_ids(ended.len())?;
    store.end_parts(job, &ended, &files)?;
    create(store, job, &files)?;
    for (parts, ended) in parts.iter_mut().zip(ended) {
        store.make_copy(&ended.file);
        parts.extend((ended.values > 0).then_some(ended));
    }
    Ok((parts, files))
}

impl Written {
    /// Returns the number of values in all parts.
    pub(super) fn values(&self) -> u64 {
        let before: u64 = self.parts.iter().map(|part| part.values).sum();
        before + self.writer.summary().values
    }
}

/// Completes the results of a job, synchronises them to the disk, and returns them.
pub(super) fn finish(store: &Store, job: &QueuedJob, results: Vec<Written>) -> Result<Vec<Whole>> {
    let is_whole = results.iter().all(|written| written.parts.is_empty());
    let names = if is_whole { Vec::new() } else { new_ids(results.len())? };
    store.name_parts(job, &names)?;
    let mut whole = Vec::with_capacity(results.len());
    for (place, mut written) in results.into_iter().enumerate() {
        if let Some(name) = names.get(place) {
            written.writer.flush()?;
            written = join(store, job, written, name)?;
        }
        let (writer, summary) = written.writer.finish()?;
        let file = writer.into_inner().map_err(|error| Error::Io(error.into_error()))?;
        file.sync_all()?;
        store.keep(&written.file)?;
        whole.push(Whole { file: written.file, bytes: summary.bytes });
    }
    store.sync_files()?;
    Ok(whole)
}

/// Joins the parts of a result in a new file, checking every ciphertext.
fn join(store: &Store, job: &QueuedJob, written: Written, name: &str) -> Result<Written> {
    let expected = written.values();
    let Written { mut parts, file, writer } = written;
    let summary = *writer.summary();
    parts.push(Part { file, bytes: summary.bytes, values: summary.values });
    let head = CiphertextWriter::new(io::sink(), summary.contents)?.summary().bytes;
    let mut whole = store.open_result(job, name)?;
    let mut first = 0;
    for part in parts {
        let mut from = File::open(store.fetch(&part.file)?)?;
        from.seek(SeekFrom::Start(first))?;
        io::copy(&mut from.take(part.bytes - first), &mut whole)?;
        // Only the header of the first part is kept.
        first = head;
    }
    let writer = CiphertextWriter::resume(whole, summary.contents, u64::MAX)?;
    let found = writer.summary().values;
    if found != expected {
        let text = format!("a result of job {} has {found} values, not {expected}", job.id);
        return Err(Error::Operator(text));
    }
    Ok(Written { parts: Vec::new(), file: name.to_owned(), writer })
}
