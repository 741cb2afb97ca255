//! Transports move frames: one frame is one JSON message, as bytes.
//!
//! A transport is a reader and a writer, and nothing else: no ids, no sessions, no protocol. The
//! session reads and writes at the same time, so neither half may wait for the other. What is
//! shipped:
//!
//! | transport | for |
//! |---|---|
//! | [`memory`] | both ends in one program: tests, embedding |
//! | [`stdio()`] | a server whose client started it |
//! | [`stream`] | anything that reads and writes bytes: sockets, pipes |
//! | [`ChildProcess`](child::ChildProcess) | a client that starts its server |
//! | [`HttpEndpoint`](http::HttpEndpoint) | a client of a server on the web |
//!
//! To write one, implement [`FrameReader`] and [`FrameWriter`] and hand both to
//! [`Transport::new`]; then run [`contract::check`] against it.

#[cfg(feature = "process")]
pub mod child;
pub mod contract;
#[cfg(feature = "http")]
pub mod http;
mod memory;
mod stdio;
mod stream;

use std::future::Future;
use std::io;
use std::pin::Pin;

use bytes::Bytes;

pub use memory::memory;
pub use stdio::stdio;
pub use stream::{stream, stream_with};

use crate::error::Error;
use crate::jsonrpc::{Id, MessageId, Response};

/// What a reader found.
#[derive(Debug)]
pub enum Incoming {
    /// One frame: the bytes of one JSON message, without framing.
    Frame(Bytes),
    /// An answer that the transport had to read itself.
    Answer(Response),
    /// A message that was skipped because it is too long; whoever waits because of it is told, if
    /// its id could be read on the way.
    Oversize {
        /// The id, when it could be read.
        id: Option<MessageId>,
        /// The limit that it broke.
        limit: usize,
    },
    /// A request of ours that waits for something else than the peer, for example for a user who
    /// has to log in first. That does not count as time that the peer takes.
    Held {
        /// The request.
        id: Id,
        /// Whether it begins to wait, or ends.
        held: bool,
    },
    /// A request of ours that the transport knows will not be answered.
    Failed {
        /// The request.
        id: Id,
        /// What its maker is told.
        error: Error,
    },
}

/// The reading half of a transport.
pub trait FrameReader: Send + 'static {
    /// Waits for input and appends one or more items; appending none means the end of input.
    ///
    /// Must be cancel safe: when the future is dropped, no byte of a message may be lost.
    fn read(&mut self, items: &mut Vec<Incoming>) -> impl Future<Output = io::Result<()>> + Send;
}

/// The writing half of a transport.
pub trait FrameWriter: Send + 'static {
    /// Writes frames in order and takes them out of the vector. Returns when the next ones can be
    /// accepted; an error means that the peer can no longer be reached.
    fn write(&mut self, frames: &mut Vec<Bytes>) -> impl Future<Output = io::Result<()>> + Send;

    /// Delivers what was accepted and tells the peer that nothing more will come.
    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send;
}

/// A connection to one peer, ready to be served or driven.
pub struct Transport {
    pub(crate) reader: Box<dyn AnyReader>,
    pub(crate) writer: Box<dyn AnyWriter>,
    /// Lives as long as the connection; dropping it releases what stands behind, for example a
    /// child process.
    pub(crate) guard: Option<Box<dyn Guard>>,
}

impl Transport {
    /// A transport from its two halves.
    pub fn new(reader: impl FrameReader, writer: impl FrameWriter) -> Self {
        Transport { reader: Box::new(reader), writer: Box::new(writer), guard: None }
    }

    #[cfg(any(feature = "process", feature = "http"))]
    pub(crate) fn guarded(mut self, guard: impl Guard) -> Self {
        self.guard = Some(Box::new(guard));
        self
    }
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transport").finish_non_exhaustive()
    }
}

/// What stands behind a transport and has to be ended with it.
pub(crate) trait Guard: Send + Sync + 'static {
    /// Ends it, gracefully first; returns when it is gone.
    fn end(&self) -> BoxFuture<'_, ()>;
    /// What it left behind that explains a failure, for example the tail of a child's stderr.
    fn explain(&self) -> Option<String>;
}

/// A future on the heap, as traits of this crate return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`FrameReader`] without the generics, so that the session is compiled once.
pub(crate) trait AnyReader: Send {
    fn read<'a>(&'a mut self, items: &'a mut Vec<Incoming>) -> BoxFuture<'a, io::Result<()>>;
}

impl<R: FrameReader> AnyReader for R {
    fn read<'a>(&'a mut self, items: &'a mut Vec<Incoming>) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(FrameReader::read(self, items))
    }
}

/// [`FrameWriter`] without the generics.
pub(crate) trait AnyWriter: Send {
    fn write<'a>(&'a mut self, frames: &'a mut Vec<Bytes>) -> BoxFuture<'a, io::Result<()>>;
    fn close(&mut self) -> BoxFuture<'_, io::Result<()>>;
}

impl<W: FrameWriter> AnyWriter for W {
    fn write<'a>(&'a mut self, frames: &'a mut Vec<Bytes>) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(FrameWriter::write(self, frames))
    }

    fn close(&mut self) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(FrameWriter::close(self))
    }
}
