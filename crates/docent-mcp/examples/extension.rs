//! An extension of the protocol, both sides: a method, a notification, and changes to listen for.
//! Clients report the weather; others ask for it, or listen for the cities they care about.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Mutex;

use docent_mcp::client::{Client, RequestOptions, ServerEvent};
use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Context, Extension, Server};
use docent_mcp::transport::{self, BoxFuture};
use docent_mcp::types::{EmptyResult, JsonObject, SubscriptionFilter};
use serde_json::{Value, json};

const ID: &str = "com.example/weather";
const NOW: &str = "com.example/weather/now";
const REPORT: &str = "notifications/com.example/weather/report";
const CHANGED: &str = "notifications/com.example/weather/changed";
/// A field of listen filters.
const CITIES: &str = "com.example/cities";

/// The last report from each city.
#[derive(Default)]
struct Weather(Mutex<BTreeMap<String, JsonObject>>);

impl Extension for Weather {
    fn id(&self) -> &str {
        ID
    }

    fn methods(&self) -> &[&str] {
        &[NOW]
    }

    fn call(
        &self,
        ctx: Context,
        _: &str,
        params: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        let reports = self.0.lock().expect("no panic while locked");
        let report = city(params.as_ref()).and_then(|(city, _)| reports.get(&city).cloned());
        // Fields that a type does not know travel in its `extra`.
        let result = report.map(|extra| ctx.reply(EmptyResult { extra, ..Default::default() }));
        let result = result.ok_or_else(|| ErrorObject::invalid_params("no report of this city"));
        Box::pin(std::future::ready(result))
    }

    fn notification(&self, server: &Server, method: &str, params: Option<&RawJson>) {
        let Some((city, report)) = city(params).filter(|_| method == REPORT) else { return };
        server.publish(CITIES, &*city, CHANGED, report.clone());
        self.0.lock().expect("no panic while locked").insert(city, report);
    }

    fn listen(
        &self,
        _: &Context,
        wanted: &SubscriptionFilter,
        honored: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        let cities = wanted.extra.get(CITIES).cloned();
        honored.extra.extend(cities.map(|cities| (CITIES.to_owned(), cities)));
        Ok(())
    }
}

/// The city that parameters are about, and the parameters.
fn city(params: Option<&RawJson>) -> Option<(String, JsonObject)> {
    let params: JsonObject = params?.decode().ok()?;
    Some((params.get("city")?.as_str()?.to_owned(), params))
}

fn object(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (near, far) = transport::memory();
    tokio::spawn(Server::new("weather", "1.0").extension(Weather::default()).serve(far));

    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let client = Client::builder("sailor", "1.0").extension(ID, JsonObject::new());
    let client = client.on_event(move |event| drop(tell.send(event))).connect(near).await?;
    client.watch_extension(CITIES, json!(["Oslo"])).await?;
    for (city, sky) in [("Rome", "blue"), ("Oslo", "gray")] {
        client.notify(REPORT, Some(object(json!({ "city": city, "sky": sky })))).await?;
    }
    if let Some(ServerEvent::Other { method, params: Some(params) }) = told.recv().await {
        println!("{method}: {}", params.decode::<Value>()?["city"]);
    }
    let rome = object(json!({ "city": "Rome" }));
    let answer = client.request(NOW, rome, RequestOptions::new()).await?;
    println!("Rome: {}", answer.decode::<Value>()?["sky"]);
    client.close().await;
    Ok(())
}
