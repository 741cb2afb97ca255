//! What servers ask while they are looked at: each question waits until the page answers it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::client::ClientBuilder;
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{ElicitAction, ElicitResult, JsonObject, method};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::traffic::Traffic;
use crate::client::sampling::Model;

/// Questions that may wait at a time.
const QUESTIONS_MAX: usize = 64;

/// Every question that is open. Clones are the same.
#[derive(Clone)]
pub(super) struct Questions {
    open: Arc<Mutex<Open>>,
    traffic: Traffic,
}

#[derive(Default)]
struct Open {
    next: u64,
    waiting: BTreeMap<u64, Waiting>,
}

struct Waiting {
    shown: Value,
    answer: oneshot::Sender<ElicitResult>,
}

/// What the page answers.
#[derive(Deserialize)]
pub(super) struct Reply {
    question: u64,
    action: ElicitAction,
    content: Option<JsonObject>,
}

impl Questions {
    pub(super) fn new(traffic: Traffic) -> Self {
        Questions { open: Arc::default(), traffic }
    }

    fn state(&self) -> MutexGuard<'_, Open> {
        self.open.lock().expect("no panic while locked")
    }

    /// A connection whose questions come here.
    pub(super) fn asked_by(&self, server: &str, client: ClientBuilder) -> ClientBuilder {
        let (form, page) = (self.clone(), self.clone());
        let (of_form, of_page) = (server.to_owned(), server.to_owned());
        client
            .on_elicit_form(move |asked| {
                let shown = json!({
                    "server": of_form,
                    "message": asked.message,
                    "schema": asked.requested_schema,
                });
                let questions = form.clone();
                async move { questions.ask(shown, method::ELICITATION_CREATE).await }
            })
            .on_elicit_url(move |asked| {
                let shown =
                    json!({ "server": of_page, "message": asked.message, "url": asked.url });
                let questions = page.clone();
                async move { Ok(questions.ask(shown, method::ELICITATION_CREATE).await?.action) }
            })
    }

    /// The same, whose server may ask a model; the page sees what that is told and what it says.
    pub(super) fn reviewed(
        &self,
        model: &Model,
        server: &str,
        client: ClientBuilder,
    ) -> ClientBuilder {
        let questions = self.clone();
        model.reviewed(server, client, move |server, text| {
            let questions = questions.clone();
            async move {
                let shown = json!({ "server": server, "message": text });
                let answer = questions.ask(shown, method::SAMPLING_CREATE_MESSAGE).await?;
                Ok(answer.action == ElicitAction::Accept)
            }
        })
    }

    async fn ask(&self, mut shown: Value, method: &str) -> Result<ElicitResult, ErrorObject> {
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut open = self.state();
            if open.waiting.len() >= QUESTIONS_MAX {
                return Err(ErrorObject::internal("too many questions wait already"));
            }
            open.next += 1;
            let number = open.next;
            shown["question"] = number.into();
            open.waiting.insert(number, Waiting { shown: shown.clone(), answer });
            number
        };
        // Gone with the question: answered, or taken back by the server.
        let _gone = Gone { questions: self, number };
        self.traffic.tell(json!({
            "kind": "question",
            "server": shown["server"],
            "method": method,
            "question": number,
        }));
        answered.await.map_err(|_| ErrorObject::internal("nobody is left who could answer"))
    }

    /// Every question that waits.
    pub(super) fn open(&self) -> Vec<Value> {
        self.state().waiting.values().map(|waiting| waiting.shown.clone()).collect()
    }

    /// Answers a question. Tells whether it still waited.
    pub(super) fn answer(&self, reply: Reply) -> bool {
        let Some(waiting) = self.state().waiting.remove(&reply.question) else { return false };
        let Reply { action, content, .. } = reply;
        waiting.answer.send(ElicitResult { action, content, ..Default::default() }).is_ok()
    }
}

struct Gone<'a> {
    questions: &'a Questions,
    number: u64,
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.questions.state().waiting.remove(&self.number);
        let event = json!({ "kind": "answered", "question": self.number });
        self.questions.traffic.tell(event);
    }
}
