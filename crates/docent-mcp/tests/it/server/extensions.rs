//! Extensions: methods, notifications, listen filters.

use std::sync::{Arc, Mutex};

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Context, Extension, Server};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{EmptyResult, JsonObject, SubscriptionFilter};
use serde_json::json;

use super::line::{Line, modern};
use crate::fixture;

#[derive(Default)]
struct Weather {
    heard: Arc<Mutex<Vec<String>>>,
}

impl Extension for Weather {
    fn id(&self) -> &str {
        "com.example/weather"
    }

    fn methods(&self) -> &[&str] {
        &["weather/today"]
    }

    fn call(
        &self,
        context: Context,
        _: &str,
        _: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        Box::pin(async move {
            let mut result = EmptyResult::default();
            result.extra.insert("sky".to_owned(), json!("blue"));
            Ok(context.reply_as("weather", result))
        })
    }

    fn notification(&self, _: &Server, method: &str, _: Option<&RawJson>) {
        self.heard.lock().unwrap().push(method.to_owned());
    }

    fn listen(
        &self,
        _: &Context,
        wanted: &SubscriptionFilter,
        honored: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        if let Some(cities) = wanted.extra.get("cities") {
            honored.extra.insert("cities".to_owned(), cities.clone());
        }
        Ok(())
    }
}

/// [BOTH-EXT-01] an extension is active only when both sides declare it; then it can add methods,
/// result types, notifications and listen filters.
#[tokio::test]
async fn an_extension_from_outside() {
    let weather = Weather::default();
    let heard = weather.heard.clone();
    let server = fixture::server().extension(weather);
    let mut line = Line::default(server.clone());
    let declared = modern(json!({ "extensions": { "com.example/weather": {} } }));

    let discovered =
        line.request(1, "server/discover", json!({ "_meta": modern(json!({})) })).await;
    assert_eq!(
        discovered["result"]["capabilities"]["extensions"],
        json!({ "com.example/weather": {} })
    );
    let missing = line.request(2, "weather/today", json!({ "_meta": modern(json!({})) })).await;
    assert_eq!(missing["error"]["code"], -32021);
    let required = &missing["error"]["data"]["requiredCapabilities"];
    assert_eq!(*required, json!({ "extensions": { "com.example/weather": {} } }));
    let today = line.request(3, "weather/today", json!({ "_meta": declared })).await;
    assert_eq!(
        (&today["result"]["resultType"], &today["result"]["sky"]),
        (&json!("weather"), &json!("blue"))
    );

    line.send(json!({ "jsonrpc": "2.0", "method": "notifications/weather/asked" })).await;
    let filter = json!({ "cities": ["Oslo"], "unknown": true });
    let params = json!({ "notifications": filter, "_meta": declared });
    let acknowledged = line.request("L", "subscriptions/listen", params).await;
    assert_eq!(acknowledged["params"]["notifications"], json!({ "cities": ["Oslo"] }));
    assert_eq!(*heard.lock().unwrap(), ["notifications/weather/asked"]);
    for city in ["Rome", "Oslo"] {
        let params = JsonObject::from_iter([("city".to_owned(), json!(city))]);
        server.publish("cities", city, "notifications/weather/changed", params);
    }
    let told = line.receive().await;
    assert_eq!(
        (&told["method"], &told["params"]["city"]),
        (&json!("notifications/weather/changed"), &json!("Oslo"))
    );
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "L");
}
