//! Keys of several owners, and results that they decrypt together, for `cryptable/owners.py`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cryptable::bits::{JointDecryption, Parameters, PartialDecryption};
use cryptable::owners as library;
use cryptable::owners::{EvaluationKeyShares, JointAgreement, JointLookup, JointSecret};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::arrays::array;
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::circuits::EvaluationKey as BitsEvaluationKey;
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::files::{Access, create, map_file};
use crate::key_files::{load_public, read_options, save_public};
use crate::keys::secret_key_files;
use crate::properties::properties;
use crate::table::{Signs, Table, of_moduli};
use crate::watched_file::WatchedFile;

/// A number of owners.
fn number_of_owners(owners: u32) -> Result<library::Owners> {
    library::Owners::try_from(owners).map_err(pyo3::exceptions::PyValueError::new_err)
}

/// Parameters and a seed of masks, which all owners of a joint key need before they make it. Public.
#[pyclass(frozen, module = "cryptable.owners")]
pub(crate) struct Session {
    inner: library::JointSession,
}

#[pymethods]
impl Session {
    /// Draws a session of two to six owners for tables of `input_modulus` inputs, at most 256 with more than three
    /// owners. Tables with outputs of `output_bits` bits are the fastest; others are supported, too.
    #[staticmethod]
    #[pyo3(signature = (owners, input_modulus, *, output_bits = 8))]
    fn draw(py: Python<'_>, owners: u32, input_modulus: u64, output_bits: u32) -> Result<Self> {
        let owners = number_of_owners(owners)?;
        let draw = || library::JointSession::new(owners, input_modulus, output_bits);
        Ok(Self { inner: call::run_silently(py, draw)? })
    }

    /// Draws a session of a small ring without any security, for tests.
    #[staticmethod]
    fn draw_insecure_toy(owners: u32, input_modulus: u64) -> Result<Self> {
        let owners = number_of_owners(owners)?;
        let inner = library::JointSession::insecure_toy(owners, input_modulus).map_err(raise)?;
        Ok(Self { inner })
    }

    /// Writes the session to a file.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        save_public(py, &path, replace, &self.inner.to_bytes())
    }

    /// Reads a session from a file.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let options = read_options(allow_insecure);
        let read = |bytes: &[u8]| library::JointSession::from_bytes(bytes, options);
        Ok(Self { inner: load_public(py, &path, read)? })
    }
}

properties!(Session {
    /// The number of owners.
    owners: u32 = |it| it.inner.owners().count();
});

/// An owner's part of the secret key. Save it after `write_shares` and again after `agree`, and never return to an
/// older file.
#[pyclass(module = "cryptable.owners")]
pub(crate) struct Secret {
    inner: JointSecret,
}

secret_key_files!(Secret: JointSecret::from_bytes);

#[pymethods]
impl Secret {
    /// Draws the secret of an owner, counted from 1.
    #[staticmethod]
    fn generate(session: &Session, owner: u32) -> Result<Self> {
        Ok(Self { inner: JointSecret::generate(&session.inner, owner).map_err(raise)? })
    }

