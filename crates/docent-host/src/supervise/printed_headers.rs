//! Headers that a configured command prints: `headersHelper` of Claude Code and its like.
//!
//! The command runs before the first request of a connection, and again when the server refuses
//! what it gave (401). What it prints is secret: it goes into the requests to this one server, and
//! nowhere else.

use std::collections::BTreeMap;
use std::sync::Arc;

use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::transport::http::{
    Challenge, HookError, HttpEndpoint, OutgoingRequest, RequestHook,
};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tokio::sync::Mutex;

use crate::config::{Command, ServerEntry};
use crate::limits::HostLimits;

/// The hook of an endpoint whose headers come from a command.
pub(super) struct PrintedHeaders {
    server: String,
    url: Url,
    command: ChildProcess,
    limits: HostLimits,
    /// What the command printed last. Held while it runs, so that it runs once for all who wait.
    current: Mutex<Option<Arc<HeaderMap>>>,
}

impl PrintedHeaders {
    pub(super) fn new(
        entry: &ServerEntry,
        helper: &Command,
        url: &Url,
        limits: &HostLimits,
    ) -> Self {
        let variables = helper.env.iter().map(|(name, value)| (name, value.expose()));
        let mut command = ChildProcess::new(helper.command.expose())
            .args(helper.args.iter().map(|arg| arg.expose()))
            .envs([("DOCENT_SERVER_NAME", &*entry.name), ("DOCENT_SERVER_URL", url.as_str())])
            .envs(variables);
        if helper.inherit {
            command = command.inherit_env();
        }
        if let Some(folder) = &helper.cwd {
            command = command.current_dir(folder);
        }
        PrintedHeaders {
            server: entry.name.clone(),
            url: url.clone(),
            command,
            limits: limits.clone(),
            current: Mutex::default(),
        }
    }

    async fn run(&self) -> Result<Arc<HeaderMap>, HookError> {
        let HostLimits { headers_helper_timeout, headers_helper_bytes_max, .. } = self.limits;
        let printed = self.command.output(headers_helper_timeout, headers_helper_bytes_max).await;
        let wrong = |what: String| -> HookError {
            format!("the command that gives the headers of `{}`: {what}", self.server).into()
        };
        let printed = printed.map_err(|error| wrong(error.to_string()))?;
        // The reader's own message would quote what it read.
        let pairs: BTreeMap<String, String> = serde_json::from_slice(&printed)
            .map_err(|_| wrong("it has to print a JSON object of texts".to_owned()))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &pairs {
            HttpEndpoint::new(self.url.as_str())
                .and_then(|endpoint| endpoint.header(name, value))
                .map_err(|error| wrong(error.to_string()))?;
            let mut value: HeaderValue = value.parse()?;
            value.set_sensitive(true);
            headers.insert(name.parse::<HeaderName>()?, value);
        }
        Ok(Arc::new(headers))
    }

    async fn headers(&self) -> Result<Arc<HeaderMap>, HookError> {
        let mut current = self.current.lock().await;
        if let Some(headers) = &*current {
            return Ok(headers.clone());
        }
        let headers = self.run().await?;
        *current = Some(headers.clone());
        Ok(headers)
    }

    /// Whether there are other headers than those that were refused.
    async fn renew(&self, challenge: &Challenge) -> Result<bool, HookError> {
        // More rights do not come from asking again, and neither does anything from asking twice.
        if challenge.status != 401 || challenge.attempt > 1 {
            return Ok(false);
        }
        let mut current = self.current.lock().await;
        let known = current.as_ref().and_then(|headers| headers.get(AUTHORIZATION));
        if known.is_some() && known != challenge.authorization.as_ref() {
            // Another request was refused the same way, and this has been seen to.
            return Ok(true);
        }
        let headers = self.run().await?;
        let differs = current.as_ref().is_none_or(|before| **before != *headers);
        *current = Some(headers);
        Ok(differs)
    }
}

impl RequestHook for PrintedHeaders {
    fn prepare<'a>(
        &'a self,
        request: &'a mut OutgoingRequest,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let here = Url::parse(&request.url).is_ok_and(|url| url.origin() == self.url.origin());
            if !here {
                return Ok(());
            }
            for (name, value) in &*self.headers().await? {
                request.headers.insert(name, value.clone());
            }
            Ok(())
        })
    }

    fn challenged<'a>(
        &'a self,
        challenge: &'a Challenge,
    ) -> BoxFuture<'a, Result<bool, HookError>> {
        Box::pin(self.renew(challenge))
    }
}
