//! Connections: accepting, replacing idle ones, and shutdown.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWrite;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};

use super::framing::{Heads, Watched};
use super::limits::{HEAD_BYTES, HEAD_LINES, HEAD_TIME, STOP_FINISH, STOP_SEND};
use super::{Server, route};

/// Connections over the limit that may be open briefly, while replaced ones end.
const LEAVING: usize = 64;
/// How long a refused client may go on sending, so that it reads the reason instead of a broken connection.
const LINGER: Duration = Duration::from_secs(1);

/// All connections. Those without a whole request are replaced by new ones, the longest idle first.
pub(super) struct Connections {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: usize,
    came: u64,
    idle: BTreeMap<u64, Arc<Notify>>,
}

impl Connections {
    pub(super) fn new(most: usize) -> Self {
        Connections { most, state: Mutex::default() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self) -> usize {
        self.lock().open
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Waits briefly while many replaced connections have not ended yet.
    async fn drained(&self) {
        let few = async || {
            while self.open() >= self.most + LEAVING {
                sleep(Duration::from_millis(2)).await;
            }
        };
        let _ = timeout(LINGER, few()).await;
    }

    /// Counts a new connection; `true` if it replaces the longest idle one, `None` if there is no room.
    fn admit(&self) -> Option<bool> {
        let mut state = self.lock();
        let mut displaced = false;
        if state.open >= self.most {
            if state.open >= self.most + LEAVING {
                return None;
            }
            let (_, longest) = state.idle.pop_first()?;
            longest.notify_one();
            displaced = true;
        }
        state.open += 1;
        Some(displaced)
    }

    /// Ends the longest idle connection, such as when no more files can be opened.
    fn displace(&self) {
        if let Some((_, longest)) = self.lock().idle.pop_first() {
            longest.notify_one();
        }
    }

    /// Ends all idle connections.
    fn close_idle(&self) {
        let idle = std::mem::take(&mut self.lock().idle);
        idle.into_values().for_each(|leave| leave.notify_one());
    }
}

/// One connection, counted until it is dropped.
pub(super) struct Connection {
    server: Arc<Server>,
    pub(super) remote: SocketAddr,
    pub(super) heads: Heads,
    leave: Arc<Notify>,
    /// Its position among the idle ones.
    turn: Mutex<Option<u64>>,
}

impl Connection {
    fn new(server: Arc<Server>, remote: SocketAddr) -> Arc<Self> {
        let turn = Mutex::default();
        let own = Connection { server, remote, heads: Heads::default(), leave: Arc::default(), turn };
        own.rest();
        Arc::new(own)
    }

    /// Marks the connection as idle.
    fn rest(&self) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.server.connections.lock();
        state.came += 1;
        let next = state.came;
        state.idle.insert(next, self.leave.clone());
        *turn = Some(next);
    }

    /// Marks the connection as active until the returned value is dropped, when the answer is sent.
    pub(super) fn active(self: &Arc<Self>) -> Active {
        self.leave_idle();
        Active(self.clone())
    }

    fn leave_idle(&self) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(turn) = turn {
            self.server.connections.lock().idle.remove(&turn);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.leave_idle();
        self.server.connections.lock().open -= 1;
    }
}

/// A connection with a request.
pub(super) struct Active(Arc<Connection>);

impl Drop for Active {
    fn drop(&mut self) {
        self.0.rest();
    }
}

/// Accepts connections until the server is stopped; then ends all of them, whatever the clients do.
pub(super) async fn serve(server: Arc<Server>, listener: TcpListener) {
    let refusing = Arc::new(Semaphore::new(LEAVING));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = server.stopped() => break,
        };
        let (stream, remote) = match accepted {
            Ok(accepted) => accepted,
            Err(_) => {
                // Most likely the limit of open files is reached.
                server.connections.displace();
                sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        server.connections.drained().await;
        match server.connections.admit() {
            Some(displaced) => {
                if displaced {
                    server.metrics.rejected("idle");
                }
                tokio::spawn(one(server.clone(), Connection::new(server.clone(), remote), stream));
            }
            None => {
                server.metrics.rejected("connections");
                let _ = stream.try_write(route::TOO_MANY.as_bytes());
                if let Ok(permit) = refusing.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        linger(stream).await;
                        drop(permit);
                    });
                }
            }
        }
    }
    drop(listener);
    server.closing.send_replace(true);
    server.connections.close_idle();
    let none_left = async || {
        while server.connections.open() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    if timeout(STOP_FINISH, none_left()).await.is_err() {
        server.running.stop_all();
        let _ = timeout(STOP_SEND, none_left()).await;
    }
}

/// Serves one connection to its end.
async fn one(server: Arc<Server>, connection: Arc<Connection>, stream: TcpStream) {
    let io = TokioIo::new(Watched::new(stream, connection.heads.clone()));
    let own = (server.clone(), connection.clone());
    let service = service_fn(move |request| Box::pin(route::handle(own.0.clone(), own.1.clone(), request)));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEAD_LINES)
        .max_header_size(HEAD_BYTES)
        .max_buf_size(2 * HEAD_BYTES);
    let mut conn = builder.serve_connection(io, service);
    let mut closing = server.closing.subscribe();
    let mut is_closing = false;
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|cx| conn.poll_without_shutdown(cx)) => break ended,
            () = connection.leave.notified() => return,
            _ = closing.changed(), if !is_closing => {
                is_closing = true;
                // The current request is answered; no other follows.
                Pin::new(&mut conn).graceful_shutdown();
            }
        }
    };
    if let Err(error) = &ended
        && error.is_parse()
    {
        server.metrics.rejected("malformed");
    }
    linger(conn.into_parts().io.into_inner().stream).await;
}

/// Shuts the connection down for writing and briefly discards further input. Closing with unread bytes would reset the
/// connection, and the client might never see the answer.
async fn linger(mut stream: TcpStream) {
    let _ = poll_fn(|cx| Pin::new(&mut stream).poll_shutdown(cx)).await;
    let drain = async {
        let mut scratch = [0; 4096];
        while stream.readable().await.is_ok() {
            match stream.try_read(&mut scratch) {
                Ok(0) => return,
                Ok(_) => {}
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    };
    let _ = timeout(LINGER, drain).await;
}
