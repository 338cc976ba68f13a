//! A card, through its driver.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cryptable_lattice::error::{Error, Result};
use cudarc::driver::sys::{self, CUfunction_attribute, CUmemPool_attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DriverError,
    LaunchConfig, PushKernelArg, result,
};
use cudarc::nvrtc::Ptx;

use super::DeviceProperties;
use crate::arguments::Arguments;
use crate::kernels::Grid;

/// The kernels by module, compiled to PTX: see `make gpu-kernels`.
pub(crate) const MODULES: &[(&str, &str)] = include!("../../kernels/compiled/modules.in");

/// Shared memory that a block may have without asking.
const STATIC_SHARED_BYTES: u32 = 48 << 10;

/// One card, with one stream and the kernels.
#[derive(Debug)]
pub(super) struct Card {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: Vec<Arc<CudaModule>>,
    functions: Mutex<HashMap<&'static str, CudaFunction>>,
}

fn failed(what: &str) -> impl Fn(DriverError) -> Error {
    move |error| Error::Device { message: format!("{what}: {error}") }
}

/// Where words are.
pub(super) fn address(slice: &CudaSlice<u64>) -> u64 {
    slice.device_ptr(slice.stream()).0
}

impl Card {
    /// The number of cards that the driver finds.
    pub(super) fn count() -> usize {
        // SAFETY: looks for the library, no more.
        if !unsafe { sys::is_culib_present() } {
            return 0;
        }
        CudaContext::device_count().map_or(0, |count| count.max(0) as usize)
    }

    /// Opens a card and loads the kernels.
    pub(super) fn open(number: usize) -> Result<Self> {
        let count = Self::count();
        if number >= count {
            let message = match count {
                0 => "no NVIDIA card, or no driver for it".to_owned(),
                1 => format!("no card {number}: there is one, number 0"),
                _ => format!("no card {number}: there are {count}, numbers 0 to {}", count - 1),
            };
            return Err(Error::Device { message });
        }
        let context = CudaContext::new(number).map_err(failed("opening the card"))?;
        // SAFETY: events order several streams; there is one.
        unsafe { context.disable_event_tracking() };
        keep_freed_memory(&context)?;
        let stream = context.new_stream().map_err(failed("opening a stream"))?;
        let load = |(name, text): &(&str, &str)| {
            let module = context.load_module(Ptx::from_src(*text));
            module.map_err(failed(&format!("loading the kernels of {name}")))
        };
        let modules = MODULES.iter().map(load).collect::<Result<_>>()?;
        Ok(Self { context, stream, modules, functions: Mutex::default() })
    }

    pub(super) fn properties(&self) -> Result<DeviceProperties> {
        let what = failed("asking for the card's properties");
        let name = self.context.name().map_err(&what)?;
        let (free_bytes, memory_bytes) = self.context.mem_get_info().map_err(&what)?;
        Ok(DeviceProperties { name, memory_bytes, free_bytes })
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(failed("running kernels"))
    }

    pub(super) fn allocate(&self, len: usize) -> Result<CudaSlice<u64>> {
        // SAFETY: words of any value are words.
        let slice = unsafe { self.stream.alloc::<u64>(len.max(1)) };
        slice.map_err(failed(&format!("allocating {} bytes of the card's memory", 8 * len)))
    }

    pub(super) fn write(&self, address: u64, words: &[u64]) -> Result<()> {
        self.bind()?;
        // SAFETY: the caller owns as many words there. The copy from memory that is not pinned is done when it returns.
        let copied = unsafe { result::memcpy_htod_async(address, words, self.stream.cu_stream()) };
        copied.map_err(failed("copying to the card"))
    }

    pub(super) fn read(&self, address: u64, out: &mut [u64]) -> Result<()> {
        self.bind()?;
        // SAFETY: as in `write`; the stream is waited for.
        let copied = unsafe { result::memcpy_dtoh_async(out, address, self.stream.cu_stream()) };
        copied.map_err(failed("copying from the card"))?;
        self.synchronize()
    }

    pub(super) fn copy(&self, to: u64, from: u64, len: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: the caller owns as many words at both.
        let copied =
            unsafe { result::memcpy_dtod_async(to, from, 8 * len, self.stream.cu_stream()) };
        copied.map_err(failed("copying on the card"))
    }

    pub(super) fn launch<A: Arguments>(
        &self,
        name: &'static str,
        grid: Grid,
        shared_bytes: u32,
        arguments: &A,
    ) -> Result<()> {
        let function = self.function(name)?;
        if shared_bytes > STATIC_SHARED_BYTES {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let allowed = function.set_attribute(attribute, shared_bytes as i32);
            let what = format!("asking for {shared_bytes} bytes of shared memory for {name}");
            allowed.map_err(failed(&what))?;
        }
        let [x, y, z] = grid.blocks;
        let config = LaunchConfig {
            grid_dim: (x, y, z),
            block_dim: (grid.threads, 1, 1),
            shared_mem_bytes: shared_bytes,
        };
        let mut builder = self.stream.launch_builder(&function);
        builder.arg(arguments);
        // SAFETY: the kernel takes one structure of this type, and `Arguments` promises that its addresses are good.
        let launched = unsafe { builder.launch(config) };
        launched.map_err(failed(&format!("starting the kernel {name}")))?;
        Ok(())
    }

    fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(failed("using the card"))
    }

    fn function(&self, name: &'static str) -> Result<CudaFunction> {
        let mut functions = self.functions.lock().expect("no panic under lock");
        if let Some(function) = functions.get(name) {
            return Ok(function.clone());
        }
        let found = self.modules.iter().find_map(|module| module.load_function(name).ok());
        let message = || format!("no kernel {name}");
        let function = found.ok_or_else(|| Error::Device { message: message() })?;
        functions.insert(name, function.clone());
        Ok(function)
    }
}

/// Memory that is freed stays with the process, so that the next allocation takes no time.
fn keep_freed_memory(context: &CudaContext) -> Result<()> {
    let what = failed("setting up memory");
    let mut threshold = u64::MAX;
    // SAFETY: the attribute is a word, and the pool is the card's own.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device()).map_err(&what)?;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, attribute, std::ptr::from_mut(&mut threshold).cast())
            .map_err(&what)
    }
}
