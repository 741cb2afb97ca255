//! Attacks on authorization, each of which has to be refused, with the reason in the error.
//!
//! Hostile servers and authorization servers are a [`Realm`] that was told to
//! be; our own server and the strict authorization server of the test kit are attacked by hand.
//! `pages` is what a browser would be opened with, `documents` what is believed of metadata,
//! `answers` what a user comes back with, `tokens` what a server takes, `grants` what an
//! authorization server gives out, `reuse` what is shown or tried more often than it should be.

mod answers;
mod documents;
mod grants;
mod pages;
mod reuse;
mod tokens;

use docent_mcp::Server;
use docent_mcp::auth::{Protection, Secret};
use docent_mcp::transport::http::HttpOptions;

use crate::Result;
use crate::arguments::Options;
use crate::realm::Realm;
use crate::report::Report;
use crate::web;

/// Fewer would not be all of them.
const ATTACKS_MIN: usize = 36;

/// What became of the attacks, in order.
#[derive(Default)]
struct Attacks {
    refused: usize,
    succeeded: usize,
}

impl Attacks {
    /// An attack that has to end in an error which says `why`.
    fn refused<T>(&mut self, name: &str, why: &str, outcome: std::result::Result<T, String>) {
        match outcome {
            Err(said) if said.contains(why) => self.held(name, true, &said),
            Err(said) => self.held(name, false, &format!("not because of {why:?}, but: {said}")),
            Ok(_) => self.held(name, false, "nothing was refused"),
        }
    }

    /// What has to hold besides, after an attack was refused.
    fn besides(&mut self, name: &str, held: bool, said: &str) {
        if held {
            println!("             {name}: {said}");
        } else {
            self.held(name, false, said);
        }
    }

    /// An attack that came to nothing, or not, and what was said about it.
    fn held(&mut self, name: &str, held: bool, said: &str) {
        let said: String = said.chars().take(120).collect();
        match held {
            true => {
                self.refused += 1;
                println!("  refused    {name}: {said}");
            }
            false => {
                self.succeeded += 1;
                println!("  SUCCEEDED  {name}: {said}");
            }
        }
    }
}

/// Calls a server that is protected in this way: the status, and all that the answer says.
pub(crate) async fn call_protected(
    protection: Protection,
    token: &Secret,
) -> Result<(u16, String)> {
    let server = Server::new("gate", "1");
    let service = server.http_service(HttpOptions::new().protect(protection))?;
    tokens::answered(&service, Some(token.expose())).await
}

pub(crate) fn run(_: &Options) -> Result<Report> {
    web::runtime()?.block_on(measure())
}

async fn measure() -> Result<Report> {
    let mut report = Report::new();
    // Who attacks nobody gets in: otherwise a refusal would mean nothing.
    let realm = Realm::start().await?;
    let client = realm.connect(realm.login()).await?;
    let honest = client.call("hello", serde_json::json!({})).await.is_ok();
    client.close().await;
    let mut attacks = Attacks::default();
    pages::attack(&mut attacks).await?;
    documents::attack(&mut attacks).await?;
    answers::attack(&mut attacks).await?;
    reuse::attack(&mut attacks).await?;
    tokens::attack(&mut attacks).await?;
    grants::attack(&mut attacks).await?;
    println!("{} attacks refused, {} not", attacks.refused, attacks.succeeded);
    report.count("attacks_missing", ATTACKS_MIN.saturating_sub(attacks.refused), 0);
    report.count("attacks_not_refused", attacks.succeeded, 0);
    report.count("honest_refused", usize::from(!honest), 0);
    Ok(report)
}
