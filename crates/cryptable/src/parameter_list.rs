//! The list of all parameter sets that this library ships, with the LWE problems behind each, for other security
//! estimates.

use cryptable_fhew::parameters::Parameters as FhewParameters;
use cryptable_lattice::security::LweInstance;
use cryptable_leveled::parameters::ParameterSet;
use rayon::prelude::*;

use crate::known_sets;
use crate::{
    CostModel, Engine, Parameters, Request, Result, SecurityLevel, bits, ckks, gates, large_values,
    transciphering,
};

/// Width in bits of the widest table listed, the widest of any engine.
const MAX_BITS: u32 = 24;

/// Width in bits of the widest table of single values that may be packed.
const MAX_BRIDGED_BITS: u32 = 6;

/// Widths in bits of the integers listed: the largest width of each of two sets. All widths of a set share their LWE
/// problems.
const INTEGER_BITS: [u32; 2] = [24, 28];

/// Base-2 logarithm of the lower failure probability for which gates and integers have sets of their own.
const SURE_LOG2_FAIL: f64 = -128.0;

/// Number of slots of the listed sparse bootstrapping. Its LWE problems do not depend on that number.
const SPARSE_SLOTS: usize = 1 << 12;

/// Widths in bits of the compared integers listed.
const COMPARISON_BITS: [u32; 3] = [12, 21, 32];

/// Number of packed values that is small enough for a secret of blocks. Other such numbers rest on the same LWE
/// problems, except for the modulus of the dense secret.
const FEW_VALUES: u64 = 1 << 10;
const FEW_VALUES_DEGREE: usize = 1 << 15;

/// Ring degrees of packed values.
const RING_DEGREES: [usize; 2] = [1 << 15, 1 << 16];

/// A parameter set of the list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListedParameters {
    /// Description for people.
    pub name: String,
    /// Whether the set claims 128 bits of security or is a toy.
    pub security_level: SecurityLevel,
    /// Base-2 logarithm of the probability that a ciphertext of values or bits, a gate, or an AES block goes wrong.
    /// `None` for sets whose failure probability depends on what is computed.
    pub log2_fail: Option<f64>,
    /// The LWE problems that the secrets rest on.
    pub instances: Vec<LweInstance>,
}

impl ListedParameters {
    /// Returns the security in bits of the weakest secret ([`LweInstance::security_bits`]).
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        LweInstance::least_security_bits(&self.instances)
    }

    /// Lists all named sets, and the sets that the planner chooses by default for tables of every width, with the built-in
    /// cost model.
    ///
    /// ```no_run
    /// // Plans tables of every width, which takes half a minute.
    /// for set in cryptable::ListedParameters::all()? {
    ///     println!("{}: {:.1} bits", set.name, set.security_bits());
    /// }
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// None in practice: tests construct every set.
    pub fn all() -> Result<Vec<Self>> {
        list_up_to(MAX_BITS)
    }
}

/// Returns the list for tables of up to `max_bits` bits.
fn list_up_to(max_bits: u32) -> Result<Vec<ListedParameters>> {
    let widths = || (1..max_bits + 1).into_par_iter();
    let packed: Vec<Parameters> = RING_DEGREES
        .into_par_iter()
        .flat_map(|degree| widths().map(move |bits| (degree, bits)))
        .filter_map(|(degree, bits)| fastest(request(bits, Engine::Packed).ring_degree(degree)))
        .collect();
    let single: Vec<Parameters> =
        widths().filter_map(|bits| fastest(request(bits, Engine::Single))).collect();
    // Single values that are packed for lookups, up to the widest table of single values.
    let bridged: Vec<Parameters> = (1..max_bits.min(MAX_BRIDGED_BITS) + 1)
        .into_par_iter()
        .filter_map(|bits| fastest(request(bits, Engine::Packed).inputs(Engine::Single)))
        .collect();
    let few = request(8, Engine::Packed).ring_degree(FEW_VALUES_DEGREE).values(FEW_VALUES);
    let all = packed.iter().chain(&single).chain(&bridged);
    let mut list: Vec<ListedParameters> = all.map(of_engine).collect();
    list.extend(fastest(few).as_ref().map(of_few_values));
    list.extend(ParameterSet::ALL.map(of_leveled_set));
    list.extend(of_applications()?);
    list.extend(COMPARISON_BITS.into_par_iter().map(of_comparisons).collect::<Result<Vec<_>>>()?);
    list.extend(known_sets::bit_sets()?.into_iter().map(of_bits));
    list.extend(known_sets::vector_sets()?.iter().map(of_vectors));
    list.push(of_vectors(&ckks::Parameters::sparse_bootstrapping_128(SPARSE_SLOTS)?));
    list.extend(fhew_sets().map(|(name, parameters)| of_fhew(name, parameters)));
    Ok(list)
}

