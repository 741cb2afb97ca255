//! A gateway that knows nothing: it copies bytes from one connection to another and back.
//!
//! No gateway can take less than this on the machine that measures, so that its row tells what the
//! machine's own share of a call is.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::Result;
use crate::args::Relay;

/// As much as the messages that are sent here ever have.
const BUFFER: usize = 64 << 10;

/// Serves until it is killed.
pub(crate) fn run(options: &Relay) -> Result<()> {
    let address = options.to.strip_prefix("http://").unwrap_or(&options.to);
    let address = address.split('/').next().unwrap_or(address);
    let listener = TcpListener::bind(&options.listen)?;
    for connection in listener.incoming() {
        let (client, server) = (connection?, TcpStream::connect(address)?);
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        // One request at a time, each whole: who calls through this sends nothing before the answer.
        thread::spawn(move || turns(&client, &server));
    }
    Ok(())
}

fn turns(client: &TcpStream, server: &TcpStream) {
    let mut buffer = vec![0; BUFFER];
    loop {
        for (mut from, mut to) in [(client, server), (server, client)] {
            match from.read(&mut buffer) {
                Ok(n) if n > 0 && to.write_all(&buffer[..n]).is_ok() => {}
                _ => return,
            }
        }
    }
}
