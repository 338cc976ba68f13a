//! Fuzz targets, one per reader. A target reads any bytes, both as they are and repaired, and then uses the result if
//! the file states something that its user relies on.

use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use cryptable::circuits::{Circuit, EncryptedWordsReader, netlist};
use cryptable::engines::{bridged, packed};
use cryptable::{
    Ciphertext, CiphertextReader, Engine, EvaluationKey, Parameters, Progress, ReadOptions,
    SecretKey, bits, bridges, ckks, gates, integers, large_values, owners, transciphering,
};
use cryptable_conversion::foreign::{ForeignGates, ForeignParameters, ForeignSecret};
use cryptable_conversion::{
    ExtractionKey, RingPackingKey, SeededExtractionKey, SeededRingPackingKey,
};
use cryptable_wire::ObjectType;

use crate::limits::{MAX_KEY_MEMORY, within_limits};
use crate::{
    bridge_seeds, circuit_seeds, clients, frames, owner_seeds, repair, seeds, vector_seeds,
};

/// A reader under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name, like that of the function in `tests/readers.rs`.
    pub name: &'static str,
    /// Makes an input pass checksums.
    pub repair: fn(&[u8]) -> Vec<u8>,
    /// Reads the bytes, and returns whether they were accepted.
    pub read: fn(&[u8]) -> bool,
    /// Returns small valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Reads an input both as it is and repaired, and returns whether the repaired one was accepted.
    ///
    /// # Panics
    /// If the reader panics or takes too long. If it uses too much memory, the process ends ([`within_limits`]).
    #[must_use]
    pub fn run(&self, bytes: &[u8]) -> bool {
        within_limits(bytes.len(), || (self.read)(bytes));
        let repaired = (self.repair)(bytes);
        within_limits(repaired.len(), || (self.read)(&repaired))
    }
}

