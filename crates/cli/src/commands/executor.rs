//! Workers on a cluster of Ray. A Python process runs them, since Ray is a Python library: `cryptable.ray_workers`.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::args::Global;
use crate::args::serve::{DATABASE, ServeArgs};

/// Pause between two checks of the process.
const LOOK: Duration = Duration::from_millis(200);

/// Pause before the process is restarted.
const PAUSE: Duration = Duration::from_secs(5);

/// Time that the process has to stop all workers.
const PATIENCE: Duration = Duration::from_secs(25);

/// The process that runs the workers, and the thread that keeps this process running.
#[derive(Debug)]
pub struct Executor {
    is_stopped: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Executor {
    /// Starts workers of a folder on the cluster that the arguments name. `database` is the address of the folder's PostgreSQL.
    pub fn start(
        global: Global,
        args: &ServeArgs,
        folder: &Path,
        database: Option<&str>,
    ) -> Result<Option<Self>> {
        let Some(address) = &args.executor else { return Ok(None) };
        let mut command = Command::new("python3");
        command.args(["-m", "cryptable.ray_workers", address]);
        if let Some(workers) = args.executor_workers {
            command.arg("--workers").arg(workers.to_string());
        }
        if let Some(threads) = global.threads {
            command.arg("--threads").arg(threads.to_string());
        }
        command.arg("--").arg(std::env::current_exe()?).args(worker_arguments(global, args));
        command.arg("--folder").arg(std::path::absolute(folder)?);
        match database {
            Some(url) => command.env(DATABASE, url),
            None => command.env_remove(DATABASE),
        };
        // The server's own output is one line.
        command.stdin(Stdio::piped()).stdout(std::io::stderr());
        let first =
            command.spawn().context("cannot start python3, which runs the workers on Ray")?;
        let is_stopped = Arc::new(AtomicBool::new(false));
        let thread = {
            let is_stopped = is_stopped.clone();
            std::thread::Builder::new()
                .name("executor".into())
                .spawn(move || keep(first, command, &is_stopped))?
        };
        Ok(Some(Self { is_stopped, thread }))
    }

    /// Stops the workers, whose jobs wait for the next ones.
    pub fn stop(self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}

/// Returns the arguments of `serve worker`, except for folder and threads.
fn worker_arguments(global: Global, args: &ServeArgs) -> Vec<String> {
    let mut words = vec!["serve".to_owned(), "worker".into(), "--until-input-ends".into()];
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    let work = &args.work;
    option("--memory", work.memory.map(|bytes| format!("{bytes}B")));
    option("--free-bytes", Some(format!("{}B", work.free_bytes)));
    option("--turn", Some(work.turn.to_string()));
    option("--max-key-memory", global.max_key_memory.map(|bytes| format!("{bytes}B")));
    option("--allow-log2-fail", global.allow_log2_fail.map(|limit| limit.to_string()));
    let flags = [
        (global.allow_insecure, "--allow-insecure"),
        (global.json, "--json"),
        (global.quiet, "--quiet"),
    ];
    words.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name.to_owned()));
    words
}

/// Keeps a process running until it is to stop.
fn keep(first: Child, mut command: Command, is_stopped: &AtomicBool) {
    let mut child = Ok(first);
    loop {
        match child {
            Ok(child) => wait_for(child, is_stopped),
            Err(error) => tracing::error!(%error, "python3 cannot be started"),
        }
        let start = Instant::now();
        while start.elapsed() < PAUSE {
            if is_stopped.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(LOOK);
        }
        child = command.spawn();
    }
}

/// Waits for the end of the process, or ends it when it is to stop.
fn wait_for(mut child: Child, is_stopped: &AtomicBool) {
    let mut told = None;
    loop {
        match child.try_wait() {
            Ok(Some(_)) if told.is_some() => return,
            Ok(Some(status)) => {
                tracing::error!(%status, "the process that keeps the workers on Ray has ended; it is started again");
                return;
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "the process that keeps the workers on Ray is lost");
                return;
            }
        }
        if is_stopped.load(Ordering::Relaxed) {
            // The process stops at the end of its input.
            drop(child.stdin.take());
            let since = *told.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                let _ = child.kill();
            }
        }
        std::thread::sleep(LOOK);
    }
}
