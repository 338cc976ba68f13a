//! Suggestions for misspelt names.

/// Largest number of letters in which a suggestion may differ.
const MOST_EDITS: usize = 2;

/// Returns `; did you mean "age"?` with the known name that is nearest, or nothing if none is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let plain = |text: &str| text.trim().to_lowercase();
    let wanted = plain(name);
    let distances =
        known.into_iter().map(|other| (strsim::levenshtein(&wanted, &plain(other)), other));
    let nearest = distances.min_by_key(|&(distance, _)| distance);
    // Two letters of a short name are too many.
    let most = MOST_EDITS.min(wanted.chars().count() / 2);
    match nearest.filter(|&(distance, _)| distance <= most) {
        Some((_, nearest)) => format!("; did you mean \"{}\"?", cryptable_wire::printable(nearest)),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let known = ["age", "postcode", "income"];
        for (name, meant) in
            [("Age", "age"), (" age", "age"), ("postkode", "postcode"), ("incme", "income")]
        {
            assert_eq!(did_you_mean(name, known), format!("; did you mean \"{meant}\"?"));
        }
        for name in ["b", "", "balance"] {
            assert_eq!(did_you_mean(name, known), "");
        }
    }
}
