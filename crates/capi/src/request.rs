//! Requests and plans.

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;

use cryptable::{Candidate, Engine, Limits, Plan, Request};

use crate::pointers::{given, put, threads};
use crate::status::{CryptableStatus, Failure, Result, guarded};

/// Ways to encrypt values.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CryptableEngine {
    /// Whichever is best by prediction.
    Any = 0,
    /// 65,536 values per ciphertext: seconds for all of them together, keys of gigabytes.
    Packed = 1,
    /// One value per ciphertext, tables of up to 64 entries: milliseconds per value.
    Single = 2,
    /// One value in several ciphertexts, tables of up to 2^24 entries: milliseconds per bit of a value.
    Leveled = 3,
}

/// A job and its limits. A field that is 0 leaves the choice to the library, so initialise with
/// `CryptableRequest request = {.input_modulus = 16, .output_modulus = 16};`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CryptableRequest {
    /// Number of entries of the table: values are below it. Must be stated.
    pub input_modulus: u64,
    /// Number that all entries of the table are below. Must be stated.
    pub output_modulus: u64,
    /// Values that are looked up together. 0: as many as one packed ciphertext holds.
    pub values: u64,
    /// Bytes of memory that the server may use, keys included. 0: no limit.
    pub memory: u64,
    /// Base-2 logarithm of the largest probability that a lookup on one ciphertext goes wrong for any value. 0: -64.
    pub log2_fail: f64,
    /// One of CryptableEngine.
    pub engine: u32,
    /// Threads that times are predicted for. 0: all processors.
    pub threads: u32,
}

/// Figures of a plan: what the parameters are, and what a lookup is predicted to take.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CryptableFigures {
    /// Security in bits, by the library's tables.
    pub security_bits: f64,
    /// Base-2 logarithm of the probability that a lookup on one ciphertext goes wrong for any of its values.
    pub log2_fail: f64,
    /// Seconds for all values of the request.
    pub seconds: f64,
    /// Values of the request, or those that were assumed.
    pub values: u64,
    /// Values that one ciphertext holds.
    pub values_per_ciphertext: u64,
    /// Bytes of the evaluation key in its file.
    pub key_bytes: u64,
    /// Bytes of a fresh ciphertext.
    pub ciphertext_bytes: u64,
    /// Bytes of a result.
    pub result_bytes: u64,
    /// Bytes of memory that a lookup takes, the key included.
    pub memory_bytes: u64,
    /// One of CryptableEngine.
    pub engine: u32,
    /// Threads that the time is for.
    pub threads: u32,
}

/// The best way to serve a request, from which secret keys are generated.
#[derive(Debug)]
pub struct CryptablePlan {
    pub(crate) plan: Plan,
    method: CString,
}

/// Finds the best parameters for a request. The first plan on a machine measures it for a second, and keeps the result in
/// the user's cache folder.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_plan(
    request: Option<&CryptableRequest>,
    result: Option<&mut MaybeUninit<Option<Box<CryptablePlan>>>>,
) -> CryptableStatus {
    put(result, || {
        let plan = request_of(given(request, "request")?)?.plan()?;
        let method = plan.best().parameters().method_name();
        Ok(CryptablePlan { plan, method: CString::new(method).unwrap_or_default() })
    })
}

/// Writes the figures of a plan to `result`.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_plan_figures(
    plan: Option<&CryptablePlan>,
    result: Option<&mut MaybeUninit<CryptableFigures>>,
) -> CryptableStatus {
    guarded(|| {
        let plan = &given(plan, "plan")?.plan;
        given(result, "result")?.write(figures(plan, plan.best()));
        Ok(())
    })
}

/// Returns the name of the method of a plan, such as "FDFB-KS"; NULL if the handle is NULL. It is valid until the plan is
/// freed.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_plan_method(plan: Option<&CryptablePlan>) -> *const c_char {
    plan.map_or(std::ptr::null(), |plan| plan.method.as_ptr())
}

/// Frees a plan.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_plan_free(plan: Option<Box<CryptablePlan>>) {
    drop(plan);
}

fn request_of(asked: &CryptableRequest) -> Result<Request> {
    let stated = |number: u64| Some(number).filter(|&number| number > 0);
    let limits = Limits {
        values: stated(asked.values),
        memory: stated(asked.memory).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        log2_fail: Some(asked.log2_fail).filter(|&log2| log2 != 0.0),
        threads: Some(threads(asked.threads)?).filter(|&count| count > 0),
        ..Limits::default()
    };
    let request = Request::new(asked.input_modulus, asked.output_modulus).limits(limits);
    Ok(match engine_of(asked.engine)? {
        Some(engine) => request.engine(engine),
        None => request,
    })
}

fn engine_of(number: u32) -> Result<Option<Engine>> {
    if number == CryptableEngine::Any as u32 {
        return Ok(None);
    }
    match Engine::ALL.into_iter().find(|&engine| number_of(engine) == number) {
        Some(engine) => Ok(Some(engine)),
        None => {
            let message = format!("{number} is not an engine: CryptableEngine has 0 to 3");
            Err(Failure::new(CryptableStatus::Range, message))
        }
    }
}

fn number_of(engine: Engine) -> u32 {
    let engine = match engine {
        Engine::Packed => CryptableEngine::Packed,
        Engine::Single => CryptableEngine::Single,
        Engine::Leveled => CryptableEngine::Leveled,
    };
    engine as u32
}

fn figures(plan: &Plan, best: &Candidate) -> CryptableFigures {
    let (parameters, prediction) = (best.parameters(), best.prediction());
    CryptableFigures {
        security_bits: parameters.security_bits(),
        log2_fail: parameters.log2_fail(),
        seconds: best.duration().as_secs_f64(),
        values: plan.values(),
        values_per_ciphertext: prediction.values_per_ciphertext as u64,
        key_bytes: prediction.key_file_bytes as u64,
        ciphertext_bytes: prediction.ciphertext_bytes as u64,
        result_bytes: prediction.result_bytes as u64,
        memory_bytes: prediction.peak_bytes() as u64,
        engine: number_of(parameters.engine()),
        threads: u32::try_from(plan.threads()).unwrap_or(u32::MAX),
    }
}
