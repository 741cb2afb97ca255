//! Tokens that come from elsewhere: a workload's own, or the identity of a user who is logged in
//! already.

use std::path::PathBuf;

use crate::auth::Secret;
use crate::transport::BoxFuture;
use crate::transport::http::HookError;

/// Gives a token each time one is needed: [`Secret`] always the same, [`TokenFile`] what a file
/// holds by then.
pub trait TokenSource: Send + Sync + 'static {
    /// The token to show to `issuer`.
    fn token<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Secret, HookError>>;
}

impl TokenSource for Secret {
    fn token<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Secret, HookError>> {
        Box::pin(std::future::ready(Ok(self.clone())))
    }
}

/// A token in a file that somebody keeps fresh, as clusters do for their workloads.
#[derive(Clone, Debug)]
pub struct TokenFile(
    /// Where it is.
    pub PathBuf,
);

impl TokenSource for TokenFile {
    fn token<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Secret, HookError>> {
        Box::pin(async move {
            let path = self.0.clone();
            let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await?;
            let text = read.map_err(|error| {
                format!("the token in {} cannot be read: {error}", self.0.display())
            })?;
            Ok(Secret::new(text.trim()))
        })
    }
}
