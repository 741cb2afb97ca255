//! The fixture server, running for as long as this value lives.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::process;

/// A running fixture server.
pub(super) struct Fixture {
    child: Child,
    /// Where it serves.
    pub(super) url: String,
}

impl Fixture {
    /// Starts the server and waits until it says where it listens.
    pub(super) fn start(program: &Path) -> Result<Fixture, String> {
        let mut command = process::program(program);
        // The server ends at the end of its input, so that it does not outlive this process.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let mut url = String::new();
        if let Some(output) = child.stdout.take() {
            let read = BufReader::new(output).read_line(&mut url);
            read.map_err(|error| format!("cannot read what the server says: {error}"))?;
        }
        let fixture = Fixture { child, url: url.trim().to_owned() };
        match fixture.url.starts_with("http://") {
            true => Ok(fixture),
            false => Err("the fixture server did not say where it listens".to_owned()),
        }
    }
}

impl Fixture {
    /// Starts the gateway before a server. It says the address only, without a path.
    pub(super) fn before(program: &Path, server: &Fixture) -> Result<Fixture, String> {
        let mut command = process::program(program);
        command.args(["--bare", "--http", &server.url]).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let mut address = String::new();
        if let Some(output) = child.stdout.take() {
            let read = BufReader::new(output).read_line(&mut address);
            read.map_err(|error| format!("cannot read what the gateway says: {error}"))?;
        }
        Ok(Fixture { child, url: format!("http://{}/mcp", address.trim()) })
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
