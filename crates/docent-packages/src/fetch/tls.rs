//! Which certificates are trusted: the machine's, the user's own, or, if the user says so, any; and
//! which one is shown.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::certificate::{Identity, Pem};
use crate::{Error, ErrorKind, Limits};

/// What is trusted.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Trust {
    /// Besides what the machine trusts.
    pub(super) authorities: Vec<Pem>,
    pub(super) insecure: bool,
}

impl Trust {
    /// The configuration of TLS, with the certificate to show if there is one. The provider is ours
    /// alone: a library should not choose one for the whole process.
    pub(super) fn config(
        &self,
        identity: Option<&Identity>,
        limits: &Limits,
    ) -> Result<ClientConfig, Error> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?;
        let verifier: Arc<dyn ServerCertVerifier> = if self.insecure {
            Arc::new(Anyone(provider))
        } else {
            self.verifier(provider, limits)?
        };
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        let mut config = match identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let (chain, key) = identity.read(limits)?;
                let config = builder.with_client_auth_cert(chain, key);
                config.map_err(|error| identity.refused(&error))?
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }

    fn verifier(
        &self,
        provider: Arc<CryptoProvider>,
        limits: &Limits,
    ) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        let own = self.certificates(limits)?;
        match Verifier::new_with_extra_roots(own, Arc::clone(&provider)) {
            Ok(verifier) => Ok(Arc::new(verifier)),
            // A machine without certificates can still ask plain HTTP; TLS then trusts nobody.
            Err(_) if self.authorities.is_empty() => Ok(Arc::new(Nobody(provider))),
            Err(error) => Err(unusable(&error)),
        }
    }

    fn certificates(&self, limits: &Limits) -> Result<Vec<CertificateDer<'static>>, Error> {
        let mut certificates = Vec::new();
        for pem in &self.authorities {
            let bytes = pem.read("the certificate file", limits)?;
            for certificate in CertificateDer::pem_slice_iter(&bytes) {
                certificates.push(certificate.map_err(|error| {
                    let message =
                        format!("the certificate file {} is not in PEM: {error}", pem.place());
                    Error::new(ErrorKind::Io, message)
                })?);
            }
        }
        // What is no certificate would make the whole configuration useless.
        certificates.retain(|certificate| RootCertStore::empty().add(certificate.clone()).is_ok());
        Ok(certificates)
    }
}

fn unusable(error: &rustls::Error) -> Error {
    Error::new(ErrorKind::Network, format!("TLS cannot be set up: {error}"))
}

/// Trusts every certificate: for users who have turned the check off.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

/// Trusts no certificate.
#[derive(Debug)]
struct Nobody(Arc<CryptoProvider>);

macro_rules! signatures {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            let algorithms = &self.0.signature_verification_algorithms;
            rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            let algorithms = &self.0.signature_verification_algorithms;
            rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.0.signature_verification_algorithms.supported_schemes()
        }
    };
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    signatures!();
}

impl ServerCertVerifier for Nobody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Err(rustls::Error::General("this machine has no certificates to trust".to_owned()))
    }

    signatures!();
}
