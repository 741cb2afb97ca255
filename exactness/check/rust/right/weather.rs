//! Asks a weather service, with retries and a deadline.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Local, TimeZone, Utc};
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Forecast {
    #[serde(rename = "dt")]
    at: i64,
    temperature: f64,
}

struct Weather {
    client: Client,
    base: Url,
}

impl Weather {
    fn new(base: &str) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let client = Client::builder()
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(20))
            .build()
            .context("no HTTP client")?;
        let base = Url::parse(base).with_context(|| format!("bad address {base}"))?;
        ensure!(base.scheme() == "https", "only https, not {}", base.scheme());
        Ok(Self { client, base })
    }

    async fn forecast(&self, city: &str) -> anyhow::Result<Vec<Forecast>> {
        let mut url = self.base.join("v1/forecast")?;
        url.query_pairs_mut().append_pair("city", city);
        for attempt in 0..3u32 {
            let response = self.client.get(url.clone()).header("x-attempt", attempt).send().await?;
            match response.status() {
                StatusCode::TOO_MANY_REQUESTS => {
                    let wait = response.headers().get(RETRY_AFTER);
                    let wait = wait.and_then(|value| value.to_str().ok()?.parse().ok());
                    tokio::time::sleep(Duration::from_secs(wait.unwrap_or(1))).await;
                }
                status if status.is_server_error() => {
                    tracing::warn!(%status, attempt, "trying again");
                    tokio::time::sleep(Duration::from_millis(200 << attempt)).await;
                }
                _ => {
                    let response = response.error_for_status()?;
                    return Ok(response.json().await?);
                }
            }
        }
        bail!("no answer for {city}")
    }
}

fn shown(forecast: &Forecast) -> String {
    let at: DateTime<Utc> = Utc.timestamp_opt(forecast.at, 0).single().unwrap_or_default();
    let at = at.with_timezone(&Local);
    format!("{} {:>5.1} °C", at.format("%a %H:%M"), forecast.temperature)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let city = std::env::args().nth(1).context("which city?")?;
    let weather = Weather::new("https://weather.example")?;
    let deadline = Duration::from_secs(60);
    match tokio::time::timeout(deadline, weather.forecast(&city)).await {
        Ok(Ok(all)) => all.iter().for_each(|one| println!("{}", shown(one))),
        Ok(Err(error)) if error.downcast_ref::<reqwest::Error>().is_some_and(|it| it.is_connect()) => {
            eprintln!("not reachable: {error:#}");
        }
        Ok(Err(error)) => return Err(error),
        Err(_) => eprintln!("too slow"),
    }
    Ok(())
}
