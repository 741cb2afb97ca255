//! The timed loop: many connections, one call at a time on each, all from one thread.
//!
//! A call costs the generator one write, one read and its share of a wait, so that it stays below
//! the cheapest server.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use super::blocking::Blocking;
use super::calls::Calls;
use super::dialect::Spoken;
use super::process::Process;
use super::reply::parse;
use crate::Result;
use crate::load::{Meter, Throughput};

/// How long the last answers may take once the time is over.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Outcome {
    pub(super) throughput: Throughput,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
}

/// Connections that are open and have their session.
pub(super) struct Load<'a> {
    server: &'a Process,
    poll: Poll,
    connections: Vec<Connection>,
}

struct Connection {
    stream: mio::net::TcpStream,
    calls: Calls,
    written: usize,
    buffer: Vec<u8>,
    filled: usize,
    begun: Instant,
    /// The length of an answer's body, which is the same for each.
    body_bytes: Option<usize>,
}

impl<'a> Load<'a> {
    pub(super) fn open(
        server: &'a Process,
        spoken: &Spoken,
        count: usize,
        message: &str,
    ) -> Result<Self> {
        let poll = Poll::new()?;
        let mut connections = Vec::with_capacity(count);
        for index in 0..count {
            let mut blocking = Blocking::connect(&server.target.address, PATIENCE)?;
            let session = spoken.open(&mut blocking, &server.target)?;
            let calls = Calls::new(spoken, &server.target, session.as_deref(), message);
            let stream: TcpStream = blocking.into_stream()?;
            stream.set_nonblocking(true)?;
            let mut stream = mio::net::TcpStream::from_std(stream);
            let both = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(&mut stream, Token(index), both)?;
            connections.push(Connection {
                stream,
                calls,
                written: 0,
                buffer: vec![0; (message.len() * 2).max(4 << 10)],
                filled: 0,
                begun: Instant::now(),
                body_bytes: None,
            });
        }
        Ok(Self { server, poll, connections })
    }

    /// Calls for `time` and waits for the last answers.
    pub(super) fn run(&mut self, time: Duration) -> Result<Outcome> {
        let meter = Meter::start(self.server.pid)?;
        let mut times = Vec::with_capacity(1 << 16);
        let mut waiting = self.connections.len();
        for connection in &mut self.connections {
            connection.begin(meter.started)?;
        }
        let mut events = Events::with_capacity(1024);
        while waiting > 0 {
            if let Err(error) = self.poll.poll(&mut events, Some(PATIENCE))
                && error.kind() != ErrorKind::Interrupted
            {
                return Err(error.into());
            }
            if meter.started.elapsed() > time + PATIENCE {
                return Err(format!("{waiting} calls were not answered").into());
            }
            for event in &events {
                let connection = &mut self.connections[event.token().0];
                connection.write()?;
                if !event.is_readable() || !connection.read()? {
                    continue;
                }
                let now = Instant::now();
                times.push(now - connection.begun);
                if now - meter.started < time {
                    connection.begin(now)?;
                } else {
                    waiting -= 1;
                }
            }
        }
        let throughput = meter.stop(times.len())?;
        times.sort_unstable();
        let at =
            |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
        Ok(Outcome { throughput, p50_us: at(0.5), p99_us: at(0.99) })
    }
}

impl Connection {
    /// Makes the next call.
    fn begin(&mut self, now: Instant) -> Result<()> {
        self.calls.advance();
        self.written = 0;
        self.begun = now;
        self.write()
    }

    /// Writes what the socket takes.
    fn write(&mut self) -> Result<()> {
        while let rest @ [_, ..] = &self.calls.bytes()[self.written..] {
            match self.stream.write(rest) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads what has come; true once it is the whole answer to the call.
    fn read(&mut self) -> Result<bool> {
        loop {
            if self.filled == self.buffer.len() {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            let room = &mut self.buffer[self.filled..];
            let all = room.len();
            match self.stream.read(room) {
                Ok(0) => return Err("the server closed a connection".into()),
                Ok(count) => {
                    self.filled += count;
                    // A short read has emptied the socket: what comes later wakes us again.
                    if count < all {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        let Some(reply) = parse(&self.buffer[..self.filled])? else { return Ok(false) };
        if reply.length != self.filled || self.written != self.calls.bytes().len() {
            return Err("the server answered more than it was asked".into());
        }
        self.calls.check(&reply.body)?;
        let body_bytes = reply.body.len();
        if !reply.events && *self.body_bytes.get_or_insert(body_bytes) != body_bytes {
            return Err("an answer is longer or shorter than the others".into());
        }
        self.filled = 0;
        Ok(true)
    }
}
