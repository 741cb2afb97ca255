//! Extensions: methods and notifications beyond the core protocol, added from outside this crate.
//!
//! An extension is active for a request when both sides declare it: the server by registering it,
//! the client in the capabilities of that request (2026-07-28) or session.

use super::{Context, Server};
use crate::error::Result;
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::transport::BoxFuture;
use crate::types::{JsonObject, SubscriptionFilter};

/// An extension of a server.
pub trait Extension: Send + Sync + 'static {
    /// The identifier, prefixed by a domain of yours: `com.example/thing`.
    fn id(&self) -> &str;

    /// What is declared under the identifier in the server's capabilities.
    fn settings(&self) -> JsonObject {
        JsonObject::new()
    }

    /// Whether it is offered now. One that is not is neither advertised nor answered.
    fn is_offered(&self, server: &Server) -> bool {
        let _ = server;
        true
    }

    /// Adds what belongs to it to the server: tools, resources, prompts. Called once, when the
    /// extension is added.
    fn register(&self, server: &Server) -> Result<()> {
        let _ = server;
        Ok(())
    }

    /// The methods that this extension answers.
    fn methods(&self) -> &[&str] {
        &[]
    }

    /// Whether a client of 2026-07-28 has to declare the extension before it may call a method.
    fn needs_declaration(&self, method: &str) -> bool {
        let _ = method;
        true
    }

    /// Answers one of its methods. [`Context::reply`] encodes results, also of other result types.
    fn call(
        &self,
        context: Context,
        method: &str,
        params: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        let _ = (context, params);
        let error = ErrorObject::method_not_found(method);
        Box::pin(std::future::ready(Err(error)))
    }

    /// Takes a notification that the core protocol does not know.
    fn notification(&self, server: &Server, method: &str, params: Option<&RawJson>) {
        let _ = (server, method, params);
    }

    /// Says which of the wanted changes will be told: copies the fields of this extension from
    /// `wanted.extra` to `honored.extra`, as far as they are honored. An error refuses the request.
    fn listen(
        &self,
        context: &Context,
        wanted: &SubscriptionFilter,
        honored: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        let _ = (context, wanted, honored);
        Ok(())
    }
}
