//! Tests that `docs/dependencies.md` lists exactly the dependencies of the workspace, with the requested versions.

use std::collections::BTreeMap;

/// Returns names and versions of dependencies in the workspace's manifest, without the crates of the workspace.
fn declared(manifest: &str) -> BTreeMap<&str, &str> {
    let start = manifest.split_once("[workspace.dependencies]").unwrap().1;
    let lines = start.lines().skip(1).take_while(|line| !line.starts_with('['));
    lines
        .filter(|line| !line.contains("path = "))
        .filter_map(|line| {
            let (name, rest) = line.split_once(" = ")?;
            // The version is the first text in quotes: `"1"` or `{ version = "1", ... }`.
            Some((name, rest.split('"').nth(1)?))
        })
        .collect()
}

/// Returns names and versions in the table.
fn documented(page: &str) -> BTreeMap<&str, &str> {
    page.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split(" | ");
            let name = cells.next()?.strip_suffix('`')?;
            Some((name, cells.next()?))
        })
        .collect()
}

#[test]
fn every_dependency_is_documented() {
    let declared = declared(include_str!("../../../../Cargo.toml"));
    let documented = documented(include_str!("../../../../docs/dependencies.md"));
    assert!(declared.len() > 20, "{declared:?}");
    assert_eq!(documented, declared);
}
