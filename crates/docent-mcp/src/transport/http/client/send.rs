//! Making one HTTP request: what the endpoint and its hook add, and what becomes of challenges.

use std::task::Poll;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::{Request, Response, Url};

use super::connection::Connection;
use super::hook::{Challenge, HookError, OutgoingRequest};
use super::pool::Lost;
use crate::error::{Error, ErrorKind, Fate, Result};
use crate::jsonrpc::Id;
use crate::transport::Incoming;

impl Connection {
    /// Sends a request and waits for the head of the answer, whatever its status is. While the hook
    /// is at work, the time of the message with this id stands still: users may have to log in.
    pub(super) async fn send(
        &self,
        id: Option<&Id>,
        method: Method,
        url: &Url,
        headers: &HeaderMap,
        body: Option<&Bytes>,
    ) -> Result<Response> {
        let mut attempt = 1;
        loop {
            let mut request = Request::new(method.clone(), url.clone());
            *request.headers_mut() = self.prepared(id, &method, url, headers).await?;
            let authorization = request.headers().get(AUTHORIZATION).cloned();
            let response =
                self.http.send(request, body).await.map_err(|lost| self.unreachable(lost))?;
            let lifting = self.lifted(&method, url, authorization, &response, attempt);
            if !self.holding(id, lifting).await? {
                return Ok(response);
            }
            attempt += 1;
        }
    }

    /// The headers of a request, with what the endpoint and its hook add.
    async fn prepared(
        &self,
        id: Option<&Id>,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
    ) -> Result<HeaderMap> {
        let mut headers = headers.clone();
        for (name, value) in &self.endpoint.headers {
            headers.append(name, value.clone());
        }
        let Some(hook) = &self.endpoint.hook else { return Ok(headers) };
        let mut request = OutgoingRequest { method: method.clone(), url: url.to_string(), headers };
        self.holding(id, hook.prepare(&mut request)).await.map_err(hook_failed)?;
        Ok(request.headers)
    }

    /// Holds a request as long as something takes that does not end at once.
    async fn holding<T>(&self, id: Option<&Id>, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let Some(id) = id else { return work.await };
        let at_once = std::future::poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await;
        if let Poll::Ready(outcome) = at_once {
            return outcome;
        }
        self.deliver(Incoming::Held { id: id.clone(), held: true }).await;
        let outcome = work.await;
        self.deliver(Incoming::Held { id: id.clone(), held: false }).await;
        outcome
    }

    /// Whether the hook can answer the challenge, if the response is one.
    async fn lifted(
        &self,
        method: &Method,
        url: &Url,
        authorization: Option<HeaderValue>,
        response: &Response,
        attempt: u32,
    ) -> Result<bool> {
        let status = response.status();
        let challenged = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let Some(hook) = self.endpoint.hook.as_ref().filter(|_| challenged) else {
            return Ok(false);
        };
        if attempt > self.limits.http.challenges_max {
            return Ok(false);
        }
        let challenge = Challenge {
            status: status.as_u16(),
            method: method.clone(),
            url: url.to_string(),
            authorization,
            headers: response.headers().clone(),
            attempt,
            peer: response.remote_addr(),
        };
        hook.challenged(&challenge).await.map_err(hook_failed)
    }

    /// What a failure of the network means to whoever made the request.
    pub(super) fn unreachable(&self, lost: impl Into<Lost>) -> Error {
        let origin = self.endpoint.origin();
        let Lost { connecting, error } = lost.into();
        let (message, fate) = match connecting {
            true => (format!("{origin} cannot be reached"), Fate::Unknown),
            false => (format!("the connection to {origin} broke"), Fate::Interrupted),
        };
        Error::new(ErrorKind::Transport, message).with_source(error).with_fate(fate)
    }
}

fn hook_failed(error: HookError) -> Error {
    let error = match error.downcast::<Error>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    Error::new(ErrorKind::Transport, "the hook of the HTTP endpoint failed").with_source(error)
}
