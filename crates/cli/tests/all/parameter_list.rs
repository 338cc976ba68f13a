//! `cryptable plan --list-parameters`: the list as estimators read it.

use crate::support;

use support::Workspace;

#[test]
#[ignore = "slow: run by make test-all"]
fn every_secret_has_a_line() {
    let here = Workspace::new();
    let csv = here.succeed("plan --list-parameters --csv");
    let mut lines = csv.lines();
    let header = "parameters,name,dimension,ring,log2_modulus,secret,error_std,security_bits";
    assert_eq!(lines.next(), Some(header));
    let sparse =
        lines.clone().filter(|line| line.contains("sparse secret") && line.contains(",32,"));
    let dense = lines.clone().filter(|line| line.contains("dense secret"));
    assert_eq!(sparse.count(), dense.count());
    for line in lines {
        let bits: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        assert!(bits >= 128.0, "{line}");
    }
}
