//! Parameter sets, planned here or read from a file.

use cryptable::{CostModel, KeyParameters, ReadOptions, Request};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Result;
use crate::typed_arrays::modulus;

/// A parameter set for lookups, for which keys are generated.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Parameters(cryptable::Parameters);

impl Parameters {
    pub(crate) fn new(parameters: cryptable::Parameters) -> Self {
        Self(parameters)
    }

    pub(crate) fn inner(&self) -> &cryptable::Parameters {
        &self.0
    }
}

/// Reading options that JavaScript may choose.
pub(crate) fn read_options(allow_insecure: Option<bool>) -> ReadOptions {
    match allow_insecure {
        Some(true) => ReadOptions::default().allow_insecure(),
        _ => ReadOptions::default(),
    }
}

#[wasm_bindgen]
impl Parameters {
    /// Finds the best parameters for tables of these moduli, which a service lists with its tables.
    ///
    /// The engine is `packed`, `single` or `leveled`; by default, all are compared for the number of values, with times of the
    /// library's built-in cost model. A toy has NO security: it is for tests.
    ///
    /// # Errors
    /// If no engine supports these moduli, with the reason for each engine.
    pub fn plan(
        #[wasm_bindgen(js_name = inputModulus)] input_modulus: f64,
        #[wasm_bindgen(js_name = outputModulus)] output_modulus: f64,
        engine: Option<String>,
        values: Option<u32>,
        #[wasm_bindgen(js_name = insecureToy)] insecure_toy: Option<bool>,
    ) -> Result<Parameters> {
        let input_modulus = modulus("the input modulus", input_modulus)?;
        let output_modulus = modulus("the output modulus", output_modulus)?;
        // A page cannot measure the server.
        let mut request =
            Request::new(input_modulus, output_modulus).cost_model(CostModel::default()).threads(1);
        if let Some(engine) = engine {
            request = request.engine(engine.parse()?);
        }
        if let Some(values) = values {
            request = request.values(u64::from(values));
        }
        if insecure_toy == Some(true) {
            request = request.insecure_toy();
        }
        Ok(Self(request.plan()?.best().parameters().clone()))
    }

    /// Reads a parameter file, which `cryptable plan --output` writes.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged file of parameters for lookups, or if these are insecure and that is not
    /// allowed.
    #[wasm_bindgen(js_name = fromFile)]
    pub fn from_file(
        file: &[u8],
        #[wasm_bindgen(js_name = allowInsecure)] allow_insecure: Option<bool>,
    ) -> Result<Parameters> {
        let parameters = KeyParameters::from_file(file, read_options(allow_insecure))?;
        Ok(Self(parameters.lookups()?))
    }

    /// Returns the parameters as a file.
    #[wasm_bindgen(js_name = toFile)]
    #[must_use]
    pub fn to_file(&self) -> Vec<u8> {
        KeyParameters::from(&self.0).to_file()
    }

    /// Name of the engine: `packed`, `single` or `leveled`.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn engine(&self) -> String {
        self.0.engine().to_string()
    }

    /// Name of the method that evaluates tables.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn method(&self) -> String {
        self.0.method_name()
    }

    /// Modulus of inputs.
    #[wasm_bindgen(getter, js_name = inputModulus)]
    #[must_use]
    pub fn input_modulus(&self) -> f64 {
        self.0.input_modulus() as f64
    }

    /// Modulus of results.
    #[wasm_bindgen(getter, js_name = outputModulus)]
    #[must_use]
    pub fn output_modulus(&self) -> f64 {
        self.0.output_modulus() as f64
    }

    /// Number of values in one part of a ciphertext.
    #[wasm_bindgen(getter, js_name = valuesPerPart)]
    #[must_use]
    pub fn values_per_part(&self) -> usize {
        self.0.values_per_part()
    }

    /// Estimated security in bits; 0 for a toy.
    #[wasm_bindgen(getter, js_name = securityBits)]
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.0.security_bits()
    }

    /// Base-2 logarithm of the probability that a lookup goes wrong for any value of one ciphertext.
    #[wasm_bindgen(getter, js_name = log2Fail)]
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.0.log2_fail()
    }

    /// Predicted bytes of the evaluation key as it is sent.
    #[wasm_bindgen(getter, js_name = evaluationKeyBytes)]
    #[must_use]
    pub fn evaluation_key_bytes(&self) -> f64 {
        self.0.prediction().key_file_bytes as f64
    }

    /// Digest that names the parameters in files and on a service.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn digest(&self) -> String {
        cryptable_wire::hex(&self.0.digest())
    }

    /// Returns a human-readable line: engine, method, moduli, security and failure probability.
    #[wasm_bindgen(js_name = toString)]
    #[must_use]
    pub fn describe(&self) -> String {
        self.0.to_string()
    }
}
