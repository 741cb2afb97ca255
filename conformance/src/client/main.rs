//! The fixture client of the conformance suite, on docent-mcp's public API.
//!
//! The suite starts one process for each scenario: the server's address is the last argument, the
//! scenario and the protocol revision are in the environment, and what a scenario wants done stands
//! in the file of its topic. A client that did all of it says `done`: the suite itself does not mind
//! clients that fail or hang, as long as they were seen doing the right thing, but
//! `cargo xtask conformance` does.

#![expect(clippy::print_stdout, reason = "this program reports on stdout")]

mod headers;
mod login;
mod questions;
mod schemas;
mod skills;
mod tools;

use std::process::ExitCode;
use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::client::ClientBuilder;
use docent_mcp::transport::http::HttpEndpoint;
use docent_mcp::types::{CreateMessageResult, ElicitResult, JsonObject, Revision, Role, Root};
use serde_json::Value;

/// A little less than what the suite grants: it only ends the shell that a client runs in.
const PATIENCE: Duration = Duration::from_secs(25);

/// What went wrong, for a person to read.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the suite wants of this process.
struct Task {
    scenario: String,
    /// The one revision to speak.
    revision: Revision,
    url: String,
    /// What the scenario hands to the client.
    context: Value,
}

impl Task {
    fn from_environment() -> Result<Task, Failure> {
        let variable = |name| std::env::var(name).map_err(|_| format!("{name} is not set"));
        let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
        Ok(Task {
            scenario: variable("MCP_CONFORMANCE_SCENARIO")?,
            revision: variable("MCP_CONFORMANCE_PROTOCOL_VERSION")?.parse()?,
            url: std::env::args().next_back().ok_or("the server's address is missing")?,
            context: context.map_or(Ok(Value::Null), |text| serde_json::from_str(&text))?,
        })
    }

    /// A client that can answer every kind of question.
    fn builder(&self) -> ClientBuilder {
        Client::builder("docent-conformance", "1.0.0")
            .revisions([self.revision])
            .extension(docent_mcp::skills::EXTENSION_ID, JsonObject::new())
            .roots([Root { uri: "file:///project".to_owned(), ..Default::default() }])
            .on_sample(|_| async {
                Ok(CreateMessageResult {
                    role: Role::Assistant,
                    content: "Paris".into(),
                    model: "fixture".to_owned(),
                    ..Default::default()
                })
            })
            // What is left empty gets the form's defaults.
            .on_elicit_form(|_| async { Ok(ElicitResult::accept(JsonObject::new())) })
    }

    async fn connect(&self) -> Result<Client, Failure> {
        self.connect_as(self.builder()).await
    }

    async fn connect_as(&self, builder: ClientBuilder) -> Result<Client, Failure> {
        let mut endpoint = HttpEndpoint::new(&self.url)?;
        if self.scenario.starts_with("auth/") {
            endpoint = endpoint.authorize(login::oauth(self)?);
        }
        Ok(builder.connect(endpoint).await?)
    }

    async fn run(&self) -> Result<(), Failure> {
        match self.scenario.as_str() {
            "initialize" | "request-metadata" | "json-schema-ref-no-deref" => {
                tools::list(self).await
            }
            "tools_call" => tools::add_numbers(self).await,
            "sse-retry" => tools::reconnect(self).await,
            "elicitation-sep1034-client-defaults" => questions::defaults(self).await,
            "sep-2322-client-request-state" => questions::rounds(self).await,
            "json-schema-2020-12-preservation" => schemas::echo(self).await,
            "http-standard-headers" => headers::standard(self).await,
            "http-custom-headers" => headers::custom(self).await,
            "http-invalid-tool-headers" => headers::invalid(self).await,
            "sep-2640-client-no-prefetch" => skills::list(self).await,
            scenario if scenario.starts_with("sep-2640-") => skills::verify(self).await,
            "auth/iss-normalized"
            | "auth/iss-supported-missing"
            | "auth/iss-unexpected"
            | "auth/iss-wrong-issuer"
            | "auth/metadata-issuer-mismatch"
            | "auth/resource-mismatch"
            | "auth/scope-retry-limit" => login::refused(self).await,
            // Authorization happens on the way; what is asked of the server is always the same.
            scenario if scenario.starts_with("auth/") => tools::call_test_tool(self).await,
            unknown => Err(format!("there is no client for the scenario {unknown}").into()),
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match Task::from_environment() {
        Ok(task) => tokio::time::timeout(PATIENCE, task.run()).await,
        Err(failure) => Ok(Err(failure)),
    };
    match outcome {
        Ok(Ok(())) => {
            println!("done");
            return ExitCode::SUCCESS;
        }
        Ok(Err(failure)) => eprintln!("error: {failure:#}"),
        Err(_) => eprintln!("error: not done after {} s", PATIENCE.as_secs()),
    }
    ExitCode::FAILURE
}
