//! The clock of the service, which tests can replace.

use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A source of time: the system's clock, or one that a test controls.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use cryptable_service::Clock;
/// let time = Arc::new(AtomicU64::new(1_700_000_000));
/// let clock = {
///     let time = time.clone();
///     Clock::new(move || time.load(Ordering::Relaxed))
/// };
/// time.fetch_add(60, Ordering::Relaxed);
/// assert_eq!(clock.now(), 1_700_000_060);
/// assert!(Clock::system().now() > 1_700_000_000);
/// ```
#[derive(Clone)]
pub struct Clock {
    now: Source,
    steady: Source,
}

/// A function that returns seconds.
type Source = Arc<dyn Fn() -> u64 + Send + Sync>;

impl Clock {
    /// Creates a clock from a function that returns the seconds since 1970-01-01 UTC. The clock is assumed to be
    /// steady.
    #[must_use]
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let now: Source = Arc::new(now);
        Self { steady: now.clone(), now }
    }

    /// Adds a steady source of seconds, counted from any moment, with which jumps of the clock are detected.
    #[must_use]
    pub fn with_steady(self, steady: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self { steady: Arc::new(steady), ..self }
    }

    /// Returns the clock of the system.
    #[must_use]
    pub fn system() -> Self {
        let start = Instant::now();
        Self::new(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
            .with_steady(move || start.elapsed().as_secs())
    }

    /// Returns the seconds since 1970-01-01 UTC.
    #[must_use]
    pub fn now(&self) -> u64 {
        (self.now)()
    }

    /// Returns the seconds of the steady source.
    pub(crate) fn steady(&self) -> u64 {
        (self.steady)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
