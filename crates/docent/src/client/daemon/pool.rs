//! The servers that are kept: each program once, for as long as somebody comes back to it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use docent_host::{Gateway, Host};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::wire::{Kept, Program};

/// Programs that are kept at a time.
const SERVERS_MAX: usize = 64;
/// What the one server of a gateway is called.
const NAME: &str = "server";

#[derive(Default)]
pub(super) struct Pool(Mutex<HashMap<String, Arc<Server>>>);

pub(super) struct Server {
    program: Program,
    gateway: OnceCell<Gateway>,
    clients: AtomicUsize,
    used: Mutex<Instant>,
}

/// The use of a server by one client.
pub(super) struct Use(Arc<Server>);

impl Use {
    pub(super) fn gateway(&self) -> Option<&Gateway> {
        self.0.gateway.get()
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        *self.0.used.lock().expect("no panic while locked") = Instant::now();
        self.0.clients.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Pool {
    fn servers(&self) -> MutexGuard<'_, HashMap<String, Arc<Server>>> {
        self.0.lock().expect("no panic while locked")
    }

    /// The server of a program, started if nobody has yet; or why it does not run.
    pub(super) async fn take(&self, program: Program) -> Result<Use, String> {
        let key = program.key();
        let used = {
            let mut servers = self.servers();
            if servers.len() >= SERVERS_MAX && !servers.contains_key(&key) {
                return Err(format!("the daemon keeps {SERVERS_MAX} servers already"));
            }
            let server = servers.entry(key.clone()).or_insert_with(|| {
                let (gateway, clients) = (OnceCell::new(), AtomicUsize::new(0));
                Arc::new(Server { program, gateway, clients, used: Mutex::new(Instant::now()) })
            });
            // Counted while it cannot be ended.
            server.clients.fetch_add(1, Ordering::AcqRel);
            Use(server.clone())
        };
        match used.0.gateway.get_or_try_init(|| start(&used.0.program)).await {
            Ok(_) => Ok(used),
            Err(reason) => {
                self.servers().retain(|one, server| *one != key || server.gateway.initialized());
                Err(reason)
            }
        }
    }

    /// Ends what nobody has used for so long; true if nothing is left.
    pub(super) async fn tidy(&self, idle: Duration) -> bool {
        let unused = |server: &Server| {
            let since = server.used.lock().expect("no panic while locked").elapsed();
            server.clients.load(Ordering::Acquire) == 0 && since >= idle
        };
        let (gone, empty): (Vec<_>, bool) = {
            let mut servers = self.servers();
            let gone = servers.extract_if(|_, server| unused(server)).map(|(_, one)| one).collect();
            (gone, servers.is_empty())
        };
        for server in gone {
            server.end().await;
        }
        empty
    }

    /// Ends all of them.
    pub(super) async fn close(&self) {
        let all: Vec<_> = self.servers().drain().map(|(_, server)| server).collect();
        for server in all {
            server.end().await;
        }
    }

    pub(super) fn kept(&self) -> Vec<Kept> {
        let servers = self.servers();
        let mut kept: Vec<Kept> = servers.values().map(|server| server.kept()).collect();
        kept.sort_by(|one, other| one.command.cmp(&other.command));
        kept
    }
}

impl Server {
    async fn end(&self) {
        if let Some(gateway) = self.gateway.get() {
            gateway.close().await;
        }
    }

    fn kept(&self) -> Kept {
        let used = *self.used.lock().expect("no panic while locked");
        Kept {
            command: self.program.shown(),
            clients: self.clients.load(Ordering::Acquire),
            unused_seconds: used.elapsed().as_secs(),
        }
    }
}

/// A gateway before this one server, which looks to its clients like the server itself.
async fn start(program: &Program) -> Result<Gateway, String> {
    let host = Host::builder("docent", env!("CARGO_PKG_VERSION")).bare_names();
    let host = host.from_entries([program.entry(NAME)]);
    let client = match host.client(NAME).await {
        Ok(client) => client,
        Err(error) => {
            host.close().await;
            return Err(error.to_string());
        }
    };
    let server = client.server();
    let mut builder = Gateway::builder(host).revisions([server.revision]);
    if let Some(info) = &server.info {
        builder = builder.presented_as(info.clone());
    }
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use docent_host::config::ServerEntry;

    use super::*;

    fn program(number: usize) -> Program {
        let entry = ServerEntry::stdio("x", format!("/no/such/program-{number}"), [""; 0]);
        Program::of(&entry).expect("a program")
    }

    /// Keeps so many, none of which was started.
    fn pool(count: usize) -> Pool {
        let pool = Pool::default();
        for number in 0..count {
            let (program, used) = (program(number), Mutex::new(Instant::now()));
            let (key, gateway, clients) = (program.key(), OnceCell::new(), AtomicUsize::new(0));
            pool.servers().insert(key, Arc::new(Server { program, gateway, clients, used }));
        }
        pool
    }

    #[tokio::test]
    async fn one_more_than_it_keeps_is_refused() {
        let why = async |count| pool(count).take(program(count)).await.err().expect("no server");
        let full = format!("the daemon keeps {SERVERS_MAX} servers already");
        assert!(why(SERVERS_MAX - 1).await.contains("cannot start"), "there is room for one");
        assert_eq!(why(SERVERS_MAX).await, full);
        // One that it has is no more.
        let again = pool(SERVERS_MAX).take(program(0)).await.err().expect("it does not start");
        assert!(again.contains("cannot start"), "{again}");
    }
}
