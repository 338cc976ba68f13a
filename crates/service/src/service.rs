//! A server: a folder, an address, a worker.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use cryptable::{CostModel, ReadOptions};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::http::{App, remove_expired, router, serve, stop_removed};
use crate::limits::Limits;
use crate::store::{Serving, Store};
use crate::worker::Worker;
use crate::{Error, Result};

/// What a server is to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it keeps everything.
    pub folder: PathBuf,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Whether a proxy in front of it speaks TLS: only then may it listen elsewhere than on the loopback.
    pub behind_proxy: bool,
    /// What clients may take.
    pub limits: Limits,
    /// Which keys are accepted.
    pub options: ReadOptions,
    /// By which things expire.
    pub clock: Clock,
    /// Whether files that the folder's database does not know are moved out of the way, or a new database is begun where
    /// it is gone.
    pub recover: bool,
}

impl Config {
    /// A server on the loopback with the default limits, for secure parameters.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, listen: SocketAddr) -> Self {
        let (limits, options, clock) = (Limits::default(), ReadOptions::default(), Clock::system());
        let (folder, behind_proxy, recover) = (folder.into(), false, false);
        Self { folder, listen, behind_proxy, limits, options, clock, recover }
    }
}

/// A server that has its folder and its address.
///
/// ```
/// use std::net::{Ipv4Addr, SocketAddr};
/// use cryptable_service::{Config, Service};
/// let folder = tempfile::tempdir()?;
/// let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
/// let service = Service::open(Config::new(folder.path(), any_port))?;
/// let (address, stopper) = (service.address(), service.stopper());
/// let server = std::thread::spawn(|| service.run());
/// assert_ne!(address.port(), 0);
/// stopper.stop();
/// server.join().unwrap()?;
/// # Ok::<(), cryptable_service::Error>(())
/// ```
#[derive(Debug)]
pub struct Service {
    app: App,
    listener: TcpListener,
    address: SocketAddr,
    stopped: watch::Sender<bool>,
    /// Held as long as it serves.
    serving: Serving,
}

/// Ends a server from elsewhere.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Ends it: requests that are under way have [`Limits::drain`] to end, the job that runs starts anew with the next server.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Service {
    /// Opens the folder and the address. Jobs that ran when the last server ended wait again.
    ///
    /// # Errors
    /// If another server has the folder or the address, the address is not on the loopback and there is no proxy that
    /// speaks TLS, or the folder is not a server's, has no database or files that it does not know.
    pub fn open(config: Config) -> Result<Self> {
        let Config { folder, listen, behind_proxy, limits, options, clock, recover } = config;
        if !listen.ip().is_loopback() && !behind_proxy {
            let text = format!(
                "{listen} is not on the loopback: tokens and files would travel in the clear; have a proxy that speaks \
                 TLS in front, and say so"
            );
            return Err(Error::Operator(text));
        }
        let options = options.max_memory(limits.memory);
        let store = Arc::new(Store::open_to_serve(&folder, clock, limits.lock_wait, recover)?);
        let serving = store.start_serving()?;
        let listener = TcpListener::bind(listen)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let worker = Arc::new(Worker::new(store.clone(), limits, options));
        let app = App::new(store, worker, limits, options);
        Ok(Self { app, listener, address, stopped: watch::Sender::new(false), serving })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where files went that the folder's database did not know.
    #[must_use]
    pub fn moved_files(&self) -> &[PathBuf] {
        &self.serving.moved
    }

    /// What ends it.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stopped.clone())
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn run(self) -> Result<()> {
        // Measured once, before anybody waits for it.
        let _ = CostModel::calibrated();
        let worker = self.app.worker.clone();
        let working = {
            let worker = worker.clone();
            std::thread::Builder::new().name("worker".into()).spawn(move || worker.run())?
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (limits, stopped) = (self.app.limits, self.stopped.subscribe());
        let (listener, app) = (self.listener, self.app);
        let outcome = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(remove_expired(app.clone()));
            tokio::spawn(stop_removed(app.clone()));
            serve(listener, router(app), limits, stopped).await
        });
        worker.stop();
        runtime.shutdown_timeout(std::time::Duration::from_secs(1));
        let _ = working.join();
        outcome
    }
}
