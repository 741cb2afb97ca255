//! The questions that a handler can ask.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::Context;
use super::{check_messages, page};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{ErrorObject, code};
use crate::schema::{flat_form, form_schema};
use crate::session::{CallOptions, encode_for};
use crate::types::{
    ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitAction,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    ElicitationCapability, ElicitationCompleteNotificationParams, IncludeContext, InputRequest,
    JsonObject, ListRootsResult, MissingRequiredClientCapabilityData, RequestParams, Revision,
    Root, RootsCapability, SamplingCapability, notification,
};

/// What the user did with a form.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicited<T> {
    /// Filled it in.
    Accepted(T),
    /// Said no.
    Declined,
    /// Went away without deciding.
    Cancelled,
}

impl<T> Elicited<T> {
    /// What was filled in, if anything was.
    pub fn accepted(self) -> Option<T> {
        match self {
            Elicited::Accepted(value) => Some(value),
            Elicited::Declined | Elicited::Cancelled => None,
        }
    }
}

impl Context {
    /// Names the next question. Questions are otherwise told apart by their order, so a handler
    /// that asks different questions from run to run should name them.
    #[must_use]
    pub fn question(&self, key: &str) -> Context {
        Context { scope: self.scope.clone(), key: Some(key.into()) }
    }

    /// Asks the user to fill in a form whose fields are those of `T`: text, numbers, booleans and
    /// choices. Never ask for secrets with a form.
    pub async fn elicit<T: DeserializeOwned + JsonSchema>(
        &self,
        message: impl Into<String>,
    ) -> Result<Elicited<T>> {
        let requested_schema = form_schema::<T>()
            .map_err(|error| Error::invalid_input(format!("the type is no form: {error}")))?;
        let params = ElicitRequestFormParams {
            message: message.into(),
            requested_schema,
            ..Default::default()
        };
        match self.elicit_form(params).await? {
            ElicitResult { action: ElicitAction::Accept, content, .. } => {
                let content = Value::Object(content.unwrap_or_default());
                serde_json::from_value(content).map(Elicited::Accepted).map_err(|error| {
                    self.bad_answer(format!("the form was not filled in as asked: {error}"))
                })
            }
            ElicitResult { action: ElicitAction::Decline, .. } => Ok(Elicited::Declined),
            ElicitResult { action: ElicitAction::Cancel, .. } => Ok(Elicited::Cancelled),
        }
    }

    /// [`Context::elicit`] with a form made by hand.
    pub async fn elicit_form(&self, params: ElicitRequestFormParams) -> Result<ElicitResult> {
        flat_form(&params.requested_schema)
            .map_err(|error| Error::invalid_input(format!("the form cannot be asked: {error}")))?;
        self.require(
            |have| have.elicitation.as_ref().is_some_and(ElicitationCapability::supports_form),
            ClientCapabilities {
                elicitation: Some(ElicitationCapability {
                    form: Some(JsonObject::new()),
                    ..Default::default()
                }),
                ..Default::default()
            },
        )?;
        self.ask(InputRequest::Elicit(ElicitRequestParams::Form(params))).await
    }

    /// Asks the user to visit a page, for what must not pass through the client: secrets, payment,
    /// third-party sign-in. Returns whether the user agreed to go there, not whether they finished.
    /// The address is https, or on this machine, and has no credentials in it. It passes through the
    /// client, so let it say nothing about the user, and have the page find out by itself that
    /// whoever opens it is who was asked ([`Context::principal`]).
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<ElicitAction> {
        let params = ElicitRequestUrlParams {
            message: message.into(),
            url: url.into(),
            ..Default::default()
        };
        self.elicit_url_with(params).await
    }

    /// [`Context::elicit_url`] with an `elicitation_id` of the caller's, to be named later in
    /// [`Context::elicitation_complete`]. Only 2025-11-25 has these ids; there, one is made if
    /// none is given.
    pub async fn elicit_url_with(
        &self,
        mut params: ElicitRequestUrlParams,
    ) -> Result<ElicitAction> {
        page::check(&params.url).map_err(|problem| {
            Error::invalid_input(format!("the user cannot go there: {problem}"))
        })?;
        if self.revision() == Revision::V2025_11_25 && params.elicitation_id.is_none() {
            let mut id = [0; 16];
            SystemRandom::new().fill(&mut id).expect("the system gives random numbers");
            params.elicitation_id = Some(URL_SAFE_NO_PAD.encode(id));
        }
        if self.revision().is_modern() {
            // It would make this another question in every run.
            params.elicitation_id = None;
        }
        let required = ClientCapabilities {
            elicitation: Some(ElicitationCapability {
                url: Some(JsonObject::new()),
                ..Default::default()
            }),
            ..Default::default()
        };
        self.require(
            |have| have.elicitation.as_ref().is_some_and(ElicitationCapability::supports_url),
            required,
        )?;
        let answer: ElicitResult =
            self.ask(InputRequest::Elicit(ElicitRequestParams::Url(params))).await?;
        Ok(answer.action)
    }

