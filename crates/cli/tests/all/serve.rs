//! `cryptable serve`, from the operator's side, and files of the command line over HTTP.
#![cfg(all(feature = "client", feature = "serve"))]

use crate::server;
use crate::support;

use std::fs::File;
use std::ops::ControlFlow;
use std::process::Command;

use cryptable_service::Client;
use cryptable_service::messages::{Job, Kind, Order, State};

use server::Process;
use support::Workspace;

/// Starts a server, and orders a lookup of five values in a table that counts backwards.
fn order(workspace: &Workspace, options: &str) -> (Process, Client, Job) {
    workspace.write("table.csv", "3\n2\n1\n0\n").write("values.csv", "0\n1\n2\n3\n3\n");
    let table = "serve table add --folder service --name backwards --table table.csv";
    assert!(workspace.succeed(table).contains("backwards: 4 -> 4"));
    let token = workspace.succeed("serve client add --folder service --name one");
    workspace.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let process = Process::start_with(workspace, options);
    let client = Client::new(&process.url, token.trim());
    let key = client.register(&mut File::open(workspace.path("server.key")).unwrap()).unwrap();
    let mut silent = |_| ControlFlow::Continue(());
    let mut input = File::open(workspace.path("values.ct")).unwrap();
    let sent = client.upload(Kind::Ciphertext, &mut input, &mut silent).unwrap();
    let tables = vec!["backwards".to_owned()];
    let order = Order { key: key.sha256, ciphertext: sent.sha256, tables, bits_key: None };
    let job = client.order(&order).unwrap();
    (process, client, job)
}

/// Waits for the job, and compares its values.
fn check(workspace: &Workspace, client: &Client, job: &Job) {
    let job = client.wait(&job.id, &mut |_| ControlFlow::Continue(())).unwrap();
    client.fetch(&job, 0, &mut File::create(workspace.path("result.ct")).unwrap()).unwrap();
    workspace.succeed("decrypt --secret client.key --input result.ct --output result.csv");
    let result = workspace.text("result.csv");
    let numbers: Vec<&str> = result.lines().filter(|line| line.parse::<u64>().is_ok()).collect();
    assert_eq!(numbers, ["3", "2", "1", "0", "0"]);
}

