//! Who one is at a registry, and where that may be said.
//!
//! A credential goes only to the scheme, host, port and path it was configured for. The question is
//! asked anew for every hop of a redirect ([`super::request`]).

use std::fmt;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use reqwest::header::HeaderValue;
use url::Url;

use super::address::{origin, shown};
use super::certificate::{Authority, Identity, Pem, Shown};
use crate::cache::entry::sha256;
use crate::{Error, ErrorKind};

/// How a registry is reached: who one is there, and through what.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// The credentials that may be sent, each only inside its scope; the longest scope wins.
    pub(crate) logins: Vec<Login>,
    /// Files of certificates to trust besides the machine's.
    pub(crate) ca_files: Vec<PathBuf>,
    /// Certificates to trust besides the machine's, as PEM text.
    pub(crate) ca_pem: Vec<String>,
    /// Certificates to trust in some places only.
    pub(crate) authorities: Vec<Authority>,
    /// Certificates that say who one is, each only inside its scope; the longest scope wins.
    pub(crate) certificates: Vec<Shown>,
    /// Whether the user has turned the check of certificates off.
    pub(crate) insecure: bool,
    /// The proxy for this registry, over what the environment says.
    pub(crate) proxy: Option<Url>,
    /// Hosts that are reached without the proxy, separated by commas.
    pub(crate) no_proxy: Option<String>,
}

/// A credential and where it may go.
#[derive(Clone)]
pub(crate) struct Login {
    /// Scheme, host and port must be equal; the path must start with this one.
    pub(crate) scope: Url,
    pub(crate) credential: Credential,
}

/// Who one is at a registry.
#[derive(Clone)]
pub(crate) enum Credential {
    Bearer(Secret),
    Basic {
        user: String,
        password: Secret,
    },
    /// What follows `Basic` in the header, as npm's `_auth` holds it.
    BasicEncoded(Secret),
    /// The whole header, as cargo's registries want it.
    Plain(Secret),
}

/// A text that cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl Access {
    /// The login for an address: of those whose scope it is in, the one with the longest.
    pub(crate) fn login(&self, url: &Url) -> Option<&Login> {
        let fitting = self.logins.iter().filter(|login| within(&login.scope, url));
        // The first of several equals, as the user's configuration puts the stronger one first.
        fitting.rev().max_by_key(|login| segments(&login.scope).len())
    }

    /// The certificate to show at an address, chosen as a login is.
    pub(crate) fn certificate(&self, url: &Url) -> Option<&Identity> {
        let fitting = self.certificates.iter().filter(|shown| within(&shown.scope, url));
        let longest = fitting.rev().max_by_key(|shown| segments(&shown.scope).len());
        longest.map(|shown| &shown.identity).filter(|_| url.scheme() == "https")
    }

    /// All certificates that are trusted at an address besides the machine's.
    pub(super) fn trusted(&self, url: &Url) -> Vec<Pem> {
        let everywhere = self.ca_files.iter().cloned().map(Pem::File);
        let everywhere = everywhere.chain(self.ca_pem.iter().cloned().map(Pem::Text));
        let here = self.authorities.iter().filter(|authority| within(&authority.scope, url));
        everywhere.chain(here.map(|authority| authority.pem.clone())).collect()
    }

    /// Who one is at an address, so that what one user was given is not served to another.
    pub(super) fn identity(&self, url: &Url) -> [u8; 32] {
        let login = self.login(url).map(|login| login.credential.parts()).unwrap_or_default();
        let certificate = self.certificate(url).map(|identity| identity.certificate.part());
        let certificate = certificate.unwrap_or_default();
        let login = [login.0.as_bytes(), b"\0", login.1.as_bytes()].concat();
        sha256(&[&[u8::from(self.insecure)], &login, b"\0", certificate.as_bytes()])
    }

    /// Everything that decides how a request goes, for telling requests apart in memory.
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        let mut text = format!("{:?}{:?}{}", self.ca_files, self.ca_pem, self.insecure);
        text += &format!("{:?}{:?}", self.proxy.as_ref().map(Url::as_str), self.no_proxy);
        for Authority { scope, pem } in &self.authorities {
            text += &format!("{:?}{:?}", scope.as_str(), pem.part());
        }
        for Shown { scope, identity: Identity { certificate, key } } in &self.certificates {
            text += &format!("{:?}{:?}{:?}", scope.as_str(), certificate.part(), key.part());
        }
        for login in &self.logins {
            let (kind, secret) = login.credential.parts();
            text += &format!("{:?}{kind:?}{secret:?}", login.scope.as_str());
        }
        sha256(&[text.as_bytes()])
    }
}

