//! poulpy beside cryptable: functional bootstrapping of a full ciphertext by trigonometric Hermite interpolation, on one
//! thread, every result checked, one JSON line.
//!
//! The library has no preset for tables. The transforms, the secrets and the largest moduli of 128 bits are those of its
//! preset for bootstrapping at ring degree 2^16 that transforms to coefficients first, as tables need it; the complex
//! exponential is that of its own tests. Keys take the fewest digits that the moduli allow, as its presets do, and the
//! output is as wide as the input, so that tables follow one another.

mod parameters;

use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use poulpy_ckks::api::{CKKSAllOpsTmpBytes, CKKSBootstrappingOps};
use poulpy_ckks::layouts::{
    BootstrappingContextPrepared, BootstrappingKeysPrepared, CKKSCiphertextOwned,
    CKKSPlaintextOwned, EncodedLut,
};
use poulpy_ckks::prelude::*;
use poulpy_core::api::{
    GLWEAutomorphismKeyPreparedFactory, GLWESecretPreparedFactory, GLWESecretSampling,
    GLWESwitchingKeyPreparedFactory, GLWETensorKeyPreparedFactory,
};
use poulpy_core::layouts::{BackendGLWESecretPrepared, GLWESecretAlloc, LWEInfos};
#[cfg(not(target_feature = "avx512ifma"))]
use poulpy_cpu_avx::NTT4x30Avx as Engine;
#[cfg(target_feature = "avx512ifma")]
use poulpy_cpu_avx512::NTT3x42Ifma as Engine;
use poulpy_hal::api::{ScratchOwnedAlloc, ScratchOwnedBorrow};
use poulpy_hal::layouts::{Backend, HostBytesBackend, Module, ScratchArena, ScratchOwned};
use poulpy_hal::source::Source;
use serde_json::json;

use parameters::Parameters;

/// Bits above the scale with which results are decrypted: results are below 2^8.
const RESULT_BITS: usize = 10;

#[derive(Parser)]
#[command(about = "Measures a table of poulpy on a full ciphertext")]
struct Arguments {
    /// Bits of a value: a random table of 2^bits entries
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=8))]
    bits: u8,
    /// Evaluations to take the median of
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Values in real parts of slots alone: half as many, for less than half the time
    #[arg(long)]
    real: bool,
    /// The first matrix of the transform to slots while the modulus is raised, as in the library's preset for speed
    #[arg(long)]
    raising: bool,
    /// Bits of the scale of an input: six fewer than in the library's presets, with which the keys of products have one
    /// digit for tables of up to 8 bits, and all keys for up to 4
    #[arg(long, default_value_t = 29)]
    scale: usize,
}

fn timed<T>(action: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = action();
    (result, start.elapsed().as_secs_f64())
}

