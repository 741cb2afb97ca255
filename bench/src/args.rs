//! The command line: words in, one [`Command`] out.

mod gateways;

use std::path::PathBuf;
use std::time::Duration;

pub(crate) use self::gateways::{Backends, Behind, GatewaySpec, Gateways, Relay};

use crate::Result;

pub(crate) const USAGE: &str = "\
docent-bench stdio --server NAME=COMMAND... [options]
    --rounds N          rounds, the servers interleaved in each (9)
    --seconds S         how long each timed loop runs (0.5)
    --floor NAME        the server that the others are compared to (raw)
    --ours NAME         the server that is compared to its peers (docent)
    --peer PREFIX       servers whose names start so are the peers (rmcp)
    --build             also measure building the servers' packages
    --out DIRECTORY     where stdio.json and scratch builds go (target/bench)
docent-bench http --server NAME=COMMAND... [the options of stdio but --build] [options]
    --client COMMAND    a client that is given a URL and a number of calls
    --only DIALECT      one of legacy_json, legacy_sse, modern_json, modern_sse, and nothing else
    --connections N     with so many connections only, and nothing else
docent-bench gateway --behind stdio|http --upstream COMMAND --gateway NAME=[URL ]COMMAND...
    --rounds, --seconds, --ours and --out as above
    A COMMAND may hold {port}, a free one; {server}, the command or address of the server behind; and
    {file:PATH}, which becomes a copy of that file with the same blanks filled in. Without URL it is
    called through its standard input and output.
    --awake             keep cores from sleeping between calls (Linux, with chrt and taskset)
docent-bench spin                does nothing, all the time, until its parent is gone
docent-bench relay ADDRESS URL   a gateway that only copies bytes
docent-bench backends --docent PROGRAM --upstream PROGRAM [--rounds N] [--seconds S] [--out DIRECTORY]
docent-bench eof --server NAME=COMMAND... [options]
    --runs N            runs of each server (1)
    --calls N           calls sent before end of input (100000)
    --load K            threads that burn CPU meanwhile (0)
    --rss-mb N          the limit on peak memory, in MiB (64)
    --timeout-seconds S after which a server is killed (120)

A COMMAND is split at spaces; it has no quoting.";

pub(crate) enum Command {
    Stdio(Stdio),
    Http(Http),
    Gateways(Gateways),
    Relay(Relay),
    Spin,
    Backends(Backends),
    Eof(Eof),
}

/// Servers to measure side by side, and how.
pub(crate) struct Comparison {
    pub(crate) servers: Vec<ServerSpec>,
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
    pub(crate) floor: String,
    pub(crate) ours: String,
    pub(crate) peer: String,
    pub(crate) out: PathBuf,
}

pub(crate) struct Stdio {
    pub(crate) sides: Comparison,
    pub(crate) build: bool,
}

pub(crate) struct Http {
    pub(crate) sides: Comparison,
    pub(crate) client: Option<ServerSpec>,
    pub(crate) only: Option<String>,
    pub(crate) connections: Option<usize>,
}

pub(crate) struct Eof {
    pub(crate) servers: Vec<ServerSpec>,
    pub(crate) runs: usize,
    pub(crate) calls: usize,
    pub(crate) load: usize,
    pub(crate) rss_mib: f64,
    pub(crate) timeout: Duration,
}

