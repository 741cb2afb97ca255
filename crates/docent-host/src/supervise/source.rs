//! From a configured entry to something that a client can connect to.

use std::sync::Arc;

use docent_mcp::Result;
use docent_mcp::auth::OAuth;
use docent_mcp::client::Source;
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::transport::http::{
    Challenge, HookError, HttpEndpoint, OutgoingRequest, RequestHook,
};

use super::Settings;
use super::failure::Witness;
use super::printed_headers::PrintedHeaders;
use crate::config::{ServerEntry, Transport};

/// Says how to log in to a server, if at all.
pub(crate) type Login = Arc<dyn Fn(&ServerEntry) -> Option<OAuth> + Send + Sync>;

pub(super) fn source(entry: &ServerEntry, settings: &Settings, seen: &Witness) -> Result<Source> {
    if let Some(connector) = settings.connectors.get(&entry.name) {
        return Ok(connector());
    }
    if let Some(source) = settings.reach.as_ref().and_then(|reach| reach(entry)) {
        return Ok(source);
    }
    match &entry.transport {
        Transport::Stdio { command, args, env, cwd, inherit } => {
            let variables = env.iter().map(|(name, value)| (name, value.expose()));
            let mut child = ChildProcess::new(command.expose())
                .args(args.iter().map(|arg| arg.expose()))
                .envs(variables);
            if *inherit {
                child = child.inherit_env();
            }
            if let Some(folder) = cwd {
                child = child.current_dir(folder);
            }
            Ok(child.into())
        }
        Transport::Http { url, headers, helper, .. } => {
            let mut endpoint = HttpEndpoint::new(url.expose())?;
            for (name, value) in headers {
                endpoint = endpoint.header(name, value.expose())?;
            }
            let hook: Box<dyn RequestHook> = if let Some(helper) = helper {
                // Whoever has a command for it needs no login.
                let limits = &settings.limits;
                Box::new(PrintedHeaders::new(entry, helper, endpoint.address(), limits))
            } else if let Some(login) = login(entry, settings) {
                Box::new(with_settings(login, entry)?.hook(&endpoint))
            } else {
                Box::new(Nothing)
            };
            let endpoint = endpoint.hook(Listener { seen: seen.clone(), hook });
            Ok(endpoint.into())
        }
    }
}

/// How to log in, unless the entry says who is asking: a login would take the place of that header,
/// and a token that is refused is for the user to replace.
fn login(entry: &ServerEntry, settings: &Settings) -> Option<OAuth> {
    let wanted = !entry.oauth.off && !entry.says_who_asks();
    let login = settings.login.as_ref().filter(|_| wanted)?;
    login(entry)
}

/// What the entry says about logging in goes before what holds for all servers.
fn with_settings(mut login: OAuth, entry: &ServerEntry) -> Result<OAuth> {
    let settings = &entry.oauth;
    if let Some(id) = &settings.client_id {
        login = login.client_id(id);
    }
    if let Some(secret) = &settings.client_secret {
        login = login.client_secret(secret.expose().to_owned());
    }
    if !settings.scopes.is_empty() {
        login = login.only_scopes(&settings.scopes);
    }
    if let Some(url) = &settings.metadata_url {
        login = login.issuer_metadata_url(url)?;
    }
    if let Some(resource) = &settings.resource {
        login = login.resource(resource);
    }
    if let Some(port) = settings.callback_port {
        login = login.redirect(format!("http://localhost:{port}/callback"))?;
    }
    Ok(login)
}

/// Remembers what a server says when it wants to know who is asking, and hands it on to whoever may
/// have an answer.
struct Listener {
    seen: Witness,
    hook: Box<dyn RequestHook>,
}

impl RequestHook for Listener {
    fn prepare<'a>(
        &'a self,
        request: &'a mut OutgoingRequest,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        self.hook.prepare(request)
    }

    fn challenged<'a>(
        &'a self,
        challenge: &'a Challenge,
    ) -> BoxFuture<'a, Result<bool, HookError>> {
        for text in challenge.www_authenticate() {
            self.seen.challenge(text);
        }
        Box::pin(async move {
            let answered = self.hook.challenged(challenge).await?;
            if answered {
                // What goes wrong from here on has another reason, or it is asked again.
                self.seen.let_in();
            }
            Ok(answered)
        })
    }
}

/// Adds nothing, and has no answer.
struct Nothing;

impl RequestHook for Nothing {
    fn prepare<'a>(&'a self, _: &'a mut OutgoingRequest) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
