//! The process that stays with a call: it puts questions down, and waits for whoever answers them.
//!
//! Whoever looks connects to a socket and says one line; the connection ends when there is something
//! new, which is then in the file.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use docent_mcp::client::ClientBuilder;
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{ElicitAction, ElicitResult};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;

use super::files::{Files, Now, Question};
use crate::client::runtime;
use crate::failure::Failure;

/// How long a question waits. Then it counts as dismissed, and the call goes on without an answer.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How long whoever connects may take for their line, and how long that may be.
const LINE_PATIENCE: Duration = Duration::from_secs(5);
const LINE_BYTES_MAX: u64 = 1 << 20;

/// What is said on the socket.
#[derive(Serialize, Deserialize)]
pub(super) struct Said {
    /// The answer; without one, whoever connects only waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<ElicitResult>,
}

pub(crate) struct Keeper {
    files: Files,
    /// Held while a question is open, so that there is one at a time.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<oneshot::Sender<ElicitResult>>,
    /// Those who wait for something new.
    watching: Vec<UnixStream>,
}

impl Keeper {
    /// Begins to listen.
    pub(super) fn start(files: Files) -> Result<Arc<Self>, Failure> {
        let path = files.path("socket");
        let failed = |error: std::io::Error| Failure::file("made", &path, &error);
        let listener = UnixListener::bind(&path).map_err(failed)?;
        runtime::owner_only(&path).map_err(failed)?;
        let (turn, state) = Default::default();
        let keeper = Arc::new(Keeper { files, turn, state });
        let weak = Arc::downgrade(&keeper);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Some(keeper) = weak.upgrade() else { return };
                tokio::spawn(async move { keeper.welcome(stream).await });
            }
        });
        Ok(keeper)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// Somebody answers, or wants to wait.
    async fn welcome(&self, mut stream: UnixStream) {
        let mut line = String::new();
        let mut input = BufReader::new((&mut stream).take(LINE_BYTES_MAX));
        let read = tokio::time::timeout(LINE_PATIENCE, input.read_line(&mut line)).await;
        let Ok(Ok(_)) = read else { return };
        let Ok(Said { answer }) = serde_json::from_str(&line) else { return };
        let refused = {
            let mut state = self.state();
            match (answer, state.open.take()) {
                (Some(answer), Some(open)) => {
                    // First, so that whatever comes next is seen.
                    state.watching.push(stream);
                    let _ = open.send(answer);
                    return;
                }
                // What is asked is in the file already.
                (None, Some(open)) => {
                    state.open = Some(open);
                    return;
                }
                (None, None) => {
                    state.watching.push(stream);
                    return;
                }
                (Some(_), None) => stream,
            }
        };
        let mut refused = refused;
        let _ = refused.write_all(b"nothing is asked at the moment\n").await;
    }

    /// Puts a question down and waits for the answer.
    async fn ask(&self, question: Question) -> Result<ElicitResult, ErrorObject> {
        let _turn = self.turn.lock().await;
        let unable = |failure: Failure| ErrorObject::internal(failure.to_string());
        let (open, answered) = oneshot::channel();
        self.files.set(&Now::Asks(question)).map_err(unable)?;
        let told = {
            let mut state = self.state();
            state.open = Some(open);
            std::mem::take(&mut state.watching)
        };
        drop(told);
        let answer = tokio::time::timeout(PATIENCE, answered).await;
        self.state().open = None;
        self.files.set(&Now::Running).map_err(unable)?;
        let dismissed = ElicitResult { action: ElicitAction::Cancel, ..Default::default() };
        Ok(answer.ok().and_then(Result::ok).unwrap_or(dismissed))
    }

    /// The call is over.
    pub(super) fn finish(&self, status: u8) {
        // Whoever waits sees that nobody is here any more, if not what became of it.
        let _ = self.files.set(&Now::Done(status));
        let _ = std::fs::remove_file(self.files.path("socket"));
        let told = std::mem::take(&mut self.state().watching);
        drop(told);
    }

    /// Asks whether something may go on.
    pub(crate) async fn agree(&self, server: String, text: String) -> Result<bool, ErrorObject> {
        let question = Question { server, message: text, form: None, url: None };
        self.ask(question).await.map(|answer| answer.action == ElicitAction::Accept)
    }

    /// A connection whose questions are put down here.
    pub(crate) fn answered(self: &Arc<Self>, server: &str, client: ClientBuilder) -> ClientBuilder {
        let (of_form, of_page) = (self.clone(), self.clone());
        let (form_server, page_server) = (server.to_owned(), server.to_owned());
        client
            .on_elicit_form(move |form| {
                let (keeper, server) = (of_form.clone(), form_server.clone());
                let form_schema = Some(form.requested_schema);
                let question =
                    Question { server, message: form.message, form: form_schema, url: None };
                async move { keeper.ask(question).await }
            })
            .on_elicit_url(move |page| {
                let (keeper, server) = (of_page.clone(), page_server.clone());
                let url = Some(page.url);
                let question = Question { server, message: page.message, form: None, url };
                async move { keeper.ask(question).await.map(|answer| answer.action) }
            })
    }
}
