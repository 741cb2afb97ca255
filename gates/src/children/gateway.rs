//! The gate once more with a gateway in the middle, whose servers are the stubborn children: when
//! it is closed, told to stop or killed, and when a server of it is killed, stopped or crashes.
//!
//! The gateway has the mark as well, so that [`census`] counts it among those that must be gone.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_host::{Gateway, Host};
use docent_mcp::Client;
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions};
use docent_mcp::types::{ElicitAction, ElicitResult, Revision};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::census::MARK;
use super::kinds::{KINDS, Kind};
use super::{AT_ONCE, END_MAX, Ended, RUN_MAX, Stage, Tally, census, killed, within};
use crate::Result;
use crate::random::Random;

/// What happens to a gateway or to its servers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Its client closes the pipe.
    Close,
    /// Its client started it, and ends it as it ends every server.
    Supervised,
    /// It is told to stop, over HTTP and over a pipe.
    Terminate,
    TerminateHttp,
    /// It is killed, over HTTP and over a pipe, and while it starts its servers.
    Kill,
    KillHttp,
    KillEarly(Duration),
    /// A server of it is killed, crashes, or stops; the pipe is closed then.
    KillServer,
    CrashServer,
    StopServer,
    /// A client over HTTP that has servers of its own goes away.
    EndSession,
}

const WAYS: &[Way] = &[
    Way::Close,
    Way::Supervised,
    Way::Terminate,
    Way::TerminateHttp,
    Way::Kill,
    Way::KillHttp,
    Way::KillServer,
    Way::CrashServer,
    Way::StopServer,
    Way::EndSession,
];

/// The latest moment at which a gateway is killed that may still be starting its servers.
const EARLY_MAX: Duration = Duration::from_millis(200);
/// How long a call gets to reach a server that then stops.
const STOP_TIME: Duration = Duration::from_millis(100);
/// How often to look.
const LOOK: Duration = Duration::from_millis(20);

pub(super) async fn run(stage: &Stage, random: &mut Random, rounds: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    // Each has a server of every kind.
    let places = Arc::new(Semaphore::new(AT_ONCE / 4));
    let mut running = JoinSet::new();
    for number in 0..rounds {
        let way = match number % (WAYS.len() + 1) {
            0 => Way::KillEarly(random.time(EARLY_MAX)),
            next => WAYS[next - 1],
        };
        let (mark, folder) = (stage.mark("gateway", number), stage.folder().to_owned());
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire().await;
            let outcome = within(2 * RUN_MAX, round(&folder, &mark, way)).await;
            (format!("gateway, {way:?}"), outcome)
        });
    }
    while let Some(joined) = running.join_next().await {
        let (name, outcome) = joined?;
        tally.take(&name, outcome);
    }
    Ok(tally)
}

/// A running gateway.
struct Served {
    process: Child,
    client: Client,
    mark: String,
}

async fn round(folder: &Path, mark: &str, way: Way) -> Result<Ended> {
    if let Way::KillEarly(after) = way {
        let mut process = command(folder, mark, "pipe", true)?.spawn()?;
        tokio::time::sleep(after).await;
        return killed::kill(&mut process, mark).await;
    }
    if way == Way::Supervised {
        return supervised(folder, mark).await;
    }
    let http = matches!(way, Way::TerminateHttp | Way::KillHttp | Way::EndSession);
    let mut served = Served::start(folder, mark, http).await?;
    for kind in KINDS {
        served.echo(kind).await?;
    }
    match way {
        Way::Terminate | Way::TerminateHttp => {
            let begin = Instant::now();
            signal(served.process.id(), Signal::TERM)?;
            served.process.wait().await?;
            return census::gone(mark, begin).await;
        }
        Way::Kill | Way::KillHttp => {
            if census::marked(mark)? <= KINDS.len() {
                return Err("the gateway has too few servers".into());
            }
            return killed::kill(&mut served.process, mark).await;
        }
        Way::KillServer => served.kill_server().await?,
        Way::CrashServer => served.crash_servers().await?,
        Way::StopServer => served.stop_servers().await,
        Way::EndSession => return served.end_session().await,
        _ => {}
    }
    let begin = Instant::now();
    served.client.close().await;
    served.process.wait().await?;
    census::gone(mark, begin).await
}

/// The client starts the gateway itself, and climbs its own ladder when it is to end.
async fn supervised(folder: &Path, mark: &str) -> Result<Ended> {
    let command = ChildProcess::new(std::env::current_exe()?)
        .args(arguments(folder, mark, "pipe", false))
        .env(MARK, mark);
    let client = Client::start(command).await?;
    for kind in KINDS {
        client.call(&tool(kind, "echo"), json!({ "message": "hi" })).await?;
    }
    let begin = Instant::now();
    client.close().await;
    census::gone(mark, begin).await
}

impl Served {
    async fn start(folder: &Path, mark: &str, http: bool) -> Result<Served> {
        let mut process =
            command(folder, mark, if http { "http" } else { "pipe" }, false)?.spawn()?;
        let output = process.stdout.take().ok_or("no stdout")?;
        // A session, and questions that can be asked: over HTTP that takes servers of its own.
        let builder = Client::builder("gate", "1.0")
            .revisions([Revision::NEWEST_LEGACY])
            .on_elicit_form(|_| async { Ok(ElicitResult::of(ElicitAction::Decline)) });
        let client = if http {
            let mut line = String::new();
            BufReader::new(output).read_line(&mut line).await?;
            builder.connect(HttpEndpoint::new(line.trim())?).await?
        } else {
            let input = process.stdin.take().ok_or("no stdin")?;
            builder.connect(docent_mcp::transport::stream(output, input)).await?
        };
        Ok(Served { process, client, mark: mark.to_owned() })
    }