fn request(bits: u32, engine: Engine) -> Request {
    Request::new(1 << bits, 1 << bits).engine(engine).cost_model(CostModel::default()).threads(1)
}

/// Returns the planner's choice; `None` if the engine does not serve the request.
fn fastest(request: Request) -> Option<Parameters> {
    request.plan().ok().map(|plan| plan.best().parameters().clone())
}

fn of_engine(parameters: &Parameters) -> ListedParameters {
    let engine = parameters.engine();
    let bits = parameters.input_modulus().ilog2();
    let name = match engine {
        _ if parameters.bridged().is_ok() => {
            format!("bridged, {bits} bits, {}", parameters.method_name())
        }
        Engine::Packed => {
            let log2_degree = parameters.ring_degree().ilog2();
            format!("{engine}, {bits} bits, degree 2^{log2_degree}, {}", parameters.method_name())
        }
        _ => format!("{engine}, {bits} bits, {}", parameters.method_name()),
    };
    ListedParameters {
        name,
        security_level: parameters.security_level(),
        log2_fail: Some(parameters.log2_fail()),
        instances: parameters.lwe_instances(),
    }
}

/// Lists parameters for numbers of packed values that are small enough for a secret of blocks.
fn of_few_values(parameters: &Parameters) -> ListedParameters {
    let listed = of_engine(parameters);
    ListedParameters { name: format!("{FEW_VALUES} values, {}", listed.name), ..listed }
}

fn of_leveled_set(set: ParameterSet) -> ListedParameters {
    let parameters = set.parameters();
    ListedParameters {
        name: format!("{}, {set}", Engine::Leveled),
        security_level: parameters.security_level(),
        log2_fail: None,
        instances: parameters.fhew().lwe_instances(),
    }
}

/// Lists the sets of gates, integers and AES.
fn of_applications() -> Result<Vec<ListedParameters>> {
    let [bits, wide] = INTEGER_BITS;
    let aes = transciphering::Parameters::default_128();
    Ok(vec![
        of_gates("booleans", &gates::Parameters::default_128()),
        of_gates("booleans, 2^-128", &gates::Parameters::with_log2_fail(SURE_LOG2_FAIL)?),
        of_integers("integers", &large_values::Parameters::new(bits)?),
        of_integers("integers, 28 bits", &large_values::Parameters::new(wide)?),
        of_integers(
            "integers, 2^-128",
            &large_values::Parameters::with_log2_fail(bits, SURE_LOG2_FAIL)?,
        ),
        ListedParameters {
            name: "transciphering".to_owned(),
            security_level: aes.security_level(),
            log2_fail: Some(aes.log2_fail()),
            instances: aes.circuit_bootstrapping().fhew().lwe_instances(),
        },
    ])
}

fn of_gates(name: &str, gates: &gates::Parameters) -> ListedParameters {
    ListedParameters {
        name: name.to_owned(),
        security_level: gates.security_level(),
        log2_fail: Some(gates.log2_fail()),
        instances: gates.fhew().lwe_instances(),
    }
}

fn of_integers(name: &str, integers: &large_values::Parameters) -> ListedParameters {
    ListedParameters {
        name: name.to_owned(),
        security_level: integers.security_level(),
        log2_fail: Some(integers.log2_fail()),
        instances: integers.fhew().lwe_instances(),
    }
}