    /// Tells the client that the page behind an elicitation was finished (2025-11-25 only).
    pub async fn elicitation_complete(&self, elicitation_id: impl Into<String>) -> Result<()> {
        if self.revision() != Revision::V2025_11_25 {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams {
            elicitation_id: elicitation_id.into(),
            ..Default::default()
        };
        let params = encode_for(params, self.revision())?;
        self.scope.peer.notify(notification::ELICITATION_COMPLETE, Some(&params)).await
    }

    /// Asks the client's language model.
    pub async fn sample(&self, params: CreateMessageRequestParams) -> Result<CreateMessageResult> {
        check_messages(&params.messages).map_err(Error::invalid_input)?;
        let with_tools = !params.tools.is_empty() || params.tool_choice.is_some();
        let with_context =
            params.include_context.as_ref().is_some_and(|context| *context != IncludeContext::None);
        self.require(
            |have| {
                have.sampling.as_ref().is_some_and(|sampling| {
                    (!with_tools || sampling.tools.is_some())
                        // Before 2025-11-25 there was no way to declare it.
                        && (!with_context
                            || sampling.context.is_some()
                            || self.revision() < Revision::V2025_11_25)
                })
            },
            ClientCapabilities {
                sampling: Some(SamplingCapability {
                    tools: with_tools.then(JsonObject::new),
                    context: with_context.then(JsonObject::new),
                    ..Default::default()
                }),
                ..Default::default()
            },
        )?;
        self.ask(params.into()).await
    }

    /// Asks for the folders that the client works in.
    pub async fn roots(&self) -> Result<Vec<Root>> {
        self.require(
            |have| have.roots.is_some(),
            ClientCapabilities { roots: Some(RootsCapability::default()), ..Default::default() },
        )?;
        let result: ListRootsResult =
            self.ask(InputRequest::ListRoots(RequestParams::default())).await?;
        Ok(result.roots)
    }

    /// Asks one question and waits for, or already has, its answer.
    async fn ask<T: DeserializeOwned>(&self, question: InputRequest) -> Result<T> {
        let answer = if let Some(task) = self.scope.task.get() {
            task.ask(self.key.as_deref(), &question).await?
        } else if self.revision().is_modern() {
            match self.scope.questions.ask(self.key.as_deref(), &question)? {
                Some(answer) => answer,
                // The request is answered with the question; this run of the handler ends here.
                None => std::future::pending().await,
            }
        } else {
            self.ask_session(question).await?
        };
        serde_json::from_value(answer).map_err(|error| {
            self.bad_answer(format!("the client's answer cannot be read: {error}"))
        })
    }

    /// Asks somebody else's question as it is, and returns the answer as it is: for programs that
    /// stand between a server and its client. Only a session can be asked while a request waits.
    pub async fn pass_on(&self, question: InputRequest) -> Result<Value> {
        if self.revision().is_modern() {
            let message = "a client of this protocol revision cannot be asked: answer the request \
                           with the question";
            return Err(Error::unsupported(message));
        }
        let have = self.client_capabilities();
        let declared = match &question {
            InputRequest::Elicit(ElicitRequestParams::Url(_)) => {
                have.elicitation.as_ref().is_some_and(ElicitationCapability::supports_url)
            }
            InputRequest::Elicit(_) => have.elicitation.is_some(),
            InputRequest::CreateMessage(_) => have.sampling.is_some(),
            InputRequest::ListRoots(_) => have.roots.is_some(),
            InputRequest::Unknown(_) => false,
        };
        if !declared {
            let message = format!("the client did not declare that it takes {}", question.method());
            return Err(Error::unsupported(message));
        }
        self.ask_session(question).await
    }

    /// Sends the question as a request of its own (legacy).
    async fn ask_session(&self, question: InputRequest) -> Result<Value> {
        let revision = self.revision();
        let method = question.method().to_owned();
        let params = match question {
            InputRequest::Elicit(params) => Some(encode_for(params, revision)?),
            InputRequest::CreateMessage(params) => Some(encode_for(params, revision)?),
            InputRequest::ListRoots(_) | InputRequest::Unknown(_) => None,
        };
        let options = CallOptions {
            // A person may take their time; the handler's own cancellation still ends it.
            timeout: Some(self.scope.core.config.limits.request_timeout_max),
            cancel: Some(self.scope.cancel.clone()),
            ..Default::default()
        };
        let params: crate::session::RequestParams = Box::new(move |_| Ok(params));
        let answer = self.scope.peer.request(&method, params, options).await?;
        answer
            .decode()
            .map_err(|error| self.bad_answer(format!("the client's answer is malformed: {error}")))
    }

    /// Fails unless the client declared what a question needs.
    fn require(
        &self,
        declared: impl FnOnce(&ClientCapabilities) -> bool,
        required: ClientCapabilities,
    ) -> Result<()> {
        if declared(self.client_capabilities()) {
            return Ok(());
        }
        let named = serde_json::to_value(&required).expect("a wire type is always representable");
        let named: Vec<&str> =
            named.as_object().into_iter().flat_map(JsonObject::keys).map(String::as_str).collect();
        let message = "the client did not declare the capability that this needs";
        let error = Error::unsupported(format!("{message}: {}", named.join(", ")));
        if !self.revision().is_modern() {
            return Err(error);
        }
        let data = MissingRequiredClientCapabilityData {
            required_capabilities: required,
            ..Default::default()
        };
        let data = serde_json::to_value(data).expect("a wire type is always representable");
        let rpc =
            ErrorObject::new(code::MISSING_CLIENT_CAPABILITY, "a client capability is missing");
        Err(error.with_rpc(rpc.with_data(data)))
    }

    fn bad_answer(&self, message: String) -> Error {
        let rpc = ErrorObject::invalid_params(message.clone());
        let error = Error::new(ErrorKind::InvalidResponse, message);
        // In a modern request the answers are part of the request, so they can be invalid params.
        if self.revision().is_modern() { error.with_rpc(rpc) } else { error }
    }
}