    async fn echo(&self, kind: &Kind) -> Result<()> {
        let answer = self.client.call(&tool(kind, "echo"), json!({ "message": self.mark })).await?;
        match serde_json::to_string(&answer)?.contains(&self.mark) {
            true => Ok(()),
            false => Err("the answer is wrong".into()),
        }
    }

    fn id(&self) -> Result<u32> {
        Ok(self.process.id().ok_or("the gateway ended by itself")?)
    }

    /// How many dead children the gateway has not buried. A leader that left its group to others is
    /// kept on purpose, so that nobody else can get the group's number.
    fn zombies(&self) -> Result<usize> {
        Ok(census::children_of(self.id()?)?.iter().filter(|child| child.is_zombie()).count())
    }

    /// Kills the leaders of all servers. They come back, and the dead are buried.
    async fn kill_server(&self) -> Result<()> {
        let zombies = self.zombies()?;
        let watchdog = census::watchdog_of(self.id()?)?;
        for child in census::children_of(self.id()?)? {
            if Some(child.id) != watchdog && !child.is_zombie() {
                signal(Some(child.id), Signal::KILL)?;
            }
        }
        self.recovered(zombies).await
    }

    async fn crash_servers(&self) -> Result<()> {
        let zombies = self.zombies()?;
        for kind in KINDS.iter().filter(|kind| kind.shows_crash) {
            if self.client.call(&tool(kind, "crash"), json!({})).await.is_ok() {
                return Err("the server did not crash".into());
            }
        }
        self.recovered(zombies).await
    }

    async fn stop_servers(&self) {
        for kind in KINDS {
            let tool = tool(kind, "stop");
            let stopping = self.client.call(&tool, json!({}));
            let _ = tokio::time::timeout(STOP_TIME, stopping).await;
        }
    }

    /// Waits until all servers answer again, and no more of the dead are left at the gateway than
    /// before.
    async fn recovered(&self, zombies: usize) -> Result<()> {
        for kind in KINDS.iter().filter(|kind| kind.shows_crash) {
            let begin = Instant::now();
            while let Err(error) = self.echo(kind).await {
                if begin.elapsed() > RUN_MAX {
                    return Err(format!("{} does not come back: {error}", kind.name).into());
                }
                tokio::time::sleep(LOOK).await;
            }
        }
        let begin = Instant::now();
        while self.zombies()? > zombies {
            if begin.elapsed() > END_MAX {
                return Err("a zombie is left at the gateway".into());
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// The session ends, and with it the servers that were there for it alone; then all others.
    async fn end_session(mut self) -> Result<Ended> {
        let with = census::marked(&self.mark)?;
        let begin = Instant::now();
        self.client.close().await;
        // Half of the kinds are of a legacy era, and so had a second server.
        let least = KINDS.len() / 2;
        while census::marked(&self.mark)? + least > with {
            if begin.elapsed() > END_MAX {
                return Err("servers outlive the session that they were for".into());
            }
            tokio::time::sleep(LOOK).await;
        }
        let begin = Instant::now();
        signal(self.process.id(), Signal::TERM)?;
        self.process.wait().await?;
        census::gone(&self.mark, begin).await
    }
}

fn signal(process: Option<u32>, signal: Signal) -> Result<()> {
    let id = process.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    Ok(kill_process(id.ok_or("no such process")?, signal)?)
}

fn tool(kind: &Kind, name: &str) -> String {
    format!("{}__{name}", kind.server())
}

/// The command line of a gateway.
fn arguments(folder: &Path, mark: &str, way: &str, mindful: bool) -> [OsString; 5] {
    let which = if mindful { "mindful" } else { "all" };
    ["gateway".into(), folder.into(), mark.into(), way.into(), which.into()]
}

fn command(folder: &Path, mark: &str, way: &str, mindful: bool) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments(folder, mark, way, mindful)).env(MARK, mark).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}

/// The role of the gateway: all kinds are its servers, every second one of a legacy era.
pub(crate) fn role(words: &[String]) -> Result<()> {
    let [folder, mark, way, which] = words else {
        return Err("gateway FOLDER MARK WAY WHICH".into());
    };
    let kinds = KINDS.iter().filter(|kind| which == "all" || kind.minds_end_of_input);
    let entries: Result<Vec<_>> = kinds
        .enumerate()
        .map(|(number, kind)| kind.entry(Path::new(folder), mark, number % 2 == 1))
        .collect();
    let entries = entries?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let gateway = Gateway::builder(Host::from_entries(entries));
        if way == "pipe" {
            return Ok(gateway.build_for_one().serve_stdio().await?);
        }
        let gateway = gateway.build();
        let listening = gateway.bind("127.0.0.1:0", HttpOptions::new()).await?;
        println!("http://{}/mcp", listening.local_addr());
        listening.serve().await?;
        gateway.close().await;
        Ok(())
    })
}
