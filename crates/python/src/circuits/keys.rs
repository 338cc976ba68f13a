//! Keys of circuits: the client's and the server's.

use cryptable::bits::{
    EncryptedBits, EvaluationKey as LibraryEvaluationKey, Parameters as LibraryParameters,
    PublicKey as LibraryPublicKey, SecretKey as LibrarySecretKey,
};
use cryptable::circuits::{
    EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, InputLevels, Plan,
    PlanOptions, WordPort, execute_with, input_bits, output_words,
};
use cryptable::{Error, KeyId};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroize::Zeroizing;

use super::circuit::Circuit;
use super::plan::{CircuitPlan, request};
use super::words::{EncryptedWords, arrays_of, words_of};
use crate::bits::Parameters;
use crate::call::{self, Progress};
use crate::errors::{Result, exception};
use crate::key_files::Origin;
use crate::keys::{evaluation_key, makes_evaluation_key, public_key, secret_key};

/// The client's secret key for circuits: encrypts and decrypts words, and makes the server's evaluation key.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

impl SecretKey {
    pub(crate) fn library(&self) -> &LibrarySecretKey {
        &self.inner
    }
}

fn widths(ports: &[WordPort]) -> Vec<usize> {
    ports.iter().map(|port| port.width).collect()
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret for the parameter set of a plan, or for parameters of `cryptable.bits`.
    #[staticmethod]
    #[pyo3(signature = (plan: "Plan | Parameters"))]
    fn generate(plan: &Bound<'_, PyAny>) -> Result<Self> {
        let py = plan.py();
        let parameters = match plan.cast::<CircuitPlan>() {
            Ok(plan) => plan.get().best().parameters.clone(),
            Err(_) => plan.cast::<Parameters>()?.get().inner.clone(),
        };
        Ok(Self { inner: call::detach(py, || LibrarySecretKey::generate(&parameters)) })
    }

    /// The parameter set.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters { inner: self.inner.parameters().clone() }
    }

    /// Encrypts words for a plan, given one array per input of its circuit, by name; all arrays have one shape.
    #[pyo3(signature = (plan, values: "Mapping[str, npt.ArrayLike]"))]
    fn encrypt(
        &self,
        py: Python<'_>,
        plan: &CircuitPlan,
        values: &Bound<'_, PyDict>,
    ) -> Result<EncryptedWords> {
        let levels = plan.best().plan.input_levels();
        let (parameters, id) = (self.inner.parameters(), self.inner.id());
        let encrypt = |bits: &[bool], levels| self.inner.encrypt_at(bits, levels);
        encrypt_words(py, plan, parameters, id, levels, values, encrypt)
    }

    /// Makes a public key, with which anyone can encrypt words that this key decrypts.
    fn public_key(&self, py: Python<'_>) -> Result<PublicKey> {
        Ok(PublicKey { inner: call::run_silently(py, || self.inner.public_key())? })
    }

    /// Decrypts words to one array per port, by name.
    #[pyo3(signature = (words) -> "dict[str, npt.NDArray[Any]]")]
    fn decrypt<'py>(&self, py: Python<'py>, words: &EncryptedWords) -> Result<Bound<'py, PyDict>> {
        let ports = &words.summary.ports;
        let found = call::run_silently(py, || {
            let mut reader = EncryptedWordsReader::new(&words.bytes)?;
            let mut found = Zeroizing::new(Vec::new());
            let mut batch = Zeroizing::new(Vec::with_capacity(words.summary.bits()));
            while let Some(bits) = reader.next_bits(self.inner.parameters())? {
                batch.push(self.inner.decrypt(&bits)?);
                if batch.len() == words.summary.bits() {
                    found.append(&mut output_words(&widths(ports), &batch));
                    batch.clear();
                }
            }
            Ok(found)
        })?;
        arrays_of(py, ports, &found, &words.shape)
    }
}

/// Encrypts words for a plan and a key, bit by bit with their levels.
fn encrypt_words(
    py: Python<'_>,
    plan: &CircuitPlan,
    parameters: &LibraryParameters,
    id: KeyId,
    levels: Vec<usize>,
    values: &Bound<'_, PyDict>,
    encrypt: impl Fn(&[bool], usize) -> cryptable::Result<EncryptedBits> + Sync,
) -> Result<EncryptedWords> {
    let ports = plan.circuit.get().input_ports();
    let (words, shape) = words_of(&ports, values)?;
    call::run_silently(py, || {
        let summary = EncryptedWordsSummary::new(parameters, id, ports.clone(), words.len() as u64);
        let summary = summary.with_levels(levels.clone());
        let mut writer = EncryptedWordsWriter::new(Vec::new(), parameters, summary)?;
        for batch in words.chunks(parameters.bits()) {
            let bits = Zeroizing::new(input_bits(&widths(&ports), batch));
            for (bits, &levels) in bits.iter().zip(&levels) {
                writer.push(&encrypt(bits, levels)?)?;
            }
        }
        EncryptedWords::new(writer.finish()?, Some(shape))
    })
}

/// A public key for circuits, with which anyone can encrypt words that only the secret key decrypts.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct PublicKey {
    inner: LibraryPublicKey,
}

public_key!(PublicKey: LibraryPublicKey);

