//! `mcp.lock` for commands: where it is, what is used by it, and what is told of the rest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_host::config::Machine;
use docent_host::pin::{Change, Lock};
use docent_host::{Host, HostBuilder, HostEvent};
use serde_json::to_value;
use tokio::sync::Notify;

use super::questions;
use crate::failure::Failure;

/// The lock file that commands go by, which must be there.
pub(super) fn load() -> Result<Lock, Failure> {
    let machine = Machine::of_process();
    let path = Lock::find(&machine).ok_or_else(|| {
        let place = machine.directory().display();
        let message =
            format!("there is no `{}` in `{place}`, nor above it in the project", Lock::FILE);
        Failure::new(message).hint("`docent approve --tools` writes it")
    })?;
    read(&path)
}

/// The lock file to change, empty if there is none, and where it is or would be.
pub(crate) fn to_change() -> Result<(Lock, PathBuf), Failure> {
    let machine = Machine::of_process();
    match Lock::find(&machine) {
        Some(path) => Ok((read(&path)?, path)),
        None => Ok((Lock::default(), Lock::new_file(&machine))),
    }
}

fn read(path: &Path) -> Result<Lock, Failure> {
    Lock::load(path).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

/// Has a host offer only tools as they were approved.
pub(super) fn locked(builder: HostBuilder, lock: Lock) -> HostBuilder {
    builder.admit(move |server, tool| {
        let definition = to_value(tool).map_err(|error| error.to_string())?;
        match lock.change(server, &definition) {
            None => Ok(()),
            Some(Change::Changed { parts, .. }) => Err(format!(
                "it is not as `{}` has it: its {} changed",
                Lock::FILE,
                parts.join(", ")
            )),
            Some(_) => Err(format!("it is new: `{}` does not have it", Lock::FILE)),
        }
    })
}

/// Says of which tools a locked host makes no use, and why; each is told once.
pub(crate) struct Blocked {
    lock: Lock,
    told: BTreeSet<String>,
}

impl Blocked {
    pub(crate) fn by(lock: Lock) -> Self {
        Self { lock, told: BTreeSet::new() }
    }

    /// The lock file that commands go by.
    pub(crate) fn load() -> Result<Self, Failure> {
        load().map(Self::by)
    }

    /// Tells it of servers that were listed; nobody waits for the others.
    pub(crate) async fn warn(&mut self, host: &Host) {
        for server in host.servers().into_iter().filter(|server| server.tools.is_some()) {
            let Ok(listed) = host.tools_of(&server.name).await else { continue };
            let name = server.name.as_str();
            let blocked = server.blocked.iter();
            let blocked = blocked.map(|(tool, why)| format!("{name}.{tool} is blocked: {why}"));
            let is_there = |tool: &&str| {
                listed.iter().any(|one| one.own == **tool)
                    || server.blocked.iter().any(|(one, _)| one == *tool)
            };
            let gone = self.lock.tools(name).filter(|tool| !is_there(tool)).map(|tool| {
                format!("{name}.{tool} is gone: `{}` has it, the server does not", Lock::FILE)
            });
            for warning in blocked.chain(gone) {
                if self.told.insert(warning.clone()) {
                    questions::warn(&warning);
                }
            }
        }
    }
}

/// A host that serves others, and tells whoever started it what is blocked, whenever that changes.
pub(super) fn telling(
    builder: HostBuilder,
    lock: Lock,
    build: impl FnOnce(HostBuilder) -> Host,
) -> Host {
    let changed = Arc::new(Notify::new());
    let heard = changed.clone();
    let builder = builder.on_event(move |event| {
        if matches!(event, HostEvent::Changed) {
            changed.notify_one();
        }
    });
    let host = build(builder);
    let (told, mut blocked) = (host.clone(), Blocked::by(lock));
    tokio::spawn(async move {
        loop {
            heard.notified().await;
            blocked.warn(&told).await;
        }
    });
    host
}
