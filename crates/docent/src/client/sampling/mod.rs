//! What servers want of a language model, answered by a program of the user's.
//!
//! The settings say which program (`settings/sampling.rs`); `program` runs it, and `review` lays out
//! what somebody looks at before it goes on. Who that is, the terminal, a second command or a page,
//! is theirs to say, with [`Model::reviewed`]. Where nobody can look and nobody said that it needs no
//! look, servers are not told that there is a model.

mod program;
mod review;

use std::future::Future;
use std::sync::Arc;

use docent_mcp::client::ClientBuilder;
use docent_mcp::jsonrpc::ErrorObject;

use self::program::Program;
use super::later::Whom;
use super::questions;
use crate::print::Console;
use crate::settings::{Review, Source};

/// How to have one.
const HINT: &str = "`--sampling 'COMMAND …'` lets a program of yours answer for a model";
const HINT_NOBODY: &str = "nobody is here who could look at what your program for models is told: \
                           `--sampling-review never` lets it answer without";

/// What the specification's own example says for a request that the user refused.
const REFUSED: i64 = -1;

/// The program that answers for a model. Clones are the same.
#[derive(Clone)]
pub(crate) struct Model {
    program: Arc<Program>,
    reviewed: bool,
}

impl Model {
    /// The program that is set, if it can be used; `whom` is who could look at what it is told.
    pub(crate) fn new(console: &Console, whom: &Whom) -> Option<Self> {
        refuse(console);
        let set = &console.settings.sampling.command;
        let model = Self::usable(console, matches!(whom, Whom::Nobody));
        let asked_for = matches!(set.source, Source::Flag(_)) && set.value.is_some();
        if asked_for && model.is_none() {
            console.warn(HINT_NOBODY);
        }
        model
    }

    /// The same where somebody looks at a page.
    pub(crate) fn for_page(console: &Console) -> Option<Self> {
        refuse(console);
        Self::usable(console, false)
    }

    fn usable(console: &Console, nobody: bool) -> Option<Self> {
        let set = &console.settings.sampling;
        let program = Arc::new(Program::new(set)?);
        let reviewed = set.review.value == Review::Ask;
        (!reviewed || !nobody).then_some(Self { program, reviewed })
    }

    /// A connection whose server may ask this model. `agree` puts a question to whoever looks, with
    /// what they have to see, and says whether they agree.
    pub(crate) fn reviewed<A, F>(
        &self,
        server: &str,
        client: ClientBuilder,
        agree: A,
    ) -> ClientBuilder
    where
        A: Fn(String, String) -> F + Send + Sync + 'static,
        F: Future<Output = Result<bool, ErrorObject>> + Send + 'static,
    {
        let client = self.unseen(server, client);
        if !self.reviewed {
            return client;
        }
        let (server, program) = (server.to_owned(), self.program.clone());
        let agree = Arc::new(agree);
        client.on_sample_review(move |seen| {
            let text = review::text(program.name(), &seen);
            let (agree, server) = (agree.clone(), server.clone());
            async move {
                match agree(server, text).await? {
                    true => Ok(()),
                    false => Err(ErrorObject::new(REFUSED, "the user does not want this")),
                }
            }
        })
    }

    /// The same without anybody who looks.
    pub(crate) fn unseen(&self, server: &str, client: ClientBuilder) -> ClientBuilder {
        let (program, server) = (self.program.clone(), server.to_owned());
        let with_tools = program.uses_tools();
        let ask = move |params| {
            let (program, server) = (program.clone(), server.clone());
            async move {
                program.ask(&server, params).await.map_err(|problem| {
                    // A program's complaints may hold what is no server's business.
                    questions::warn(&format!("{server} asked for a model: {problem}"));
                    ErrorObject::internal("the model gave no answer")
                })
            }
        };
        if with_tools { client.on_sample_with_tools(ask) } else { client.on_sample(ask) }
    }
}

/// Says that a project's file does not count, to whoever counts on it.
fn refuse(console: &Console) {
    let warnings = console.settings.warnings.iter();
    warnings.filter(|warning| warning.starts_with("`sampling")).for_each(|one| console.warn(one));
}

/// What to try where a server says that it could not ask a model.
pub(crate) fn hint(console: &Console, whom: &Whom, said: &str) -> Option<&'static str> {
    let about = said.to_ascii_lowercase().contains("sampling");
    if !about || Model::usable(console, matches!(whom, Whom::Nobody)).is_some() {
        return None;
    }
    let is_set = console.settings.sampling.command.value.is_some();
    Some(if is_set { HINT_NOBODY } else { HINT })
}
