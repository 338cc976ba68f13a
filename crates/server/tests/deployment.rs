//! Tests that the files of `examples/service` fit the program and each other: arguments, addresses, folders, users,
//! times. No image is built here; `make image-test` builds one.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cryptable-server");

/// Paths of the program and the volume in the image.
const INSTALLED: &str = "/usr/local/bin/cryptable-server";
const VOLUME: &str = "/data";

/// User number of `nonroot` in distroless images.
const USER: u64 = 65_532;

/// Seconds that requests have to finish once the server is told to end; whatever stops the server must wait longer.
const DRAIN_S: u64 = 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join("examples/service").join(name)).unwrap()
}

fn parsed(text: &str) -> Vec<Value> {
    let documents = serde_yaml_ng::Deserializer::from_str(text);
    documents.map(|document| serde::Deserialize::deserialize(document).unwrap()).collect()
}

fn documents(name: &str) -> Vec<Value> {
    parsed(&text(name))
}

fn words(list: &Value) -> Vec<String> {
    let words = list.as_array().unwrap_or_else(|| panic!("{list} is no list"));
    words.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// Splits a Containerfile into instructions, continued lines joined: the first word of each, and the rest.
fn instructions() -> Vec<(String, String)> {
    let text = text("Containerfile").replace("\\\n", " ");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let split = |line: &str| {
        let (name, rest) = line.split_once(' ').unwrap();
        (name.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    lines.map(split).collect()
}

/// Returns the arguments of the last instruction of that name in the last stage.
fn said(name: &str) -> String {
    let all = instructions();
    let stage = all.iter().rposition(|(name, _)| name == "FROM").unwrap();
    let found = all[stage..].iter().rev().find(|(found, _)| found == name);
    found.unwrap_or_else(|| panic!("no {name}")).1.clone()
}

fn list(json: &str) -> Vec<String> {
    words(&serde_json::from_str(json).unwrap())
}

/// Returns the value that follows an option.
fn option<'a>(arguments: &'a [String], name: &str) -> &'a str {
    let place = arguments.iter().position(|word| word == name);
    &arguments[place.unwrap_or_else(|| panic!("{arguments:?} has no {name}")) + 1]
}

/// Checks that the program accepts arguments, without running the command.
fn check_arguments(arguments: &[String], command: &str) {
    let output = Command::new(PROGRAM).args(arguments).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(help.contains(&format!("Usage: cryptable-server {command} ")), "{arguments:?}: {help}");
}

/// Checks the arguments of a server within a container and returns its port.
fn check_server(arguments: &[String]) -> u64 {
    check_arguments(arguments, "serve");
    assert!(Path::new(option(arguments, "--folder")).starts_with(VOLUME), "{arguments:?}");
    assert!(arguments.iter().any(|word| word == "--behind-proxy"), "{arguments:?}");
    let (address, port) = option(arguments, "--listen").rsplit_once(':').unwrap();
    assert_eq!(address, "0.0.0.0");
    port.parse().unwrap()
}

fn image() -> String {
    format!("cryptable-server:{}", env!("CARGO_PKG_VERSION"))
}

#[test]
fn arguments_that_the_program_does_not_have_are_found() {
    let wrong = ["serve", "--folder", "x", "--no-such-option"].map(str::to_owned);
    let output = Command::new(PROGRAM).args(wrong).arg("--help").output().unwrap();
    assert!(!output.status.success());
}

#[test]
fn the_image_runs_the_program_as_nobody_in_particular() {
    let all = instructions();
    let build = all.iter().find(|(name, _)| name == "RUN").unwrap();
    assert!(build.1.contains(&format!("--package {}", env!("CARGO_PKG_NAME"))), "{}", build.1);
    let (_, bin) = INSTALLED.rsplit_once('/').unwrap();
    assert!(build.1.contains(&format!("target/release/{bin} /image/usr/local/bin/")));
    assert_eq!(said("USER"), format!("{USER}:{USER}"));
    assert!(said("COPY").contains(&format!("--chown={USER}:{USER}")));
    assert_eq!((said("STOPSIGNAL").as_str(), said("VOLUME").as_str()), ("SIGTERM", VOLUME));
    assert!(said("ENV").contains(&format!("XDG_CACHE_HOME={VOLUME}/")));
    assert_eq!(list(&said("ENTRYPOINT")), [INSTALLED]);
    let port = check_server(&list(&said("CMD")));
    assert_eq!(said("EXPOSE"), port.to_string());
    let health = said("HEALTHCHECK");
    let health = list(health.split_once(" CMD ").unwrap().1);
    assert_eq!(health[0], INSTALLED);
    check_arguments(&health[1..], "serve health");
    assert_eq!(option(&health, "--listen"), format!("127.0.0.1:{port}"));
    // The image must have the oldest Rust that compiles the workspace, and a system whose libc matches that of the last
    // stage.
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rust = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap();
    assert!(all[0].1.contains(&format!("rust:{}-slim-bookworm", rust.trim_matches('"'))));
    assert!(said("FROM").contains("debian12"), "bookworm is Debian 12");
}

#[test]
fn compose_joins_the_image_with_a_proxy() {
    let file = documents("compose.yaml").remove(0);
    let server = &file["services"]["cryptable"];
    assert_eq!(server["image"], image());
    let here = root().join("examples/service");
    let context = here.join(server["build"]["context"].as_str().unwrap());
    assert!(context.join(server["build"]["dockerfile"].as_str().unwrap()).exists());
    assert!(context.join("Cargo.lock").exists());
    assert_eq!((&server["read_only"], &server["cap_drop"][0]), (&true.into(), &"ALL".into()));
    let volume = server["volumes"][0].as_str().unwrap();
    assert_eq!(volume, format!("data:{VOLUME}"));
    let grace = server["stop_grace_period"].as_str().unwrap().strip_suffix('s').unwrap();
    assert!(grace.parse::<u64>().unwrap() > DRAIN_S);
    let proxy = &file["services"]["proxy"];
    assert_eq!(proxy["depends_on"]["cryptable"]["condition"], "service_healthy");
    assert_eq!(proxy["networks"], server["networks"]);
    let all: Vec<_> = [server, proxy].into_iter().flat_map(|it| words(&it["volumes"])).collect();
    for volume in all {
        let name = volume.split(':').next().unwrap();
        let is_there = match name.strip_prefix("./") {
            Some(file) => here.join(file).exists(),
            None => file["volumes"].as_object().unwrap().contains_key(name),
        };
        assert!(is_there, "{volume}");
    }
    // The proxy must find the service by its name, at the port that the image serves.
    assert!(text("Caddyfile").contains(&format!("reverse_proxy cryptable:{} {{", said("EXPOSE"))));
}

#[test]
fn kubernetes_runs_the_image_with_a_volume_behind_an_ingress() {
    let [set, service, ingress] = documents("kubernetes.yaml").try_into().unwrap();
    let (name, spec) = (&set["metadata"]["name"], &set["spec"]);
    let pod = &spec["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!((&spec["replicas"], &container["image"]), (&1.into(), &image().into()));
    assert_eq!(words(&container["args"]), list(&said("CMD")));
    let port = check_server(&words(&container["args"]));
    assert_eq!(container["ports"][0]["containerPort"], port);
    assert_eq!(pod["securityContext"]["runAsUser"], USER);
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
    assert!(pod["terminationGracePeriodSeconds"].as_u64().unwrap() > DRAIN_S);
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        assert_eq!(container[probe]["httpGet"]["path"], "/healthz");
        assert_eq!(container[probe]["httpGet"]["port"], container["ports"][0]["name"]);
    }
    let claim = &spec["volumeClaimTemplates"][0]["metadata"]["name"];
    let mounts = container["volumeMounts"].as_array().unwrap();
    assert!(mounts.iter().any(|it| it["name"] == *claim && it["mountPath"] == VOLUME));
    assert!(
        mounts.iter().all(|it| it["name"] == *claim || it["name"] == pod["volumes"][0]["name"])
    );
    assert_eq!(
        container["resources"]["limits"]["memory"],
        container["resources"]["requests"]["memory"]
    );
    let labels = &spec["template"]["metadata"]["labels"];
    assert_eq!((&spec["selector"]["matchLabels"], &service["spec"]["selector"]), (labels, labels));
    assert_eq!((&spec["serviceName"], name), (&service["metadata"]["name"], name));
    assert_eq!(service["spec"]["ports"][0]["port"], port);
    assert_eq!(service["spec"]["ports"][0]["targetPort"], container["ports"][0]["name"]);
    let path = &ingress["spec"]["rules"][0]["http"]["paths"][0];
    assert_eq!(path["backend"]["service"]["name"], service["metadata"]["name"]);
    assert_eq!(path["backend"]["service"]["port"]["name"], service["spec"]["ports"][0]["name"]);
    // All paths for clients are below this one, and the operator's metrics are not.
    let served = fs::read_to_string(root().join("crates/service/src/openapi.json")).unwrap();
    let served: Value = serde_json::from_str(&served).unwrap();
    let paths: Vec<_> = served["paths"].as_object().unwrap().keys().collect();
    assert!(paths.iter().filter(|path| path.starts_with("/v1/")).count() > 5, "{paths:?}");
    assert_eq!(path["path"], "/v1");
}

/// Checks the recipes of wheels for systems that these tests do not run on.
#[test]
fn recipes_for_other_machines_run_targets_of_the_makefile() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let text = fs::read_to_string(root().join(".github/workflows/wheels.yml")).unwrap();
    let file = parsed(&text).remove(0);
    let mut count = 0;
    for job in file["jobs"].as_object().unwrap().values() {
        for step in job["steps"].as_array().unwrap() {
            let Some(targets) = step["run"].as_str().and_then(|run| run.strip_prefix("make "))
            else {
                continue;
            };
            for target in targets.split(' ') {
                assert!(makefile.contains(&format!("\n{target}:")), "{target}");
                count += 1;
            }
        }
    }
    assert!(count > 3, "{count} targets");
}

