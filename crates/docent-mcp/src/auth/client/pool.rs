//! The HTTP clients of one login, which connect only to what may be reached. Feeds `fetch`.
//!
//! What a server may send us to depends on where it is. Its name is looked up for that, for the
//! second time after the request that it refused, and whoever owns the name may answer differently.
//! So the address that the refusal came from counts as well: once that was public, nothing private
//! is within reach.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use tokio::sync::OnceCell;

use crate::auth::reach::{Allowed, Reach, Resolver};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::AuthLimits;
use crate::transport::http::HttpEndpoint;

pub(super) struct Pool {
    server: Url,
    reach: Reach,
    limits: AuthLimits,
    #[cfg(feature = "tls")]
    certificates: Vec<rustls::pki_types::CertificateDer<'static>>,
    /// Whether a refusal of the server came from a public address.
    is_public: AtomicBool,
    looked_up: OnceCell<Allowed>,
    public: OnceCell<Clients>,
    private: OnceCell<Clients>,
}

/// Clients for the same reach.
pub(super) struct Clients {
    pub(super) allowed: Allowed,
    /// For this machine, and for everything that must not pass a proxy.
    pub(super) direct: Client,
    pub(super) usual: Client,
}

impl Pool {
    pub(super) fn new(endpoint: &HttpEndpoint, reach: Reach, limits: AuthLimits) -> Pool {
        Pool {
            server: endpoint.address().clone(),
            reach,
            limits,
            #[cfg(feature = "tls")]
            certificates: endpoint.certificates().to_vec(),
            is_public: AtomicBool::new(false),
            looked_up: OnceCell::new(),
            public: OnceCell::new(),
            private: OnceCell::new(),
        }
    }

    /// The server has answered from this address.
    pub(super) fn came_from(&self, peer: SocketAddr) {
        if Allowed::Public.permits(peer.ip()) {
            self.is_public.store(true, Ordering::Relaxed);
        }
    }

    async fn allowed(&self) -> Allowed {
        if self.reach == Reach::LikeServer && self.is_public.load(Ordering::Relaxed) {
            return Allowed::Public;
        }
        *self.looked_up.get_or_init(|| self.reach.allowed(&self.server)).await
    }

    pub(super) async fn clients(&self) -> Result<&Clients> {
        let allowed = self.allowed().await;
        let clients = match allowed {
            Allowed::Public => &self.public,
            Allowed::Private => &self.private,
        };
        clients.get_or_try_init(async || self.build(allowed)).await
    }

    fn build(&self, allowed: Allowed) -> Result<Clients> {
        #[cfg(feature = "tls")]
        let tls = {
            let plain = self.server.scheme() == "http";
            crate::transport::http::client_tls(&self.certificates, plain)?
        };
        let builder = || {
            let builder = Client::builder()
                .redirect(Policy::none())
                .referer(false)
                .user_agent(concat!("docent-mcp/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(self.limits.fetch_timeout)
                .dns_resolver(Resolver(allowed));
            #[cfg(feature = "tls")]
            let builder = builder.tls_backend_preconfigured(tls.clone());
            builder
        };
        let direct = built(builder().no_proxy())?;
        let usual = match self.reach {
            Reach::Public => direct.clone(),
            Reach::LikeServer | Reach::Any => built(builder())?,
        };
        Ok(Clients { allowed, direct, usual })
    }
}

fn built(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| {
        let message = "the HTTP client for authorization cannot be set up";
        Error::new(ErrorKind::Transport, message).with_source(error.without_url())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [SEC-02] a server that was public does not become private by another answer to its name.
    #[tokio::test]
    async fn where_a_server_was_counts() {
        let endpoint = HttpEndpoint::new("http://localhost:1/mcp").unwrap();
        for (reach, peer, expected) in [
            (Reach::LikeServer, None, Allowed::Private),
            (Reach::LikeServer, Some("127.0.0.1:1"), Allowed::Private),
            (Reach::LikeServer, Some("8.8.8.8:1"), Allowed::Public),
            (Reach::LikeServer, Some("[2606:4700::1]:1"), Allowed::Public),
            (Reach::Any, Some("8.8.8.8:1"), Allowed::Private),
            (Reach::Public, Some("127.0.0.1:1"), Allowed::Public),
        ] {
            let pool = Pool::new(&endpoint, reach, AuthLimits::default());
            // What was decided before the server was heard does not stay.
            pool.clients().await.unwrap();
            if let Some(peer) = peer {
                pool.came_from(peer.parse().unwrap());
            }
            assert_eq!(pool.clients().await.unwrap().allowed, expected, "{reach:?} {peer:?}");
        }
    }
}
