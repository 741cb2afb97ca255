//! The commands about gateways: `gateway`, `relay` and `backends`.

use std::path::PathBuf;
use std::time::Duration;

use super::{Command, ServerSpec};
use crate::Result;

/// How the server behind a gateway is reached.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Behind {
    Stdio,
    Http,
}

/// Gateways before one server.
pub(crate) struct Gateways {
    pub(crate) behind: Behind,
    /// The server behind.
    pub(crate) server: ServerSpec,
    pub(crate) gateways: Vec<GatewaySpec>,
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
    pub(crate) ours: String,
    /// Whether cores are kept from sleeping meanwhile.
    pub(crate) awake: bool,
    pub(crate) out: PathBuf,
}

/// A gateway that copies bytes.
pub(crate) struct Relay {
    pub(crate) listen: String,
    pub(crate) to: String,
}

/// A gateway to start.
pub(crate) struct GatewaySpec {
    pub(crate) name: String,
    /// Where it listens, unless it is called through its standard input.
    pub(crate) url: Option<String>,
    pub(crate) words: Vec<String>,
}

/// Our gateway before many servers.
pub(crate) struct Backends {
    pub(crate) docent: PathBuf,
    pub(crate) server: PathBuf,
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
    pub(crate) out: PathBuf,
}

pub(super) fn parse(command: &str, mut words: impl Iterator<Item = String>) -> Result<Command> {
    let (mut behind, mut server, mut gateways) = (Behind::Stdio, None, Vec::new());
    let (mut rounds, mut time) = (5, Duration::from_secs(1));
    let (mut docent, mut ours) = (None::<PathBuf>, "docent".to_owned());
    let (mut awake, mut out) = (false, PathBuf::from("target/bench"));
    while let Some(option) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{option} needs a value"));
        match (command, option.as_str()) {
            ("gateway", "--behind") => {
                behind = match value()?.as_str() {
                    "stdio" => Behind::Stdio,
                    "http" => Behind::Http,
                    other => return Err(format!("--behind is stdio or http, not {other}").into()),
                };
            }
            ("gateway", "--gateway") => gateways.push(gateway(&value()?)?),
            ("gateway", "--ours") => ours = value()?,
            ("gateway", "--awake") => awake = true,
            ("backends", "--docent") => docent = Some(value()?.into()),
            (_, "--upstream") => server = Some(super::server(&format!("direct={}", value()?))?),
            (_, "--rounds") => rounds = value()?.parse::<usize>()?.max(1),
            (_, "--seconds") => time = Duration::try_from_secs_f64(value()?.parse()?)?,
            (_, "--out") => out = value()?.into(),
            _ => return Err(format!("{command:?} has no option {option:?}").into()),
        }
    }
    let server = server.ok_or("--upstream is needed")?;
    if command == "gateway" {
        return Ok(Command::Gateways(Gateways {
            behind,
            server,
            gateways,
            rounds,
            time,
            ours,
            awake,
            out,
        }));
    }
    let docent = docent.ok_or("--docent is needed")?;
    let server = server.program;
    Ok(Command::Backends(Backends { docent, server, rounds, time, out }))
}

pub(super) fn relay(mut words: impl Iterator<Item = String>) -> Result<Command> {
    match (words.next(), words.next(), words.next()) {
        (Some(listen), Some(to), None) => Ok(Command::Relay(Relay { listen, to })),
        _ => Err("relay wants where to listen and the URL of a server".into()),
    }
}

fn gateway(text: &str) -> Result<GatewaySpec> {
    let (name, command) = text.split_once('=').ok_or("--gateway wants NAME=[URL ]COMMAND")?;
    let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let is_url = words.first().is_some_and(|word| word.starts_with("http://"));
    let url = is_url.then(|| words.remove(0));
    match words.is_empty() {
        true => Err(format!("{name}: the command is empty").into()),
        false => Ok(GatewaySpec { name: name.to_owned(), url, words }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_listens_or_is_spoken_to() {
        let at = gateway("a=http://127.0.0.1:{port}/mcp run --port {port}").unwrap();
        assert_eq!(at.url.as_deref(), Some("http://127.0.0.1:{port}/mcp"));
        assert_eq!(at.words, ["run", "--port", "{port}"]);
        assert_eq!(gateway("a=run it").unwrap().url, None);
        assert!(gateway("a=http://127.0.0.1:1/mcp").is_err());
    }
}
