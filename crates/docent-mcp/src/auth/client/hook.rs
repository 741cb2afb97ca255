//! Where the requests of an endpoint meet its login: each gets the token, and what is refused goes to
//! the `authorizer`.

use std::sync::Arc;

use http::HeaderValue;
use http::header::AUTHORIZATION;
use reqwest::Url;

use super::authorizer::Authorizer;
use crate::transport::BoxFuture;
use crate::transport::http::{Challenge, HookError, OutgoingRequest, RequestHook};

pub(super) struct Hook(pub(super) Arc<Authorizer>);

impl RequestHook for Hook {
    fn prepare<'a>(
        &'a self,
        request: &'a mut OutgoingRequest,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let here = request.url == self.0.server.as_str()
                || Url::parse(&request.url).is_ok_and(|url| url.origin() == self.0.server.origin());
            if !here {
                return Ok(());
            }
            let Some(active) = self.0.usable().await? else { return Ok(()) };
            if let Some(key) = &active.key {
                let nonce = self.0.nonces.of(&request.url);
                let token = Some(&active.login.access_token);
                let proof =
                    key.prove(request.method.as_str(), &request.url, token, nonce.as_deref())?;
                request.headers.insert("dpop", HeaderValue::from_str(&proof)?);
            }
            request.headers.insert(AUTHORIZATION, active.header()?);
            Ok(())
        })
    }

    fn challenged<'a>(
        &'a self,
        challenge: &'a Challenge,
    ) -> BoxFuture<'a, Result<bool, HookError>> {
        Box::pin(async move { Ok(self.0.answer(challenge).await?) })
    }
}
