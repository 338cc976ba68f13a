//! Places for connections, whose number is limited.
//!
//! A connection that waits for a request, or whose request has no valid client token, is idle and may be closed at any
//! time. If there is one connection too many, the one that has been idle for the longest time is closed. A client thus
//! gets a place, no matter how many strangers connect and stay silent.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::{Problem, Result};

/// Time for the end of an answer to be sent, and interval at which ended connections are looked for.
const FLUSH: Duration = Duration::from_millis(50);

/// The places of all connections.
#[derive(Debug)]
pub(super) struct Places {
    limit: usize,
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    next: u64,
    /// Idle connections, by the number that they were given when they became idle.
    waiting: BTreeMap<u64, Arc<Notify>>,
}

impl Places {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, state: Mutex::default(), freed: Notify::new() })
    }

    /// Waits for room for one more connection, and closes an idle one if necessary.
    pub(super) async fn make_room(&self) {
        let mut is_asked = false;
        loop {
            let freed = self.freed.notified();
            {
                let mut state = self.lock();
                if state.open < self.limit {
                    return;
                }
                if let (false, Some((_, ended))) = (is_asked, state.waiting.pop_first()) {
                    ended.notify_one();
                    is_asked = true;
                }
            }
            freed.await;
        }
    }

    /// Takes a place for a connection that waits for its first request.
    pub(super) fn enter(self: &Arc<Self>) -> Arc<Place> {
        let ended = Arc::new(Notify::new());
        let mut state = self.lock();
        state.open += 1;
        let since = state.wait(&ended);
        drop(state);
        Arc::new(Place { places: self.clone(), ended, since: Mutex::new(since) })
    }

    /// Waits until no connection has a client's request, for at most `patience`.
    pub(super) async fn drain(&self, patience: Duration) {
        let is_busy = || {
            let state = self.lock();
            state.open > state.waiting.len()
        };
        let end = tokio::time::Instant::now() + patience;
        while is_busy() && tokio::time::Instant::now() < end {
            tokio::time::sleep(FLUSH).await;
        }
        if self.lock().open > 0 {
            // The last bytes of an answer are sent after its request has ended.
            tokio::time::sleep(FLUSH).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wait(&mut self, ended: &Arc<Notify>) -> u64 {
        self.next += 1;
        self.waiting.insert(self.next, ended.clone());
        self.next
    }
}

/// The place of one connection.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    ended: Arc<Notify>,
    /// Number in `State::waiting` while the connection is idle, else the last one it had.
    since: Mutex<u64>,
}

impl Place {
    /// Waits until the connection has to be closed.
    pub(super) async fn ended(&self) {
        self.ended.notified().await;
    }

    fn occupy(&self) {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        self.places.lock().waiting.remove(&since);
    }

    fn vacate(&self) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = self.places.lock().wait(&self.ended);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let since = *self.since.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.places.lock();
        state.waiting.remove(&since);
        state.open -= 1;
        drop(state);
        self.places.freed.notify_one();
    }
}

/// The number of requests that each client has in progress.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<HashMap<i64, usize>>);

/// A client's request, from the check of its token until its whole answer is sent.
#[derive(Debug)]
pub(super) struct Visit {
    client: i64,
    requests: Arc<Requests>,
    place: Arc<Place>,
}

impl Visit {
    /// Starts a visit, unless the client has too many requests in progress.
    pub(super) fn begin(
        requests: &Arc<Requests>,
        client: i64,
        place: &Arc<Place>,
        limit: usize,
    ) -> Result<Self> {
        let mut counts = requests.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(client).or_default();
        if *count >= limit {
            let (found, limit) = (*count as u64 + 1, limit as u64);
            return Err(Problem::too_many("client-requests", found, limit).into());
        }
        *count += 1;
        drop(counts);
        place.occupy();
        Ok(Self { client, requests: requests.clone(), place: place.clone() })
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.place.vacate();
        let mut counts = self.requests.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

/// Data about the client of a request.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Name of the client, once its token is known.
    pub(super) client: OnceLock<String>,
    /// Visit of the client, unless it has too many requests.
    pub(super) visit: OnceLock<Visit>,
}

/// A slot that a request shares with its answer.
pub(super) type VisitSlot = Arc<Known>;

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_ended(place: &Place) -> bool {
        tokio::time::timeout(Duration::from_millis(20), place.ended()).await.is_ok()
    }

    #[test]
    fn who_waits_longest_goes_and_clients_stay() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let places = Places::new(3);
            let (first, second, third) = (places.enter(), places.enter(), places.enter());
            let requests = Arc::new(Requests::default());
            // The first connection has waited longest, but has a client's request.
            let visit = Visit::begin(&requests, 7, &first, 1).unwrap();
            assert!(Visit::begin(&requests, 7, &third, 1).is_err());
            let room = tokio::time::timeout(Duration::from_millis(20), places.make_room());
            assert!(room.await.is_err());
            assert!(is_ended(&second).await && !is_ended(&first).await && !is_ended(&third).await);
            drop(second);
            places.make_room().await;
            // The first connection's request is over, so it is idle, but for less time than the third.
            drop(visit);
            let _fourth = places.enter();
            let room = tokio::time::timeout(Duration::from_millis(20), places.make_room());
            assert!(room.await.is_err());
            assert!(is_ended(&third).await && !is_ended(&first).await);
            assert!(Visit::begin(&requests, 7, &first, 1).is_ok());
        });
    }
}
