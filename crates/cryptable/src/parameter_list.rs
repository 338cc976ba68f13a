//! Every parameter set that this library ships, and the LWE problems that each rests on: for estimates of others.

use cryptable_lattice::security::LweInstance;
use cryptable_leveled::parameters::ParameterSet;
use rayon::prelude::*;

use crate::known_sets;
use crate::{
    CostModel, Engine, Parameters, Request, Result, SecurityLevel, booleans, circuits, ckks,
    comparisons, integers::large_values, transciphering,
};

/// Widest table that is listed, in bits: the widest of any engine.
const MAX_BITS: u32 = 24;

/// Widest table of single values that may be packed, in bits.
const MAX_BRIDGED_BITS: u32 = 6;

/// Bits of integers whose parameters are listed; all widths share their LWE problems.
const INTEGER_BITS: u32 = 24;

/// Bits of packed integers that are compared, whose parameters are listed.
const COMPARISON_BITS: [u32; 3] = [12, 21, 32];

/// Ring degrees of packed values.
const RING_DEGREES: [usize; 2] = [1 << 15, 1 << 16];

/// A parameter set of the list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListedParameters {
    /// What it is for, as people read it.
    pub name: String,
    /// What it claims of its security.
    pub security_level: SecurityLevel,
    /// log2 of the probability that a value, a gate, a bit, or a block of AES goes wrong; `None` for sets of circuit
    /// bootstrapping, where it depends on the circuit.
    pub log2_fail: Option<f64>,
    /// The LWE problems that its secrets rest on.
    pub instances: Vec<LweInstance>,
}

impl ListedParameters {
    /// The level in bits: of the weakest secret.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        LweInstance::least_security_bits(&self.instances)
    }
}

/// Lists the parameters that the planner takes by default for tables of every width, by the built-in cost model, and
/// all sets that have names.
///
/// ```no_run
/// // Plans tables of every width, which takes half a minute.
/// for set in cryptable::list_parameters()? {
///     println!("{}: {:.1} bits", set.name, set.security_bits());
/// }
/// # Ok::<(), cryptable::Error>(())
/// ```
///
/// # Errors
/// Never, unless the library is at odds with itself: all listed sets are valid.
pub fn list_parameters() -> Result<Vec<ListedParameters>> {
    list_up_to(MAX_BITS)
}

/// The list for tables of up to so many bits.
fn list_up_to(max_bits: u32) -> Result<Vec<ListedParameters>> {
    let widths = || (1..max_bits + 1).into_par_iter();
    let packed: Vec<Parameters> = RING_DEGREES
        .into_par_iter()
        .flat_map(|degree| widths().map(move |bits| (degree, bits)))
        .filter_map(|(degree, bits)| fastest(request(bits, Engine::Packed).ring_degree(degree)))
        .collect();
    let single: Vec<Parameters> =
        widths().filter_map(|bits| fastest(request(bits, Engine::Single))).collect();
    // Of single values in packed lookups, up to the widest table of single values.
    let bridged: Vec<Parameters> = (1..max_bits.min(MAX_BRIDGED_BITS) + 1)
        .into_par_iter()
        .filter_map(|bits| fastest(request(bits, Engine::Packed).inputs(Engine::Single)))
        .collect();
    let all = packed.iter().chain(&single).chain(&bridged);
    let mut list: Vec<ListedParameters> = all.map(of_engine).collect();
    list.extend(ParameterSet::ALL.map(of_leveled_set));
    list.extend(of_applications()?);
    list.extend(COMPARISON_BITS.into_par_iter().map(of_comparisons).collect::<Result<Vec<_>>>()?);
    list.extend(known_sets::bit_sets()?.into_iter().map(of_bits));
    list.extend(known_sets::vector_sets()?.iter().map(of_vectors));
    Ok(list)
}

fn request(bits: u32, engine: Engine) -> Request {
    Request::new(1 << bits, 1 << bits).engine(engine).cost_model(CostModel::default()).threads(1)
}

/// The planner's choice; `None` if the engine does not serve the request.
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

fn of_leveled_set(set: ParameterSet) -> ListedParameters {
    let parameters = set.parameters();
    ListedParameters {
        name: format!("{}, {set}", Engine::Leveled),
        security_level: parameters.security_level(),
        log2_fail: None,
        instances: parameters.fhew().lwe_instances(),
    }
}

