//! Promises of the SDK and the documentation engine, measured. `docent-gates NAME [--quick] [--seed N]` runs one gate.
//!
//! A gate prints its figures as it goes and its result as one line of JSON at the end; the exit
//! code says whether it passed. Each gate is one entry in [`GATES`] and one file or folder of its
//! name. The other roles are parts that gates play to themselves: they start this program again as
//! the server, or the parent, that they need.

#![expect(clippy::print_stdout, reason = "this program talks to people on stdout")]

mod archives;
mod arguments;
mod cache;
mod cancel;
mod children;
mod crashloop;
mod exec;
mod http;
mod oauth;
mod parsers;
mod random;
mod realm;
mod rebind;
mod report;
mod secrets;
mod server;
mod sessions;
mod shutdown;
mod ssrf;
mod streams;
mod tenants;
mod unit_tests;
mod web;

use std::process::ExitCode;

use crate::arguments::Options;
use crate::report::Report;

type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Error>;

/// A measured promise.
struct Gate {
    name: &'static str,
    about: &'static str,
    run: fn(&Options) -> Result<Report>,
}

const GATES: &[Gate] = &[
    Gate {
        name: "cache",
        about: "a cache harmed, lied to and raced for: it serves what was written, or nothing",
        run: cache::run,
    },
    Gate {
        name: "archives",
        about: "hostile archives: refused or without effect, and real ones opened",
        run: archives::run,
    },
    Gate {
        name: "cancel",
        about: "calls cancelled at every moment: no answer afterwards, nothing left running",
        run: cancel::run,
    },
    Gate {
        name: "children",
        about: "stubborn children, killed parents, taps and gateways: no process is left",
        run: children::run,
    },
    Gate {
        name: "crashloop",
        about: "processes killed and disks failing at every moment: nothing corrupt is served",
        run: crashloop::run,
    },
    Gate {
        name: "secrets",
        about: "credentials through every kind of fetch: none shows where it does not belong",
        run: secrets::run,
    },
    Gate {
        name: "oauth",
        about: "attacks on logins, tokens and authorization servers: each refused, and why",
        run: oauth::run,
    },
    Gate {
        name: "ssrf",
        about: "private targets through every fetch that others can steer: no canary hears of it",
        run: ssrf::run,
    },
    Gate {
        name: "exec",
        about: "hostile names: no shell, and no argument that anybody else has written",
        run: exec::run,
    },
    Gate {
        name: "parsers",
        about: "input of any depth and length: nothing dies, time grows with size",
        run: parsers::run,
    },
    Gate {
        name: "sessions",
        about: "10,000 sessions over HTTP: small, quick, bounded, and gone when left alone",
        run: sessions::run,
    },
    Gate {
        name: "streams",
        about: "2,000 subscriptions over HTTP: one change reaches all, a stalled reader hurts nobody",
        run: streams::run,
    },
    Gate {
        name: "rebind",
        about: "hosts and origins that are not ours, byte by byte: no handler runs",
        run: rebind::run,
    },
    Gate {
        name: "http",
        about: "slow, smuggling and swelling requests: cut off, refused, and nobody else waits",
        run: http::run,
    },
    Gate {
        name: "shutdown",
        about: "500 requests in flight when the server is told to stop: each is answered",
        run: shutdown::run,
    },
    Gate {
        name: "tenants",
        about: "50 principals who all use id 1 over shared connections and a gateway: no foreign byte",
        run: tenants::run,
    },
];

/// A part that this program plays for one of its gates.
struct Role {
    name: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const ROLES: &[Role] = &[
    Role { name: "serve", run: server::run },
    Role { name: "serve-http", run: web::role::run },
    Role { name: "parent", run: children::parent::run },
    Role { name: "gateway", run: children::gateway::role },
    Role { name: "serve-gateway", run: tenants::gateway::role },
    Role { name: "tenant-server", run: tenants::backend::run },
    Role { name: "cache-racer", run: cache::race::racer },
    Role { name: "hostile-names", run: exec::entries::run },
    Role { name: "ssrf-inside", run: ssrf::inside },
];

fn main() -> ExitCode {
    docent_packages::worker::run_if_worker();
    if exec::recorder::run_if_recorder() {
        return ExitCode::SUCCESS;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<bool> {
    let Some((name, rest)) = words.split_first() else { return Err(usage().into()) };
    if let Some(role) = ROLES.iter().find(|role| role.name == name) {
        return (role.run)(rest).map(|()| true);
    }
    let gate = GATES.iter().find(|gate| gate.name == name).ok_or_else(usage)?;
    let report = (gate.run)(&arguments::parse(rest)?)?;
    println!("{}", report.json(gate.name));
    Ok(report.passed())
}

fn usage() -> String {
    let mut text = "docent-gates NAME [--quick] [--seed N], where NAME is one of".to_owned();
    for gate in GATES {
        text += &format!("\n  {:<10} {}", gate.name, gate.about);
    }
    text
}