/// Returns the named sets of the engine `single`, whatever they are used for.
fn fhew_sets() -> [(&'static str, FhewParameters); 5] {
    [
        ("default_128", FhewParameters::default_128()),
        ("decomposition_128", FhewParameters::decomposition_128()),
        ("sure_decomposition_128", FhewParameters::sure_decomposition_128()),
        ("wide_decomposition_128", FhewParameters::wide_decomposition_128()),
        ("gates_128", FhewParameters::gates_128()),
    ]
}

/// Lists a set of the engine `single`, whose failure probability depends on what it is used for.
fn of_fhew(name: &str, parameters: FhewParameters) -> ListedParameters {
    ListedParameters {
        name: format!("fhew, {name}"),
        security_level: SecurityLevel::Bits128,
        log2_fail: None,
        instances: parameters.lwe_instances(),
    }
}

/// Lists the parameters for comparisons of packed integers, with the largest failure probability of any operation.
fn of_comparisons(bits: u32) -> Result<ListedParameters> {
    let plan = Request::comparisons(bits).plan()?;
    let parameters = plan.parameters();
    let failures = plan.operations().iter().map(|planned| planned.failure.log2());
    let log2_fail = failures.fold(f64::NEG_INFINITY, f64::max);
    Ok(ListedParameters {
        name: format!("comparisons, {bits} bits, {}", parameters.method_name()),
        security_level: parameters.security_level(),
        log2_fail: Some(log2_fail),
        instances: parameters.lwe_instances(),
    })
}

/// Lists a set of bits in slots.
fn of_bits((name, parameters): (String, bits::Parameters)) -> ListedParameters {
    ListedParameters {
        name: format!("circuits, {name}"),
        security_level: parameters.literal().security,
        log2_fail: Some(parameters.log2_fail()),
        instances: parameters.lwe_instances(),
    }
}

/// Lists a set of vectors of numbers.
fn of_vectors(parameters: &ckks::Parameters) -> ListedParameters {
    ListedParameters {
        name: format!("ckks, {}", parameters.literal().name),
        security_level: parameters.security_level(),
        log2_fail: parameters.is_bootstrappable().then(|| parameters.log2_fail()),
        instances: parameters.lwe_instances(),
    }
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::security::SecretDistribution;

    use super::*;

    /// Returns whether the table of estimates has a row that bounds the security of an instance from below against
    /// every attack: a row with the same secret, at most the same dimension, and at least the same modulus.
    fn is_estimated(instance: &LweInstance) -> bool {
        let table = include_str!("../../lattice/src/security/shipped_sets.csv");
        let secret = match instance.secret() {
            SecretDistribution::Binary => "binary".to_owned(),
            SecretDistribution::UniformTernary => "ternary".to_owned(),
            SecretDistribution::FixedWeightTernary(weight) => weight.to_string(),
            SecretDistribution::Blocks(blocks) => format!("blocks{blocks}"),
        };
        table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()).any(|row| {
            let number = |index: usize| row[index].parse::<f64>().unwrap();
            let costs = row[5..].iter().filter(|cost| !cost.is_empty());
            let costs: Vec<f64> = costs.map(|cost| cost.parse().unwrap()).collect();
            row[1] == instance.is_ring().to_string()
                && row[2] == secret
                && number(0) <= instance.dimension() as f64
                && number(3) >= instance.log2_modulus() - 0.01
                && costs.len() >= 2
                && costs.iter().all(|&cost| cost >= 128.0)
        })
    }

    fn check(max_bits: u32, packed: usize, single: usize, bridged: usize) {
        let list = list_up_to(max_bits).unwrap();
        for set in &list {
            assert!(!set.security_level.is_insecure(), "{}", set.name);
            // All sets rest on at least two secrets, except vectors without bootstrapping.
            let secrets = if set.name == "ckks, leveled_128" { 1 } else { 2 };
            assert!(set.instances.len() >= secrets, "{}", set.name);
            for instance in &set.instances {
                assert_eq!(instance.check(), Ok(()), "{}: {}", set.name, instance.name());
                assert!(is_estimated(instance), "{}: {instance:?}", set.name);
                let bits = instance.estimated_bits();
                assert!(bits.is_some_and(|bits| bits >= 128.0), "{}: {instance:?}", set.name);
                // A meet-in-the-middle attack weakens sparse secrets by more bits than their small moduli suggest.
                let is_sparse =
                    matches!(instance.secret(), SecretDistribution::FixedWeightTernary(_));
                assert!(!is_sparse || bits.is_some_and(|bits| bits <= 153.4), "{}", set.name);
            }
            assert!(set.security_bits() >= 128.0, "{}", set.name);
            assert!(set.log2_fail.is_none_or(|log2_fail| log2_fail <= -40.0), "{}", set.name);
        }
        let starting = |start: &str| list.iter().filter(|set| set.name.starts_with(start)).count();
        let found = ["packed", "single", "bridged", "leveled"].map(starting);
        assert_eq!(found, [packed, single, bridged, ParameterSet::ALL.len()]);
        let applications = ["booleans", "integers", "transciphering"].map(starting);
        assert_eq!(applications, [2, 3, 1]);
        assert_eq!((starting("circuits"), starting("ckks")), (10, 4));
        assert_eq!(starting("comparisons"), 3);
    }

    #[test]
    fn every_secret_of_every_set_has_128_bits() {
        // At both ring degrees.
        check(3, 6, 3, 3);
    }

    #[test]
    #[ignore = "slow: run by make test-all"]
    fn every_secret_of_every_set_has_128_bits_at_all_widths() {
        // Degree 2^15 serves 6 bits, single values 6.
        check(24, 24 + 6, 6, 6);
    }

    /// Public constructors of 128-bit sets: crate, function, and the beginning of the set's name in the list.
    const CONSTRUCTORS: [(&str, &str, &str); 19] = [
        ("approximate", "bootstrapping_128", "ckks, bootstrapping_128"),
        ("approximate", "leveled_128", "ckks, leveled_128"),
        ("approximate", "lookups_128", "ckks, lookups_128"),
        ("approximate", "sparse_bootstrapping_128", "ckks, sparse_bootstrapping_128"),
        ("bits", "balanced_128", "circuits, balanced_128"),
        ("bits", "cleaning_128", "circuits, cleaning_128"),
        ("bits", "functions_128", "circuits, functions_128"),
        ("bits", "latency_128", "circuits, latency_128"),
        ("bits", "sums_128", "circuits, sums_128"),
        ("bits", "tables_128", "circuits, tables_128"),
        ("bits", "throughput_128", "circuits, throughput_128"),
        // Rests on the LWE problems of the two sets that it connects; listed among single values that may be packed.
        ("conversion", "between_128", "bridged, "),
        ("fhew", "decomposition_128", "fhew, decomposition_128"),
        // This one is for gates; the engine `single` has a set of the same name.
        ("fhew", "default_128", "booleans"),
        ("fhew", "default_128", "fhew, default_128"),
        ("fhew", "gates_128", "fhew, gates_128"),
        ("fhew", "sure_decomposition_128", "fhew, sure_decomposition_128"),
        ("fhew", "wide_decomposition_128", "fhew, wide_decomposition_128"),
        ("leveled", "default_128", "transciphering"),
    ];

    /// Collects the names of public functions ending in `_128` from the sources below a folder, with repetitions.
    fn constructors_of(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                constructors_of(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let names = text.lines().filter_map(|line| line.trim().strip_prefix("pub fn "));
                let names = names.filter_map(|rest| rest.split_once('(')).map(|(name, _)| name);
                found.extend(names.filter(|name| name.ends_with("_128")).map(str::to_owned));
            }
        }
    }

    #[test]
    fn every_public_constructor_is_listed() {
        let crates = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let mut found = Vec::new();
        for entry in std::fs::read_dir(crates).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Front ends call the constructors of the crates below them.
            if !path.join("src").is_dir() || ["python", "bench", "cryptable"].contains(&&*name) {
                continue;
            }
            let mut constructors = Vec::new();
            constructors_of(&path.join("src"), &mut constructors);
            found.extend(constructors.into_iter().map(|constructor| (name.clone(), constructor)));
        }
        found.sort();
        let known = CONSTRUCTORS.map(|(name, set, _)| (name.to_owned(), set.to_owned()));
        assert_eq!(found, known, "constructors of parameters that the list has to have");
        let list = list_up_to(1).unwrap();
        for (_, _, start) in CONSTRUCTORS {
            assert!(list.iter().any(|set| set.name.starts_with(start)), "{start} is not listed");
        }
    }

    #[test]
    fn toys_say_that_they_are_insecure_and_would_be_refused_otherwise() {
        let aes = transciphering::Parameters::insecure_toy();
        let aes = (aes.security_level(), aes.circuit_bootstrapping().fhew().lwe_instances());
        let gates = gates::Parameters::insecure_toy();
        let integers = large_values::Parameters::insecure_toy(8).unwrap();
        let mut toys = vec![
            aes,
            (gates.security_level(), gates.fhew().lwe_instances()),
            (integers.security_level(), integers.fhew().lwe_instances()),
        ];
        for engine in Engine::ALL {
            let toy = Parameters::insecure_toy(engine, 4, 4).unwrap();
            toys.push((toy.security_level(), toy.lwe_instances()));
        }
        let bits = bits::Parameters::insecure_toy(bits::Packing::Real).unwrap();
        toys.push((bits.literal().security, bits.lwe_instances()));
        for vectors in
            [ckks::Parameters::insecure_toy(), ckks::Parameters::insecure_toy_bootstrapping()]
        {
            let vectors = vectors.unwrap();
            toys.push((vectors.security_level(), vectors.lwe_instances()));
        }
        for (level, instances) in toys {
            assert!(level.is_insecure(), "{instances:?}");
            assert!(instances.iter().any(|instance| instance.check().is_err()), "{instances:?}");
        }
    }
}
