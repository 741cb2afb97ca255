//! A host for the servers of a command.

use std::path::PathBuf;
use std::time::Duration;

use docent_host::config::{Config, Machine};
use docent_host::{Host, HostBuilder, HostEvent, HostLimits};
use docent_mcp::auth::{FileStore, OAuth};
use docent_mcp::client::ClientBuilder;

use super::later::Whom;
use super::sampling::Model;
use super::{Which, behind, daemon, lock, questions, trouble};
use crate::failure::Failure;
use crate::print::Console;

/// How long a command that is about many servers waits for the slowest.
const PATIENCE: Duration = Duration::from_secs(5);

/// The servers of a command, ready to be used. What they ask is asked at the terminal, if there is
/// one; what they want of a language model is answered by the program that is set, or declined.
pub(crate) fn open(which: &Which, console: &Console) -> Result<Host, Failure> {
    let config = which.config(console)?;
    let builder = asked(builder(which)?, Whom::at_hand(), console);
    Ok(builder.limits(limits(&config)).from_config(&config))
}

/// The same for other clients, which are told when a server comes that they did not wait for. Why one
/// does not come is told here.
pub(crate) fn open_for_clients(which: &Which, console: &Console) -> Result<Host, Failure> {
    behind::refuse(which)?;
    let mut config = which.config(console)?;
    behind::tell(&mut config);
    // Their questions go to those clients, and what servers ask by themselves to whoever sits here.
    let builder = match Whom::at_hand() {
        Whom::Terminal => builder(which)?.configure(questions::answered),
        _ => builder(which)?,
    };
    let (builder, trouble) = trouble::watched(builder);
    let host = match which.locked {
        true => lock::telling(builder, lock::load()?, |builder| builder.from_config(&config)),
        false => builder.from_config(&config),
    };
    trouble.tell_of(host.clone());
    Ok(host)
}

/// The same for a command that is about one of them: no other is started unless it is asked for.
pub(crate) fn open_idle(which: &Which, console: &Console) -> Result<Host, Failure> {
    let mut config = which.config(console)?;
    for server in &mut config.servers {
        server.lazy = Some(true);
    }
    let builder = asked(builder(which)?, Whom::at_hand(), console);
    Ok(builder.limits(limits(&config)).from_config(&config))
}

/// The same for a command that asks once: servers that are kept running are used as they are, and
/// it says itself who answers their questions.
pub(crate) fn open_once(which: &Which, console: &Console, whom: Whom) -> Result<Host, Failure> {
    let config = which.config(console)?;
    Ok(once(which, console, whom, &config)?.from_config(&config))
}

/// The same for a command that is about tools alone.
pub(crate) fn open_for_tools(
    which: &Which,
    console: &Console,
    whom: Whom,
) -> Result<Host, Failure> {
    let config = which.config(console)?;
    Ok(once(which, console, whom, &config)?.tools_only().from_config(&config))
}

fn once(
    which: &Which,
    console: &Console,
    whom: Whom,
    config: &Config,
) -> Result<HostBuilder, Failure> {
    Ok(asked(builder(which)?, whom, console).limits(limits(config)).reach(daemon::source))
}

/// The same, and somebody is told what happens.
pub(crate) fn watched(
    which: &Which,
    console: &Console,
    on_event: impl Fn(HostEvent) + Send + Sync + 'static,
) -> Result<Host, Failure> {
    let config = which.config(console)?;
    let builder = asked(builder(which)?, Whom::at_hand(), console).limits(limits(&config));
    Ok(builder.on_event(on_event).from_config(&config))
}

/// The same for a page: it says who answers, and sees what passes.
pub(crate) fn inspected(
    which: &Which,
    console: &Console,
    configure: impl Fn(&str, ClientBuilder) -> ClientBuilder + Send + Sync + 'static,
    on_event: impl Fn(HostEvent) + Send + Sync + 'static,
) -> Result<Host, Failure> {
    let config = which.config(console)?;
    let builder = builder(which)?.configure(configure).on_event(on_event);
    Ok(builder.from_config(&config))
}

/// Who answers what servers ask.
fn asked(builder: HostBuilder, whom: Whom, console: &Console) -> HostBuilder {
    let model = Model::new(console, &whom);
    builder.configure(move |server, client| match (&whom, &model) {
        (Whom::Terminal, None) => questions::answered(server, client),
        (Whom::Terminal, Some(model)) => {
            let client = questions::answered(server, client);
            model.reviewed(server, client, questions::agree)
        }
        (Whom::Keeper(keeper), None) => keeper.answered(server, client),
        (Whom::Keeper(keeper), Some(model)) => {
            let (client, keeper) = (keeper.answered(server, client), keeper.clone());
            model.reviewed(server, client, move |server, text| {
                let keeper = keeper.clone();
                async move { keeper.agree(server, text).await }
            })
        }
        (Whom::Nobody, None) => client,
        (Whom::Nobody, Some(model)) => model.unseen(server, client),
    })
}

fn builder(which: &Which) -> Result<HostBuilder, Failure> {
    let mut builder = Host::builder("docent", env!("CARGO_PKG_VERSION"));
    if let Some(store) =
        state_folder().and_then(|folder| FileStore::open(folder.join("logins")).ok())
    {
        builder = builder.login(move |_| Some(OAuth::user("Docent").store(store.clone())));
    }
    Ok(if which.locked { lock::locked(builder, lock::load()?) } else { builder })
}

/// A person who asked for one server waits for it, which may have to be downloaded first; of many,
/// one that does not answer is told apart from the others.
fn limits(config: &Config) -> HostLimits {
    let mut limits = HostLimits::default();
    let usable = config.servers.iter().filter(|server| server.is_usable()).count();
    limits.list_patience = if usable == 1 { limits.startup_timeout } else { PATIENCE };
    limits
}

/// Where logins are kept.
fn state_folder() -> Option<PathBuf> {
    Machine::of_process().own_folder()
}
