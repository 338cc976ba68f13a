//! The kernels by name, with what each takes.

use std::marker::PhantomData;

use crate::arguments::fhew::{
    BlindRotation, ExtractLwe, Extraction, GateInputs, LweKeySwitch, PrepareRows, RgswRows,
    RingDimensionSwitch,
};
use crate::arguments::{
    Arguments, Automorphism, Combination, CombinedTensor, Constants, Elementwise, ModulusSwitch,
    TableProducts, TableSums, TensorSum, Transform,
};
use crate::conversion::Conversion;
use crate::key_switching::KeySwitching;
use crate::linear_transform::{DiagonalSums, TimesSpecial};
use crate::rounded_division::FinishDivision;

/// A kernel as the emulation runs it: its argument, the blocks of the grid, and the threads of a block.
#[cfg(feature = "emulation")]
pub(crate) type Emulated = unsafe extern "C" fn(*const std::ffi::c_void, u32, u32, u32, u32);

/// A kernel and the type of its argument.
#[derive(Debug)]
pub(crate) struct Kernel<A: Arguments> {
    /// Its name in the sources.
    pub name: &'static str,
    #[cfg(feature = "emulation")]
    pub emulated: Emulated,
    arguments: PhantomData<fn(A)>,
}

/// The blocks of a grid, and the threads of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub blocks: [u32; 3],
    pub threads: u32,
}

