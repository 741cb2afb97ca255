//! The layer that makes a server a gateway: it answers for the servers behind.

use std::sync::Arc;
use std::task::Poll;

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Call, ServerService, TASKS_EXTENSION};
use docent_mcp::skills::{DIRECTORY_READ, SKILLS_GET, SKILLS_LIST};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{InitializeRequestParams, Sender, exists_in, method, notification};
use tower_layer::Layer;
use tower_service::Service;

use super::caller::Caller;
use super::record::{Begun, Record};
use super::{Answer, Shared, extensions, forward, lists, tasks, trace, watch};
use crate::telemetry::SPAN;

pub(super) struct GatewayLayer(pub(super) Arc<Shared>);

impl Layer<ServerService> for GatewayLayer {
    type Service = GatewayService;

    fn layer(&self, inner: ServerService) -> GatewayService {
        GatewayService { shared: self.0.clone(), inner }
    }
}

#[derive(Clone)]
pub(super) struct GatewayService {
    shared: Arc<Shared>,
    inner: ServerService,
}

impl Service<Call> for GatewayService {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Answer>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let (shared, inner) = (self.shared.clone(), self.inner.clone());
        let recorded = shared.record.is_some() && Record::takes(&call.method);
        if !recorded && shared.telemetry.is_none() {
            return Box::pin(answer(shared, inner, call));
        }
        let begun = recorded.then(|| Begun::of(&call));
        let mut entry = Entry { shared: shared.clone(), begun };
        let span = trace::received(&shared, &call);
        Box::pin(async move {
            let method = call.method.clone();
            let answering = answer(shared, inner, call);
            let answer = match &span {
                Some(span) => SPAN.scope(span.context, answering).await,
                None => answering.await,
            };
            if let Some(span) = span {
                span.end(trace::outcome(&method, &answer));
            }
            entry.write(Some(&answer));
            answer
        })
    }
}

/// A call that is written down when it is over, also when it is dropped because it was taken back.
struct Entry {
    shared: Arc<Shared>,
    begun: Option<Begun>,
}

impl Entry {
    fn write(&mut self, answer: Option<&Answer>) {
        if let (Some(record), Some(begun)) = (&self.shared.record, self.begun.take()) {
            record.write(begun, answer);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.write(None);
    }
}

/// Answers for the servers behind, and leaves the rest to the server that this is a layer of.
async fn answer(shared: Arc<Shared>, mut inner: ServerService, call: Call) -> Answer {
    let modern = call.context.revision().is_modern();
    let is_task = matches!(
        &*call.method,
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL | method::TASKS_RESULT
    );
    // What became of them in 2026-07-28 is an extension, which has no `tasks/result`.
    let extended = modern
        && is_task
        && call.method != method::TASKS_RESULT
        && call.context.declares(TASKS_EXTENSION);
    let known = exists_in(&call.method, call.context.revision(), Sender::Client) || extended;
    let ours = matches!(&*call.method, SKILLS_LIST | SKILLS_GET | DIRECTORY_READ);
    if !known && (ours || !extensions::is_foreign(&shared, &call)) {
        return inner.call(call).await;
    }
    if let Some(rate) = &shared.rate {
        rate.take(&call.context)?;
    }
    // All but calls are in boxes: a call that waits would else be as large as the largest of them.
    match &*call.method {
        method::INITIALIZE => {
            let params = call.params.as_ref().map(RawJson::decode::<InitializeRequestParams>);
            if let Some(Ok(params)) = params {
                let (connection, principal) = (call.context.connection(), call.context.principal());
                shared.wake(&Caller::new(connection, principal, params.capabilities));
            }
            Box::pin(shared.greet(inner, call)).await
        }
        method::SERVER_DISCOVER => {
            shared.wake(&Caller::of(&call.context));
            Box::pin(shared.greet(inner, call)).await
        }
        _ if !known => Box::pin(extensions::forward(&shared, call)).await,
        method::TOOLS_LIST
        | method::PROMPTS_LIST
        | method::RESOURCES_LIST
        | method::RESOURCES_TEMPLATES_LIST => {
            shared.adopt(|| Caller::of(&call.context));
            Box::pin(lists::list(shared, call)).await
        }
        method::TOOLS_CALL | method::PROMPTS_GET | method::RESOURCES_READ => {
            shared.adopt(|| Caller::of(&call.context));
            forward::forward(shared, call).await
        }
        method::COMPLETION_COMPLETE => Box::pin(lists::complete(shared, call)).await,
        method::TASKS_LIST => tasks::list(&call.context),
        _ if is_task => Box::pin(tasks::about(shared, call)).await,
        method::RESOURCES_SUBSCRIBE | method::RESOURCES_UNSUBSCRIBE => {
            let call = Box::pin(watch::subscribe(shared, call)).await?;
            inner.call(call).await
        }
        method::SUBSCRIPTIONS_LISTEN => {
            let (call, _watching, mut news) = Box::pin(watch::listen(shared, call)).await?;
            let context = call.context.clone();
            tokio::select! {
                biased;
                answer = inner.call(call) => answer,
                ended = news.pass_on(&context) => ended,
            }
        }
        method::LOGGING_SET_LEVEL => {
            Box::pin(watch::set_level(shared, &call)).await;
            inner.call(call).await
        }
        _ => inner.call(call).await,
    }
}

impl Shared {
    /// The first answer to a client, after the servers had a moment to come.
    async fn greet(&self, mut inner: ServerService, call: Call) -> Answer {
        let host = &self.host.inner;
        host.settle(host.settings.limits.greeting_patience).await;
        let context = call.context.clone();
        let result = inner.call(call).await?;
        Ok(lists::with_servers(self, &context, result))
    }

    /// Starts the servers as soon as there is a client, which may be the owner of all.
    fn wake(&self, caller: &Caller) {
        self.adopt(|| caller.clone());
        self.host.inner.start();
    }

    /// A client has other folders now: its servers are told.
    pub(super) fn roots_changed(&self, connection: Option<u64>) {
        let Some(connection) = connection else { return };
        let clients = self.of_session(connection);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            for (_, client) in clients {
                if !client.server().revision.is_modern() {
                    let _ = client.notify(notification::ROOTS_LIST_CHANGED, None).await;
                }
            }
        });
    }
}
