//! A gateway begins anew once its command line was read.
//!
//! It runs all day, and most of the memory that it takes is what it has used of this program. Reading
//! a command line uses some 0.7 MB, and nothing needs that again. So the process starts this program
//! once more, in its own place and with its own streams, and hands over what was read; the second
//! beginning knows itself by its name.

use serde::{Deserialize, Serialize};

use crate::arguments::{Arguments, Command};
use crate::command::gateway::Gateway;
use crate::terminal::Color;

/// What the second beginning is called.
const NAME: &str = "docent-gateway";

/// What is handed over.
#[derive(Serialize, Deserialize)]
struct Given<G> {
    gateway: G,
    json: bool,
    color: Option<Color>,
}

/// What was read, if this is the second beginning.
pub(crate) fn read() -> Option<Arguments> {
    let mut words = std::env::args_os();
    if words.next()? != NAME {
        return None;
    }
    let (given, None) = (words.next()?, words.next()) else { return None };
    let Given { gateway, json, color } =
        serde_json::from_str::<Given<Gateway>>(given.to_str()?).ok()?;
    let command = Command::Gateway(gateway);
    Some(Arguments { command, offline: false, cache: None, json, color, kept: None })
}

/// Begins anew, if this is a gateway. Returns where that cannot be done, and all goes on here.
pub(crate) fn begin(arguments: &Arguments) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        let Arguments { command: Command::Gateway(gateway), json, color, .. } = arguments else {
            return;
        };
        let given = serde_json::to_string(&Given { gateway, json: *json, color: *color });
        if let (Ok(program), Ok(given)) = (std::env::current_exe(), given) {
            let _failed = std::process::Command::new(program).arg0(NAME).arg(given).exec();
        }
    }
    #[cfg(not(unix))]
    let _ = arguments;
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn all_of_a_command_line_is_handed_over() {
        let line = "docent gateway --http 3000 --host a --host b --rate 5 --record r.jsonl --threads 3 \
                    --issuer https://auth.example --resource https://a/mcp --scope tools \
                    --json --color never --locked -- server --flag";
        let read =
            Arguments::try_parse_from(line.split_whitespace()).unwrap_or_else(|e| panic!("{e}"));
        let Command::Gateway(gateway) = &read.command else { panic!("another command") };
        let given = Given { gateway, json: read.json, color: read.color };
        let text = serde_json::to_string(&given).expect("JSON");
        let back: Given<Gateway> = serde_json::from_str(&text).expect("the same");
        let expected = json!({
            "gateway": {
                "listen": {
                    "stdio": false, "http": "127.0.0.1:3000", "hosts": ["a", "b"],
                    "issuer": "https://auth.example", "resource": "https://a/mcp",
                    "scopes": ["tools"],
                },
                "rate": 5,
                "record": "r.jsonl",
                "threads": 3,
                "which": {
                    "config": null, "url": null, "headers": [], "locked": true,
                    "command": ["server", "--flag"],
                },
            },
            "json": true,
            "color": "never",
        });
        assert_eq!(json!(back), expected);
    }
}
