//! `cryptable remote` against a server in a process of its own, which is killed now and then.
#![cfg(all(unix, feature = "client", feature = "serve", feature = "remote"))]

mod server;
mod support;
// On other systems, the environment does not determine which certificates the system's library trusts.
#[cfg(all(feature = "remote-tls", target_os = "linux"))]
#[path = "remote/tls.rs"]
mod tls;

use std::time::{Duration, Instant};

use serde_json::Value;

use server::Process;
use support::Workspace;

/// Returns a workspace with keys, a table, a client and its token, and a server.
fn ready(options: &str, inputs: u64) -> (Workspace, Process) {
    let workspace = Workspace::with_keys(options);
    let table: String = (0..inputs).rev().map(|value| format!("{value}\n")).collect();
    workspace.write("table.csv", table);
    workspace.succeed("serve table add --folder service --name backwards --table table.csv");
    let token = workspace.succeed("serve client add --folder service --name one");
    workspace.write("token", token);
    let process = Process::start(&workspace);
    (workspace, process)
}

/// Returns a command line of `remote` with server and token.
fn at(process: &Process, line: &str) -> String {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    format!("remote {command} --server {} --token-file token {rest}", process.url)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the values of a decrypted file.
fn numbers(workspace: &Workspace, name: &str) -> Vec<u64> {
    let text = workspace.text(name);
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// A client publishes its public key; another one encrypts with it, and sends values that the first looks up.
#[test]
fn values_of_a_contributor() {
    let (workspace, process) = ready("--mode single --bits 2", 4);
    let token = workspace.succeed("serve client add --folder service --name sensor");
    workspace.write("sensor-token", token);
    let sensor =
        |line: &str| at(&process, line).replace("--token-file token", "--token-file sensor-token");
    workspace.succeed("keygen --insecure-toy --mode single --bits 2 --secret c.key --evaluation s.key --public public.key");
    workspace.succeed(&at(&process, "upload s.key public.key"));
    let told = workspace.succeed(&sensor("list"));
    assert!(told.contains("nothing of yours") && told.contains("of one: single, 4"), "{told}");
    let told = workspace.succeed(&sensor("fetch --public-key one --output theirs.key"));
    assert!(told.contains("public key of one") && told.contains("another channel"), "{told}");
    assert_eq!(workspace.read("theirs.key"), workspace.read("public.key"));
    workspace.write("values.csv", "2\n3\n0\n");
    workspace.succeed("encrypt --public theirs.key --input values.csv --output values.ct");
    let error = workspace.fail_with(&sensor("upload --for sensor values.ct"), 3);
    assert!(error.contains("publishes a public key"), "{error}");
    let error = workspace.fail_with(&sensor("upload --for one theirs.key"), 1);
    assert!(error.contains("files of ciphertexts"), "{error}");
    let told = workspace.succeed(&sensor("upload --for one values.ct"));
    assert!(told.contains(", for one"), "{told}");
    let listed = json(&workspace.succeed(&at(&process, "list --json")));
    let file = &listed["ciphertexts"][0];
    assert_eq!(file["contributor"], "sensor");
    let digest = &file["sha256"].as_str().unwrap()[..8];
    let lookup = format!("lookup --table backwards --ciphertext {digest} --output result.ct");
    workspace.succeed(&at(&process, &lookup));
    workspace.succeed("decrypt --secret c.key --input result.ct --output result.csv");
    assert_eq!(numbers(&workspace, "result.csv"), [1, 0, 3]);
    // The file stays with its contributor, who removes it.
    workspace.succeed(&sensor(&format!("remove --ciphertext {digest}")));
    let left = json(&workspace.succeed(&at(&process, "list --json")));
    assert_eq!(left["ciphertexts"], json("[]"));
    let digest = left["public_keys"][0]["sha256"].as_str().unwrap();
    workspace.succeed(&at(&process, &format!("remove --public-key {digest}")));
    assert!(!workspace.succeed(&sensor("list")).contains("public key"));
}

#[test]
fn a_whole_round_without_another_program() {
    let (workspace, process) = ready("--mode single --bits 2", 4);
    workspace.write("values.csv", "0\n1\n2\n3\n3\n");
    workspace.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    assert!(workspace.succeed(&at(&process, "tables")).contains("backwards: 4 -> 4"));
    assert!(workspace.succeed(&at(&process, "list")).contains("nothing of yours"));
    let lookup = "lookup --table backwards --input values.ct --output result.ct";
    let error = workspace.fail_with(&at(&process, lookup), 1);
    assert!(error.contains("no evaluation key on the server matches values.ct"), "{error}");
    let sent = json(&workspace.succeed(&at(&process, "upload --json server.key")));
    assert_eq!(sent["kind"], "evaluation-key");
    let told = workspace.succeed(&at(&process, lookup));
    assert!(told.contains("result.ct: backwards"), "{told}");
    workspace.succeed("decrypt --secret client.key --input result.ct --output result.csv");
    assert_eq!(numbers(&workspace, "result.csv"), [3, 2, 1, 0, 0]);
    // Only the key stays on the server.
    let left = json(&workspace.succeed(&at(&process, "list --json")));
    assert_eq!((&left["jobs"], &left["ciphertexts"]), (&json("[]"), &json("[]")));
    let digest = left["keys"][0]["sha256"].as_str().unwrap();
    assert_eq!(sent["sha256"], digest);

    // In two steps, and from a pipe.
    let line = at(&process, "lookup --table backwards --input - --detach");
    let job = workspace.shell_succeeds(&format!("cryptable {line} < values.ct"));
    let fetch = format!("fetch --job {} -o again.ct --keep", &job[..8]);
    workspace.succeed(&at(&process, &fetch));
    assert_eq!(workspace.read("again.ct").len(), workspace.read("result.ct").len());
    let list = workspace.succeed(&at(&process, "list"));
    assert!(list.contains("job ") && list.contains("done: backwards"), "{list}");
    let error = workspace.fail_with(&at(&process, &format!("remove --key {}x", &digest[..4])), 1);
    assert!(error.contains("no key"), "{error}");
    let remove = format!("remove --job {} --key {}", job.trim(), &digest[..10]);
    workspace.succeed(&at(&process, &remove));
    assert!(!workspace.succeed(&at(&process, "list")).contains("job "));
    // A key that is named is sent together with the ciphertexts; several tables are one job.
    workspace.succeed("serve table add --folder service --name same --table table.csv");
    let several = "lookup --evaluation server.key --table backwards --table same --input values.ct \
                   --output a.ct --output b.ct";
    workspace.succeed(&at(&process, several));
    workspace.succeed("decrypt --secret client.key --input b.ct --output b.csv");
    assert_eq!(numbers(&workspace, "b.csv"), [3, 2, 1, 0, 0]);
}

#[test]
fn what_is_wrong_is_said_by_its_reason_and_status() {
    let (workspace, process) = ready("--mode single --bits 2", 4);
    workspace.write("values.csv", "0\n").write("empty", "").write("other", "nonsense");
    workspace.write("table.csv", "1\n0\n");
    workspace.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    workspace.succeed("serve table add --folder service --name small --table table.csv");
    let nobody = "http://127.0.0.1:9";
    for (line, status, expected) in [
        (at(&process, "upload client.key"), 1, "never leaves the client; nothing was sent"),
        (at(&process, "upload server.key values.csv"), 1, "neither a key for a server nor"),
        (
            at(&process, "lookup --table nothing --input values.ct -o r.ct"),
            1,
            "it offers backwards",
        ),
        (at(&process, "lookup --table small --input values.ct -o r.ct"), 1, "modulo 2, not 4"),
        (at(&process, "lookup --table small --input server.key -o r.ct"), 1, "server.key"),
        (
            at(&process, "lookup --table a --table b --input values.ct -o r.ct"),
            1,
            "2 --table and 1",
        ),
        (at(&process, "fetch --job 12 -o r.ct"), 1, "no job 12"),
        ("remote list --token-file token".into(), 1, "CRYPTABLE_SERVER"),
        (format!("remote list --server {}", process.url), 1, "CRYPTABLE_TOKEN_FILE"),
        (format!("remote list --server {} --token-file empty", process.url), 1, "not a token"),
        (
            format!("remote list --server {} --token-file other", process.url),
            3,
            "unauthorized (401)",
        ),
        (
            format!("remote list --server {nobody} --token-file token --patience 0"),
            4,
            &format!("cannot reach the server {nobody}: "),
        ),
        ("remote list --server http://192.0.2.1 --token-file token".into(), 1, "in the clear"),
        (
            "remote list --server lookups.example --token-file token".into(),
            1,
            "an address looks like",
        ),
        (
            "remote list --server= --token-file token".into(),
            1,
            "it is empty; an address looks like",
        ),
    ] {
        let error = workspace.fail_with(&line, status);
        assert!(error.contains(expected), "{line}: {error}");
    }
    // None of the commands sent anything.
    assert!(workspace.succeed(&at(&process, "list")).contains("nothing of yours"));
    let line = format!("remote list --json --server {} --token-file other", process.url);
    let output = workspace.strict_command(&line).assert().code(3).get_output().clone();
    let error = json(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(error["error"]["kind"], "refused");
    // A job that the server gives up says why.
    workspace.succeed(&at(&process, "upload server.key"));
    let error = workspace.fail_with(&at(&process, "remove --ciphertext 00"), 1);
    assert!(error.contains("no file of ciphertexts 00"), "{error}");
}

#[test]
fn a_token_goes_through_no_proxy_to_this_machine() {
    let (workspace, process) = ready("--mode single --bits 2", 4);
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let with_proxy = |line: &str| {
        let mut command = workspace.strict_command(line);
        for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
            command.env(name, &address);
        }
        command.env_remove("NO_PROXY").env_remove("no_proxy");
        command.assert()
    };
    let tables = at(&process, "tables");
    let told = with_proxy(&tables).success().get_output().stdout.clone();
    assert!(String::from_utf8(told).unwrap().contains("backwards"));
    let port = process.url.rsplit(':').next().unwrap();
    with_proxy(&tables.replace(&process.url, &format!("http://localhost:{port}"))).success();
    let away = "remote tables --server http://lookups.example --token-file token";
    let error = with_proxy(away).code(1).get_output().stderr.clone();
    assert!(String::from_utf8(error).unwrap().contains("in the clear"));
    proxy.set_nonblocking(true).unwrap();
    assert!(proxy.accept().is_err(), "the proxy was asked");
}

#[test]
fn an_upload_goes_on_when_server_or_client_is_killed_in_the_middle() {
    let (workspace, mut process) = ready("--mode single --bits 2", 4);
    let bytes = workspace.read("server.key").len() as u64;
    assert!(bytes > 1 << 22, "{bytes} bytes have hundreds of parts");
    let stored = || -> u64 {
        let folder = std::fs::read_dir(workspace.path("service/files")).unwrap();
        folder.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
    };
    let line = "upload server.key --part 16KiB --patience 30";
    let mut upload = workspace.start(&at(&process, line));
    wait_until("some parts have arrived", || stored() > 1 << 20);
    process = process.restart(&workspace);
    assert!(upload.wait().unwrap().success());
    // Bytes that had arrived were not sent again.
    assert!(received(&process) < bytes - (1 << 19), "{} of {bytes}", received(&process));
    let list = json(&workspace.succeed(&at(&process, "list --json")));
    assert_eq!(list["keys"][0]["bytes"], bytes);
    // The client is killed, too, and run again.
    let digest = list["keys"][0]["sha256"].as_str().unwrap();
    workspace.succeed(&at(&process, &format!("remove --key {digest}")));
    let mut upload = workspace.start(&at(&process, line));
    wait_until("some parts have arrived", || stored() > 1 << 20);
    upload.kill().unwrap();
    upload.wait().unwrap();
    let before = received(&process);
    workspace.succeed(&at(&process, "upload server.key"));
    let sent = received(&process) - before;
    assert!((1..bytes - (1 << 19)).contains(&sent), "{sent} of {bytes}");
}

#[test]
fn a_lookup_goes_on_when_the_server_is_killed_while_it_waits() {
    let (workspace, mut process) = ready("--mode leveled --bits 4", 16);
    let values: String = (0..300).map(|value| format!("{}\n", value % 16)).collect();
    workspace.write("values.csv", values);
    workspace.succeed("encrypt --secret client.key --input values.csv --output values.ct");
    workspace.succeed(&at(&process, "upload server.key"));
    let line = "lookup --table backwards --input values.ct --output result.ct --patience 30";
    let mut lookup = workspace.start(&at(&process, line));
    wait_until("the job is there", || {
        let list = json(&workspace.succeed(&at(&process, "list --json")));
        !list["jobs"].as_array().unwrap().is_empty() || workspace.path("result.ct").exists()
    });
    process = process.restart(&workspace);
    assert!(lookup.wait().unwrap().success());
    workspace.succeed("decrypt --secret client.key --input result.ct --output result.csv");
    let expected: Vec<u64> = (0..300).map(|value| 15 - value % 16).collect();
    assert_eq!(numbers(&workspace, "result.csv"), expected);
    assert!(!workspace.succeed(&at(&process, "list")).contains("job "));
}

/// Returns the bytes of uploads that a server has received since it started.
fn received(process: &Process) -> u64 {
    use std::io::{Read, Write};
    let address = process.url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("cryptable_received_bytes_total "));
    line.unwrap().parse().unwrap()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "not so after 30 s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Two owners of a joint key have a table looked up by a server that holds both of their evaluation keys.
#[test]
fn results_that_several_owners_decrypt() {
    let workspace = Workspace::new();
    workspace.succeed("owners session --owners 2 --bits 4 --insecure-toy --output session");
    for (number, owner) in [(1, "ann"), (2, "bob")] {
        workspace.succeed(&format!(
            "owners share --session session --owner {number} --secret {owner}.secret \
             --commitment {owner}.commitment --first {owner}.first --keys {owner}.keys"
        ));
    }
    let both = "--commitment ann.commitment bob.commitment --first ann.first bob.first";
    for owner in ["ann", "bob"] {
        let agree = format!("owners agree --secret {owner}.secret {both} --second {owner}.second");
        workspace.succeed(&agree);
    }
    workspace.succeed(&format!(
        "owners combine --session session {both} --keys ann.keys bob.keys --second ann.second bob.second \
         --public public.key --evaluation server.key --bits-evaluation bits.key"
    ));
    workspace.write("table.csv", (0..16).map(|age| format!("{}\n", age / 5)).collect::<String>());
    workspace.succeed("serve table add --folder service --name risk --table table.csv");
    let token = workspace.succeed("serve client add --folder service --name hospitals");
    workspace.write("token", token);
    let process = Process::start(&workspace);
    workspace.write("ages.csv", "3\n9\n12\n15\n");
    workspace.succeed("encrypt --public public.key --input ages.csv --output ages.ct");
    workspace.succeed(&at(&process, "upload server.key"));
    let lookup = "lookup --table risk --input ages.ct --output risks.joint";
    // Without the key of bits it is a lookup of one bit.
    let error = workspace.fail_with(&at(&process, lookup), 3);
    assert!(error.contains("the output modulus 16, not 2"), "{error}");
    workspace.succeed(&at(&process, &format!("{lookup} --bits-evaluation bits.key")));
    for owner in ["ann", "bob"] {
        workspace.succeed(&format!(
            "decrypt --secret {owner}.secret --input risks.joint --output {owner}.part"
        ));
    }
    workspace.succeed("decrypt --part ann.part bob.part --input risks.joint --output risks.csv");
    assert_eq!(numbers(&workspace, "risks.csv"), [0, 1, 2, 3]);
}