    /// Writes the owner's first share and its key share to files, and returns its commitment. Send the commitment at
    /// once, and the shares only after the commitments of all owners have arrived.
    #[pyo3(signature = (first, keys, *, threads: "int" = 0, progress = true, replace = false))]
    fn write_shares<'py>(
        &mut self,
        py: Python<'py>,
        first: PathBuf,
        keys: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<Bound<'py, PyBytes>> {
        let mut first = create(&first, Access::Public, replace)?;
        let mut keys = create(&keys, Access::Public, replace)?;
        let secret = &mut self.inner;
        let (of_first, of_keys) = (&mut first, &mut keys);
        let commitment = call::run_engine(py, threads, progress, "shares", |progress| {
            secret.write_shares(of_first, of_keys, progress)
        })?;
        cryptable_files::AtomicFile::commit_all(vec![first, keys], replace)?;
        Ok(PyBytes::new(py, &commitment))
    }

    /// Agrees to the commitments of all owners, in any order, and only once; save the secret afterwards. Returns the
    /// identifier of the joint key, which owners should compare over another channel.
    fn agree(&mut self, commitments: Vec<Vec<u8>>) -> Result<String> {
        let agreement = agreement(&self.inner.session(), &commitments).map_err(raise)?;
        self.inner.agree(&agreement).map_err(raise)?;
        Ok(agreement.key_id().to_string())
    }

    /// Writes the owner's second share to a file, computed from the commitments and first-share files of all owners,
    /// each in any order.
    #[pyo3(signature = (commitments, first, path, *, threads: "int" = 0, progress = true, replace = false))]
    #[allow(clippy::too_many_arguments, reason = "options of Python")]
    fn write_second_share(
        &self,
        py: Python<'_>,
        commitments: Vec<Vec<u8>>,
        first: Vec<PathBuf>,
        path: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        let first = map_all(&first)?;
        let mut file = create(&path, Access::Public, replace)?;
        let (secret, out) = (&self.inner, &mut file);
        call::run_engine(py, threads, progress, "second share", |progress| {
            let agreement = agreement(&secret.session(), &commitments)?;
            secret.write_second_share(&agreement, &contents(&first), out, progress)
        })?;
        file.commit(replace)?;
        Ok(())
    }

    /// Returns the owner's part of the decryption of results, for whoever may see them. It hides the secret to a
    /// statistical distance of `2^log2_distance` over all `decryptions` ciphertexts of bits that are ever decrypted
    /// under this key. All owners must use the same numbers.
    #[pyo3(signature = (result, *, log2_distance = -40.0, decryptions = 65_536))]
    fn part_of<'py>(
        &self,
        py: Python<'py>,
        result: &JointResult,
        log2_distance: f64,
        decryptions: u64,
    ) -> Result<Bound<'py, PyBytes>> {
        let bytes = call::run_silently(py, || {
            let session = self.inner.session();
            let parameters = session.bits().parameters();
            let plan =
                JointDecryption::new(parameters, session.owners(), log2_distance, decryptions)?;
            part_of(result, parameters, |one| self.inner.partial_decryptions(one, &plan))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Deals a share of the secret to each of `holders` holders, in the order of their numbers from 1 on. Afterwards,
    /// any group of holders as large as the number of owners can decrypt together. Send each share privately to its
    /// holder alone.
    fn deal<'py>(&self, py: Python<'py>, holders: u32) -> Result<Vec<Bound<'py, PyBytes>>> {
        let holders = number_of_owners(holders)?;
        let dealt = call::run_silently(py, || {
            let deal = |holder| self.inner.deal(holders, holder);
            (1..=holders.count()).map(deal).collect::<cryptable::Result<Vec<_>>>()
        })?;
        Ok(dealt.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }
}

/// Returns the messages for a decryption of results.
fn part_of(
    result: &JointResult,
    parameters: &Parameters,
    part: impl Fn(&library::JointResult) -> cryptable::Result<Vec<PartialDecryption>>,
) -> cryptable::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for one in &result.inner {
        for part in part(one)? {
            bytes.extend(part.to_bytes(parameters)?);
        }
    }
    Ok(bytes)
}

properties!(Secret {
    /// The number of the owner, counted from 1.
    owner: u32 = |it| it.inner.owner();
});

/// A holder's share of the secret key, which all owners dealt. Any group of holders as large as the number of owners
/// can decrypt together.
#[pyclass(frozen, module = "cryptable.owners")]
pub(crate) struct ThresholdSecret {
    inner: library::ThresholdSecret,
}

secret_key_files!(ThresholdSecret: library::ThresholdSecret::from_bytes);

