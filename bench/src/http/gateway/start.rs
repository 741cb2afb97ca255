//! A gateway as a process: its command with the blanks filled in, and the wait until it answers.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::blocking::Blocking;
use super::super::dialect::{DIALECTS, Spoken, Target};
use super::super::process::Process;
use super::super::{LIMIT, MESSAGE};
use crate::args::{GatewaySpec, ServerSpec};
use crate::server::Server;
use crate::{Result, proc};

/// How long a program may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the tool is called by whoever offers it, at the end of whatever they put before.
const TOOL: &str = "echo";

/// A program that takes calls.
pub(super) struct Up {
    pub(super) name: String,
    pub(super) way: Way,
}

/// How it is called.
pub(super) enum Way {
    Pipes {
        server: Server,
        tool: String,
    },
    /// One way to speak each era that it knows.
    Http {
        server: Process,
        spoken: Vec<Spoken>,
    },
}

impl Up {
    pub(super) fn on_pipes(name: &str, mut server: Server) -> Result<Self> {
        server.write(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}\n")?;
        let reply = loop {
            // A gateway may tell of a change of its list before.
            let reply: Value = serde_json::from_slice(&server.stdout.line()?)?;
            if reply["id"] == 3 {
                break reply;
            }
        };
        let tool = tool(&reply)?;
        server.check(&tool, &json!({ "message": MESSAGE }), Some(MESSAGE))?;
        Ok(Up { name: name.to_owned(), way: Way::Pipes { server, tool } })
    }

    /// Finds out what a program is called with, and in which ways.
    pub(super) fn over_http(name: &str, mut server: Process) -> Result<Self> {
        let legacy = Spoken::of(DIALECTS[2]);
        let mut connection = Blocking::connect(&server.target.address, PATIENCE)?;
        let session = legacy.open(&mut connection, &server.target)?;
        let head = legacy.head(&server.target, session.as_deref(), "tools/list", "");
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
        server.target.tool = tool(&connection.post(&head, &list)?.message)?;
        let mut spoken: Vec<Spoken> = Vec::new();
        for dialect in DIALECTS {
            if spoken.iter().any(|known| known.dialect.modern == dialect.modern) {
                continue;
            }
            match Spoken::find(dialect, &server.target, MESSAGE) {
                Ok(found) => spoken.extend(found),
                // Those that know nothing of the modern era say so in many ways.
                Err(_) if dialect.modern => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Up { name: name.to_owned(), way: Way::Http { server, spoken } })
    }

    pub(super) fn memory(&self) -> Result<proc::Memory> {
        match &self.way {
            Way::Pipes { server, .. } => server.memory(),
            Way::Http { server, .. } => server.memory(),
        }
    }
}

/// The name of the echo tool in a list.
fn tool(reply: &Value) -> Result<String> {
    let tools = reply["result"]["tools"].as_array();
    let mut names = tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str());
    match names.find(|name| name.ends_with(TOOL)) {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!("no tool ends with `{TOOL}`: {reply}").into()),
    }
}

/// Starts a gateway before the server and waits until calls go through.
pub(super) fn gateway(spec: &GatewaySpec, server: &str, out: &Path) -> Result<Up> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let fill = |text: &str| text.replace("{port}", &port).replace("{server}", server);
    let mut words = Vec::new();
    for word in &spec.words {
        match word.strip_prefix("{file:").and_then(|rest| rest.strip_suffix('}')) {
            None => words.extend(fill(word).split(' ').map(str::to_owned)),
            Some(template) => {
                let name = Path::new(template).file_name().ok_or("`{file:}` needs a path")?;
                let file = out.join(format!("{port}-{}", name.to_string_lossy()));
                fs::create_dir_all(out)?;
                fs::write(&file, fill(&fs::read_to_string(template)?))?;
                words.push(file.display().to_string());
            }
        }
    }
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let Some(url) = &spec.url else {
        let spec = ServerSpec {
            name: spec.name.clone(),
            program: program.into(),
            args: arguments.to_vec(),
        };
        return Up::on_pipes(&spec.name, Server::start(&spec, 0, LIMIT * 10)?);
    };
    let url = fill(url);
    let (address, path) = url
        .strip_prefix("http://")
        .and_then(|rest| Some(rest.split_at(rest.find('/')?)))
        .ok_or("a gateway's URL is `http://HOST:PORT/PATH`")?;
    let target =
        Target { address: address.to_owned(), path: path.to_owned(), tool: TOOL.to_owned() };
    let log = fs::File::create(out.join(format!("{}.log", spec.name)))?;
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    let process = Process::of(child, target, LIMIT * 10);
    listening(&process.target.address)?;
    until_good(|| {
        let mut connection = Blocking::connect(&process.target.address, Duration::from_secs(5))?;
        Spoken::of(DIALECTS[2]).open(&mut connection, &process.target).map(drop)
    })?;
    Up::over_http(&spec.name, process)
}

/// Waits until somebody listens.
pub(super) fn listening(address: &str) -> Result<()> {
    until_good(|| Ok(TcpStream::connect(address).map(drop)?))
}

fn until_good(attempt: impl Fn() -> Result<()>) -> Result<()> {
    let started = Instant::now();
    while let Err(error) = attempt() {
        if started.elapsed() > PATIENCE {
            return Err(error);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
