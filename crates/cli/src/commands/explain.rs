//! Explanations of the names of engines and methods, in one line each.

use cryptable::{Engine, Parameters};

/// Returns an engine's name and summary.
pub fn engine(engine: Engine) -> String {
    format!("{engine}: {}", engine.summary())
}

/// Explains how a method evaluates tables; `None` for an unknown name.
pub fn method(parameters: &Parameters) -> Option<String> {
    let name = parameters.method_name();
    if let Parameters::Bridged(bridged) = parameters {
        let looked_up = packed(&bridged.packed().method_name())?;
        return Some(format!(
            "many values become one ciphertext (ring packing, Bae et al., CRYPTO 2023), and results single values again \
             (extraction, Bae et al., EUROCRYPT 2024); between them {looked_up}"
        ));
    }
    match parameters.engine() {
        Engine::Packed => packed(&name).map(str::to_owned),
        Engine::Single => single(&name),
        Engine::Leveled => leveled(&name).map(str::to_owned),
    }
}

/// Returns a method's name, followed by its explanation.
pub fn named_method(parameters: &Parameters) -> String {
    let name = parameters.method_name();
    match method(parameters) {
        Some(meaning) => format!("{name}: {meaning}"),
        None => name,
    }
}

/// Explains a packed method. Sizes of digits may follow the name.
fn packed(name: &str) -> Option<&'static str> {
    Some(match name.split(' ').next()? {
        "AKP" => {
            "the whole table as one trigonometric polynomial (Alexandru, Kim, Polyakov, ePrint 2024/1623)"
        }
        "BMT" => "a multiplexer tree over the bits of a value (Dumezy et al., ePrint 2025/1301)",
        "CMT" => {
            "a multiplexer tree over larger digits, of the sizes named (Dumezy et al., ePrint 2025/1301)"
        }
        _ => return None,
    })
}

/// Explains a method of the engine `single`. A star after the name means that several tables share one blind rotation.
fn single(name: &str) -> Option<String> {
    let (plain, is_starred) = match name.strip_suffix('*') {
        Some(plain) => (plain, true),
        None => (name, false),
    };
    let meaning = single_plain(plain)?;
    let star = "; *: parts of the table share a blind rotation (multi-value bootstrapping)";
    Some(format!("{meaning}{}", if is_starred { star } else { "" }))
}

fn single_plain(name: &str) -> Option<&'static str> {
    Some(match name {
        "odd modulus" => "one blind rotation, which serves any table of an odd number of inputs",
        "EvalFunc" => {
            "two blind rotations, of which the first finds the top bit (Liu, Micciancio, Polyakov, ASIACRYPT 2022)"
        }
        "FDFB-KS" | "FDFB-KS, 2 digits" | "FDFB-KS, modulo Q" => {
            "an encrypted top bit selects what a blind rotation starts from (Kluczniak, Schild, TCHES 2023)"
        }
        "Comp" => "the table as an odd one plus an even one (Clet et al., ePrint 2022/149)",
        "WoP-PBS1" | "WoPPBS1-Refine" => {
            "both halves of the table, and a product with the top bit (Chillotti et al., ASIACRYPT 2021)"
        }
        "WoP-PBS2" => {
            "each half of the table times the top bit or its complement (Chillotti et al., ASIACRYPT 2021)"
        }
        "FDFB-BFVMult" | "FDFB-BFVMult, interleaved" => {
            "a product with the encrypted top bit selects half a table (Ma et al., TCHES 2024, Algorithm 6)"
        }
        "FDFB-Compress" => {
            "two blind rotations, of which the first brings both halves together (Ma et al., TCHES 2024, Algorithm 1)"
        }
        "FDFB-CancelSign" => {
            "two blind rotations by one phase, whose signs cancel (Ma et al., TCHES 2024, Algorithm 2)"
        }
        "FDFB-Select" => {
            "a blind rotation selects between results of both halves (Ma et al., TCHES 2024, Algorithm 3)"
        }
        "FDFB-SelectAlt" => {
            "sum and difference of both halves, the difference with its sign (Ma et al., TCHES 2024, Algorithm 4)"
        }
        _ => return None,
    })
}

fn leveled(name: &str) -> Option<&'static str> {
    name.starts_with("CMUX tree").then_some(
        "bits of a value, made selectors by blind rotations, walk the table (circuit bootstrapping, Wang et al., \
         EUROCRYPT 2024); depth: how many selections in a row keep 2^-64",
    )
}

#[cfg(test)]
mod tests {
    use cryptable_fhew::full_domain;

    use super::*;

    #[test]
    fn every_method_is_explained() {
        for modulus in [4, 5] {
            for method in full_domain::methods_for(modulus) {
                assert!(single(method.name()).is_some(), "{}", method.name());
            }
        }
        for name in ["AKP", "BMT 2^8", "CMT 16 x 8^2"] {
            assert!(packed(name).is_some());
        }
        assert!(leveled("CMUX tree, depth 11").is_some());
        assert!(single("x").is_none() && packed("x").is_none() && leveled("x").is_none());
    }
}