/// Runs the server as in a container, with these arguments except for folder and address, asks whether it is healthy,
/// and tells it to end.
#[test]
#[cfg(unix)]
fn a_server_that_runs_is_healthy_until_it_is_told_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let health = |address: &str| {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "health", "--listen", address]).output().unwrap()
    };
    let mut arguments = list(&said("CMD"));
    let place = arguments.iter().position(|word| word == "--listen").unwrap() + 1;
    arguments[place] = "127.0.0.1:0".into();
    let place = arguments.iter().position(|word| word == "--folder").unwrap() + 1;
    arguments[place] = folder.path().join("service").to_str().unwrap().into();
    let mut command = Command::new(PROGRAM);
    command.args(&arguments).env("CRYPTABLE_CALIBRATION", "off");
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let started: Value = serde_json::from_str(&line).unwrap();
    let address = started["url"].as_str().unwrap().strip_prefix("http://").unwrap();
    let healthy = health(address);
    let killed = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    let ended = server.wait().unwrap();
    assert!(healthy.status.success(), "{}", String::from_utf8_lossy(&healthy.stderr));
    assert!(killed.success() && ended.success(), "{ended:?}");
    let gone = health(address);
    let message = String::from_utf8(gone.stderr).unwrap();
    assert!(!gone.status.success() && message.contains("no server answers at"), "{message}");
}