impl Credential {
    /// The value of the `Authorization` header; it does not print either.
    pub(crate) fn header(&self, url: &Url) -> Result<HeaderValue, Error> {
        let text = match self {
            Self::Bearer(token) => format!("Bearer {}", token.0),
            Self::Basic { user, password } => {
                format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.0)))
            }
            Self::BasicEncoded(encoded) => format!("Basic {}", encoded.0),
            Self::Plain(token) => token.0.clone(),
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            let message = format!("the credential for {} cannot be sent", origin(url));
            Error::new(ErrorKind::Unauthorized, message)
                .hint("it holds a character that HTTP does not allow, such as a line break")
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// What makes it itself: its kind with the user, and the secret.
    fn parts(&self) -> (String, &str) {
        match self {
            Self::Bearer(token) => ("bearer".to_owned(), &token.0),
            Self::Basic { user, password } => (format!("basic {user}"), &password.0),
            Self::BasicEncoded(encoded) => ("encoded".to_owned(), &encoded.0),
            Self::Plain(token) => ("plain".to_owned(), &token.0),
        }
    }
}

/// Whether an address lies in a scope.
fn within(scope: &Url, url: &Url) -> bool {
    let same_place = scope.scheme() == url.scheme()
        && scope.host() == url.host()
        && scope.host().is_some()
        && scope.port_or_known_default() == url.port_or_known_default();
    let (scope, path) = (segments(scope), segments(url));
    same_place && !climbs(url.path()) && path.starts_with(&scope)
}

/// The parts of the path, each decoded, without the empty one that a `/` at the end leaves.
fn segments(url: &Url) -> Vec<Vec<u8>> {
    let parts = url.path_segments().into_iter().flatten();
    let mut parts: Vec<Vec<u8>> = parts.map(|part| percent_decode_str(part).collect()).collect();
    if parts.last().is_some_and(Vec::is_empty) {
        parts.pop();
    }
    parts
}

