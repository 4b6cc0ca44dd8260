//! A wrapper of the TCP stream below hyper. It detects request headers with an ambiguous body length, ends connections
//! of clients that do not read their answer, and gives hyper's own answers to malformed headers our body and headers.
//!
//! Hyper drops a Content-Length next to a Transfer-Encoding before a request reaches us, so it is detected here. A
//! request with Transfer-Encoding is the last of its connection; the length of all other bodies is known from their
//! headers.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::limits::{ANSWER_STALL, HEAD_BYTES, RATE};
use super::route;

/// For each request header of a connection, in order: whether the body length is stated at most once.
#[derive(Clone, Default)]
pub(super) struct Heads(Arc<Mutex<VecDeque<bool>>>);

impl Heads {
    /// Whether the next request states its length at most once. Headers that were not seen are not trusted.
    pub(super) fn next_is_clear(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front().unwrap_or(false)
    }

    fn push(&self, clear: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(clear);
    }
}

/// A stream whose request headers are inspected.
pub(super) struct Watched {
    pub(super) stream: TcpStream,
    heads: Heads,
    stage: Stage,
    /// The header line being read.
    line: Vec<u8>,
    is_begun: bool,
    lengths: u32,
    encodings: u32,
    length: u64,
    /// The deadline for the client to read more of its answer, and the bytes it read since the deadline was set.
    stall: Option<Pin<Box<Sleep>>>,
    taken: u64,
    /// An answer sent instead of hyper's, and the bytes of it sent so far.
    instead: Option<(Vec<u8>, usize)>,
}

enum Stage {
    Head,
    Body(u64),
    /// Nothing that follows is a request.
    Rest,
}

impl Watched {
    pub(super) fn new(stream: TcpStream, heads: Heads) -> Self {
        Watched {
            stream,
            heads,
            stage: Stage::Head,
            line: Vec::new(),
            is_begun: false,
            lengths: 0,
            encodings: 0,
            length: 0,
            stall: None,
            taken: 0,
            instead: None,
        }
    }

    fn inspect(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match &mut self.stage {
                Stage::Rest => return,
                Stage::Body(left) => {
                    let here = (*left).min(bytes.len() as u64);
                    *left -= here;
                    bytes = &bytes[here as usize..];
                    if *left == 0 {
                        self.stage = Stage::Head;
                    }
                }
                Stage::Head => {
                    let end = bytes.iter().position(|b| *b == b'\n');
                    let here = end.unwrap_or(bytes.len());
                    // Hyper refuses longer headers.
                    let room = (2 * HEAD_BYTES).saturating_sub(self.line.len());
                    self.line.extend_from_slice(&bytes[..here.min(room)]);
                    if end.is_some() {
                        self.end_line();
                    }
                    bytes = &bytes[(here + usize::from(end.is_some()))..];
                }
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        match (line.is_empty(), self.is_begun) {
            // Empty lines before a request are skipped.
            (true, false) => {}
            (false, false) => self.is_begun = true,
            (false, true) => {
                let mut halves = line.splitn(2, |b| *b == b':');
                let name = halves.next().unwrap_or_default().trim_ascii();
                let value = halves.next().unwrap_or_default().trim_ascii();
                if name.eq_ignore_ascii_case(b"content-length") {
                    self.lengths += 1;
                    self.length = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok()).unwrap_or(0);
                } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                    self.encodings += 1;
                }
            }
            (true, true) => {
                self.heads.push(self.lengths + self.encodings <= 1);
                self.stage = match (self.encodings, self.length) {
                    (0, 0) => Stage::Head,
                    (0, length) => Stage::Body(length),
                    _ => Stage::Rest,
                };
                (self.is_begun, self.lengths, self.encodings, self.length) = (false, 0, 0, 0);
            }
        }
    }

    /// Sends our own answer if `first`, the next of `length` bytes, begins one of hyper's own; otherwise `None`.
    fn replaced(
        &mut self,
        first: &[u8],
        length: usize,
        cx: &mut Context<'_>,
    ) -> Option<Poll<io::Result<usize>>> {
        if self.instead.is_none() {
            self.instead = route::in_place_of(first).map(|answer| (answer, 0));
        }
        let (answer, sent) = self.instead.as_mut()?;
        while *sent < answer.len() {
            match Pin::new(&mut self.stream).poll_write(cx, &answer[*sent..]) {
                Poll::Ready(Ok(written)) if written > 0 => *sent += written,
                Poll::Ready(Ok(_)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                other => return Some(self.paced(length, other, cx)),
            }
        }
        self.instead = None;
        Some(Poll::Ready(Ok(length)))
    }

    /// Ends the connection of a client that reads nothing, or too slowly.
    fn paced(
        &mut self,
        length: usize,
        done: Poll<io::Result<usize>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match &done {
            Poll::Ready(Ok(written)) => {
                self.taken += *written as u64;
                if *written == length || self.taken >= RATE * ANSWER_STALL.as_secs() {
                    (self.stall, self.taken) = (None, 0);
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                let stall = self.stall.get_or_insert_with(|| Box::pin(tokio::time::sleep(ANSWER_STALL)));
                if stall.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
        }
        done
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(cx, buf);
        self.inspect(&buf.filled()[before..]);
        done
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(done) = self.replaced(buf, buf.len(), cx) {
            return done;
        }
        let done = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.paced(buf.len(), done, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = bufs.iter().map(|b| b.len()).sum();
        let first = bufs.iter().find(|b| !b.is_empty()).map_or(&[][..], |b| b);
        if let Some(done) = self.replaced(first, length, cx) {
            return done;
        }
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.paced(length, done, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
