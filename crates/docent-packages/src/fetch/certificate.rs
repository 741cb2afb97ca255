//! Certificates of the user's own: those that say who one is in TLS, and those that are trusted at one
//! registry only.
//!
//! Fed by the configuration of each ecosystem; feeds [`super::client`]. As with any credential, who
//! one is gets known only at the scheme, host, port and path that it was configured for
//! ([`super::login`]).

use std::fmt;
use std::path::PathBuf;
use std::time::SystemTime;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use url::Url;

use crate::{Error, ErrorKind, Limits};

/// Something in PEM: where it is, or itself.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Pem {
    File(PathBuf),
    Text(String),
}

/// A certificate with its key, which may be in the same file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Identity {
    pub(crate) certificate: Pem,
    pub(crate) key: Pem,
}

/// A certificate to show, and where.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// Scheme, host and port must be equal; the path must start with this one.
    pub(crate) scope: Url,
    pub(crate) identity: Identity,
}

/// Authorities to trust at one place, besides those that are trusted everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    pub(crate) scope: Url,
    pub(crate) pem: Pem,
}

impl Pem {
    /// The bytes; `what` is what they are to be, for a message.
    pub(super) fn read(&self, what: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
        let file = match self {
            Self::File(file) => file,
            Self::Text(text) => return Ok(text.clone().into_bytes()),
        };
        let failed = |error: &std::io::Error| {
            Error::io(format!("{what} `{}` cannot be read", file.display()), error)
                .hint("correct the path in the configuration, or remove it")
        };
        let found = std::fs::metadata(file).map_err(|error| failed(&error))?;
        if !found.is_file() || found.len() > limits.config_bytes_max {
            return Err(failed(&std::io::ErrorKind::InvalidInput.into()));
        }
        std::fs::read(file).map_err(|error| failed(&error))
    }

    /// When the file was written last: short-lived certificates are renewed under a running process.
    fn changed(&self) -> Option<SystemTime> {
        match self {
            Self::File(file) => std::fs::metadata(file).and_then(|found| found.modified()).ok(),
            Self::Text(_) => None,
        }
    }

    /// What tells it from another; of a file its path, so that a renewed one is the same.
    pub(super) fn part(&self) -> String {
        match self {
            Self::File(file) => format!("file {}", file.display()),
            Self::Text(text) => format!("text {text}"),
        }
    }

    /// Where it is, for a message.
    pub(super) fn place(&self) -> String {
        match self {
            Self::File(file) => format!("`{}`", file.display()),
            Self::Text(_) => "in the configuration".to_owned(),
        }
    }
}

impl Identity {
    /// A certificate and its key in one file.
    pub(crate) fn in_file(file: PathBuf) -> Self {
        Self { certificate: Pem::File(file.clone()), key: Pem::File(file) }
    }

    /// When each of the two was written last.
    pub(super) fn changed(&self) -> [Option<SystemTime>; 2] {
        [self.certificate.changed(), self.key.changed()]
    }

    /// The certificate with those that vouch for it, and the key.
    pub(super) fn read(
        &self,
        limits: &Limits,
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Error> {
        let unusable = |pem: &Pem, why: &str| {
            Error::new(ErrorKind::Io, format!("the client certificate {} {why}", pem.place()))
                .hint("both the certificate and its key have to be in PEM")
        };
        let bytes = self.certificate.read("the client certificate", limits)?;
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&bytes).filter_map(Result::ok).collect();
        if chain.is_empty() {
            return Err(unusable(&self.certificate, "holds no certificate"));
        }
        let bytes = self.key.read("the key of a client certificate", limits)?;
        let key = PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| {
            unusable(&self.key, "has no key that can be read")
                .hint("a key with a passphrase cannot be used; `openssl pkey` writes one without")
        })?;
        Ok((chain, key))
    }

    /// What is said when certificate and key do not belong together.
    pub(super) fn refused(&self, error: &rustls::Error) -> Error {
        let place = self.certificate.place();
        let message = format!("the client certificate {place} cannot be used: {error}");
        Error::new(ErrorKind::Io, message)
            .hint("its key has to be the one that the certificate was made for")
    }
}

impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.debug_tuple("File").field(file).finish(),
            // It may be a key.
            Self::Text(_) => f.write_str("Text(…)"),
        }
    }
}
