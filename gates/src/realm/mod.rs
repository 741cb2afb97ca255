//! A server that wants tokens and the authorization server that gives them, at one address, which
//! do what an attack tells them to.
//!
//! They believe everybody and give tokens for everything, so that whatever is refused, the client
//! has refused. `rules` is what they do, `web` how they are reached, `user` who logs in there.

mod rules;
mod user;
mod web;

use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::Client;
use docent_mcp::auth::OAuth;
use docent_mcp::transport::http::HttpEndpoint;
use serde_json::Value;

use self::rules::Rules;
pub(crate) use self::rules::{Answer, Reply, Seen};
pub(crate) use self::user::User;
use crate::Result;

/// Where the documents are.
pub(crate) const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
pub(crate) const ISSUER: &str = "/.well-known/oauth-authorization-server";

/// The realm while it runs. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Realm {
    base: String,
    rules: Arc<Mutex<Rules>>,
    _serving: Arc<web::Serving>,
}

impl Realm {
    /// On a free port of this machine.
    pub(crate) async fn start() -> Result<Realm> {
        Realm::start_as(None).await
    }

    /// Under a name, behind TLS. Whoever looks the name up has to be led here.
    pub(crate) async fn start_as(name: Option<&str>) -> Result<Realm> {
        let listener = web::listen(name.is_some()).await?;
        let base = match name {
            Some(name) => format!("https://{name}:{}", listener.local_addr()?.port()),
            None => format!("http://{}", listener.local_addr()?),
        };
        let rules = Arc::new(Mutex::new(Rules::new(&base)));
        let serving = web::serve(listener, name.is_some(), rules.clone())?;
        Ok(Realm { base, rules, _serving: Arc::new(serving) })
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The address of the server that wants tokens.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    pub(crate) fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().expect("no panic while locked")
    }

    /// Changes a field of a document; `{base}` is this realm, and `Null` takes the field out.
    pub(crate) fn field(&self, document: &str, name: &str, value: Value) {
        let mut rules = self.rules();
        let text = value.to_string().replace("{base}", &self.base);
        let value = serde_json::from_str(&text).unwrap_or(value);
        if let Some(Value::Object(fields)) = rules.documents.get_mut(document) {
            match value {
                Value::Null => fields.remove(name),
                value => fields.insert(name.to_owned(), value),
            };
        }
    }

    /// Answers a path in another way.
    pub(crate) fn instead(
        &self,
        path: &str,
        answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) {
        let answer: Answer = Arc::new(answer);
        self.rules().instead.insert(path.to_owned(), answer);
    }

    /// How often a path was asked for.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.rules().seen.iter().filter(|seen| seen.path == path).count()
    }

    /// A login by a user who agrees to everything.
    pub(crate) fn login(&self) -> OAuth {
        OAuth::user("gate").visit(User::of(self))
    }

    pub(crate) fn endpoint(&self, login: OAuth) -> Result<HttpEndpoint> {
        let mut endpoint = HttpEndpoint::new(self.url())?;
        if self.base.starts_with("https:") {
            endpoint = endpoint.root_certificates(docent_testkit::tls::AUTHORITY)?;
        }
        Ok(endpoint.authorize(login))
    }

    /// Connects, and says why not.
    pub(crate) async fn connect(&self, login: OAuth) -> std::result::Result<Client, String> {
        let endpoint = self.endpoint(login).map_err(|error| error.to_string())?;
        Client::start(endpoint).await.map_err(|error| chain(&error))
    }
}

/// An error with all that is behind it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        text += &format!(": {error}");
        behind = error.source();
    }
    text
}
