//! How many connections a client makes: it calls a server through a forwarder that counts them.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::process::Process;
use crate::Result;
use crate::args::ServerSpec;

/// Calls that the client makes, one after the other.
pub(super) const CALLS: usize = 10_000;
const LIMIT: Duration = Duration::from_secs(120);

pub(super) struct Sockets {
    pub(super) connections: usize,
    pub(super) calls_per_s: f64,
}

/// Has `client` call the server.
pub(super) fn count(client: &ServerSpec, server: &ServerSpec) -> Result<Sockets> {
    let process = Process::start(server, 0, LIMIT)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let accepted = Arc::new(AtomicUsize::new(0));
    let (counted, address) = (Arc::clone(&accepted), process.target.address.clone());
    // It ends with this process: there is nothing else that would end a wait for connections.
    thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = stream.and_then(|stream| forward(stream, &address));
        }
    });
    let started = Instant::now();
    let mut child = Command::new(&client.program)
        .args(&client.args)
        .arg(url)
        .arg(CALLS.to_string())
        .stdin(Stdio::null())
        .spawn()
        .map_err(|e| format!("cannot start {}: {e}", client.program.display()))?;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if started.elapsed() < LIMIT => thread::sleep(Duration::from_millis(5)),
            None => {
                child.kill()?;
                break child.wait()?;
            }
        }
    };
    if !status.success() {
        return Err(format!("the client ended with {status}").into());
    }
    let calls_per_s = CALLS as f64 / started.elapsed().as_secs_f64();
    Ok(Sockets { connections: accepted.load(Ordering::Relaxed), calls_per_s })
}

/// Passes on what comes on a connection, both ways, until it ends.
fn forward(stream: TcpStream, address: &str) -> io::Result<()> {
    let behind = TcpStream::connect(address)?;
    for end in [&stream, &behind] {
        end.set_nodelay(true)?;
    }
    for (mut from, mut to) in [(stream.try_clone()?, behind.try_clone()?), (behind, stream)] {
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
    Ok(())
}
