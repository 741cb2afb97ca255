//! What a command and the process in the background say to each other: one line each, as JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use docent_host::config::{Masked, ServerEntry, Transport};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The longest line: an environment is in it.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// What a command says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Said {
    /// A connection to this program, which is MCP from the next line on.
    Use(Program),
    /// What is kept?
    Status,
    /// End.
    Stop,
}

/// What it is told.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Told {
    /// The program runs.
    Ready,
    /// It does not, and why.
    Failed(String),
    /// What is kept.
    Servers(Vec<Kept>),
}

/// A server that is kept.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    pub(crate) command: String,
    pub(crate) clients: usize,
    pub(crate) unused_seconds: u64,
}

/// A program with everything that it would see of whoever starts it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Program {
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: PathBuf,
}

impl Program {
    /// The program of an entry, as this process would start it; nothing for one on the web.
    pub(super) fn of(entry: &ServerEntry) -> Option<Self> {
        let Transport::Stdio { command, args, env, cwd, inherit } = &entry.transport else {
            return None;
        };
        let here = std::env::current_dir().ok()?;
        let own: Vec<_> = match inherit {
            true => std::env::vars_os().collect(),
            false => docent_mcp::transport::child::passed_on().collect(),
        };
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let mut all: BTreeMap<String, String> = own.into_iter().filter_map(text).collect();
        all.extend(env.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())));
        Some(Program {
            command: command.expose().to_owned(),
            args: args.iter().map(|arg| arg.expose().to_owned()).collect(),
            env: all,
            cwd: cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd)),
        })
    }

    /// The entry to start it by.
    pub(super) fn entry(&self, name: &str) -> ServerEntry {
        let env = self.env.iter().map(|(name, value)| (name.clone(), Masked::hidden(value)));
        let transport = Transport::Stdio {
            command: Masked::plain(&self.command),
            args: self.args.iter().map(Masked::hidden).collect(),
            env: env.collect(),
            cwd: Some(self.cwd.clone()),
            inherit: false,
        };
        ServerEntry::new(name, transport)
    }

    /// What tells it from others: all of it.
    pub(super) fn key(&self) -> String {
        serde_json::to_string(self).expect("plain data is representable")
    }

    /// What may be shown: arguments can hold secrets.
    pub(super) fn shown(&self) -> String {
        match self.args.len() {
            0 => self.command.clone(),
            1 => format!("{} (1 argument)", self.command),
            count => format!("{} ({count} arguments)", self.command),
        }
    }
}

/// One line as a message.
pub(super) async fn read<T: for<'a> Deserialize<'a>>(
    input: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<T> {
    let mut line = String::new();
    input.take(LINE_BYTES_MAX).read_line(&mut line).await?;
    serde_json::from_str(&line).map_err(std::io::Error::other)
}

pub(super) fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("plain data is representable");
    line.push(b'\n');
    line
}
