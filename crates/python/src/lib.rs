//! The compiled half of the Python package `cryptable`: the library's one API, with numpy arrays for values.
//!
//! The module adds no logic. Every call releases the interpreter lock, reports its progress and handles Ctrl-C in the
//! calling thread (`call.rs`), and raises one of the classes in `cryptable/errors.py` (`errors.rs`). Everything that is
//! Python by nature (tables from functions and dictionaries, code books, progress bars) is in `python/cryptable`.
#![forbid(unsafe_code)]

mod arrays;
mod automaton;
mod bits;
mod booleans;
mod bridges;
mod call;
mod canaries;
mod ciphertext;
mod ciphertext_files;
mod circuits;
mod ckks;
mod comparisons;
mod cost_model;
mod encrypted_array;
mod entry_tables;
mod equality;
mod errors;
mod evaluation_key;
mod files;
mod fixed_point;
mod frames;
mod inspection;
mod integers;
mod key_files;
mod keys;
mod large_values;
mod literals;
mod owners;
mod parameters;
mod pieces;
mod plan;
mod pool;
mod programs;
mod properties;
mod public_key;
mod real_function;
mod registers;
mod rekeying_key;
mod secret_key;
mod stated_types;
mod table;
mod threads;
mod transciphering;
mod watched_file;
mod wide;

/// The compiled half of `cryptable`. Import `cryptable` instead.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn begin(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::pool::note_process();
        register_submodules(module)
    }

    /// Registers every submodule with the interpreter, so that `from cryptable._native.plans import ...` finds it.
    fn register_submodules(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let registered = module.py().import("sys")?.getattr("modules")?;
        for (name, member) in module.dict() {
            if member.is_instance_of::<PyModule>() {
                registered.set_item(format!("{}.{name}", module.name()?), member)?;
            }
        }
        Ok(())
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::automaton::Automaton;
    #[pymodule_export]
    use crate::canaries::Canaries;
    #[pymodule_export]
    use crate::evaluation_key::EvaluationKey;
    #[pymodule_export]
    use crate::files::write_bytes;
    #[pymodule_export]
    use crate::inspection::inspect;
    #[pymodule_export]
    use crate::public_key::PublicKey;
    #[pymodule_export]
    use crate::registers::{Register, Selectors};
    #[pymodule_export]
    use crate::rekeying_key::RekeyingKey;
    #[pymodule_export]
    use crate::secret_key::SecretKey;

    /// Compiled part of `cryptable.bits`.
    #[pymodule]
    mod bits {
        #[pymodule_export]
        use crate::bits::{
            EncryptedBits, Parameters, bin_boot, clean, decrypt, disjoint_or, encrypt, gate,
            gate_boot, gate_boot_many, gates, logical_not, lower, tables,
        };
    }

    /// Compiled part of `cryptable.booleans`.
    #[pymodule]
    mod booleans {
        #[pymodule_export]
        use crate::booleans::{
            EncryptedBits, EvaluationKey, ForeignGates, ForeignSecret, PackedGates, SecretKey,
        };
    }

    /// Compiled part of `cryptable.bridges`.
    #[pymodule]
    mod bridges {
        #[pymodule_export]
        use crate::bridges::{
            BridgePlan, EvaluationKeys, Integers, LeveledValues, SecretKeys, SmallValues,
            plan_bridge,
        };
    }

    /// Ciphertexts and their files.
    #[pymodule]
    mod ciphertexts {
        #[pymodule_export]
        use crate::ciphertext::Ciphertext;
        #[pymodule_export]
        use crate::ciphertext_files::{CiphertextReader, CiphertextWriter};
    }

    /// Compiled part of `cryptable.circuits`.
    #[pymodule]
    mod circuits {
        #[pymodule_export]
        use crate::circuits::{
            Circuit, CircuitBuilder, CircuitPlan, EncryptedWords, EvaluationKey, PublicKey,
            SecretKey, Signal, plan_circuit,
        };
    }

    /// Compiled part of `cryptable.ckks`.
    #[pymodule]
    mod ckks {
        #[pymodule_export]
        use crate::ckks::{
            EvaluationKey, LeveledTable, LinearMap, LookupCandidate, LookupPlan, Parameters,
            Polynomial, PreparedMap, PublicKey, SecretKey, SharedSecret, SlotTable, SmoothFunction,
            Vector, plan_lookups, restore_vector,
        };
    }

    /// Compiled part of `cryptable.comparisons`.
    #[pymodule]
    mod comparisons {
        #[pymodule_export]
        use crate::comparisons::{ComparisonPlan, Digits, compare, plan_comparisons};
    }

    /// Compiled part of `cryptable.ml` and of programs in `cryptable.frames`.
    #[pymodule]
    mod programs {
        #[pymodule_export]
        use crate::frames::{column_of, join_columns, run_program};
        #[pymodule_export]
        use crate::programs::{ProgramPlan, ServerProgram, plan_program};
    }

    /// Compiled part of `cryptable.frames`.
    #[pymodule]
    mod frames {
        #[pymodule_export]
        use crate::frames::{
            Frame, Schema, decrypt_frame, encrypt_frame, join_frame, largest_rows, select_frame,
            suggest_schema,
        };
    }

    /// Compiled part of `cryptable.integers`.
    #[pymodule]
    mod integers {
        #[pymodule_export]
        use crate::integers::{
            Column, ColumnReader, ColumnWriter, IntegerPlan, compute_integers, decrypt_column,
            encrypt_column, plan_integers,
        };
    }

    /// Compiled part of `cryptable.large_values`.
    #[pymodule]
    mod large_values {
        #[pymodule_export]
        use crate::large_values::{EvaluationKey, Radix, SecretKey};
    }

    /// Compiled part of `cryptable.owners`.
    #[pymodule]
    mod owners {
        #[pymodule_export]
        use crate::owners::{JointResult, Secret, Session, ThresholdSecret, combine, lookup};
    }

    /// Plans and parameters.
    #[pymodule]
    mod plans {
        #[pymodule_export]
        use crate::cost_model::CostModel;
        #[pymodule_export]
        use crate::parameters::{
            ListedParameters, Parameters, Prediction, Secret, SumLimits, list_parameters,
        };
        #[pymodule_export]
        use crate::plan::{Candidate, Plan, plan};
    }

    /// Compiled part of `cryptable.tables`.
    #[pymodule]
    mod tables {
        #[pymodule_export]
        use crate::entry_tables::EncryptedTable;
        #[pymodule_export]
        use crate::fixed_point::{ComplexTable, PreparedComplexTable, modulus_for, real_table};
        #[pymodule_export]
        use crate::table::{PreparedTable, Table, bfloat16_table, gelu};
    }

    /// Compiled part of `cryptable.transciphering`.
    #[pymodule]
    mod transciphering {
        #[pymodule_export]
        use crate::transciphering::{
            AesKey, AuthenticationKey, EncryptedBytes, EncryptedKey, EvaluationKey, Message,
            PreparedTable, PublicKey, SecretKey,
        };
    }

    /// Compiled part of `cryptable.wide`.
    #[pymodule]
    mod wide {
        #[pymodule_export]
        use crate::wide::{
            PreparedWide, WidePlan, WideValues, decrypt_wide, encrypt_wide, lookup_wide, plan_wide,
            prepare_wide, recognise_wide,
        };
    }
}