fn with_scratch<T>(bytes: usize, action: impl FnOnce(&mut ScratchArena<'_, Engine>) -> T) -> T {
    action(&mut ScratchOwned::<Engine>::alloc(bytes).borrow())
}

type Buffer = <Engine as Backend>::OwnedBuf;

/// A client with its secret, and a server with keys for one table.
struct Peer {
    module: Module<Engine>,
    parameters: Parameters,
    lut: EncodedLut<CKKSPlaintextOwned<Engine>>,
    context: BootstrappingContextPrepared<Engine, f64>,
    keys: BootstrappingKeysPrepared<Buffer, Engine>,
    secret: BackendGLWESecretPrepared<Engine>,
    client_bytes: usize,
}

impl Peer {
    fn new(table: &[f64], scale: usize, raising: bool) -> Result<Self> {
        let host = Module::<HostBytesBackend>::new(1 << parameters::LOG_DEGREE);
        let module = Module::<Engine>::new(1 << parameters::LOG_DEGREE);
        let (parameters, lut) = Parameters::of_table::<Engine>(&host, table, scale, raising)?;
        let lut = lut.transfer_to(&module);
        let (plan, layouts) = (&parameters.plan, &parameters.keys);

        let bytes = BootstrappingContextPrepared::<Engine, f64>::compile_unprepared_tmp_bytes(
            &module, plan,
        )?;
        let unprepared = with_scratch(bytes, |scratch| {
            BootstrappingContextPrepared::<Engine, f64>::compile_unprepared(
                &module,
                parameters.radix.into(),
                plan,
                scratch,
            )
        })?;
        let bytes = unprepared.prepare_tmp_bytes(&module);
        let context = with_scratch(bytes, |scratch| unprepared.prepare(&module, scratch))?;

        let raised = parameters.layout(parameters.raised_bits);
        let constants = parameters.constants();
        let of_key = |key| {
            module.ckks_all_ops_with_atk_tmp_bytes(&raised, &constants, &layouts.tensor_key, key)
        };
        let of_keys = layouts.rotation_key_layouts().iter().map(of_key).max().unwrap_or(0);
        let of_slots = CKKSEncodingHostOps::<Engine, f64>::ckks_encoding_host_tmp_bytes(
            &module,
            parameters::SLOTS,
        );
        let client_bytes = of_keys.max(of_slots);

        let mut secret = module.glwe_secret_alloc_from_infos(&raised.glwe_layout);
        let mut randomness = randomness();
        module.glwe_secret_fill_ternary_hw(&mut secret, parameters.dense_weight, &mut randomness());
        let mut prepared = module.glwe_secret_prepared_alloc_from_infos(&raised.glwe_layout);
        module.glwe_secret_prepare(&mut prepared, &secret);
        let (mut sparse, mut errors, mut masks) = (randomness(), randomness(), randomness());
        let keys = with_scratch(client_bytes, |scratch| {
            plan.generate_keys(
                &module,
                &secret,
                layouts,
                &mut sparse,
                &mut errors,
                &mut masks,
                scratch,
            )
        })?;
        let keys = with_scratch(layouts.prepare_tmp_bytes(&module), |scratch| {
            keys.prepare(&module, scratch)
        });
        Ok(Self { module, parameters, lut, context, keys, secret: prepared, client_bytes })
    }

    /// Bytes of the prepared keys that a server holds.
    fn key_bytes(&self) -> usize {
        let (module, keys) = (&self.module, &self.parameters.keys);
        let rotation = |key| module.glwe_automorphism_key_prepared_bytes_of_from_infos(key);
        let rotations: usize = keys.rotation_keys.values().map(rotation).sum();
        let switch = |key| module.glwe_switching_key_prepared_bytes_of_from_infos(&key);
        let switches: usize = self.parameters.switching_keys().map(switch).sum();
        rotations + switches + module.glwe_tensor_key_prepared_bytes_of_from_infos(&keys.tensor_key)
    }

    fn encrypt(
        &self,
        values: &Values,
        source: &mut impl FnMut() -> Source,
    ) -> Result<CKKSCiphertextOwned<Engine>> {
        let module = &self.module;
        let layout = self.parameters.layout(self.parameters.input_bits);
        let mut plaintext = module.ckks_plaintext_alloc_from_infos(&layout);
        plaintext.set_meta(GLWEPlaintextMeta { slots: values.kind(), ..layout.meta() });
        let mut ciphertext = module.ckks_ciphertext_alloc_from_glwe_infos(&layout);
        with_scratch(self.client_bytes, |scratch| -> Result<()> {
            module.ckks_encode_slots_host_into(
                &mut plaintext,
                &values.real,
                &values.imaginary,
                scratch,
            )?;
            module.ckks_encrypt_sk(
                &mut ciphertext,
                &plaintext,
                &self.secret,
                &mut source(),
                &mut source(),
                scratch,
            )?;
            Ok(())
        })?;
        Ok(ciphertext)
    }

    /// Result of the table, and the seconds of its evaluation.
    fn look_up(
        &self,
        input: &CKKSCiphertextOwned<Engine>,
        scratch: &mut ScratchOwned<Engine>,
    ) -> Result<(CKKSCiphertextOwned<Engine>, f64)> {
        let (module, parameters) = (&self.module, &self.parameters);
        let layout = parameters.layout(parameters.raised_bits);
        let mut output = module.ckks_ciphertext_alloc_from_glwe_infos(&layout);
        let luts = std::slice::from_ref(&self.lut);
        let (done, taken) = timed(|| {
            let outputs = std::slice::from_mut(&mut output);
            module.ckks_functional_bootstrap(
                outputs,
                input,
                &self.context,
                luts,
                &self.keys,
                &mut scratch.borrow(),
            )
        });
        done?;
        Ok((output, taken))
    }

    fn scratch(&self) -> ScratchOwned<Engine> {
        let parameters = &self.parameters;
        let (raised, input) =
            (parameters.layout(parameters.raised_bits), parameters.layout(parameters.input_bits));
        let luts = std::slice::from_ref(&self.lut);
        let bytes = self.module.ckks_functional_bootstrap_tmp_bytes(
            &raised,
            &input,
            &self.context,
            luts,
            &parameters.keys,
        );
        ScratchOwned::alloc(bytes)
    }

    fn decrypt(&self, output: &CKKSCiphertextOwned<Engine>, like: &Values) -> Result<Values> {
        let module = &self.module;
        let bits = output.log_delta() + output.log_budget().min(RESULT_BITS);
        let mut plaintext =
            module.ckks_plaintext_alloc_from_slots(parameters::SLOTS, output.base2k(), bits.into());
        plaintext.set_meta(GLWEPlaintextMeta {
            scale: Scale::Log(output.log_delta()),
            slots: SlotsKind::Complex,
            log_sparsity: 0,
        });
        let mut values = like.clone();
        with_scratch(self.client_bytes, |scratch| -> Result<()> {
            module.ckks_decrypt(&mut plaintext, output, &self.secret, scratch)?;
            module.ckks_decode_slots_host_into(
                &plaintext,
                &mut values.real,
                &mut values.imaginary,
                scratch,
            )?;
            Ok(())
        })?;
        Ok(values)
    }
}

/// Values in the slots of a ciphertext; imaginary parts hold no values where all are real.
#[derive(Clone)]
struct Values {
    real: Vec<f64>,
    imaginary: Vec<f64>,
    are_real: bool,
}

impl Values {
    fn random(size: usize, are_real: bool, source: &mut Source) -> Self {
        let mut draw =
            || (0..parameters::SLOTS).map(|_| draw_below(size, source)).collect::<Vec<f64>>();
        let real = draw();
        let imaginary = if are_real { vec![0.0; parameters::SLOTS] } else { draw() };
        Self { real, imaginary, are_real }
    }

    fn kind(&self) -> SlotsKind {
        if self.are_real { SlotsKind::Real } else { SlotsKind::Complex }
    }

    fn all(&self) -> impl Iterator<Item = f64> + '_ {
        let imaginary = if self.are_real { &[] } else { self.imaginary.as_slice() };
        self.real.iter().chain(imaginary).copied()
    }
}