/// All targets of this crate. Readers of the command line's formats are tested in its own crate.
pub const TARGETS: [Target; 64] = [
    parameters(
        "packed_parameters",
        |b| read_parameters(Engine::Packed, b),
        seeds::packed_parameters,
    ),
    parameters(
        "single_parameters",
        |b| read_parameters(Engine::Single, b),
        seeds::single_parameters,
    ),
    parameters(
        "leveled_parameters",
        |b| read_parameters(Engine::Leveled, b),
        seeds::leveled_parameters,
    ),
    parameters(
        "boolean_parameters",
        |b| gates::Parameters::from_bytes(b, options()).is_ok(),
        seeds::boolean_parameters,
    ),
    parameters(
        "integer_parameters",
        |b| large_values::Parameters::from_bytes(b, options()).is_ok(),
        seeds::integer_parameters,
    ),
    parameters(
        "transciphering_parameters",
        |b| transciphering::Parameters::from_bytes(b, options()).is_ok(),
        seeds::transciphering_parameters,
    ),
    parameters(
        "slot_bits_parameters",
        |b| cryptable_bits::Parameters::from_bytes(b, options()).is_ok(),
        seeds::slot_bits_parameters,
    ),
    parameters(
        "vector_parameters",
        |b| ckks::Parameters::from_bytes(b, options()).is_ok(),
        vector_seeds::parameters,
    ),
    object("secret_key", read_secret_key, seeds::secret_keys),
    object("public_key", read_public_key, seeds::public_keys),
    object("rekeying_key", read_rekeying_key, seeds::rekeying_keys),
    object("owners_session", read_owners_session, owner_seeds::sessions),
    object("owner_secret", read_owner_secret, owner_seeds::secrets),
    object("owner_commitment", read_owner_commitment, owner_seeds::commitments),
    object("owner_share", |b| owner_seeds::messages().accept(b), owner_seeds::second_shares),
    object("holder_share", read_holder_share, owner_seeds::holder_shares),
    object("canaries", read_canaries, seeds::canaries),
    object("boolean_secret_key", read_secret_key, seeds::boolean_secret_key),
    object("integer_secret_key", read_secret_key, seeds::integer_secret_key),
    object("transciphering_secret_key", read_secret_key, seeds::transciphering_secret_key),
    object("slot_bits_secret_key", read_secret_key, seeds::slot_bits_secret_key),
    object("vector_secret_key", read_secret_key, vector_seeds::secret_key),
    object("packed_evaluation_key", read_evaluation_key, seeds::packed_evaluation_key),
    object("single_evaluation_key", read_evaluation_key, seeds::single_evaluation_key),
    object("leveled_evaluation_key", read_evaluation_key, seeds::leveled_evaluation_key),
    object("boolean_evaluation_key", read_evaluation_key, seeds::boolean_evaluation_key),
    object("integer_evaluation_key", read_evaluation_key, seeds::integer_evaluation_key),
    object(
        "transciphering_evaluation_key",
        read_evaluation_key,
        seeds::transciphering_evaluation_key,
    ),
    object("slot_bits_evaluation_key", read_evaluation_key, seeds::slot_bits_evaluation_key),
    object("vector_evaluation_key", read_evaluation_key, vector_seeds::evaluation_key),
    object("encrypted_tables", read_encrypted_tables, seeds::encrypted_tables),
    Target {
        name: "ciphertext_file",
        repair: repair::ciphertext_file,
        read: read_ciphertext_file,
        seeds: seeds::ciphertext_files,
    },
    object("encrypted_bits", read_encrypted_bits, seeds::encrypted_bits),
    object("slot_bits", read_slot_bits, seeds::slot_bits),
    object("vector", read_vector, vector_seeds::vectors),
    object(
        "slot_bits_coefficients",
        read_slot_bits_coefficients,
        circuit_seeds::slot_bits_coefficients,
    ),
    object("prepared_bits", read_prepared_bits, circuit_seeds::prepared_bits),
    object("partial_decryption", read_partial_decryption, circuit_seeds::partial_decryptions),
    object("joint_result", read_joint_result, circuit_seeds::joint_results),
    Target {
        name: "encrypted_words",
        repair: repair::encrypted_words,
        read: read_encrypted_words,
        seeds: circuit_seeds::encrypted_words,
    },
    // Netlists have no checksum, either.
    parameters("blif", |b| read_text(b, netlist::read_blif), circuit_seeds::blif),
    parameters("yosys_json", |b| read_text(b, netlist::read_yosys_json), circuit_seeds::yosys_json),
    object("encrypted_integers", read_encrypted_integers, seeds::encrypted_integers),
    Target {
        name: "integer_column",
        repair: repair::integer_column,
        read: read_integer_column,
        seeds: seeds::integer_columns,
    },
    Target {
        name: "frame",
        repair: frames::repair_frame,
        read: frames::read_frame,
        seeds: frames::frames,
    },
    parameters("frame_schema", frames::read_schema, frames::schemas),
    parameters("frame_mapping", frames::read_mapping, frames::mappings),
    parameters("frame_pipeline", frames::read_pipeline, frames::pipelines),
    parameters("frame_program", frames::read_program, frames::programs),
    parameters("frame_data", frames::read_data, frames::data),
    object("encrypted_bytes", read_encrypted_bytes, seeds::encrypted_bytes),
    object("aes_messages", read_aes_message, seeds::aes_messages),
    parameters(
        "conversion_parameters",
        |b| cryptable_conversion::Parameters::from_bytes(b, options()).is_ok(),
        seeds::conversion_parameters,
    ),
    parameters(
        "bridged_parameters",
        |b| bridged::Parameters::from_bytes(b, options()).is_ok(),
        seeds::bridged_parameters,
    ),
    object("bridged_evaluation_key", read_evaluation_key, seeds::bridged_evaluation_key),
    parameters("bridge_parameters", read_bridge_parameters, bridge_seeds::bridge_parameters),
    object("bridge_key", read_bridge_key, bridge_seeds::bridge_keys),
    object("bridge_secret_keys", read_secret_key, bridge_seeds::bridge_secret_keys),
    object("bridge_evaluation_keys", read_evaluation_key, bridge_seeds::bridge_evaluation_keys),
    object("ring_packing_key", read_ring_packing_key, seeds::ring_packing_key),
    object("extraction_key", read_extraction_key, seeds::extraction_key),
    Target {
        name: "foreign_lists",
        repair: <[u8]>::to_vec,
        read: read_foreign_list,
        seeds: seeds::foreign_lists,
    },
    object("foreign_gates", read_foreign_gates, seeds::foreign_gates),
    Target {
        name: "inspection",
        repair: either,
        read: |b| cryptable::inspect(b).is_ok(),
        seeds: seeds::all,
    },
];

