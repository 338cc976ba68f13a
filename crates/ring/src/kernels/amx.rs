//! Whether the matrix unit AMX can be used.

#[cfg(target_arch = "x86_64")]
use std::arch::{asm, x86_64::__cpuid_count};
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use crate::Isa;

/// Returns whether kernels for AMX may be called: the processor has AMX for bytes and AVX-512 with IFMA and VBMI, the
/// operating system lets this process use them, and `CRYPTABLE_SIMD` names no slower instruction set.
#[cfg(target_arch = "x86_64")]
pub(super) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        Isa::detect() == Isa::Avx512Ifma
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vl")
            && processor_has_amx()
            && request_tile_data()
    })
}

/// Returns false: no other processor has the unit.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn is_available() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn processor_has_amx() -> bool {
    // Bits of EDX of leaf 7: AMX-TILE and AMX-INT8.
    const AMX: u32 = 1 << 24 | 1 << 25;
    // Leaf 7 exists, since AVX-512 is announced there.
    __cpuid_count(7, 0).edx & AMX == AMX
}

/// Requests the system's permission to use tile registers, which are too large to be saved for every process.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn request_tile_data() -> bool {
    const ARCH_PRCTL: u64 = 158;
    const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
    const XFEATURE_XTILEDATA: u64 = 18;
    let result: i64;
    // SAFETY: a system call with two numbers for arguments; it changes no memory. It clobbers rcx
    // and r11 only. Kernels that do not know it return an error.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}

#[cfg(all(target_arch = "x86_64", not(target_os = "linux")))]
fn request_tile_data() -> bool {
    false
}
