//! What web pages send, and what honest clients send. `PORT` stands for where the server listens.

use super::ways::Way;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Hostile,
    Honest,
}

pub(super) struct Row {
    pub(super) about: String,
    pub(super) kind: Kind,
    target: Target,
    /// Headers beside those that the message needs.
    pub(super) headers: Vec<(String, String)>,
    /// Another content type; an empty one is none at all.
    pub(super) media: Option<&'static str>,
}

/// How a request names its host.
enum Target {
    /// By this name, wherever names stand.
    Everywhere(String),
    /// In the target (`:authority`), and in these `Host` headers.
    Apart { target: Option<String>, hosts: Vec<String> },
}

/// The names that one request carries.
pub(super) struct Names {
    pub(super) target: Option<String>,
    pub(super) hosts: Vec<String>,
}

impl Row {
    /// How this row looks over one way; `None` if it cannot be said there.
    pub(super) fn names(&self, way: Way) -> Option<Names> {
        match &self.target {
            Target::Everywhere(name) => Some(match way {
                Way::Origin => Names { target: None, hosts: vec![name.clone()] },
                Way::Absolute => Names { target: Some(name.clone()), hosts: vec![name.clone()] },
                Way::Framed => Names { target: Some(name.clone()), hosts: Vec::new() },
            }),
            Target::Apart { target, hosts } => {
                let fits = match way {
                    Way::Origin => target.is_none(),
                    Way::Absolute => target.is_some(),
                    Way::Framed => true,
                };
                fits.then(|| Names { target: target.clone(), hosts: hosts.clone() })
            }
        }
    }
}

const HOSTILE_HOSTS: &[&str] = &[
    "evil.example",
    "evil.example:PORT",
    "EVIL.EXAMPLE:PORT",
    "evil.example.:PORT",
    "localhost.:PORT",
    "localhost.evil.example:PORT",
    "attacker.localhost:PORT",
    "127.0.0.1.evil.example:PORT",
    "evil-localhost:PORT",
    "localhost@evil.example:PORT",
    "evil.example@localhost:PORT",
    "localhost:PORT@evil.example",
    "[::2]:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "[::1]evil.example:PORT",
    "[::1",
    "0.0.0.0:PORT",
    "[::]:PORT",
    "127.1:PORT",
    "2130706433:PORT",
    "0x7f.0.0.1:PORT",
    "192.168.0.1:PORT",
    "localhost,evil.example",
    "localhost evil.example",
    "localhost\\evil.example",
];

const HONEST_HOSTS: &[&str] =
    &["127.0.0.1:PORT", "127.0.0.1", "localhost:PORT", "localhost", "LocalHost:PORT", "[::1]:PORT"];

const HOSTILE_ORIGINS: &[&str] = &[
    "http://evil.example",
    "https://evil.example:PORT",
    "HTTP://EVIL.EXAMPLE",
    "http://evil.example.",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example:PORT",
    "http://localhost@evil.example",
    "http://evil.example@localhost",
    "http://localhost:PORT@evil.example",
    "null",
    "file://",
    "chrome-extension://abcdefghijklmnop",
    "http://0.0.0.0:PORT",
    "http://[::ffff:7f00:1]:PORT",
    "http://localhost http://evil.example",
    "http://localhost, http://evil.example",
    "http://localhost/evil.example",
    "localhost",
    "",
];

const HONEST_ORIGINS: &[&str] =
    &["http://127.0.0.1:PORT", "http://localhost:3000", "https://localhost", "http://[::1]:PORT"];

/// What a page can send to anybody without being asked for its origin first (A2).
const HOSTILE_MEDIA: &[&str] = &[
    "text/plain",
    "text/plain; charset=application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
];

const OWN: &str = "127.0.0.1:PORT";

pub(super) fn all(port: &str) -> Vec<Row> {
    use Kind::{Honest, Hostile};
    let mut rows = Vec::new();
    let everywhere = |name: &str| Target::Everywhere(name.to_owned());
    let mut row = |kind, about: String, target, headers: &[(&str, &str)], media| {
        let headers = headers.iter();
        let headers = headers.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        rows.push(Row { about, kind, target, headers: headers.collect(), media });
    };
    for (kind, hosts) in [(Hostile, HOSTILE_HOSTS), (Honest, HONEST_HOSTS)] {
        for host in hosts {
            row(kind, format!("host {host:?}"), everywhere(host), &[], None);
        }
    }
    for (kind, origins) in [(Hostile, HOSTILE_ORIGINS), (Honest, HONEST_ORIGINS)] {
        for origin in origins {
            let about = format!("origin {origin:?}");
            row(kind, about, everywhere(OWN), &[("origin", origin)], None);
        }
    }
    let two = [("origin", "http://localhost:PORT"), ("origin", "http://evil.example")];
    row(Hostile, "two origins".to_owned(), everywhere(OWN), &two, None);
    for media in HOSTILE_MEDIA {
        row(Hostile, format!("content type {media:?}"), everywhere(OWN), &[], Some(media));
    }
    row(
        Hostile,
        "a page of another site, without an origin".to_owned(),
        everywhere(OWN),
        &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")],
        None,
    );
    for (target, hosts) in [
        (None, &[][..]),
        (None, &[""]),
        (None, &[OWN, "evil.example"]),
        (None, &["evil.example", OWN]),
        (None, &[OWN, OWN]),
        (Some(OWN), &["evil.example"]),
        (Some("evil.example"), &[OWN]),
        (Some(OWN), &[OWN, "evil.example"]),
        (Some("evil.example"), &["evil.example"]),
    ] {
        let about = format!("target {target:?} and hosts {hosts:?}");
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let target = target.map(str::to_owned);
        row(Hostile, about, Target::Apart { target, hosts }, &[], None);
    }
    for row in &mut rows {
        row.fill_in(port);
    }
    rows
}

impl Row {
    fn fill_in(&mut self, port: &str) {
        let fill = |text: &mut String| *text = text.replace("PORT", port);
        match &mut self.target {
            Target::Everywhere(name) => fill(name),
            Target::Apart { target, hosts } => {
                target.iter_mut().chain(hosts).for_each(fill);
            }
        }
        self.headers.iter_mut().for_each(|(_, value)| fill(value));
    }
}
