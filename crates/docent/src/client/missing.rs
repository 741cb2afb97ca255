//! What no server has may be at a server that is not there.

use docent_host::{Error, ErrorKind, Host, ServerStatus, State};

use crate::failure::Failure;
use crate::print::Console;

/// What to do where there are no servers at all.
pub(crate) const NO_SERVERS: &str =
    "no servers are configured; `docent config explain` says where they could be";

/// Why nothing of this name was found. Servers that may have it and are not there are told of; if none
/// of them is there, that is what failed.
pub(crate) fn explained(host: &Host, name: &str, error: Error, console: &Console) -> Failure {
    if error.kind() != ErrorKind::UnknownName || names_server(host, name) {
        return error.into();
    }
    let servers = host.servers();
    let used = servers.iter().filter(|server| !matches!(server.state, State::Off(_)));
    let used: Vec<&ServerStatus> = used.collect();
    let missing: Vec<String> = used.iter().filter_map(|server| absence(server)).collect();
    match missing.as_slice() {
        [] if servers.is_empty() => Failure::from(error).hint(NO_SERVERS),
        [why] if used.len() == 1 => Failure::new(why),
        all => {
            all.iter().for_each(|why| console.warn(why));
            match !all.is_empty() && all.len() == used.len() {
                true => Failure::new(format!("{error}; no server is there that could have it")),
                false => error.into(),
            }
        }
    }
}

/// Says which servers are not there, for a command about all of them.
pub(crate) fn warn_of_failures(host: &Host, console: &Console) {
    host.servers().iter().filter_map(absence).for_each(|why| console.warn(&why));
}

/// Why a server is not there, if it should be.
pub(crate) fn absence(server: &ServerStatus) -> Option<String> {
    let name = &server.name;
    match &server.state {
        State::Failed(failure) => Some(format!("{name}: {failure}")),
        State::Starting => {
            Some(format!("{name}: it has not answered yet; `docent tools {name}` waits longer"))
        }
        _ => None,
    }
}

/// Whether a name is that of a server, or of something that a server is said to have.
fn names_server(host: &Host, name: &str) -> bool {
    host.servers().iter().any(|server| {
        let after = |prefix: &str| name.strip_prefix(prefix);
        after(&server.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || after(&server.slug).is_some_and(|rest| rest.starts_with("__"))
    })
}