const fn parameters(
    name: &'static str,
    read: fn(&[u8]) -> bool,
    seeds: fn() -> Vec<Vec<u8>>,
) -> Target {
    // Parameters alone have no checksum.
    Target { name, repair: <[u8]>::to_vec, read, seeds }
}

const fn object(
    name: &'static str,
    read: fn(&[u8]) -> bool,
    seeds: fn() -> Vec<Vec<u8>>,
) -> Target {
    Target { name, repair: repair::object, read, seeds }
}

/// Repairs a file of any kind.
fn either(bytes: &[u8]) -> Vec<u8> {
    if bytes.starts_with(&cryptable::CiphertextFileSummary::MAGIC) {
        repair::ciphertext_file(bytes)
    } else if bytes.get(10) == Some(&(ObjectType::IntegerColumn as u8)) {
        repair::integer_column(bytes)
    } else {
        repair::object(bytes)
    }
}

/// Returns options that accept toys, but refuse objects that need much memory.
fn options() -> ReadOptions {
    ReadOptions::default().allow_insecure().max_memory(MAX_KEY_MEMORY)
}

fn read_parameters(engine: Engine, bytes: &[u8]) -> bool {
    Parameters::from_bytes(engine, bytes, options()).is_ok()
}

fn read_public_key(bytes: &[u8]) -> bool {
    let key = cryptable::PublicKey::from_bytes(bytes, options());
    key.is_ok_and(|key| key.encrypt(&[1, 0]).is_ok())
}

fn read_rekeying_key(bytes: &[u8]) -> bool {
    cryptable::RekeyingKey::from_bytes(bytes, options()).is_ok()
}

fn read_owners_session(bytes: &[u8]) -> bool {
    owners::Session::<packed::Parameters>::from_bytes(bytes, options()).is_ok()
        | owners::Session::<bits::Parameters>::from_bytes(bytes, options()).is_ok()
}

fn read_owner_secret(bytes: &[u8]) -> bool {
    owners::OwnerSecret::<packed::Parameters>::from_bytes(bytes, options()).is_ok()
        | owners::OwnerSecret::<bits::Parameters>::from_bytes(bytes, options()).is_ok()
}

/// Reads the bytes both as a share of a holder and as a dealt share, which is joined with that of another owner.
fn read_holder_share(bytes: &[u8]) -> bool {
    let read = owners::ThresholdSecret::from_bytes(bytes, options());
    if let Ok(secret) = &read {
        assert_eq!(*secret.to_bytes(), bytes);
    }
    let mut dealt = owner_seeds::dealt_shares().into_iter();
    let is_dealt =
        dealt.any(|other| owners::ThresholdSecret::of_dealt(&[bytes, &other], options()).is_ok());
    read.is_ok() | is_dealt
}

/// Reads a commitment, and joins it with that of another owner.
fn read_owner_commitment(bytes: &[u8]) -> bool {
    let Ok(read) = owners::Commitment::from_bytes(bytes) else { return false };
    assert_eq!(read.to_bytes(), bytes);
    let messages = owner_seeds::messages();
    let joined = |other: &owners::Commitment| {
        owners::Agreement::new(&messages.session, &[read.clone(), other.clone()]).is_ok()
    };
    messages.commitments.iter().any(joined)
}

/// Reads canaries and checks results with them, since they may claim any number of places.
fn read_canaries(bytes: &[u8]) -> bool {
    let secret = clients::client(Engine::Packed);
    let Ok(canaries) = cryptable::Canaries::from_bytes(bytes, &secret) else { return false };
    let results = vec![0; canaries.places()];
    let modulus = secret.lookup_parameters().expect("of lookups").input_modulus();
    let zeros = cryptable::Table::from_fn(modulus, 2, |_| 0).expect("a table");
    assert_eq!(*canaries.to_bytes(), *bytes);
    canaries.check(&results, &zeros).is_ok()
}

fn read_secret_key(bytes: &[u8]) -> bool {
    SecretKey::from_bytes(bytes, options()).is_ok()
}

fn read_evaluation_key(bytes: &[u8]) -> bool {
    EvaluationKey::from_shared(Arc::new(bytes.to_vec()), options()).is_ok()
}

