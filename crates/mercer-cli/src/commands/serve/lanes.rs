//! Workers with fair queues: some for light requests, a few for heavy ones.
//!
//! Clients take turns: the next free worker serves the client that was served longest ago. When the queue is full, the
//! client with the most requests loses one. A single client can fill the queue only while no other needs it.
//!
//! A worker has its own threads, so that heavy work cannot delay light work in a shared queue; the operating system
//! shares the processors among threads. A worker is busy until its work has really ended: work that was cancelled but
//! has not stopped yet still holds it, so that such work cannot accumulate.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use mercer::{Error, Result};
use rayon::ThreadPool;
use tokio::sync::oneshot;

/// The workers of one kind and their queue.
pub(super) struct Lane {
    pub(super) name: &'static str,
    pub(super) workers: usize,
    /// The longest queue.
    longest: usize,
    state: Mutex<State>,
}

struct State {
    free: Vec<Arc<ThreadPool>>,
    waiting: Queue<oneshot::Sender<Worker>>,
}

/// A client: an IPv4 address, or an IPv6 network, of which one computer may have all addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client(IpAddr);

impl Client {
    pub(super) fn of(remote: IpAddr) -> Self {
        match remote.to_canonical() {
            // One computer commonly has all 2^64 addresses of its network.
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                Client(IpAddr::V6(Ipv6Addr::from(network)))
            }
            address => Client(address),
        }
    }
}

/// The waiting requests: clients in the order of their turns, and the requests of each client by size and arrival.
struct Queue<T> {
    clients: VecDeque<(Client, BTreeMap<Key, T>)>,
    came: u64,
}

/// A request's size, and its number in the order of arrival.
type Key = (usize, u64);

impl<T> Queue<T> {
    fn new() -> Self {
        Queue { clients: VecDeque::new(), came: 0 }
    }

    fn len(&self) -> usize {
        self.clients.iter().map(|(_, own)| own.len()).sum()
    }

    fn push(&mut self, client: Client, size: usize, item: T) -> Key {
        self.came += 1;
        let key = (size, self.came);
        match self.clients.iter_mut().find(|(known, _)| *known == client) {
            Some((_, own)) => {
                own.insert(key, item);
            }
            None => self.clients.push_back((client, BTreeMap::from([(key, item)]))),
        }
        key
    }

    /// The smallest request of the client whose turn it is. The client goes to the end.
    fn pop(&mut self) -> Option<T> {
        let (client, mut own) = self.clients.pop_front()?;
        let next = own.pop_first();
        if !own.is_empty() {
            self.clients.push_back((client, own));
        }
        next.map(|(_, item)| item)
    }

    fn remove(&mut self, client: Client, key: Key) {
        if let Some((_, own)) = self.clients.iter_mut().find(|(known, _)| *known == client) {
            own.remove(&key);
        }
        self.clients.retain(|(_, own)| !own.is_empty());
    }

    /// Removes the largest request of the client with the most requests, to make room for a request of this client and
    /// size. It is a request of another client that has more, or a larger one of its own; `None` if there is no such
    /// request.
    fn make_room(&mut self, client: Client, size: usize) -> Option<T> {
        let count = |of: Client| self.clients.iter().find(|(c, _)| *c == of).map_or(0, |(_, own)| own.len());
        let (busiest, most) = self.clients.iter().map(|(c, own)| (*c, own.len())).max_by_key(|(_, n)| *n)?;
        let own = count(client);
        let loser = if own >= most { client } else { busiest };
        let (_, requests) = self.clients.iter_mut().find(|(c, _)| *c == loser)?;
        let largest = *requests.last_key_value()?.0;
        // Another client loses a request only if it then still has as many as this one.
        let gives_way = if loser == client { largest.0 > size } else { most > own + 1 || largest.0 > size };
        let gone = if gives_way { requests.remove(&largest) } else { None };
        self.clients.retain(|(_, own)| !own.is_empty());
        gone
    }
}

/// The queue is full.
pub(super) struct Busy;

impl Lane {
    /// A lane with a number of workers, each with a number of threads.
    pub(super) fn new(
        name: &'static str,
        workers: usize,
        threads: usize,
        longest: usize,
    ) -> Result<Arc<Self>> {
        let pool = |_| {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let named = builder.thread_name(move |i| format!("{name} {i}"));
            named.build().map(Arc::new)
        };
        let free = (0..workers).map(pool).collect::<std::result::Result<Vec<_>, _>>();
        let free =
            free.map_err(|e| Error::Numeric { reason: format!("threads could not be started: {e}") })?;
        let state = Mutex::new(State { free, waiting: Queue::new() });
        Ok(Arc::new(Lane { name, workers, longest, state }))
    }

