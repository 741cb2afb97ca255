//! `cargo xtask bench clients`: one-shot clients that list the tools of one server over stdio, side by
//! side: what a user waits for after typing a command.
//!
//! The floor is the least that any client must do: start the server, shake hands, ask, and leave.
//! Rounds are interleaved, so that drift falls on all alike; wall times are medians (until the list is
//! there, and until the command has ended), processor time is the mean over all rounds, children
//! included.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::peers::{self, PEERS, State};
use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

/// The server that all of them list.
const SERVER: &str =
    "interop/node/node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// A tool of that server, whose name shows that the list is there.
const TOOL: &str = "get-sum";

struct Client {
    name: &'static str,
    /// Returns how long it took until the list was there.
    run: Box<dyn Fn() -> Result<Duration, String>>,
    seen: Vec<Duration>,
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
    let home = Home::new(&workspace, &server)?;
    let mcpc = |words: &[&str]| node("bench/clients/node_modules/.bin/mcpc", words);
    let entry = format!("{}:everything", home.config.display());
    let connect = |session: &str| mcpc(&["connect", &entry, session]);
    let list = |session: &str| mcpc(&[session, "tools-list"]);
    let close = |session: &str| mcpc(&["close", session]);
    let ours = ["tools", "--", "node", &server].map(str::to_owned);
    let mut clients = vec![
        client("floor", {
            let server = server.clone();
            move || floor(&server)
        }),
        other("docent", &home, vec![[vec![docent.display().to_string()], ours.to_vec()].concat()]),
        other(
            "mcporter",
            &home,
            vec![node("bench/clients/node_modules/.bin/mcporter", &["list", "--stdio", &line])],
        ),
        other(
            "Inspector",
            &home,
            vec![node(inspector, &["--cli", "node", &server, "--method", "tools/list"])],
        ),
        other(
            "mcpc: connect, list, close",
            &home,
            vec![connect("@once"), list("@once"), close("@once")],
        ),
        other("mcpc: list in an open session", &home, vec![list("@open")]),
    ];
    home.command(&connect("@open")).output().map_err(|error| error.to_string())?;
    for round in 0..rounds {
        // Each round begins with another one.
        let count = clients.len();
        for step in 0..count {
            let client = &mut clients[(round + step) % count];
            let (before, started) = (children_cpu()?, Instant::now());
            let seen = (client.run)();
            client.seen.push(seen.map_err(|reason| format!("{}: {reason}", client.name))?);
            client.wall.push(started.elapsed());
            client.cpu += children_cpu()?.saturating_sub(before);
        }
    }
    home.command(&close("@open")).output().map_err(|error| error.to_string())?;
    print(&mut clients, rounds);
    Ok(true)
}

fn client(name: &'static str, run: impl Fn() -> Result<Duration, String> + 'static) -> Client {
    let (seen, wall) = Default::default();
    Client { name, run: Box::new(run), seen, wall, cpu: Duration::ZERO }
}

/// A home folder for all of them, so that nobody's own servers and sessions take part.
#[derive(Clone)]
struct Home {
    folder: PathBuf,
    config: PathBuf,
}

impl Home {
    fn new(workspace: &Workspace, server: &str) -> Result<Self, String> {
        let folder = workspace.target.join("bench/clients-home");
        let cannot = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(cannot)?;
        let config = folder.join("servers.json");
        let entry = serde_json::json!({ "command": "node", "args": [server] });
        let text = serde_json::json!({ "mcpServers": { "everything": entry } }).to_string();
        std::fs::write(&config, text).map_err(cannot)?;
        Ok(Home { folder, config })
    }

    fn command(&self, words: &[String]) -> Command {
        let mut program = process::program(&words[0]);
        program.args(&words[1..]).env("HOME", &self.folder).env_remove("XDG_CONFIG_HOME");
        program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        program
    }
}

/// Programs, one after the other, one of which has to print the name of one of the tools.
fn other(name: &'static str, home: &Home, commands: Vec<Vec<String>>) -> Client {
    let home = home.clone();
    client(name, move || {
        let started = Instant::now();
        let mut seen = None;
        for command in &commands {
            let failed = |error: std::io::Error| error.to_string();
            let mut process = home.command(command).spawn().map_err(failed)?;
            let mut output = process.stdout.take().ok_or("it has no output")?;
            let (mut text, mut piece) = (Vec::new(), [0; 16 << 10]);
            loop {
                let count = output.read(&mut piece).map_err(failed)?;
                if count == 0 {
                    break;
                }
                text.extend_from_slice(&piece[..count]);
                if seen.is_none() && String::from_utf8_lossy(&text).contains(TOOL) {
                    seen = Some(started.elapsed());
                }
            }
            process.wait().map_err(failed)?;
        }
        seen.ok_or_else(|| "it did not list the tools".to_owned())
    })
}

/// Starts the server, shakes hands, lists its tools, and ends it.
fn floor(server: &str) -> Result<Duration, String> {
    let started = Instant::now();
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
    let seen = started.elapsed();
    drop(input);
    // It is over when the user sees the list; the server is ended in any case.
    let _ = process.kill();
    process.wait().map(|_| seen).map_err(failed)
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
    let mut floor = [Duration::ZERO; 2];
    println!("\n| client | list seen | beyond the floor | ended | beyond the floor | CPU, mean |");
    println!("|---|---:|---:|---:|---:|---:|");
    for client in clients {
        let medians = [&mut client.seen, &mut client.wall].map(|times| {
            times.sort_unstable();
            times[times.len() / 2]
        });
        if client.name == "floor" {
            floor = medians;
        }
        let millis = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
        let beyond = |n: usize| millis(medians[n].saturating_sub(floor[n]));
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            client.name,
            millis(medians[0]),
            beyond(0),
            millis(medians[1]),
            beyond(1),
            millis(client.cpu / rounds.max(1) as u32)
        );
    }
}