fn read_bridge_parameters(bytes: &[u8]) -> bool {
    bridges::IntegerParameters::from_bytes(bytes, options()).is_ok()
        | bridges::LeveledParameters::from_bytes(bytes, options()).is_ok()
}

fn read_bridge_key(bytes: &[u8]) -> bool {
    bridges::IntegerBridge::from_bytes(bytes, options()).is_ok()
        | bridges::LeveledBridge::from_bytes(bytes, options()).is_ok()
}

/// Reads a list of ciphertexts of another library, or its secret. Writing the result must reproduce the input.
fn read_foreign_list(bytes: &[u8]) -> bool {
    let parameters = ForeignParameters::insecure_toy();
    let Ok(list) = parameters.read_list(bytes) else {
        return ForeignSecret::from_bytes(&parameters, bytes).is_ok();
    };
    assert_eq!(parameters.write_list(&list).expect("a list of its shape"), bytes);
    true
}

fn read_foreign_gates(bytes: &[u8]) -> bool {
    ForeignGates::from_shared(Arc::new(bytes.to_vec()), options()).is_ok()
}

fn read_ring_packing_key(bytes: &[u8]) -> bool {
    let (parameters, clients) = clients::conversion_client();
    SeededRingPackingKey::from_bytes(parameters, clients, bytes)
        .is_ok_and(|key| RingPackingKey::expand(&key).memory_bytes() > 0)
}

fn read_extraction_key(bytes: &[u8]) -> bool {
    let (parameters, clients) = clients::conversion_client();
    SeededExtractionKey::from_bytes(parameters, clients, bytes)
        .is_ok_and(|key| ExtractionKey::expand(&key).memory_bytes() > 0)
}

fn read_encrypted_tables(bytes: &[u8]) -> bool {
    static KEY: LazyLock<packed::EvaluationKey> = LazyLock::new(|| {
        clients::table_client().evaluation_key(Progress::silent()).expect("nobody cancels")
    });
    packed::EncryptedTables::from_bytes(&KEY, bytes).is_ok()
}

/// Reads a file both ciphertext by ciphertext and as a whole, and decrypts it, since it may claim any size.
fn read_ciphertext_file(bytes: &[u8]) -> bool {
    static SECRETS: LazyLock<[SecretKey; 3]> = LazyLock::new(|| Engine::ALL.map(clients::client));
    if let Ok(mut reader) = CiphertextReader::new(Cursor::new(bytes)) {
        while let Ok(Some(_)) = reader.next_ciphertext() {}
    }
    let Ok(ciphertext) = Ciphertext::from_bytes(bytes) else { return false };
    SECRETS.iter().any(|secret| secret.decrypt(&ciphertext).is_ok())
}

fn read_encrypted_bits(bytes: &[u8]) -> bool {
    let Ok(bits) = gates::EncryptedBits::from_bytes(bytes) else { return false };
    clients::boolean_client().decrypt(&bits).is_ok()
}

fn read_slot_bits(bytes: &[u8]) -> bool {
    let secret = clients::slot_bits_client();
    let bits = cryptable_bits::EncryptedBits::from_bytes(secret.parameters(), bytes);
    bits.is_ok_and(|bits| secret.decrypt(&bits).is_ok())
}

fn read_vector(bytes: &[u8]) -> bool {
    let secret = vector_seeds::client();
    let vector = ckks::Ciphertext::from_bytes(secret.parameters(), bytes);
    vector.is_ok_and(|vector| secret.decrypt(&vector).is_ok())
}

fn read_slot_bits_coefficients(bytes: &[u8]) -> bool {
    let parameters = clients::slot_bits_client().parameters();
    let Ok(values) = cryptable_bits::RlweInput::from_bytes(parameters, bytes) else { return false };
    assert_eq!(values.to_bytes(parameters).expect("of these parameters"), bytes);
    true
}

fn read_prepared_bits(bytes: &[u8]) -> bool {
    let parameters = clients::partial_decryption_client().0.parameters();
    let Ok(bits) = cryptable_bits::PreparedBits::from_bytes(parameters, bytes) else {
        return false;
    };
    assert_eq!(bits.to_bytes(parameters).expect("of these parameters"), bytes);
    true
}

/// Reads results of several owners, and describes them.
fn read_joint_result(bytes: &[u8]) -> bool {
    let _ = cryptable::inspect(bytes);
    owners::JointResult::read_first(bytes, options()).is_ok()
}