#[pymethods]
impl ThresholdSecret {
    /// Adds up the shares that all owners dealt to this holder, in any order.
    #[staticmethod]
    #[pyo3(signature = (dealt, *, allow_insecure = false))]
    fn receive(py: Python<'_>, dealt: Vec<Vec<u8>>, allow_insecure: bool) -> Result<Self> {
        let dealt: Vec<Zeroizing<Vec<u8>>> = dealt.into_iter().map(Zeroizing::new).collect();
        let options = read_options(allow_insecure);
        let inner = call::run_silently(py, || {
            let dealt: Vec<&[u8]> = dealt.iter().map(|bytes| bytes.as_slice()).collect();
            library::ThresholdSecret::of_dealt(&dealt, options)
        })?;
        Ok(Self { inner })
    }

    /// Returns the holder's part of a decryption by the holders with the numbers `together`, including this one, for
    /// whoever may see the results. The other numbers are those of `Secret.part_of`, and must be the same for every
    /// holder.
    #[pyo3(signature = (result, together, *, log2_distance = -40.0, decryptions = 65_536))]
    fn part_of<'py>(
        &self,
        py: Python<'py>,
        result: &JointResult,
        together: Vec<u32>,
        log2_distance: f64,
        decryptions: u64,
    ) -> Result<Bound<'py, PyBytes>> {
        let bytes = call::run_silently(py, || {
            let plan = self.inner.plan(log2_distance, decryptions)?;
            let quorum = self.inner.quorum(&together)?;
            let part = |one: &library::JointResult| one.parts_of_holder(&self.inner, &plan, quorum);
            part_of(result, self.inner.parameters(), part)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

properties!(ThresholdSecret {
    /// The number of the holder, counted from 1.
    holder: u32 = |it| it.inner.holder();
    /// The number of holders.
    holders: u32 = |it| it.inner.holders().count();
    /// The number of holders that decrypt together.
    threshold: u32 = |it| it.inner.threshold().count();
});

/// Combines the share files of all owners into the files of a public key and of the evaluation keys of values and of
/// bits. Each list may be in any order; an error names owners whose messages are missing, duplicated or wrong.
#[pyfunction]
#[pyo3(signature = (session, commitments, first, keys, second, *, public, evaluation, bits_evaluation, threads: "int" = 0, progress = true, replace = false))]
#[allow(clippy::too_many_arguments, reason = "options of Python")]
pub(crate) fn combine(
    py: Python<'_>,
    session: &Session,
    commitments: Vec<Vec<u8>>,
    first: Vec<PathBuf>,
    keys: Vec<PathBuf>,
    second: Vec<PathBuf>,
    public: PathBuf,
    evaluation: PathBuf,
    bits_evaluation: PathBuf,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
    replace: bool,
) -> Result<String> {
    use std::io::Write as _;

    let [first, keys, second] = [map_all(&first)?, map_all(&keys)?, map_all(&second)?];
    let open = |path: &Path| create(path, Access::Public, replace);
    let (mut public, mut values) = (open(&public)?, open(&evaluation)?);
    let mut bits = open(&bits_evaluation)?;
    let out = [&mut public, &mut values, &mut bits];
    let key_id = call::run_engine(py, threads, progress, "joint keys", |progress| {
        let agreement = agreement(&session.inner, &commitments)?;
        let [first, keys, second] = [&first, &keys, &second].map(|files| contents(files));
        let [public, values, bits] = out;
        public.write_all(&cryptable::PublicKey::of_owners(&agreement, &first)?.to_bytes())?;
        let shares = EvaluationKeyShares { first: &first, keys: &keys, second: &second };
        agreement.write_evaluation_keys(shares, values, bits, progress)?;
        Ok(agreement.key_id().to_string())
    })?;
    cryptable_files::AtomicFile::commit_all(vec![values, bits, public], replace)?;
    Ok(key_id)
}

/// Results of a lookup that all owners of a key decrypt together.
#[pyclass(frozen, module = "cryptable.owners")]
pub(crate) struct JointResult {
    inner: Vec<library::JointResult>,
    shape: Vec<usize>,
    signed: bool,
}

/// Maps every value through a table under joint keys, of values and of bits, and prepares the results for decryption by
/// all owners.
#[pyfunction]
#[pyo3(signature = (server, bits_server, values, table: "TableLike", *, output_modulus, signed = None, threads: "int" = 0, progress = true))]
#[allow(clippy::too_many_arguments, reason = "options of Python")]
pub(crate) fn lookup(
    py: Python<'_>,
    server: &EvaluationKey,
    bits_server: &BitsEvaluationKey,
    values: &Ciphertext,
    table: &Bound<'_, PyAny>,
    output_modulus: u64,
    signed: Option<Signs>,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<JointResult> {
    let server = server.library().packed().map_err(raise)?;
    let inputs = server.parameters().input_modulus();
    let table = of_moduli(table, inputs, output_modulus, signed.unwrap_or_default())?;
    let table = Arc::clone(&table.cast::<Table>()?.get().inner);
    let inner = call::run_engine(py, threads, progress, "lookup", |progress| {
        let lookup = JointLookup::new(server, bits_server.library(), &table)?;
        let parts = values.inner.packed()?;
        parts.iter().map(|part| lookup.look_up(part, progress)).collect()
    })?;
    let (shape, signed) = (values.shape.clone(), table.signed_outputs());
    Ok(JointResult { inner, shape, signed })
}

#[pymethods]
impl JointResult {
    /// Returns the values from the parts of all owners, in any order: exact integers in the shape that was encrypted.
    #[pyo3(signature = (parts) -> "npt.NDArray[Any]")]
    fn combine<'py>(&self, py: Python<'py>, parts: Vec<Vec<u8>>) -> Result<Bound<'py, PyAny>> {
        let values = call::run_silently(py, || {
            let mut rests: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let mut values = Zeroizing::new(Vec::new());
            for result in &self.inner {
                let mut next = |rest: &mut &[u8]| -> cryptable::Result<Vec<PartialDecryption>> {
                    let (part, following) = result.read_part(rest)?;
                    *rest = following;
                    Ok(part)
                };
                let parts =
                    rests.iter_mut().map(&mut next).collect::<cryptable::Result<Vec<_>>>()?;
                values.extend(Zeroizing::new(result.combine(&parts)?).iter());
            }
            let left: usize = rests.iter().map(|rest| rest.len()).sum();
            if left > 0 {
                let count = left as u64;
                return Err(cryptable::WireError::TrailingBytes { count }.into());
            }
            Ok(values)
        })?;
        array(py, &values, &self.shape, self.inner[0].modulus(), self.signed)
    }

    /// Writes the results to a file. After loading, their values have one dimension.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        let files = self.inner.iter().map(library::JointResult::to_bytes);
        let files = files.collect::<cryptable::Result<Vec<_>>>().map_err(raise)?;
        save_public(py, &path, replace, &files.concat())
    }

    /// Reads results from a file, as `save` and `cryptable owners lookup` write it.
    #[staticmethod]
    #[pyo3(signature = (path, *, signed = false, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, signed: bool, allow_insecure: bool) -> Result<Self> {
        let options = read_options(allow_insecure);
        let inner = load_public(py, &path, |mut rest| {
            let mut all = Vec::new();
            while all.is_empty() || !rest.is_empty() {
                let (result, following) = library::JointResult::read_first(rest, options)?;
                all.push(result);
                rest = following;
            }
            Ok(all)
        })?;
        let count = inner.iter().map(library::JointResult::count).sum();
        Ok(Self { inner, shape: vec![count], signed })
    }
}

properties!(JointResult {
    /// The shape of the values.
    shape: Vec<usize> = |it| it.shape.clone();
});

/// Joins the commitments of all owners.
fn agreement(
    session: &library::JointSession,
    commitments: &[Vec<u8>],
) -> cryptable::Result<JointAgreement> {
    let commitments: Vec<&[u8]> = commitments.iter().map(Vec::as_slice).collect();
    JointAgreement::new(session, &commitments)
}

/// Maps all files of one kind.
fn map_all(paths: &[PathBuf]) -> Result<Vec<Arc<WatchedFile>>> {
    paths.iter().map(|path| map_file(path)).collect()
}

fn contents(files: &[Arc<WatchedFile>]) -> Vec<&[u8]> {
    files.iter().map(|file| (**file).as_ref()).collect()
}
