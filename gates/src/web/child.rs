//! The server of a gate: started, watched from outside, and told to stop.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};

use super::connection::Connection;
use super::message;
use crate::Result;

/// What it may take to fill everything that the system keeps between the server and somebody who
/// does not read: some megabytes for each connection. Only then does a write wait.
pub(crate) const FILLING: Duration = Duration::from_secs(5);

pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    child: Child,
    pid: u32,
    /// Its other end closes with this process, and the server ends then.
    _input: Option<ChildStdin>,
}

impl Served {
    /// Starts this program again as a server with these settings; see `role`.
    pub(crate) async fn start(settings: &[&str]) -> Result<Self> {
        Served::start_as("serve-http", settings).await
    }

    /// Starts this program again in another role that prints where it listens.
    pub(crate) async fn start_as(role: &str, words: &[&str]) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(role).args(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
        let line = lines.next_line().await?.ok_or("the server did not start")?;
        let pid = child.id().ok_or("the server ended at once")?;
        Ok(Served { address: line.parse()?, child, pid, _input: input })
    }

    pub(crate) async fn connect(&self) -> Result<Connection> {
        Connection::open(self.address).await
    }

    /// How often `echo` ran.
    pub(crate) async fn hits(&self) -> Result<usize> {
        self.count("hits").await
    }

    /// How many handlers of `wait` are running.
    pub(crate) async fn running(&self) -> Result<usize> {
        self.count("running").await
    }

    async fn count(&self, tool: &str) -> Result<usize> {
        let mut connection = self.connect().await?;
        let answer = connection.ask(&message::call(1, tool, &serde_json::json!({}))).await?;
        let message = answer.message()?;
        let text = message["result"]["content"][0]["text"].as_str();
        Ok(text.ok_or_else(|| format!("no count in {message}"))?.parse()?)
    }

    fn status(&self, field: &str) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kib = line.and_then(|rest| rest.trim_start_matches(':').split_whitespace().next());
        Ok(kib.ok_or("no such field")?.parse::<f64>()? / 1024.0)
    }

    /// Memory that it holds, in MiB.
    pub(crate) fn rss(&self) -> Result<f64> {
        self.status("VmRSS")
    }

    /// The most memory that it held since [`Served::forget_peak`], in MiB.
    pub(crate) fn peak(&self) -> Result<f64> {
        self.status("VmHWM")
    }

    pub(crate) fn forget_peak(&self) -> Result<()> {
        Ok(std::fs::write(format!("/proc/{}/clear_refs", self.pid), "5")?)
    }

    /// How many of these connections it still has open, by the ports of their other ends. Whoever
    /// does not read does not see that a connection was ended, but the system does.
    pub(crate) fn connected(&self, ports: &HashSet<u16>) -> Result<usize> {
        let table = std::fs::read_to_string("/proc/net/tcp")?;
        let own = self.address.port();
        let open = table.lines().filter(|line| established(line, own, ports));
        Ok(open.count())
    }

    /// Tells it to stop.
    pub(crate) fn terminate(&self) -> Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.pid)?).ok_or("no process id")?;
        Ok(kill_process(pid, Signal::TERM)?)
    }

    /// How it ended; `None` if it did not in time.
    pub(crate) async fn ended(&mut self, patience: Duration) -> Result<Option<ExitStatus>> {
        match tokio::time::timeout(patience, self.child.wait()).await {
            Ok(status) => Ok(Some(status?)),
            Err(_) => Ok(None),
        }
    }

    /// Stops it and says whether it ended well.
    pub(crate) async fn stop(mut self) -> Result<bool> {
        self.terminate()?;
        let status = self.ended(Duration::from_secs(10)).await?;
        if let Some(signal) = status.and_then(|status| status.signal()) {
            println!("the server ended by signal {signal}");
        }
        Ok(status.is_some_and(|status| status.success()))
    }
}

/// Whether a line of `/proc/net/tcp` is an open connection from one of these ports to this one.
fn established(line: &str, local: u16, remote: &HashSet<u16>) -> bool {
    let port = |address: Option<&str>| -> Option<u16> {
        u16::from_str_radix(address?.split_once(':')?.1, 16).ok()
    };
    let mut fields = line.split_whitespace().skip(1);
    let here = port(fields.next()) == Some(local);
    let there = port(fields.next()).is_some_and(|port| remote.contains(&port));
    here && there && fields.next() == Some("01")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_connections_are_found() {
        let remote = HashSet::from([0x1f90]);
        for (line, expected) in [
            ("   4: 0100007F:0050 0100007F:1F90 01 00000000:00000000 00:00000000", true),
            ("   4: 0100007F:0050 0100007F:1F91 01 00000000:00000000 00:00000000", false),
            ("   4: 0100007F:1F90 0100007F:0050 01 00000000:00000000 00:00000000", false),
            ("   4: 0100007F:0050 0100007F:1F90 04 00000000:00000000 00:00000000", false),
            ("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when", false),
        ] {
            assert_eq!(established(line, 0x50, &remote), expected, "{line}");
        }
    }
}