/// Reads a partial decryption, and checks that it cannot be combined: the second of two owners is missing, or the bits
/// are different ones.
fn read_partial_decryption(bytes: &[u8]) -> bool {
    static BITS: LazyLock<cryptable_bits::PreparedBits> = LazyLock::new(|| {
        let parameters = clients::partial_decryption_client().0.parameters();
        let file = circuit_seeds::prepared_bits().swap_remove(0);
        cryptable_bits::PreparedBits::from_bytes(parameters, &file).expect("a file of bits")
    });
    let parameters = clients::partial_decryption_client().0.parameters();
    let part = cryptable_bits::PartialDecryption::from_bytes(parameters, bytes);
    let Ok(part) = part else { return false };
    assert_eq!(part.to_bytes(parameters).expect("of these parameters"), bytes);
    assert!(BITS.combine(parameters, &[part]).is_err());
    true
}

/// Checks a file without parameters, then reads and decrypts it.
fn read_encrypted_words(bytes: &[u8]) -> bool {
    let secret = clients::slot_bits_client();
    let Ok(mut reader) = EncryptedWordsReader::new(bytes) else { return false };
    let is_undamaged = reader.check_undamaged().is_ok();
    loop {
        match reader.next_bits(secret.parameters()) {
            Ok(Some(bits)) => {
                assert!(secret.decrypt(&bits).is_ok() || bits.key_id() != secret.id())
            }
            Ok(None) => return is_undamaged,
            Err(_) => return false,
        }
    }
}

/// Reads a netlist, and evaluates the circuit on unencrypted bits.
fn read_text(
    bytes: &[u8],
    read: fn(&str, Option<&str>) -> Result<Circuit, netlist::NetlistError>,
) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(circuit) = read(text, None) else { return false };
    circuit.evaluate(&vec![true; circuit.input_bits()]).is_ok()
}

fn read_encrypted_integers(bytes: &[u8]) -> bool {
    let secret = clients::integer_client();
    let whole = large_values::EncryptedIntegers::from_bytes(bytes);
    let radix = large_values::RadixInteger::from_bytes(bytes);
    let small = large_values::SmallValues::from_bytes(bytes);
    whole.is_ok_and(|it| secret.decrypt(&it).is_ok())
        | radix.is_ok_and(|it| secret.decrypt_radix(&it).is_ok())
        | small.is_ok_and(|it| secret.decrypt_small(&it).is_ok())
}

/// Reads a column both part by part and as a whole, and decrypts it.
fn read_integer_column(bytes: &[u8]) -> bool {
    static SECRET: LazyLock<SecretKey> = LazyLock::new(|| clients::client(Engine::Packed));
    let secret = SECRET.packed().expect("of packed values");
    let Ok(mut reader) = integers::ColumnReader::<_, packed::Ciphertext>::new(bytes) else {
        return false;
    };
    let is_whole = loop {
        match reader.next_summary() {
            Ok(Some(_)) => {}
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    let words = integers::IntegerColumn::<u16, packed::Ciphertext>::from_bytes(bytes);
    let booleans = integers::BooleanColumn::<packed::Ciphertext>::from_bytes(bytes);
    let _ = words.map(|column| integers::decrypt(secret, &column));
    let _ = booleans.map(|column| integers::decrypt_booleans(secret, &column));
    is_whole
}

fn read_aes_message(bytes: &[u8]) -> bool {
    let Ok(message) = transciphering::Message::from_bytes(bytes) else { return false };
    // Whatever a file claims, only messages of the key's holder can be opened.
    let _ = clients::aes_key().open(&message);
    assert_eq!(message.to_bytes(), bytes);
    true
}

fn read_encrypted_bytes(bytes: &[u8]) -> bool {
    let secret = clients::transciphering_client();
    let streamed = secret.decrypt_stream(bytes, &mut std::io::sink(), Progress::silent()).is_ok();
    let whole = transciphering::EncryptedBytes::from_bytes(bytes);
    let whole = whole.is_ok_and(|it| secret.decrypt(&it).is_ok());
    assert_eq!(streamed, whole, "one reader accepts what the other refuses");
    let key = transciphering::EncryptedKey::from_bytes(bytes);
    whole
        | key.is_ok_and(|it| it.to_round_keys(&transciphering::Parameters::insecure_toy()).is_ok())
}