#[pymethods]
impl PublicKey {
    /// Encrypts words for a plan, like the secret key. The circuit is planned again, since public keys add noise.
    #[pyo3(signature = (plan, values: "Mapping[str, npt.ArrayLike]"))]
    fn encrypt(
        &self,
        py: Python<'_>,
        plan: &CircuitPlan,
        values: &Bound<'_, PyDict>,
    ) -> Result<EncryptedWords> {
        let (parameters, id) = (self.inner.parameters(), self.inner.id());
        let circuit = plan.circuit.get();
        let levels = planned(py, circuit, parameters, InputLevels::Needed, true)?.input_levels();
        let encrypt = |bits: &[bool], levels| self.inner.encrypt_at(bits, levels);
        encrypt_words(py, plan, parameters, id, levels, values, encrypt)
    }
}

/// Plans a circuit on the parameters of a key.
fn planned(
    py: Python<'_>,
    circuit: &Circuit,
    parameters: &LibraryParameters,
    inputs: InputLevels,
    public_inputs: bool,
) -> Result<Plan> {
    let options = PlanOptions { public_inputs, ..request(&circuit.forms).schedule(inputs) };
    call::detach(py, || Plan::cheapest(&circuit.forms, parameters, &options))
        .map_err(|error| exception("PlanError", error.to_string()))
}

/// The server's key for circuits: runs them on encrypted words, without the secret. Threads may share it.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct EvaluationKey {
    inner: LibraryEvaluationKey,
    origin: Origin,
}

impl EvaluationKey {
    pub(crate) fn library(&self) -> &LibraryEvaluationKey {
        &self.inner
    }

    /// Checks that words belong to this key and to the inputs of a circuit.
    fn check(&self, circuit: &Circuit, found: &EncryptedWordsSummary) -> cryptable::Result<()> {
        let (ports, levels) = (circuit.input_ports(), found.levels.clone());
        if found.ports != ports {
            let shown = |ports: &[WordPort]| {
                let ports = ports.iter().map(|port| format!("{}[{}]", port.name, port.width));
                ports.collect::<Vec<_>>().join(", ")
            };
            return Err(Error::mismatch("words", shown(&found.ports), shown(&ports)));
        }
        let (parameters, id) = (self.inner.parameters(), self.inner.key_id());
        let expected = EncryptedWordsSummary::new(parameters, id, ports, found.words);
        if *found == expected.with_levels(levels) {
            return Ok(());
        }
        if found.key_id != id {
            let (expected, found) = (id, found.key_id);
            return Err(Error::OtherClient { object: "encrypted words", expected, found });
        }
        Err(Error::mismatch("encrypted words", "of other parameters", "of those of the key"))
    }

    /// Runs a plan on all batches of a file of words.
    fn run_plan(
        &self,
        plan: &Plan,
        words: &EncryptedWords,
        outputs: Vec<WordPort>,
        progress: cryptable::Progress<'_>,
    ) -> cryptable::Result<Vec<u8>> {
        let (parameters, id) = (self.inner.parameters(), self.inner.key_id());
        let levels = plan.outputs().iter().map(|&value| plan.levels_of(value)).collect();
        let summary = EncryptedWordsSummary::new(parameters, id, outputs, words.summary.words);
        let summary = summary.with_levels(levels);
        let mut writer = EncryptedWordsWriter::new(Vec::new(), parameters, summary)?;
        let mut reader = EncryptedWordsReader::new(&words.bytes)?;
        let public_inputs = reader.are_public(parameters)?;
        let (mut done, batches) = (0, words.summary.batches() as usize);
        while let Some(batch) = reader.next_batch()? {
            let step = progress.part(done..done + 1, batches);
            let input = |index| batch.input_bits(index, parameters, public_inputs);
            let progress = cryptable::Progress::new(&step);
            for bits in execute_with(plan, &self.inner, &input, progress)? {
                writer.push(&bits)?;
            }
            done += 1;
        }
        writer.finish()
    }
}

#[pymethods]
impl EvaluationKey {
    /// The parameter set.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters { inner: self.inner.parameters().clone() }
    }

    /// Runs a circuit, or the circuit of a plan, on its input words.
    #[pyo3(signature = (circuit: "Circuit | Plan", words, *, threads: "int" = 0, progress = true))]
    fn run(
        &self,
        circuit: &Bound<'_, PyAny>,
        words: &EncryptedWords,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EncryptedWords> {
        let py = circuit.py();
        let of_plan = circuit.cast::<CircuitPlan>().ok();
        let circuit = match &of_plan {
            Some(plan) => plan.get().circuit.bind(py).clone(),
            None => circuit.cast::<Circuit>()?.clone(),
        };
        let circuit = circuit.get();
        let levels = &words.summary.levels;
        let parameters = self.inner.parameters();
        call::run_silently(py, || self.check(circuit, &words.summary))?;
        let public_inputs = call::run_silently(py, || {
            EncryptedWordsReader::new(&words.bytes)?.are_public(parameters)
        })?;
        let made = of_plan.as_ref().map(|plan| plan.get().best()).filter(|best| {
            best.parameters.digest() == parameters.digest()
                && best.plan.input_levels() == *levels
                && !public_inputs
        });
        let plan = match made {
            Some(best) => best.plan.clone(),
            None => {
                let inputs = InputLevels::Given(levels.clone());
                planned(py, circuit, parameters, inputs, public_inputs)?
            }
        };
        let shape = words.shape.clone();
        call::run_engine(py, threads, progress, "circuit", |progress| {
            let bytes = self.run_plan(&plan, words, circuit.output_ports(), progress)?;
            EncryptedWords::new(bytes, Some(shape))
        })
    }
}

secret_key!(SecretKey: LibrarySecretKey, "circuits");
makes_evaluation_key!(SecretKey, EvaluationKey);
evaluation_key!(EvaluationKey: LibraryEvaluationKey, "circuits");
