//! Runs every reader: guided by coverage under `cargo bolero`, or on a few inputs without seeds as an ordinary test.

use std::panic::RefUnwindSafe;

use cryptable_fuzz::targets::TARGETS;

/// Returns a function that runs a target: of one type for all of them, so that `bolero` is compiled for one, not for each.
fn run(name: &str) -> impl Fn(&[u8]) + RefUnwindSafe + 'static {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    move |input: &[u8]| {
        let _ = target.run(input);
    }
}

macro_rules! readers {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                bolero::check!().with_iterations(100).for_each(run(stringify!($name)));
            }
        )*

        #[test]
        fn all_targets_are_run() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

readers! {
    packed_parameters
    single_parameters
    leveled_parameters
    boolean_parameters
    integer_parameters
    transciphering_parameters
    slot_bits_parameters
    vector_parameters
    secret_key
    public_key
    rekeying_key
    owners_session
    owner_secret
    owner_commitment
    owner_share
    holder_share
    canaries
    boolean_secret_key
    integer_secret_key
    transciphering_secret_key
    slot_bits_secret_key
    vector_secret_key
    packed_evaluation_key
    single_evaluation_key
    leveled_evaluation_key
    boolean_evaluation_key
    integer_evaluation_key
    transciphering_evaluation_key
    slot_bits_evaluation_key
    vector_evaluation_key
    encrypted_tables
    ciphertext_file
    encrypted_bits
    slot_bits
    vector
    slot_bits_coefficients
    prepared_bits
    partial_decryption
    joint_result
    encrypted_words
    blif
    yosys_json
    encrypted_integers
    integer_column
    frame
    frame_schema
    frame_mapping
    frame_pipeline
    frame_program
    frame_data
    encrypted_bytes
    aes_messages
    conversion_parameters
    bridged_parameters
    bridged_evaluation_key
    bridge_parameters
    bridge_key
    bridge_secret_keys
    bridge_evaluation_keys
    ring_packing_key
    extraction_key
    foreign_lists
    foreign_gates
    inspection
}