/// Whether a server that decodes the path, perhaps more than once, could be led to another folder.
/// What is written plainly as `..` is resolved by [`Url`] already; an encoded slash alone is fine,
/// since npm writes `@scope%2fname`.
fn climbs(path: &str) -> bool {
    let mut path = path.to_owned();
    for _ in 0..8 {
        if path.split(['/', '\\']).any(|part| part == ".." || part == ".") {
            return true;
        }
        let decoded = percent_decode_str(&path).decode_utf8_lossy().into_owned();
        if decoded == path {
            return false;
        }
        path = decoded;
    }
    // Encoded this often, it is no honest address.
    true
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The user too: some registries take a token in its place.
        f.write_str(match self {
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic { .. } => "Basic(…)",
            Self::BasicEncoded(_) => "BasicEncoded(…)",
            Self::Plain(_) => "Plain(…)",
        })
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = f.debug_struct("Login");
        shape.field("scope", &shown(&self.scope)).field("credential", &self.credential).finish()
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("logins", &self.logins)
            .field("ca_files", &self.ca_files)
            .field("ca_pem", &self.ca_pem.len())
            .field("authorities", &self.authorities.len())
            .field("certificates", &self.certificates.len())
            .field("insecure", &self.insecure)
            .field("proxy", &self.proxy.as_ref().map(shown))
            .field("no_proxy", &self.no_proxy)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(scope: &str, token: &str) -> Login {
        let credential = Credential::Bearer(Secret(token.to_owned()));
        Login { scope: Url::parse(scope).unwrap(), credential }
    }

    #[test]
    fn a_credential_goes_only_where_it_belongs() {
        for (scope, url, goes) in [
            ("https://r.example/", "https://r.example/left", true),
            ("https://r.example", "https://r.example/", true),
            ("https://r.example/", "https://R.EXAMPLE:443/left", true),
            ("https://r.example/", "http://r.example/left", false),
            ("http://r.example/", "https://r.example/left", false),
            ("https://r.example/", "https://r.example:8443/left", false),
            ("https://r.example:8443/", "https://r.example:8443/left", true),
            ("https://r.example/", "https://r.example.evil.example/left", false),
            ("https://r.example/", "https://evil.example/r.example/", false),
            ("https://r.example/", "https://r.example@evil.example/", false),
            ("https://r.example/", "https://sub.r.example/", false),
            // The path: whole parts only.
            ("https://r.example/npm/", "https://r.example/npm/left", true),
            ("https://r.example/npm", "https://r.example/npm/left", true),
            ("https://r.example/npm/", "https://r.example/npm", true),
            ("https://r.example/npm/", "https://r.example/npm-evil/left", false),
            ("https://r.example/npm", "https://r.example/npmx", false),
            ("https://r.example/npm/", "https://r.example/", false),
            ("https://r.example/npm/", "https://r.example/other/npm/", false),
            ("https://r.example/npm/", "https://r.example/NPM/left", false),
            ("https://r.example/npm/", "https://r.example/npm//left", true),
            ("https://r.example/npm/", "https://r.example//npm/left", false),
            ("https://r.example/a%20b/", "https://r.example/a b/left", true),
            ("https://r.example/~me/", "https://r.example/%7Eme/left", true),
            // What leads out of it.
            ("https://r.example/npm/", "https://r.example/npm/../other", false),
            ("https://r.example/npm/", "https://r.example/npm/%2e%2e/other", false),
            ("https://r.example/npm/", "https://r.example/npm/%2E./other", false),
            ("https://r.example/npm/", "https://r.example/npm/..%2fother", false),
            ("https://r.example/npm/", "https://r.example/npm/%2e%2e%2fother", false),
            ("https://r.example/npm/", "https://r.example/npm/%252e%252e%252fother", false),
            ("https://r.example/npm/", "https://r.example/npm/..%5cother", false),
            ("https://r.example/npm/", "https://r.example/npm\\..\\other", false),
            ("https://r.example/npm/", "https://r.example/x/../npm/left", true),
            // npm writes scopes like this.
            ("https://r.example/npm/", "https://r.example/npm/@scope%2fname", true),
            ("https://r.example/npm/a/", "https://r.example/npm%2fa/left", false),
            ("http://127.0.0.1:4873/", "http://127.0.0.1:4873/left", true),
            ("http://127.0.0.1:4873/", "http://localhost:4873/left", false),
            ("http://[::1]:4873/", "http://[::1]:4873/left", true),
        ] {
            let access = Access { logins: vec![login(scope, "t")], ..Access::default() };
            let found = access.login(&Url::parse(url).unwrap()).is_some();
            assert_eq!(found, goes, "{scope} {url}");
        }
    }

    #[test]
    fn the_longest_scope_wins_and_the_first_of_equals() {
        let logins = vec![
            login("https://r.example/", "root"),
            login("https://r.example/a/b/", "deep"),
            login("https://r.example/a/", "first"),
            login("https://r.example/a", "second"),
        ];
        let access = Access { logins, ..Access::default() };
        for (url, token) in [
            ("https://r.example/x", "Bearer root"),
            ("https://r.example/a/x", "Bearer first"),
            ("https://r.example/a/b/x", "Bearer deep"),
        ] {
            let url = Url::parse(url).unwrap();
            let value = access.login(&url).unwrap().credential.header(&url).unwrap();
            assert_eq!(value.to_str().unwrap(), token, "{url}");
            assert!(value.is_sensitive());
        }
    }

    #[test]
    fn credentials_become_headers_or_an_error_without_them() {
        let url = Url::parse("https://r.example/").unwrap();
        let secret = |text: &str| Secret(text.to_owned());
        for (credential, expected) in [
            (Credential::Bearer(secret("abc")), Ok("Bearer abc")),
            (
                Credential::Basic { user: "me".to_owned(), password: secret("pä:ss") },
                Ok("Basic bWU6cMOkOnNz"),
            ),
            (Credential::BasicEncoded(secret("bWU6eA==")), Ok("Basic bWU6eA==")),
            (
                Credential::Bearer(secret("abc\r\nx: y")),
                Err("the credential for https://r.example cannot be sent"),
            ),
        ] {
            let header = credential.header(&url).map_err(|error| error.to_string());
            let header = header.as_ref().map(|value| value.to_str().unwrap());
            assert_eq!(header.map_err(String::as_str), expected);
        }
    }

    #[test]
    fn copies_belong_to_whoever_got_them() {
        let url = Url::parse("https://r.example/a/x").unwrap();
        let with = |logins| Access { logins, ..Access::default() }.identity(&url);
        let nobody = with(Vec::new());
        let one = with(vec![login("https://r.example/", "one")]);
        assert_ne!(one, nobody);
        assert_ne!(one, with(vec![login("https://r.example/", "two")]));
        // A login for elsewhere changes nothing here.
        assert_eq!(nobody, with(vec![login("https://r.example/b/", "one")]));
        let insecure = Access { insecure: true, ..Access::default() };
        assert_ne!(nobody, insecure.identity(&url));
    }
}