    /// Waits for a worker. Clients take turns, and requests of one client with a smaller `size` come first.
    pub(super) async fn worker(
        self: &Arc<Self>,
        client: Client,
        size: usize,
    ) -> std::result::Result<Worker, Busy> {
        let (key, receiver) = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(pool) = state.free.pop() {
                return Ok(Worker { lane: self.clone(), pool: Some(pool) });
            }
            if state.waiting.len() >= self.longest {
                // Dropping the sender tells the receiver of the removed request.
                state.waiting.make_room(client, size).map(drop).ok_or(Busy)?;
            }
            let (sender, receiver) = oneshot::channel();
            (state.waiting.push(client, size, sender), receiver)
        };
        let _waiting = Waiting { lane: self, client, key };
        receiver.await.map_err(|_| Busy)
    }

    /// The number of waiting requests, and of busy workers.
    pub(super) fn load(&self) -> (usize, usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.waiting.len(), self.workers - state.free.len())
    }
}

/// A queued request, removed from the queue when dropped.
struct Waiting<'a> {
    lane: &'a Lane,
    client: Client,
    key: Key,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.lane.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.remove(self.client, self.key);
    }
}

/// A busy worker; dropped, it serves the next waiting request.
pub(super) struct Worker {
    lane: Arc<Lane>,
    pool: Option<Arc<ThreadPool>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let Some(mut pool) = self.pool.take() else { return };
        loop {
            let next = {
                let mut state = self.lane.state.lock().unwrap_or_else(PoisonError::into_inner);
                match state.waiting.pop() {
                    Some(next) => next,
                    None => return state.free.push(pool),
                }
            };
            match next.send(Worker { lane: self.lane.clone(), pool: Some(pool) }) {
                Ok(()) => return,
                // The waiting request was cancelled.
                Err(mut worker) => match worker.pool.take() {
                    Some(back) => pool = back,
                    None => return,
                },
            }
        }
    }
}

impl Worker {
    /// Runs work on the threads of this worker. The worker is free again when the work has ended, even if nobody waits
    /// for the result any longer. Returns `None` if the work panicked.
    pub(super) async fn work<R: Send + 'static>(
        self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Option<R> {
        let pool = self.pool.clone()?;
        let (sender, receiver) = oneshot::channel();
        pool.spawn(move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            drop(self);
            let _ = sender.send(done.ok());
        });
        receiver.await.ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Client {
        Client::of(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn clients_take_turns_and_each_has_its_smallest_first() {
        let mut queue = Queue::new();
        for size in [5, 3, 4, 1] {
            queue.push(client(1), size, (1, size));
        }
        queue.push(client(2), 9, (2, 9));
        queue.push(client(3), 7, (3, 7));
        queue.push(client(2), 8, (2, 8));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [(1, 1), (2, 8), (3, 7), (1, 3), (2, 9), (1, 4), (1, 5)]);
    }

    #[test]
    fn a_full_queue_takes_from_the_client_with_the_most() {
        let mut queue = Queue::new();
        for size in 0..4 {
            queue.push(client(1), size, size);
        }
        // Another client finds room, whatever the size of its request; the busiest client only for smaller ones.
        assert_eq!(queue.make_room(client(2), 1_000_000), Some(3));
        queue.push(client(2), 1_000_000, 1_000_000);
        assert_eq!(queue.make_room(client(1), 2), None);
        assert_eq!(queue.make_room(client(1), 1), Some(2));
        queue.push(client(1), 1, 11);
        // Two against one: with a third request this client would be the busiest itself.
        assert_eq!(queue.make_room(client(2), 5), Some(11));
        queue.push(client(2), 5, 5);
        assert_eq!(queue.make_room(client(2), 2_000_000), None);
        assert_eq!(queue.len(), 4);
    }

    #[test]
    fn cancelled_requests_are_removed() {
        let mut queue = Queue::new();
        let key = queue.push(client(1), 1, ());
        queue.remove(client(1), key);
        queue.remove(client(1), key);
        assert_eq!((queue.len(), queue.clients.len()), (0, 0));
        assert!(queue.make_room(client(1), 0).is_none() && queue.pop().is_none());
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let of = |text: &str| Client::of(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
    }
}
