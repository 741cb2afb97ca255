//! Tokens that only the authorization server can read: it is asked (RFC 7662).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use ring::digest::{SHA256, digest};
use serde_json::Value;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use super::check::Expected;
use super::fetch::{Fetch, Way};
use super::{Claims, TokenError, TokenVerifier};
use crate::auth::{Reach, Secret};
use crate::limits::VerifierLimits;
use crate::transport::BoxFuture;
use crate::types::JsonObject;

/// Asks the authorization server what a token is worth, and remembers the answer for a moment.
///
/// ```
/// use docent_mcp::auth::Introspection;
///
/// # let secret = "s3cret";
/// let verifier = Introspection::new("https://auth.example", "my-server", secret);
/// ```
pub struct Introspection {
    issuer: String,
    client: String,
    secret: Secret,
    endpoint: OnceCell<String>,
    audience: Option<String>,
    limits: VerifierLimits,
    way: Way,
    fetch: OnceCell<Fetch>,
    known: Mutex<HashMap<[u8; 32], Known>>,
    asking: Semaphore,
}

struct Known {
    outcome: Result<Claims, TokenError>,
    since: Instant,
}

impl Introspection {
    /// Asks the authorization server of this issuer, as a client that it knows by this secret.
    pub fn new(
        issuer: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<Secret>,
    ) -> Self {
        let limits = VerifierLimits::default();
        Introspection {
            issuer: issuer.into(),
            client: client_id.into(),
            secret: client_secret.into(),
            endpoint: OnceCell::new(),
            audience: None,
            way: Way::default(),
            fetch: OnceCell::new(),
            known: Mutex::default(),
            asking: Semaphore::new(limits.introspections_at_once_max),
            limits,
        }
    }

    /// Asks at this address, and fetches no metadata.
    #[must_use]
    pub fn endpoint(mut self, address: impl Into<String>) -> Self {
        self.endpoint = OnceCell::new_with(Some(address.into()));
        self
    }

    /// For authorization servers that know this server by another name than its address: the
    /// audience that tokens must have.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Where the issuer may send us for introspection. By default a private address is asked only if
    /// the issuer has one itself.
    #[must_use]
    pub fn reach(mut self, reach: Reach) -> Self {
        self.way.reach = reach;
        self
    }

    /// Trusts these certificates (PEM) besides those of the machine, for issuers that the public
    /// authorities do not know.
    #[cfg(feature = "tls")]
    pub fn root_certificates(mut self, pem: &[u8]) -> crate::error::Result<Self> {
        self.way.certificates.extend(crate::transport::http::certificates(pem)?);
        Ok(self)
    }

    /// Sets what verifying may cost.
    #[must_use]
    pub fn limits(mut self, limits: VerifierLimits) -> Self {
        self.asking = Semaphore::new(limits.introspections_at_once_max);
        self.limits = limits;
        self
    }

    fn known(&self) -> MutexGuard<'_, HashMap<[u8; 32], Known>> {
        self.known.lock().expect("no panic while locked")
    }

    async fn claims(&self, token: &Secret, resource: &str) -> Result<Claims, TokenError> {
        let hash = digest(&SHA256, token.expose().as_bytes());
        let hash: [u8; 32] = hash.as_ref().try_into().expect("SHA-256 has 32 bytes");
        let ttl = self.limits.introspection_ttl;
        let remembered = self
            .known()
            .get(&hash)
            .filter(|known| known.since.elapsed() < ttl)
            .map(|known| known.outcome.clone());
        let expected = Expected {
            issuer: &self.issuer,
            audience: self.audience.as_deref().unwrap_or(resource),
            shared: false,
            skew: self.limits.clock_skew,
        };
        if let Some(outcome) = remembered {
            // What is remembered may have expired meanwhile.
            let claims = outcome?;
            expected.check_times(claims.all())?;
            return Ok(claims);
        }
        let outcome = self.ask(token, &expected).await;
        if !matches!(outcome, Err(TokenError::Unavailable(_))) {
            let mut known = self.known();
            if known.len() >= self.limits.introspections_max {
                known.retain(|_, known| known.since.elapsed() < ttl);
            }
            if known.len() < self.limits.introspections_max {
                known.insert(hash, Known { outcome: outcome.clone(), since: Instant::now() });
            }
        }
        outcome
    }

    async fn ask(&self, token: &Secret, expected: &Expected<'_>) -> Result<Claims, TokenError> {
        let Ok(_turn) = self.asking.try_acquire() else {
            return Err(TokenError::unavailable("too many tokens are being verified"));
        };
        let start = self.endpoint.get().unwrap_or(&self.issuer);
        let making = async || Fetch::new(&self.limits, &self.way, start).await;
        let fetch = self.fetch.get_or_try_init(making).await?;
        let endpoint = self
            .endpoint
            .get_or_try_init(async || {
                super::issuer::metadata(fetch, &self.issuer).await?.introspection_endpoint()
            })
            .await?;
        let form = format!("token={}&token_type_hint=access_token", encode(token.expose()));
        let answer = fetch.post::<JsonObject>(endpoint, self.credentials(), form).await?;
        let claims = answer.map_err(|status| {
            TokenError::unavailable(format!("introspection answers with {status}"))
        })?;
        if claims.get("active") != Some(&Value::Bool(true)) {
            return Err(TokenError::invalid("it is not active"));
        }
        // The issuer was asked itself; it need not repeat who it is.
        if claims.get("iss").is_some_and(|issuer| issuer.as_str() != Some(expected.issuer)) {
            return Err(TokenError::invalid("it comes from another issuer"));
        }
        expected.check_audience(&claims)?;
        expected.check_times(&claims)?;
        Claims::new(claims)
    }

    fn credentials(&self) -> HeaderMap {
        let pair = format!("{}:{}", encode(&self.client), encode(self.secret.expose()));
        let value = format!("Basic {}", STANDARD.encode(pair));
        let mut value = HeaderValue::try_from(value).expect("Base64 is visible ASCII");
        value.set_sensitive(true);
        HeaderMap::from_iter([(AUTHORIZATION, value)])
    }
}

/// Text as forms carry it.
fn encode(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => write!(encoded, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    encoded
}

impl TokenVerifier for Introspection {
    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<Claims, TokenError>> {
        Box::pin(self.claims(token, resource))
    }

    fn issuers(&self) -> Vec<String> {
        vec![self.issuer.clone()]
    }
}

impl fmt::Debug for Introspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Introspection").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}