#[test]
#[cfg(unix)]
fn a_worker_beside_the_server_runs_its_jobs_and_ends_when_it_is_told() {
    let workspace = Workspace::with_keys("--mode single --bits 2");
    let (_process, client, job) = order(&workspace, "--no-worker");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_cryptable"));
    worker.args(["serve", "worker", "--allow-insecure", "--quiet", "--folder"]);
    worker.arg(workspace.path("service")).env("CRYPTABLE_CALIBRATION", "off");
    assert_eq!(client.job(&job.id).unwrap().state, State::Queued);
    let mut worker = worker.spawn().unwrap();
    check(&workspace, &client, &job);
    let kill = Command::new("kill").args(["-TERM", &worker.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert!(worker.wait().unwrap().success());
}

#[test]
fn files_of_the_command_line_are_looked_up_by_a_server() {
    let workspace = Workspace::with_keys("--mode single --bits 2");
    let (process, client, job) = order(&workspace, "");
    assert!(workspace.succeed("serve table list --folder service").contains("backwards"));
    assert_eq!(workspace.succeed("serve client list --folder service").trim(), "one");
    check(&workspace, &client, &job);
    // The operator's commands reach a server that runs.
    let renewed = workspace.succeed("serve client renew --folder service --name one");
    assert!(client.tables().unwrap_err().to_string().contains("401"));
    let client = Client::new(&process.url, renewed.trim());
    assert_eq!(client.keys().unwrap().len(), 1);
    workspace.succeed("serve client remove --folder service --name one");
    assert!(client.tables().unwrap_err().to_string().contains("401"));
}

#[test]
fn the_operator_is_told_what_is_wrong() {
    let workspace = Workspace::new();
    workspace.write("table.csv", "1\n0\n");
    workspace.succeed("serve client add --folder service --name one");
    for (line, expected) in [
        ("serve client add --folder service --name one", "a client one already"),
        ("serve client remove --folder service --name two", "no client two"),
        ("serve client renew --folder service --name two", "no client two"),
        ("serve table remove --folder service --name two", "no table two"),
        ("serve table add --folder service --name a/b --table table.csv", "a name has"),
        ("serve --folder service --listen 0.0.0.0:0", "not on the loopback"),
    ] {
        let error = workspace.fail(line);
        assert!(error.contains(expected), "{line}: {error}");
    }
    let _process = Process::start(&workspace);
    workspace.refuses("serve --folder service --listen 127.0.0.1:0", "another server");
}

/// Lines of a server's log, without colours.
fn log(workspace: &Workspace) -> String {
    workspace.text("log")
}

#[test]
#[cfg(unix)]
fn requests_refusals_and_jobs_are_logged_and_tokens_are_not() {
    let workspace = Workspace::with_keys("--mode single --bits 2");
    workspace.write("table.csv", "3\n2\n1\n0\n").write("values.csv", "0\n1\n");
    workspace.succeed("serve table add --folder service --name backwards --table table.csv");
    let token = workspace.succeed("serve client add --folder service --name hospital");
    let token = token.trim();
    workspace.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let process = Process::start(&workspace);
    let client = Client::new(&process.url, token);
    let key = client.register(&mut File::open(workspace.path("server.key")).unwrap()).unwrap();
    let mut silent = |_| ControlFlow::Continue(());
    let mut input = File::open(workspace.path("values.ct")).unwrap();
    let sent = client.upload(Kind::Ciphertext, &mut input, &mut silent).unwrap();
    let order = Order {
        key: key.sha256,
        ciphertext: sent.sha256,
        tables: vec!["backwards".into()],
        bits_key: None,
    };
    let job = client.order(&order).unwrap();
    let job = client.wait(&job.id, &mut silent).unwrap();
    let mut result = Vec::new();
    client.fetch(&job, 0, &mut result).unwrap();
    let wrong = format!("{}x", &token[1..]);
    assert!(Client::new(&process.url, &wrong).tables().is_err());
    let unknown = Order { tables: vec!["no\nsuch \u{1b}[31m".into()], ..order };
    assert!(client.order(&unknown).is_err());
    assert!(process.terminate().success());
    let log = log(&workspace);
    let line = |parts: &[&str]| {
        let found = log.lines().any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(found, "{parts:?} in {log}");
    };
    let bytes = format!("sent={}", result.len());
    line(&[
        "INFO request",
        r#"client="hospital""#,
        r#"method="GET""#,
        "results/{place}",
        "status=206",
        &bytes,
    ]);
    let received = std::fs::metadata(workspace.path("server.key")).unwrap().len();
    line(&[
        "PATCH",
        r#"route="/v1/uploads/{id}""#,
        "status=204",
        &format!("received={received}"),
        "seconds=",
    ]);
    line(&[
        "WARN request refused",
        "status=401",
        "unauthorized: the token belongs to no client",
        "peer=\"127.0.0.1\"",
    ]);
    line(&["WARN request refused", "hospital", "status=404", "not-found: there is no such table"]);
    line(&["INFO job starts", &job.id, "hospital", "tables=1"]);
    line(&["INFO job is done", &job.id, "hospital", "seconds="]);
    assert!(!log.contains(token) && !log.contains(&wrong), "{log}");
    let is_plain = |letter: char| letter == '\n' || !letter.is_control();
    assert!(log.chars().all(is_plain) && !log.contains("\nsuch"), "{log}");
}

#[test]
fn folders_that_are_no_servers_are_refused() {
    let workspace = Workspace::new();
    workspace.write("thesis.txt", "years of work");
    for line in ["serve --folder .", "serve client add --folder . --name one"] {
        let error = workspace.fail(line);
        assert!(error.contains("not a server's folder") && error.contains("thesis.txt"), "{error}");
    }
    assert_eq!(workspace.files(), ["thesis.txt"]);
    workspace.succeed("serve client add --folder service --name one");
    let unknown = format!("service/files/{}", "a".repeat(32));
    workspace.write(&unknown, "a key");
    let error = workspace.fail("serve --folder service --listen 127.0.0.1:0");
    assert!(
        error.contains("does not know 1 of the files") && error.contains("--recover"),
        "{error}"
    );
    assert_eq!(workspace.read(&unknown), b"a key");
}
