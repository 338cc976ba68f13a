//! The name of the processor: a measurement is valid for one model.

/// Returns the name, family, model and stepping that the processor reports: on x86-64 the brand string and the
/// signature in hexadecimal digits (`"AMD EPYC, 00b00f21"`), elsewhere the name of the architecture.
///
/// The signature is included because virtual machines may hide the full name. Two processors of the same name may still
/// run at different speeds.
///
/// ```
/// assert!(!cryptable_ring::processor::processor_name().is_empty());
/// ```
#[must_use]
pub fn processor_name() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let brand = brand_string();
        let signature = std::arch::x86_64::__cpuid(1).eax;
        format!("{brand}, {signature:08x}")
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH.into()
}

/// Returns the brand string of leaves 0x80000002 to 0x80000004, without its padding.
#[cfg(target_arch = "x86_64")]
fn brand_string() -> String {
    use std::arch::x86_64::__cpuid;
    const LAST_LEAF: u32 = 0x8000_0000;
    const BRAND: std::ops::RangeInclusive<u32> = 0x8000_0002..=0x8000_0004;
    if __cpuid(LAST_LEAF).eax < *BRAND.end() {
        return std::env::consts::ARCH.into();
    }
    let leaves = BRAND.map(__cpuid);
    let words = leaves.flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).trim().into()
}
