//! Single values at full size, with the default choice of 128-bit parameters.

use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_lattice::{Error, NoiseBound, Progress, Table};
use cryptable_leveled::lookup::{Ciphertext, EvaluationKey, Parameters, Request, SecretKey};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::ParameterSet;
use cryptable_ring::random::{RandomStream, replay};

/// Returns the fastest parameters for a request.
fn fastest(request: &Request) -> Parameters {
    Parameters::candidates(request).unwrap().swap_remove(0)
}

fn lookup(key: &EvaluationKey, input: &Ciphertext, table: &Table) -> Ciphertext {
    let prepared = key.prepare(table).unwrap();
    key.lookup_many(input, &[&prepared], Progress::silent()).unwrap().remove(0)
}

#[test]
fn tables_of_8_bits_and_their_results() {
    let table = Table::from_fn(256, 256, |x| (x * x * 37 + 91 * x + 5) / 3 % 256).unwrap();
    let parameters = fastest(&Request::new(256, 256));
    assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -64.0);
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let values: Vec<u64> = (0..256).step_by(17).collect();
    let input = secret.encrypt(&values).unwrap();
    let output = lookup(&key, &input, &table);
    let once: Vec<u64> = values.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(secret.decrypt(&output).unwrap(), once);
    let again = lookup(&key, &output, &table);
    let twice: Vec<u64> = once.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(secret.decrypt(&again).unwrap(), twice);
}

#[test]
fn small_tables_take_blocks_or_two_bits_per_rotation() {
    let table = Table::from_fn(37, 50, |x| x * x % 50).unwrap();
    let [blocks, two_bits] = [ParameterSet::Aes128, ParameterSet::TwoBitDepth11];
    for (method, set, bits) in [(None, blocks, 1), (Some(two_bits), two_bits, 2)] {
        let parameters = fastest(&Request { method, ..Request::new(37, 50) });
        assert_eq!(parameters.parameter_set(), Some(set));
        assert_eq!(parameters.circuit_bootstrapping().bits_per_ciphertext(), bits);
        let secret = SecretKey::generate(&parameters);
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        let output = lookup(&key, &secret.encrypt(&[0, 5, 36]).unwrap(), &table);
        assert_eq!(secret.decrypt(&output).unwrap(), [0, 25, 46]);
    }
}

/// Single bits, by a set for single bits.
#[test]
fn a_rotation_a_bit() {
    let table = Table::from_fn(7, 5, |x| x * x % 5).unwrap();
    let method = Some(ParameterSet::CmuxDepth2);
    let secret = SecretKey::generate(&fastest(&Request { method, ..Request::new(7, 5) }));
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let input = secret.encrypt(&[0, 1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(input.ciphertexts_per_value(), 3);
    let output = lookup(&key, &input, &table);
    assert_eq!(secret.decrypt(&output).unwrap(), table.values());
}

/// Results of 16 values packed into a ring element are right, have a hundredth of the bytes, and can only be decrypted.
#[test]
fn compressed_results_of_8_bits() {
    let table = Table::from_fn(256, 256, |x| x * (x + 3) % 256).unwrap();
    let secret = SecretKey::generate(&fastest(&Request::new(256, 256)));
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let values: Vec<u64> = (0..256).step_by(17).collect();
    let output = lookup(&key, &secret.encrypt(&values).unwrap(), &table);
    let compressed = key.compress(&output).unwrap();
    let (before, after) = (output.to_bytes().len(), compressed.to_bytes().len());
    println!("{} results: {before} bytes, {after} compressed", values.len());
    assert!(after < 4_000 && 100 * after < before, "{after} bytes");
    let read = Ciphertext::from_bytes(&compressed.to_bytes()).unwrap();
    assert!(read == compressed && !read.is_fresh());
    assert_eq!(secret.decrypt(&read).unwrap(), secret.decrypt(&output).unwrap());
    assert_eq!(secret.decrypt(&read.slice(3..7)).unwrap(), secret.decrypt(&output).unwrap()[3..7]);
    let prepared = key.prepare(&table).unwrap();
    let again = key.lookup_many(&read, &[&prepared], Progress::silent());
    assert!(matches!(again, Err(Error::Unsupported(_))), "{again:?}");
    assert!(matches!(key.compress(&read), Err(Error::Unsupported(_))));
}

/// Noise that compression adds to phases of all kinds, on three ring elements.
#[test]
fn compression_has_the_noise_of_its_law() {
    let _replay = replay::begin();
    let secret = SecretKey::generate(&fastest(&Request::new(256, 256)));
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let parameters = secret.parameters();
    let bits = parameters.compressed_shape().modulus.ilog2();
    assert!(parameters.compressed_log2_fail(bits) <= parameters.log2_fail());
    assert!(parameters.compressed_log2_fail(bits - 1) > parameters.log2_fail());
    let shape = parameters.circuit_bootstrapping().lwe_shape();
    let errors: Vec<Vec<f64>> = (0..3)
        .map(|_| {
            let mut words = vec![0; shape.dimension * (shape.dimension + 1)];
            RandomStream::from_os().uniform_assign(&mut words, shape.modulus);
            let bodies = words.split_off(shape.dimension * shape.dimension);
            let list = LweList::from_words(shape, words.into(), bodies);
            let compressed = key.fhew().compress_list(&list, bits);
            let fraction = |list: &LweList, index| {
                let phase = secret.fhew().phase(&list.ciphertext(index)).unwrap();
                phase as f64 / list.shape().modulus as f64
            };
            let error = |i| fraction(&compressed, i) - fraction(&list, i);
            (0..list.len()).map(|i| error(i) - f64::round(error(i))).collect()
        })
        .collect();
    let noise = CircuitBootstrappingNoise::new(parameters.circuit_bootstrapping());
    let law = NoiseBound::of_law(noise.model().compression(bits).law(), 0.0);
    let found = NoiseStatistics::new(&errors, law, false);
    println!("{bits} bits: {found:?}");
    assert!((0.9..1.1).contains(&found.variance_ratio), "{found:?}");
    assert!((2.7..3.3).contains(&found.kurtosis), "{found:?}");
    assert!(found.largest_deviations < 6.0, "{found:?}");
}
