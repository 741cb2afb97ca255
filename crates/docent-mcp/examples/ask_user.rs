//! A server that asks its user, and then the client's model, before it answers.
//!
//! The handler is written once. Up to 2025-11-25, each question is a request to the client, and the
//! handler waits for the answer. From 2026-07-28 on, the call is answered with the question, the
//! client calls again with what the user said, and the handler runs *from the start*: so whatever
//! it does before its last question has to be harmless when it is done twice.

use docent_mcp::server::{Context, Elicited, Server, ToolError};
use docent_mcp::types::{CreateMessageRequestParams, SamplingMessage};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct BookTable {
    /// The restaurant.
    restaurant: String,
}

// The form that the user fills in: plain fields only.
#[derive(Deserialize, JsonSchema)]
struct Party {
    /// How many people come.
    #[schemars(range(min = 1, max = 12))]
    people: u8,
    /// Where to sit.
    #[serde(default)]
    place: Place,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Place {
    #[default]
    Inside,
    Terrace,
}

async fn book_table(ctx: Context, args: BookTable) -> Result<String, ToolError> {
    let restaurant = args.restaurant;
    let party = match ctx.elicit::<Party>(format!("A table at {restaurant}?")).await? {
        Elicited::Accepted(party) => party,
        Elicited::Declined => return Ok("The user does not want a table.".to_owned()),
        Elicited::Cancelled => return Ok("The user did not decide; ask again later.".to_owned()),
    };
    let booked = format!("{} people, {:?}, at {restaurant}.", party.people, party.place);

    // What a client can do is known per request. Asking for more is an error, so look first.
    if ctx.client_capabilities().sampling.is_none() {
        return Ok(booked);
    }
    let question = format!("Suggest one dish at {restaurant} for {} people.", party.people);
    let params = CreateMessageRequestParams {
        messages: vec![SamplingMessage::user(question)],
        max_tokens: 100,
        ..Default::default()
    };
    let suggestion = ctx.sample(params).await?.content.joined_text();

    // Both answers are in hand, so this runs once: the place to really book.
    Ok(format!("{booked} Suggestion: {suggestion}"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> docent_mcp::Result<()> {
    Server::new("tables", "1.0").tool("book_table", "Books a table", book_table).serve_stdio().await
}