/// A server to start: the name it has in the report, its program and its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerSpec {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Command> {
    let command = words.next().ok_or("no command given")?;
    if command == "spin" {
        return Ok(Command::Spin);
    }
    if command == "relay" {
        return gateways::relay(words);
    }
    if command == "gateway" || command == "backends" {
        return gateways::parse(&command, words);
    }
    let mut sides = Comparison {
        servers: Vec::new(),
        rounds: 9,
        time: Duration::from_millis(500),
        floor: "raw".to_owned(),
        ours: "docent".to_owned(),
        peer: "rmcp".to_owned(),
        out: PathBuf::from("target/bench"),
    };
    let mut build = false;
    let (mut client, mut only, mut connections) = (None, None, None);
    let mut eof = Eof {
        servers: Vec::new(),
        runs: 1,
        calls: 100_000,
        load: 0,
        rss_mib: 64.0,
        timeout: Duration::from_secs(120),
    };
    let mut servers = Vec::new();
    while let Some(option) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{option} needs a value"));
        match (command.as_str(), option.as_str()) {
            (_, "--server") => servers.push(server(&value()?)?),
            ("stdio" | "http", "--rounds") => sides.rounds = value()?.parse()?,
            ("stdio" | "http", "--seconds") => {
                sides.time = Duration::try_from_secs_f64(value()?.parse()?)?;
            }
            ("stdio" | "http", "--floor") => sides.floor = value()?,
            ("stdio" | "http", "--ours") => sides.ours = value()?,
            ("stdio" | "http", "--peer") => sides.peer = value()?,
            ("stdio" | "http", "--out") => sides.out = value()?.into(),
            ("stdio", "--build") => build = true,
            ("http", "--client") => client = Some(server(&format!("client={}", value()?))?),
            ("http", "--only") => only = Some(value()?),
            ("http", "--connections") => connections = Some(value()?.parse()?),
            ("eof", "--runs") => eof.runs = value()?.parse()?,
            ("eof", "--calls") => eof.calls = value()?.parse()?,
            ("eof", "--load") => eof.load = value()?.parse()?,
            ("eof", "--rss-mb") => eof.rss_mib = value()?.parse()?,
            ("eof", "--timeout-seconds") => {
                eof.timeout = Duration::try_from_secs_f64(value()?.parse()?)?;
            }
            _ => return Err(format!("{command:?} has no option {option:?}").into()),
        }
    }
    if servers.is_empty() {
        return Err("at least one --server is needed".into());
    }
    let rounds = sides.rounds.max(1);
    match command.as_str() {
        "stdio" => {
            Ok(Command::Stdio(Stdio { sides: Comparison { servers, rounds, ..sides }, build }))
        }
        "http" => {
            let sides = Comparison { servers, rounds, ..sides };
            Ok(Command::Http(Http { sides, client, only, connections }))
        }
        "eof" => Ok(Command::Eof(Eof { servers, runs: eof.runs.max(1), ..eof })),
        _ => Err(format!("unknown command {command:?}").into()),
    }
}

fn server(text: &str) -> Result<ServerSpec> {
    let (name, command) = text.split_once('=').ok_or("--server wants NAME=COMMAND")?;
    let mut words = command.split_whitespace().map(str::to_owned);
    let program = words.next().ok_or_else(|| format!("{name}: the command is empty"))?;
    Ok(ServerSpec { name: name.to_owned(), program: program.into(), args: words.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = String> {
        line.split('|').map(str::to_owned)
    }

    #[test]
    fn servers_and_options_are_read() {
        let parsed = parse(words("eof|--server|pipes=bin/echo pipes|--runs|20|--load|2")).unwrap();
        let Command::Eof(eof) = parsed else { panic!("not eof") };
        let expected = ServerSpec {
            name: "pipes".to_owned(),
            program: "bin/echo".into(),
            args: vec!["pipes".to_owned()],
        };
        assert_eq!(eof.servers, [expected]);
        assert_eq!((eof.runs, eof.load, eof.calls), (20, 2, 100_000));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, problem) in [
            ("eof", "at least one --server"),
            ("eof|--server|echo", "NAME=COMMAND"),
            ("eof|--server|a=b|--rounds|3", "no option"),
            ("eof|--server|a=b|--runs", "needs a value"),
            ("udp|--server|a=b", "unknown command"),
        ] {
            let Err(error) = parse(words(line)) else { panic!("{line} was accepted") };
            assert!(error.to_string().contains(problem), "{line}: {error}");
        }
    }
}
