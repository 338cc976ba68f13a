//! Keys that would take more memory than their reader allows are refused before they take it.
#![cfg(feature = "client")]

use std::sync::Arc;

use cryptable::{Engine, Error, EvaluationKey, Execution, Parameters, ReadOptions, SecretKey};

#[test]
fn keys_above_the_limit_are_refused_with_both_numbers() {
    for engine in Engine::ALL {
        let secret = SecretKey::generate(Parameters::insecure_toy(engine, 4, 4).unwrap());
        let mut file = Vec::new();
        secret.write_evaluation_key(&mut file, Execution::default()).unwrap();
        let file = Arc::new(file);
        let read = |limit| {
            let options = ReadOptions::default().allow_insecure().max_memory(limit);
            EvaluationKey::from_shared(file.clone(), options)
        };
        let Err(Error::ReadingMemory { needed, limit: 1, .. }) = read(1) else {
            panic!("{engine}: read under a limit of one byte");
        };
        let error = read(needed - 1).unwrap_err().to_string();
        let limit = needed - 1;
        assert_eq!(
            error,
            format!(
                "the evaluation key takes {needed} bytes of memory, above the reader's limit of {limit}"
            )
        );
        // What was computed from the parameters is enough, and not much too much.
        let found = read(needed).unwrap().memory_bytes() as u64;
        assert!(found <= needed && needed < 2 * found, "{engine}: {found} of {needed}");
    }
}
