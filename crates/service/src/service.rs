//! The server, which joins a folder, an address and a worker.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use cryptable::{CostModel, ReadOptions};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::http::{App, remove_expired, router, serve};
use crate::limits::Limits;
use crate::store::{IN_SERVER, Serving, Store};
use crate::worker::Worker;
use crate::{Error, Result};

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Folder in which the server keeps everything.
    pub folder: PathBuf,
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Whether a proxy in front of the server speaks TLS. Only then may the server listen on anything but the loopback
    /// address.
    pub behind_proxy: bool,
    /// Limits on what clients may use.
    pub limits: Limits,
    /// Options that determine which keys are accepted.
    pub options: ReadOptions,
    /// Address of the PostgreSQL database that the folder uses from now on, as
    /// `postgres://user:password@host/database`. `None`: the database that the folder already has, initially SQLite in
    /// the folder. Supported only by builds with the feature `postgres`.
    pub database: Option<String>,
    /// Object store that keeps whole files from now on, as `s3://BUCKET/PREFIX`. `None`: the place where they are
    /// already kept, initially the folder. Supported only by builds with the feature `s3`.
    pub files: Option<String>,
    /// Clock by which jobs and files expire.
    pub clock: Clock,
    /// Whether the server runs jobs itself. Otherwise, separate processes run them with [`Store::work`].
    pub worker: bool,
    /// Whether the server shows the page on which browsers encrypt, look up and decrypt. Supported only by builds with
    /// the feature `page`.
    pub page: bool,
    /// Whether the server moves files away that the folder's database does not know, and creates a new database if it
    /// is missing.
    pub recover: bool,
}

impl Config {
    /// Creates the configuration of a server for secure parameters, with the default limits, without a proxy.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, listen: SocketAddr) -> Self {
        let (limits, options, clock) = (Limits::default(), ReadOptions::default(), Clock::system());
        let (folder, behind_proxy, worker) = (folder.into(), false, true);
        let (page, recover, database, files) = (false, false, None, None);
        Self {
            folder,
            listen,
            behind_proxy,
            limits,
            options,
            database,
            files,
            clock,
            worker,
            page,
            recover,
        }
    }
}

/// A server that has opened its folder and its address.
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
    runs_jobs: bool,
    page: bool,
    stopped: watch::Sender<bool>,
    /// Held while the server runs.
    serving: Serving,
}

/// A handle that stops a server or a worker from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Stops the server or worker. Requests in progress have [`Limits::drain`] to finish; the running job continues in
    /// the next server or worker.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Service {
    /// Opens the folder and the address. Jobs that were running when the last server ended are queued again.
    ///
    /// # Errors
    /// If another server has the folder or the address; if the address is not a loopback address and no proxy speaks
    /// TLS; if the page is requested from a build without it; if the folder is not a server's, has lost its database,
    /// or has files that the database does not know.
    pub fn open(config: Config) -> Result<Self> {
        let Config { folder, listen, behind_proxy, limits, options, .. } = config;
        let Config { database, files, clock, worker, page, recover, .. } = config;
        if !listen.ip().is_loopback() && !behind_proxy {
            let text = format!(
                "{listen} is not on the loopback: tokens and files would travel in the clear; put a proxy with TLS in \
                 front, and pass --behind-proxy"
            );
            return Err(Error::Operator(text));
        }
        if page && !cfg!(feature = "page") {
            let text =
                "this program was built without the page; `make page` builds one that has it";
            return Err(Error::Operator(text.into()));
        }
        let options = options.max_memory(limits.memory);
        let mut store =
            Store::open_to_serve(&folder, clock, limits.lock_wait, recover, database.as_deref())?;
        let serving = store.start_serving()?;
        if let Some(url) = files {
            store = store.keep_files_at(&url)?;
        }
        let store = Arc::new(store);
        let listener = TcpListener::bind(listen)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runs_jobs = worker;
        let worker = Arc::new(Worker::new(store.clone(), limits, options, IN_SERVER)?);
        let app = App::new(store, worker, limits, options);
        let stopped = watch::Sender::new(false);
        Ok(Self { app, listener, address, runs_jobs, page, stopped, serving })
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the PostgreSQL database that keeps the rows, which may contain a password; `None` if
    /// SQLite keeps them in the folder.
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        self.app.store.database()
    }

    /// Returns the new paths of files that the folder's database did not know.
    #[must_use]
    pub fn moved_files(&self) -> &[PathBuf] {
        &self.serving.moved
    }

    /// Returns a handle that stops the server.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stopped.clone())
    }

    /// Runs the server until it is stopped.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn run(self) -> Result<()> {
        // Costs are measured once, before anyone waits for a prediction.
        let _ = CostModel::calibrated();
        let worker = self.app.worker.clone();
        let working = match self.runs_jobs {
            true => Some(worker.clone().start()?),
            false => None,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (limits, stopped) = (self.app.limits, self.stopped.subscribe());
        let (listener, app, page) = (self.listener, self.app, self.page);
        let outcome = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(remove_expired(app.clone()));
            serve(listener, router(app, page), limits, stopped).await
        });
        worker.stop();
        runtime.shutdown_timeout(std::time::Duration::from_secs(1));
        working.map(std::thread::JoinHandle::join);
        outcome
    }
}

impl Store {
    /// Runs jobs of this folder until stopped, beside its server and other workers, each a separate process. If a
    /// worker dies, another one takes over its job after [`Limits::lease`].
    ///
    /// ```
    /// use cryptable::ReadOptions;
    /// use cryptable_service::{Limits, Stopper, Store};
    /// let folder = tempfile::tempdir()?;
    /// let (store, stopper) = (Store::open(folder.path())?, Stopper::default());
    /// let worker = {
    ///     let stopper = stopper.clone();
    ///     std::thread::spawn(move || store.work(Limits::default(), ReadOptions::default(), &stopper))
    /// };
    /// stopper.stop();
    /// worker.join().unwrap()?;
    /// # Ok::<(), cryptable_service::Error>(())
    /// ```
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn work(self, limits: Limits, options: ReadOptions, stopper: &Stopper) -> Result<()> {
        let _ = CostModel::calibrated();
        let options = options.max_memory(limits.memory);
        let worker = Arc::new(Worker::new(Arc::new(self), limits, options, "worker-")?);
        let working = worker.clone().start()?;
        let mut stopped = stopper.0.subscribe();
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        // The stopper outlives the call, so this ends only when it stops.
        let _ = runtime.block_on(stopped.wait_for(|stopped| *stopped));
        worker.stop();
        let _ = working.join();
        Ok(())
    }
}
