//! `docent inspect`: a page on this machine, to look at servers, use them, and see what passes.
//!
//! A request's way: `serve` (the listener) → `guard` (who may ask at all) → `routes` (what is
//! answered) → the host. What passes between the host and its servers goes into the `traffic`, which
//! the page reads as a stream; what servers ask waits in `questions` until somebody answers there.
//! The page is four files beside these, and needs nothing from elsewhere.

mod guard;
mod questions;
mod routes;
mod serve;
mod traffic;

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::Args;
use docent_host::Host;
use serde_json::json;

use self::guard::Guard;
use self::questions::Questions;
use self::traffic::Traffic;
use crate::client::sampling::Model;
use crate::client::{Which, inspected};
use crate::failure::Failure;
use crate::print::Console;
use crate::settings::SamplingFlags;
use crate::stop;

#[derive(Args)]
pub(crate) struct Inspect {
    /// The port of the page on this machine; any that is free by default
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) sampling: SamplingFlags,
    #[command(flatten)]
    pub(crate) which: Which,
}

/// What all requests share.
struct Shared {
    host: Host,
    guard: Guard,
    traffic: Traffic,
    questions: Questions,
}

pub(crate) async fn run(inspect: &Inspect, console: &Console) -> Result<ExitCode, Failure> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", inspect.port))
        .await
        .map_err(|error| Failure::io("the page cannot be served", &error))?;
    let address =
        listener.local_addr().map_err(|error| Failure::io("the page has no address", &error))?;
    let traffic = Traffic::default();
    let questions = Questions::new(traffic.clone());
    let known = Arc::new(OnceLock::new());
    let host = inspected(
        &inspect.which,
        console,
        {
            let (traffic, questions) = (traffic.clone(), questions.clone());
            let model = Model::for_page(console);
            move |server, client| {
                let mut client = questions.asked_by(server, client);
                if let Some(model) = &model {
                    client = questions.reviewed(model, server, client);
                }
                client.layer(traffic.of(server))
            }
        },
        {
            let (traffic, known) = (traffic.clone(), known.clone());
            move |event| traffic.happened(&event, known.get())
        },
    )?;
    // Nothing happens at a server before it is started.
    let _ = known.set(host.clone());
    host.start();
    let guard = Guard::new(address.port())
        .map_err(|()| Failure::new("the system gives no random numbers"))?;
    let url = guard.address();
    console.value(&json!({ "url": url }), &format!("{url}\n"))?;
    let shared = Arc::new(Shared { host, guard, traffic, questions });
    tokio::select! {
        () = serve::serve(listener, shared.clone()) => {}
        () = stop::asked() => {}
    }
    shared.host.clone().close().await;
    Ok(ExitCode::SUCCESS)
}