/// Gates, integers and AES.
fn of_applications() -> Result<[ListedParameters; 3]> {
    let (gates, integers) =
        (booleans::Parameters::default_128(), large_values::Parameters::new(INTEGER_BITS)?);
    let aes = transciphering::Parameters::default_128();
    Ok([
        ListedParameters {
            name: "booleans".to_owned(),
            security_level: gates.security_level(),
            log2_fail: Some(gates.log2_fail()),
            instances: gates.fhew().lwe_instances(),
        },
        ListedParameters {
            name: "integers".to_owned(),
            security_level: integers.security_level(),
            log2_fail: Some(integers.log2_fail()),
            instances: integers.fhew().lwe_instances(),
        },
        ListedParameters {
            name: "transciphering".to_owned(),
            security_level: aes.security_level(),
            log2_fail: Some(aes.log2_fail()),
            instances: aes.circuit_bootstrapping().fhew().lwe_instances(),
        },
    ])
}

/// Comparisons of packed integers; what fails is any operation.
fn of_comparisons(bits: u32) -> Result<ListedParameters> {
    let plan = comparisons::Request::new(bits).plan()?;
    let parameters = plan.parameters();
    let of_value = |planned: &comparisons::PlannedOperation| {
        planned.failure.log2() - (parameters.values_per_ciphertext() as f64).log2()
    };
    let log2_fail = plan.operations().iter().map(of_value).fold(f64::NEG_INFINITY, f64::max);
    Ok(ListedParameters {
        name: format!("comparisons, {bits} bits, {}", parameters.method_name()),
        security_level: parameters.security_level(),
        log2_fail: Some(log2_fail),
        instances: parameters.lwe_instances(),
    })
}

/// A set of bits in slots.
fn of_bits((name, parameters): (String, circuits::Parameters)) -> ListedParameters {
    ListedParameters {
        name: format!("circuits, {name}"),
        security_level: parameters.literal().security,
        log2_fail: Some(parameters.literal().log2_fail),
        instances: parameters.lwe_instances(),
    }
}

/// A set of vectors of numbers.
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

    /// Whether a row of the estimates of shipped sets bounds an instance from below, by every attack: it has the same
    /// secret, no more dimensions and no smaller modulus.
    fn is_estimated(instance: &LweInstance) -> bool {
        let table = include_str!("../../lattice/src/security/shipped_sets.csv");
        let secret = match instance.secret() {
            SecretDistribution::Binary => "binary".to_owned(),
            SecretDistribution::UniformTernary => "ternary".to_owned(),
            SecretDistribution::FixedWeightTernary(weight) => weight.to_string(),
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
            // All but vectors without bootstrapping rest on two secrets or more.
            let secrets = if set.name == "ckks, leveled_128" { 1 } else { 2 };
            assert!(set.instances.len() >= secrets, "{}", set.name);
            for instance in &set.instances {
                assert_eq!(instance.check(), Ok(()), "{}: {}", set.name, instance.name());
                assert!(is_estimated(instance), "{}: {instance:?}", set.name);
            }
            assert!(set.security_bits() >= 128.0, "{}", set.name);
            assert!(set.log2_fail.is_none_or(|log2_fail| log2_fail <= -40.0), "{}", set.name);
        }
        let starting = |start: &str| list.iter().filter(|set| set.name.starts_with(start)).count();
        let found = ["packed", "single", "bridged", "leveled"].map(starting);
        assert_eq!(found, [packed, single, bridged, ParameterSet::ALL.len()]);
        for name in ["booleans", "integers", "transciphering"] {
            assert_eq!(starting(name), 1, "{name}");
        }
        assert_eq!((starting("circuits"), starting("ckks")), (10, 3));
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

    #[test]
    fn toys_say_that_they_are_insecure_and_would_be_refused_otherwise() {
        let aes = transciphering::Parameters::insecure_toy();
        let aes = (aes.security_level(), aes.circuit_bootstrapping().fhew().lwe_instances());
        let gates = booleans::Parameters::insecure_toy();
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
        let bits = circuits::Parameters::insecure_toy(circuits::Packing::Real).unwrap();
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
