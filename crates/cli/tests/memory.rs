//! Limits of the process's memory: work that does not fit is refused with an error object, before it starts or when an
//! allocation fails.
#![cfg(all(target_os = "linux", feature = "client"))]

mod support;

use support::Workspace;

/// Limits in kibibytes, the unit of `ulimit`: from the memory that the program needs without a key to enough for
/// everything.
const LIMITS: [u32; 7] = [80_000, 100_000, 150_000, 200_000, 250_000, 300_000, 1_000_000];

/// Runs a command under every limit of a kind, `-v` for address space and `-d` for data, and checks that it succeeds or
/// says what is wrong. Returns the number of successes.
///
/// The allocator reserves address space for threads, 64 MiB at a time, which no prediction covers. Just below the sufficient
/// limit, the system therefore refuses small allocations, which then come from the reserve.
fn under_limits(here: &Workspace, kind: &str, line: &str) -> usize {
    let mut successes = 0;
    for limit in LIMITS {
        let script = format!("ulimit {kind} {limit}; cryptable --json --threads 2 {line}");
        let output = here.shell(&script);
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => successes += 1,
            Some(1) => {
                let last = errors.lines().last().unwrap_or_default();
                let object: serde_json::Value = serde_json::from_str(last).unwrap();
                let message = object["error"]["message"].as_str().unwrap();
                assert!(message.to_lowercase().contains("memory"), "{kind} {limit}: {message}");
            }
            status => panic!("{line} under {kind} {limit} KiB ended with {status:?}: {errors}"),
        }
    }
    successes
}

#[test]
fn work_beyond_the_limit_is_refused() {
    let here = Workspace::new();
    let files = "--secret client.key --evaluation server.key";
    here.succeed(&format!("keygen --mode single --bits 4 {files}"));
    let table: String = (0..16).map(|x| format!("{}\n", x * x % 16)).collect();
    here.write("table.csv", table).write("values.csv", "3\n9\n");
    here.succeed("encrypt --secret client.key --input values.csv --output v.ct");
    let files = "--evaluation server.key --table table.csv --input v.ct --output r.ct";
    let keygen = "keygen --mode single --bits 4 --secret new.key --evaluation new.server --force";
    for kind in ["-v", "-d"] {
        let successes = under_limits(&here, kind, keygen);
        assert!((1..LIMITS.len()).contains(&successes), "keygen {kind}: {successes}");
        // With the check of predictions, and without it: then the key's buffers, of 49 and 97 MB, are refused.
        for memory in ["", "--memory 10GB --max-key-memory 10GB"] {
            let line = format!("lookup --force {memory} {files}");
            let successes = under_limits(&here, kind, &line);
            assert!((1..LIMITS.len()).contains(&successes), "{kind} {memory}: {successes}");
        }
    }
}

/// Checks that only usable processors are counted. The standard library counts them, which also reads the quotas of control
/// groups.
#[test]
fn processors_that_the_process_may_not_use_are_not_counted() {
    let here = Workspace::new();
    let output = here.shell("taskset -c 0 cryptable --json plan --mode single --bits 4");
    if output.status.code() == Some(127) {
        return;
    }
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plan["threads"], 1, "{plan}");
}
