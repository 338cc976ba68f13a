//! The client with TLS, against a proxy that speaks TLS in front of a server.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::{numbers, ready};
use crate::server::Process;
use crate::support::Workspace;

/// A TLS proxy in front of a server, in a process that is killed when it is dropped.
struct Proxy {
    child: Child,
    port: u16,
}

impl Proxy {
    /// Starts a proxy that shows the certificate `name`.
    fn start(workspace: &Workspace, process: &Process, name: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/remote/tls_proxy.py");
        let mut child = Command::new("python3")
            .args([script, process.url.rsplit(':').next().unwrap()])
            .args(["pem", "key"].map(|ending| workspace.path(&format!("{name}.{ending}"))))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a certificate that signs itself, and its key.
fn certify(workspace: &Workspace, name: &str) {
    let mut command = Command::new("openssl");
    command
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]);
    command.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
    command.arg("-keyout").arg(workspace.path(&format!("{name}.key")));
    command.arg("-out").arg(workspace.path(&format!("{name}.pem")));
    let output = command.output().expect("the tool openssl, which comes with the library");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_lookup_over_https_trusts_the_certificate_of_that_address_only() {
    let (workspace, process) = ready("--mode single --bits 2", 4);
    certify(&workspace, "trusted");
    certify(&workspace, "other");
    let proxy = Proxy::start(&workspace, &process, "trusted");
    let run = |line: &str, host: &str, authority: &str| {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let url = format!("https://{host}:{}", proxy.port);
        let line =
            format!("remote {command} --server {url} --token-file token --patience 20 {rest}");
        let mut command = workspace.strict_command(&line);
        command.env("SSL_CERT_FILE", workspace.path(authority)).env_remove("SSL_CERT_DIR");
        command.assert()
    };
    // Refused connections are not tried again, and no token is sent.
    for (host, authority) in [("127.0.0.1", "other.pem"), ("localhost", "trusted.pem")] {
        let error = run("tables", host, authority).code(4).get_output().stderr.clone();
        let error = String::from_utf8(error).unwrap();
        assert!(error.contains("certificate verify failed"), "{host}, {authority}: {error}");
    }
    let log = workspace.text("log");
    assert!(!log.contains("/v1/"), "{log}");

    workspace.write("values.csv", "0\n1\n2\n3\n3\n");
    workspace.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    let trusting = |line: &str| run(line, "127.0.0.1", "trusted.pem").success();
    trusting("upload server.key --part 1MiB");
    trusting("lookup --table backwards --input values.ct --output result.ct");
    workspace.succeed("decrypt --secret client.key --input result.ct --output result.csv");
    assert_eq!(numbers(&workspace, "result.csv"), [3, 2, 1, 0, 0]);
    let log = workspace.text("log");
    assert!(log.contains("/v1/uploads") && log.contains("job is done"), "{log}");
}
