//! `cargo xtask bench clients`: one-shot clients that list the tools of one server over stdio, side by
//! side: what a user waits for after typing a command.
//!
//! The floor is the least that any client must do: start the server, shake hands, ask, and leave.
//! Rounds are interleaved, so that drift falls on all alike; wall time is the median, processor time
//! the mean over all rounds, children included.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::peers::{self, PEERS, State};
use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

/// The server that all of them list.
const SERVER: &str =
    "interop/node/node_modules/@modelcontextprotocol/server-everything/dist/index.js";

struct Client {
    name: &'static str,
    run: Box<dyn Fn() -> Result<(), String>>,
    wall: Vec<Duration>,
    cpu: Duration,
}

pub(super) fn run(arguments: &[String]) -> Outcome {
    let rounds: usize = match arguments {
        [flag, number] if flag == "--rounds" => number.parse().map_err(|_| "`--rounds N`")?,
        [] => 10,
        _ => return Err("only `--rounds N` is known".into()),
    };
    let workspace = Workspace::load()?;
    for peer in PEERS.iter().filter(|peer| ["node", "the Inspector"].contains(&peer.name)) {
        if let State::Skipped(reason) = peer.install(&workspace)? {
            return Err(format!("{} is needed: {reason}", peer.name));
        }
    }
    peers::npm_ci(&workspace.root.join("bench/clients"))?;
    gate::build("docent")?;
    let docent = gate::release(&workspace).join("docent");
    let root = workspace.root.clone();
    let server = root.join(SERVER).display().to_string();
    let node = |script: &str, words: &[&str]| {
        let mut command = vec!["node".to_owned(), root.join(script).display().to_string()];
        command.extend(words.iter().map(|word| (*word).to_owned()));
        command
    };
    let inspector = "interop/inspector/node_modules/.bin/mcp-inspector";
    let line = format!("node {server}");
    let mut clients = vec![
        client("floor", {
            let server = server.clone();
            move || floor(&server)
        }),
        other(
            "docent",
            vec![
                docent.display().to_string(),
                "tools".into(),
                "--".into(),
                "node".into(),
                server.clone(),
            ],
        ),
        other(
            "mcporter",
            node("bench/clients/node_modules/.bin/mcporter", &["list", "--stdio", &line]),
        ),
        other("Inspector", node(inspector, &["--cli", "node", &server, "--method", "tools/list"])),
    ];
    for round in 0..rounds {
        // Each round begins with another one.
        let count = clients.len();
        for step in 0..count {
            let client = &mut clients[(round + step) % count];
            let (before, started) = (children_cpu()?, Instant::now());
            (client.run)().map_err(|reason| format!("{}: {reason}", client.name))?;
            client.wall.push(started.elapsed());
            client.cpu += children_cpu()?.saturating_sub(before);
        }
    }
    print(&mut clients, rounds);
    Ok(true)
}

fn client(name: &'static str, run: impl Fn() -> Result<(), String> + 'static) -> Client {
    Client { name, run: Box::new(run), wall: Vec::new(), cpu: Duration::ZERO }
}

/// A program that has to print the name of one of the tools.
fn other(name: &'static str, command: Vec<String>) -> Client {
    client(name, move || {
        let mut program = process::program(&command[0]);
        program.args(&command[1..]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = program.output().map_err(|error| error.to_string())?;
        match String::from_utf8_lossy(&output.stdout).contains("get-sum") {
            true => Ok(()),
            false => Err(format!("it did not list the tools: {}", output.status)),
        }
    })
}

/// Starts the server, shakes hands, lists its tools, and ends it.
fn floor(server: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut command = Command::new("node");
    command.arg(server).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().map_err(failed)?;
    let (Some(mut input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
        return Err("the server has no pipes".into());
    };
    let mut lines = BufReader::new(output).lines();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"floor","version":"1"}}}"#;
    let rest = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    for (message, id) in [(initialize, "\"id\":1"), (rest, "\"id\":2")] {
        writeln!(input, "{message}").map_err(failed)?;
        loop {
            let line = lines.next().ok_or("the server ended")?.map_err(failed)?;
            if line.contains(id) {
                break;
            }
        }
    }
    drop(input);
    // It is over when the user sees the list; the server is ended in any case.
    let _ = process.kill();
    process.wait().map(drop).map_err(failed)
}

/// The processor time of all children that have ended.
fn children_cpu() -> Result<Duration, String> {
    /// What a tick is wherever Linux runs today.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string(Path::new("/proc/self/stat")).map_err(|e| e.to_string())?;
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let tick = |at: usize| fields.split(' ').nth(at).and_then(|text| text.parse::<u32>().ok());
    // The fields after the name begin with the state; these are `cutime` and `cstime`.
    let ticks = tick(13).zip(tick(14)).ok_or("/proc/self/stat is not understood")?;
    Ok(TICK * (ticks.0 + ticks.1))
}

fn print(clients: &mut [Client], rounds: usize) {
    let mut floor = Duration::ZERO;
    println!("\n| client | wall, median | beyond the floor | CPU, mean |\n|---|---|---|---|");
    for client in clients {
        client.wall.sort_unstable();
        let median = client.wall[client.wall.len() / 2];
        if client.name == "floor" {
            floor = median;
        }
        let beyond = median.saturating_sub(floor).as_millis();
        let cpu = client.cpu.as_millis() / rounds.max(1) as u128;
        println!("| {} | {} ms | {beyond} ms | {cpu} ms |", client.name, median.as_millis());
    }
}
