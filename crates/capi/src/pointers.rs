//! Pointers of callers: checks, and the conversion to Rust's slices, strings and boxes.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::path::Path;

use crate::status::{CryptableStatus, Failure, Result, guarded};

/// Most threads that a caller may ask for.
const MOST_THREADS: u32 = 1024;

/// A place for a handle. Functions for C spell it out, since the header would have a name of its own for it.
type Place<'a, T> = Option<&'a mut MaybeUninit<Option<Box<T>>>>;

/// The failure of a pointer that is null.
fn null(name: &str) -> Failure {
    Failure::new(CryptableStatus::Argument, format!("the argument `{name}` is NULL"))
}

/// Returns what a pointer points to.
///
/// # Errors
/// [`CryptableStatus::Argument`] if it is null.
pub(crate) fn given<T>(pointer: Option<T>, name: &str) -> Result<T> {
    pointer.ok_or_else(|| null(name))
}

/// Writes what `make` returns to a place, or null if it fails, and returns the status of the call.
///
/// `make` is not called if there is no place.
pub(crate) fn put<T>(place: Place<'_, T>, make: impl FnOnce() -> Result<T>) -> CryptableStatus {
    guarded(|| {
        let place = given(place, "result")?;
        let made = place.write(None);
        *made = Some(Box::new(make()?));
        Ok(())
    })
}

/// Returns the elements of an array of the caller.
///
/// # Safety
/// Unless it is null, `pointer` points to `count` elements that nobody changes as long as the slice lives.
///
/// # Errors
/// [`CryptableStatus::Argument`] if it is null although there are elements, or not aligned;
/// [`CryptableStatus::Range`] if there are more than fit into memory.
pub(crate) unsafe fn elements<'a, T>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T]> {
    match count {
        0 => Ok(&[]),
        _ => {
            check_array(pointer, count, name)?;
            // SAFETY: the pointer is aligned and not null, the length fits, and the caller promises the rest.
            Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
        }
    }
}

/// Copies numbers to an array of the caller.
///
/// # Safety
/// Unless it is null, there is room for the numbers at `pointer`, which nobody else uses meanwhile.
///
/// # Errors
/// Same errors as [`elements`].
pub(crate) unsafe fn copy_to(pointer: *mut u64, numbers: &[u64], name: &str) -> Result<()> {
    check_array(pointer, numbers.len(), name)?;
    // SAFETY: the pointer is aligned and not null, and the caller promises room that is not the library's.
    unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr(), pointer, numbers.len()) };
    Ok(())
}

fn check_array<T>(pointer: *const T, count: usize, name: &str) -> Result<()> {
    if pointer.is_null() {
        return Err(null(name));
    }
    if !pointer.is_aligned() {
        let message = format!("the argument `{name}` is not aligned to its elements");
        return Err(Failure::new(CryptableStatus::Argument, message));
    }
    let most = isize::MAX as usize / size_of::<T>();
    if count > most {
        let message = format!("{name} has {count} elements, but must have at most {most}");
        return Err(Failure::new(CryptableStatus::Range, message));
    }
    Ok(())
}

/// Returns a path of the caller.
///
/// # Safety
/// Unless it is null, `pointer` points to a string with a final 0 that nobody changes as long as the path lives.
///
/// # Errors
/// [`CryptableStatus::Argument`] if it is null, or not UTF-8.
pub(crate) unsafe fn path<'a>(pointer: *const c_char) -> Result<&'a Path> {
    if pointer.is_null() {
        return Err(null("path"));
    }
    // SAFETY: the pointer is not null, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    let text = text.to_str().map_err(|error| {
        Failure::new(CryptableStatus::Argument, format!("the path is not UTF-8: {error}"))
    })?;
    Ok(Path::new(text))
}

/// Checks a number of threads.
///
/// # Errors
/// [`CryptableStatus::Range`] if there are too many.
pub(crate) fn threads(asked: u32) -> Result<usize> {
    if asked > MOST_THREADS {
        let message = format!("{asked} threads, but must be at most {MOST_THREADS}; 0 means all");
        return Err(Failure::new(CryptableStatus::Range, message));
    }
    Ok(asked as usize)
}
