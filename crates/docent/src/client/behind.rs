//! A gateway among the servers that it would start.
//!
//! Whoever puts the gateway before a client writes it into that client's file, and that is one of the
//! files in which the gateway looks for servers: it would start itself, which would start itself. Any
//! other command would have all servers twice, once of their own and once behind it. So an entry that
//! is such a gateway is left out; and whatever a gateway starts is told so, for one that is started
//! by another program.

use std::path::Path;

use docent_host::config::{Config, Masked, ServerEntry, Survey, Transport};

use super::Which;
use crate::failure::Failure;

/// Set for everything that a gateway starts.
const VARIABLE: &str = "DOCENT_BEHIND_GATEWAY";

/// Refuses to look for servers where another gateway has already done so.
pub(super) fn refuse(which: &Which) -> Result<(), Failure> {
    if which.names_servers() || std::env::var_os(VARIABLE).is_none() {
        return Ok(());
    }
    let message = "this gateway was started by another one, and would start the same servers again";
    Err(Failure::new(message).hint("name its servers: `docent gateway --config FILE`"))
}

/// Why such an entry does not count.
pub(crate) const LEFT_OUT: &str =
    "it is a gateway, which would start everything that is configured once more";

/// Leaves out gateways that would find the same servers again. Returns what they are called.
pub(crate) fn leave_out(survey: &mut Survey) -> Vec<String> {
    survey.set_aside(LEFT_OUT, is_gateway)
}

/// Tells whatever a gateway starts that it does.
pub(super) fn tell(config: &mut Config) {
    for entry in &mut config.servers {
        if let Transport::Stdio { env, .. } = &mut entry.transport {
            env.insert(VARIABLE.to_owned(), Masked::plain("1"));
        }
    }
}

/// Whether an entry starts a gateway for whatever is configured.
fn is_gateway(entry: &ServerEntry) -> bool {
    let Transport::Stdio { command, args, .. } = &entry.transport else { return false };
    let program = Path::new(command.expose()).file_stem();
    let mut words = args.iter().map(Masked::expose).skip_while(|word| word.starts_with("--"));
    let named = |word: &str| matches!(word.split('=').next(), Some("--config" | "--url" | "--"));
    program.is_some_and(|name| name == "docent")
        && words.next() == Some("gateway")
        && !words.any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gateway_for_everything_is_one() {
        for (line, expected) in [
            ("docent gateway", true),
            ("/usr/bin/docent --offline gateway --locked", true),
            ("docent gateway --http 3000", true),
            ("docent gateway --config servers.json", false),
            ("docent gateway --config=servers.json", false),
            ("docent gateway --url https://mcp.example/mcp", false),
            ("docent gateway -- time-server", false),
            ("docent serve", false),
            ("other gateway", false),
        ] {
            let mut words = line.split(' ');
            let entry = ServerEntry::stdio("x", words.next().unwrap_or_default(), words);
            assert_eq!(is_gateway(&entry), expected, "{line}");
        }
    }
}