/// An integer from 0 to `size` - 1; sizes are powers of two.
fn draw_below(size: usize, source: &mut Source) -> f64 {
    source.next_u64n(size as u64, size as u64 - 1) as f64
}

/// Sources of randomness, one after another: fixed, because a benchmark keeps no secret.
fn randomness() -> impl FnMut() -> Source {
    let mut drawn = 0_u8;
    move || {
        drawn += 1;
        Source::new([drawn; 32])
    }
}

/// Evaluations after one that warms up: seconds, wrong results, and the largest error of a result.
struct Evaluated {
    seconds: Vec<f64>,
    checked: usize,
    wrong: usize,
    largest_error: f64,
}

fn evaluate(peer: &Peer, table: &[f64], arguments: &Arguments) -> Result<Evaluated> {
    let mut source = Source::new([77; 32]);
    let mut sources = randomness();
    let mut scratch = peer.scratch();
    let mut evaluated = Evaluated { seconds: Vec::new(), checked: 0, wrong: 0, largest_error: 0.0 };
    for run in 0..=arguments.runs {
        let inputs = Values::random(table.len(), arguments.real, &mut source);
        let ciphertext = peer.encrypt(&inputs, &mut sources)?;
        let (output, taken) = peer.look_up(&ciphertext, &mut scratch)?;
        let outputs = peer.decrypt(&output, &inputs)?;
        for (input, output) in inputs.all().zip(outputs.all()) {
            let error = (output - table[input as usize]).abs();
            evaluated.wrong += usize::from(error.is_nan() || error >= 0.5);
            evaluated.largest_error = evaluated.largest_error.max(error);
            evaluated.checked += 1;
        }
        if run > 0 {
            evaluated.seconds.push(taken);
        }
    }
    evaluated.seconds.sort_by(f64::total_cmp);
    Ok(evaluated)
}

/// The most memory that this process has held, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let size = 1 << arguments.bits;
    let mut source = Source::new([42; 32]);
    let table: Vec<f64> = if size == 2 {
        vec![1.0, 0.0]
    } else {
        (0..size).map(|_| draw_below(size, &mut source)).collect()
    };
    let (peer, keygen_s) = timed(|| Peer::new(&table, arguments.scale, arguments.raising));
    let peer = peer?;
    let evaluated = evaluate(&peer, &table, &arguments)?;
    let engine = if cfg!(target_feature = "avx512ifma") { "AVX-512 IFMA" } else { "AVX2" };
    let line = json!({
        "library": "poulpy 0.10.0",
        "method": format!("functional bootstrapping, {engine}"),
        "bits_in": arguments.bits,
        "threads": 1,
        "keygen_s": keygen_s,
        "eval_s": evaluated.seconds.get(arguments.runs / 2),
        "runs": arguments.runs,
        "eval_key_bytes": peer.key_bytes(),
        "peak_rss_bytes": peak_bytes(),
        "values_checked": evaluated.checked,
        "wrong": evaluated.wrong,
        "largest_error": evaluated.largest_error,
        "modulus_bits": peer.parameters.largest_modulus(),
        "radix_bits": peer.parameters.radix,
    });
    println!("{line}");
    Ok(())
}