/// Declares kernels: `CONSTANT = name(Arguments);`.
macro_rules! kernels {
    ($($(#[$doc:meta])* $constant:ident = $name:ident, $emulated:ident ($arguments:ty);)*) => {
        #[cfg(feature = "emulation")]
        unsafe extern "C" {
            $(fn $emulated(arguments: *const std::ffi::c_void, x: u32, y: u32, z: u32, threads: u32);)*
        }
        $($(#[$doc])*
        pub(crate) const $constant: Kernel<$arguments> = Kernel {
            name: stringify!($name),
            #[cfg(feature = "emulation")]
            emulated: $emulated,
            arguments: PhantomData,
        };)*
        /// The names of all kernels.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

kernels! {
    /// `out = a + b`.
    ADD = add, add_emulated(Elementwise);
    /// `out = a - b`.
    SUBTRACT = subtract, subtract_emulated(Elementwise);
    /// `out = a·b`.
    MULTIPLY = multiply, multiply_emulated(Elementwise);
    /// `out = a mod q`.
    REDUCE = reduce, reduce_emulated(Elementwise);
    /// Blind rotation by CMUXes, degree 256.
    BLIND_ROTATE_256 = blind_rotate_256, blind_rotate_256_emulated(BlindRotation);
    /// Degree 512.
    BLIND_ROTATE_512 = blind_rotate_512, blind_rotate_512_emulated(BlindRotation);
    /// Degree 1,024.
    BLIND_ROTATE_1024 = blind_rotate_1024, blind_rotate_1024_emulated(BlindRotation);
    /// Degree 2,048.
    BLIND_ROTATE_2048 = blind_rotate_2048, blind_rotate_2048_emulated(BlindRotation);
    /// Degree 4,096.
    BLIND_ROTATE_4096 = blind_rotate_4096, blind_rotate_4096_emulated(BlindRotation);
    /// Rows of keys to evaluations, degree 256.
    PREPARE_ROWS_256 = prepare_rows_256, prepare_rows_256_emulated(PrepareRows);
    /// Degree 512.
    PREPARE_ROWS_512 = prepare_rows_512, prepare_rows_512_emulated(PrepareRows);
    /// Degree 1,024.
    PREPARE_ROWS_1024 = prepare_rows_1024, prepare_rows_1024_emulated(PrepareRows);
    /// Degree 2,048.
    PREPARE_ROWS_2048 = prepare_rows_2048, prepare_rows_2048_emulated(PrepareRows);
    /// Degree 4,096.
    PREPARE_ROWS_4096 = prepare_rows_4096, prepare_rows_4096_emulated(PrepareRows);
    /// Sums of gates' inputs, to the modulus of rotation.
    SWITCH_GATE_INPUTS = switch_gate_inputs, switch_gate_inputs_emulated(GateInputs);
    /// A coefficient of RLWE ciphertexts as LWE, to another modulus.
    EXTRACT_AND_SWITCH = extract_and_switch, extract_and_switch_emulated(Extraction);
    /// Coefficients of RLWE ciphertexts as LWE.
    EXTRACT_LWE = extract_lwe, extract_lwe_emulated(ExtractLwe);
    /// LWE key switching.
    LWE_KEY_SWITCH = lwe_key_switch, lwe_key_switch_emulated(LweKeySwitch);
    /// To a ring of lower degree, 256.
    SWITCH_RING_256 = switch_ring_256, switch_ring_256_emulated(RingDimensionSwitch);
    /// To degree 512.
    SWITCH_RING_512 = switch_ring_512, switch_ring_512_emulated(RingDimensionSwitch);
    /// To degree 1,024.
    SWITCH_RING_1024 = switch_ring_1024, switch_ring_1024_emulated(RingDimensionSwitch);
    /// Rows of RGSW ciphertexts from rotated test polynomials, degree 1,024.
    RGSW_ROWS_1024 = rgsw_rows_1024, rgsw_rows_1024_emulated(RgswRows);
    /// Degree 2,048.
    RGSW_ROWS_2048 = rgsw_rows_2048, rgsw_rows_2048_emulated(RgswRows);
    /// The first levels of forward transforms, in doubles: columns of up to 64 rows.
    NTT_FORWARD_FEW_DOUBLES = ntt_forward_few_doubles, ntt_forward_few_doubles_emulated(Transform);
    /// The first levels of forward transforms, in doubles: columns of 128 rows.
    NTT_FORWARD_128_DOUBLES = ntt_forward_128_doubles, ntt_forward_128_doubles_emulated(Transform);
    /// The first levels of forward transforms, in doubles: columns of 256 rows.
    NTT_FORWARD_256_DOUBLES = ntt_forward_256_doubles, ntt_forward_256_doubles_emulated(Transform);
    /// The first levels of forward transforms, in doubles: columns of 512 rows.
    NTT_FORWARD_512_DOUBLES = ntt_forward_512_doubles, ntt_forward_512_doubles_emulated(Transform);
    /// The last levels of forward transforms, in doubles: rows.
    NTT_FORWARD_ROWS_DOUBLES = ntt_forward_rows_doubles, ntt_forward_rows_doubles_emulated(Transform);
    /// The first levels of forward transforms, in integers: columns of up to 64 rows.
    NTT_FORWARD_FEW_INTEGERS = ntt_forward_few_integers, ntt_forward_few_integers_emulated(Transform);
    /// The first levels of forward transforms, in integers: columns of 128 rows.
    NTT_FORWARD_128_INTEGERS = ntt_forward_128_integers, ntt_forward_128_integers_emulated(Transform);
    /// The first levels of forward transforms, in integers: columns of 256 rows.
    NTT_FORWARD_256_INTEGERS = ntt_forward_256_integers, ntt_forward_256_integers_emulated(Transform);
    /// The first levels of forward transforms, in integers: columns of 512 rows.
    NTT_FORWARD_512_INTEGERS = ntt_forward_512_integers, ntt_forward_512_integers_emulated(Transform);
    /// The last levels of forward transforms, in integers: rows.
    NTT_FORWARD_ROWS_INTEGERS = ntt_forward_rows_integers, ntt_forward_rows_integers_emulated(Transform);
    /// The last levels of inverse transforms, in doubles: columns of up to 64 rows.
    NTT_INVERSE_FEW_DOUBLES = ntt_inverse_few_doubles, ntt_inverse_few_doubles_emulated(Transform);
    /// The last levels of inverse transforms, in doubles: columns of 128 rows.
    NTT_INVERSE_128_DOUBLES = ntt_inverse_128_doubles, ntt_inverse_128_doubles_emulated(Transform);
    /// The last levels of inverse transforms, in doubles: columns of 256 rows.
    NTT_INVERSE_256_DOUBLES = ntt_inverse_256_doubles, ntt_inverse_256_doubles_emulated(Transform);
    /// The last levels of inverse transforms, in doubles: columns of 512 rows.
    NTT_INVERSE_512_DOUBLES = ntt_inverse_512_doubles, ntt_inverse_512_doubles_emulated(Transform);
    /// The first levels of inverse transforms, in doubles: rows.
    NTT_INVERSE_ROWS_DOUBLES = ntt_inverse_rows_doubles, ntt_inverse_rows_doubles_emulated(Transform);
    /// The last levels of inverse transforms, in integers: columns of up to 64 rows.
    NTT_INVERSE_FEW_INTEGERS = ntt_inverse_few_integers, ntt_inverse_few_integers_emulated(Transform);
    /// The last levels of inverse transforms, in integers: columns of 128 rows.
    NTT_INVERSE_128_INTEGERS = ntt_inverse_128_integers, ntt_inverse_128_integers_emulated(Transform);
    /// The last levels of inverse transforms, in integers: columns of 256 rows.
    NTT_INVERSE_256_INTEGERS = ntt_inverse_256_integers, ntt_inverse_256_integers_emulated(Transform);
    /// The last levels of inverse transforms, in integers: columns of 512 rows.
    NTT_INVERSE_512_INTEGERS = ntt_inverse_512_integers, ntt_inverse_512_integers_emulated(Transform);
    /// The first levels of inverse transforms, in integers: rows.
    NTT_INVERSE_ROWS_INTEGERS = ntt_inverse_rows_integers, ntt_inverse_rows_integers_emulated(Transform);
    /// `out = -a`.
    NEGATE = negate, negate_emulated(Elementwise);
    /// `out = 0`.
    SET_ZERO = set_zero, set_zero_emulated(Elementwise);
    /// `out = a·constant`.
    MULTIPLY_CONSTANTS = multiply_constants, multiply_constants_emulated(Constants);
    /// `out = a + constant`.
    ADD_CONSTANTS = add_constants, add_constants_emulated(Constants);
    /// `out = a + constant·b`.
    ADD_CONSTANT_MULTIPLE = add_constant_multiple, add_constant_multiple_emulated(Constants);
    /// The image under `X -> X^element`.
    AUTOMORPHISM = automorphism, automorphism_emulated(Automorphism);
    /// Words modulo 2^k to residues.
    FROM_POWER_OF_TWO = from_power_of_two, from_power_of_two_emulated(ModulusSwitch);
    /// Residues to words modulo 2^k.
    TO_POWER_OF_TWO = to_power_of_two, to_power_of_two_emulated(ModulusSwitch);
    /// Centred residues of one limb modulo others.
    LIFT_CENTERED = lift_centered, lift_centered_emulated(ModulusSwitch);
    /// Sums of products of pairs.
    TENSOR = tensor, tensor_emulated(TensorSum);
    /// Sums of products of pairs with polynomials.
    PLAIN_PRODUCTS = plain_products, plain_products_emulated(TensorSum);
    /// Linear combinations, one output at a time.
    LINEAR_COMBINATIONS_1 = linear_combinations_1, linear_combinations_1_emulated(Combination);
    /// Linear combinations, four outputs at a time.
    LINEAR_COMBINATIONS_4 = linear_combinations_4, linear_combinations_4_emulated(Combination);
    /// Linear combinations, eight outputs at a time.
    LINEAR_COMBINATIONS_8 = linear_combinations_8, linear_combinations_8_emulated(Combination);
    /// Products with linear combinations.
    COMBINED_TENSOR = combined_tensor, combined_tensor_emulated(CombinedTensor);
    /// Sums of columns by the rows of a table.
    TABLE_SUMS = table_sums, table_sums_emulated(TableSums);
    /// Products of row sums with selectors.
    TABLE_PRODUCTS = table_products, table_products_emulated(TableProducts);
    /// Limbs of one set of moduli to those of another.
    CONVERT_BASE = convert_base, convert_base_emulated(Conversion);
    /// Quotients of dividends and remainders.
    FINISH_DIVISION = finish_division, finish_division_emulated(FinishDivision);
    /// Inner products of digits with keys.
    MULTIPLY_BY_KEYS = multiply_by_keys, multiply_by_keys_emulated(KeySwitching);
    /// Sums of products of baby steps with diagonals.
    MULTIPLY_BY_DIAGONALS = multiply_by_diagonals, multiply_by_diagonals_emulated(DiagonalSums);
    /// P times two polynomials.
    TIMES_SPECIAL = times_special, times_special_emulated(TimesSpecial);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sha2::{Digest, Sha256};

    use super::NAMES;
    use crate::device::MODULES;

    /// The kernels are compiled from the sources as they are: `make gpu-kernels` was run after the last change.
    #[test]
    fn compiled_kernels_are_those_of_the_sources() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let files = |extension: &str| {
            let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            let mut paths: Vec<_> =
                entries.filter(|path| path.extension().is_some_and(|it| it == extension)).collect();
            paths.sort();
            paths
        };
        let headers = files("cuh");
        let sources = files("cu");
        assert_eq!(sources.len(), MODULES.len());
        for source in sources {
            let name = source.file_stem().unwrap().to_str().unwrap();
            let mut hasher = Sha256::new();
            for path in std::iter::once(&source).chain(&headers) {
                hasher.update(std::fs::read(path).unwrap());
            }
            let digest: String =
                hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            let (_, compiled) = MODULES.iter().find(|(module, _)| *module == name).expect(name);
            assert!(
                compiled.starts_with(&format!("// sources: {digest}\n")),
                "{name} is out of date"
            );
        }
    }

    #[test]
    fn every_kernel_is_compiled() {
        for name in NAMES {
            let entry = format!(".entry {name}(");
            assert!(MODULES.iter().any(|(_, text)| text.contains(&entry)), "{name}");
        }
    }
}
