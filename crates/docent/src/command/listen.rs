//! How the commands that serve are reached: on stdio, or over HTTP at some address.

use std::net::{IpAddr, SocketAddr};

use clap::Args;
use docent_mcp::auth::{JwtVerifier, Protection};
use docent_mcp::transport::http::HttpOptions;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::warnings::warn;

#[derive(Args, Serialize, Deserialize)]
pub(crate) struct Listen {
    /// Serve on standard input and output, as without `--http`
    #[arg(long, conflicts_with = "http")]
    pub(crate) stdio: bool,
    /// Listen at this address, such as `127.0.0.1:3000`; a port alone is one of this machine that
    /// others cannot reach. The path is `/mcp`
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) http: Option<String>,
    /// Also serve clients that call this machine by this name; only this machine itself otherwise
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    pub(crate) hosts: Vec<String>,
    /// Serve only who has a token from this authorization server, for the address of `--resource`
    #[arg(long, value_name = "URL", requires_all = ["http", "resource"])]
    pub(crate) issuer: Option<String>,
    /// The address here as clients write it, with the path, whatever stands between
    #[arg(long, value_name = "URL", requires = "issuer")]
    pub(crate) resource: Option<String>,
    /// A scope that each token needs
    #[arg(long = "scope", value_name = "NAME", requires = "issuer")]
    pub(crate) scopes: Vec<String>,
}

impl Listen {
    /// Whom to serve over HTTP.
    pub(crate) fn options(&self) -> HttpOptions {
        let options = self.hosts.iter().cloned().fold(HttpOptions::new(), HttpOptions::host);
        let (Some(issuer), Some(resource)) = (&self.issuer, &self.resource) else { return options };
        let protection = Protection::new(resource, JwtVerifier::new(issuer));
        options.protect(self.scopes.iter().fold(protection, Protection::needs_scope))
    }

    /// Says where clients come in, and who else can.
    pub(crate) fn announce(&self, at: SocketAddr) {
        eprintln!("listening at http://{at}/mcp");
        if self.is_open(at.ip()) {
            warn(
                "whoever reaches this address can use everything here: `--issuer` and `--resource` \
                 ask for a token; an address of 127.0.0.1 is for this machine alone",
            );
        }
    }

    /// Whether others than this machine get in, and nobody asks who they are. That they have to call
    /// this machine by a name that it knows keeps pages in browsers out, and nobody else.
    fn is_open(&self, at: IpAddr) -> bool {
        self.issuer.is_none() && !at.to_canonical().is_loopback()
    }
}

/// There is nobody listening, and why.
pub(crate) fn cannot_listen(address: &str, error: &docent_mcp::Error) -> Failure {
    Failure::new(format!("{address}: {error:#}"))
}

/// An address with its host: whoever gives only a port means this machine.
#[expect(clippy::unnecessary_wraps, reason = "what clap takes")]
fn address(given: &str) -> Result<String, String> {
    let port = given.strip_prefix(':').unwrap_or(given);
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    Ok(if is_port { format!("127.0.0.1:{port}") } else { given.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [SRV-HTTP-02] a server is for this machine unless an address says otherwise.
    #[test]
    fn a_port_alone_is_of_this_machine() {
        for (given, expected) in [
            ("3000", "127.0.0.1:3000"),
            (":3000", "127.0.0.1:3000"),
            ("0", "127.0.0.1:0"),
            ("localhost:3000", "localhost:3000"),
            ("0.0.0.0:3000", "0.0.0.0:3000"),
            ("[::]:3000", "[::]:3000"),
            (":", ":"),
            ("", ""),
        ] {
            assert_eq!(address(given), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn who_opens_it_to_others_is_warned() {
        let listen = |issuer: Option<&str>| Listen {
            stdio: false,
            http: None,
            hosts: vec!["mcp.example".to_owned()],
            issuer: issuer.map(str::to_owned),
            resource: None,
            scopes: Vec::new(),
        };
        for (address, expected) in [
            ("127.0.0.1", false),
            ("127.8.8.8", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("0.0.0.0", true),
            ("::", true),
            ("192.0.2.7", true),
        ] {
            let at = address.parse().expect("an address");
            assert_eq!(listen(None).is_open(at), expected, "{address}");
            assert!(!listen(Some("https://auth.example")).is_open(at), "{address}");
        }
    }
}
