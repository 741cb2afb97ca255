//! What the environment says, in the variables that all of OpenTelemetry agrees on.

use std::fmt;
use std::time::Duration;

use docent_mcp::auth::Secret;
use serde_json::{Value, json};

use super::context::TraceContext;
use super::json::attribute;

/// Where to send what, and how often.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) traces: Option<Target>,
    pub(super) metrics: Option<Target>,
    /// Who speaks, as OTLP writes it.
    pub(super) resource: Value,
    pub(super) sampler: Sampler,
    pub(super) queue_max: usize,
    pub(super) span_pause: Duration,
    pub(super) metric_pause: Duration,
    pub(super) timeout: Duration,
}

/// An address, and the headers that it wants.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) url: String,
    pub(super) headers: Vec<(String, Secret)>,
}

/// Which traces are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sampler {
    /// What the trace of a request was decided to be stays so.
    follows: bool,
    /// The part of the others, from 0 to 1.
    ratio: f64,
}

impl Sampler {
    pub(super) fn samples(self, parent: Option<TraceContext>, trace: u128) -> bool {
        match parent.filter(|_| self.follows) {
            Some(parent) => parent.is_sampled(),
            None if self.ratio >= 1.0 => true,
            None => {
                // The lower half of the number, as everybody who decides by ratio takes it.
                #[expect(clippy::cast_precision_loss, reason = "a share needs no 64 digits")]
                let share = (trace & u128::from(u64::MAX)) as f64 / u64::MAX as f64;
                share < self.ratio
            }
        }
    }
}

impl Settings {
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Option<Settings> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        if set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return None;
        }
        let traces = target(&set, "TRACES", "v1/traces");
        let metrics = target(&set, "METRICS", "v1/metrics");
        if traces.is_none() && metrics.is_none() {
            return None;
        }
        let number = |name: &str, default: u64| {
            set(name).and_then(|value| value.trim().parse().ok()).unwrap_or(default)
        };
        let millis = |name: &str, default| Duration::from_millis(number(name, default));
        Some(Settings {
            traces,
            metrics,
            resource: resource(&set),
            sampler: sampler(&set),
            queue_max: usize::try_from(number("OTEL_BSP_MAX_QUEUE_SIZE", 2048)).unwrap_or(2048),
            span_pause: millis("OTEL_BSP_SCHEDULE_DELAY", 5_000),
            metric_pause: millis("OTEL_METRIC_EXPORT_INTERVAL", 60_000),
            timeout: millis("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
        })
    }
}

/// Where one kind of signal goes: to its own address, or below that of all.
fn target(set: &dyn Fn(&str) -> Option<String>, signal: &str, path: &str) -> Option<Target> {
    if set(&format!("OTEL_{signal}_EXPORTER")).is_some_and(|exporter| exporter.trim() == "none") {
        return None;
    }
    let either = |name: &str| {
        let own = set(&format!("OTEL_EXPORTER_OTLP_{signal}_{name}"));
        own.or_else(|| set(&format!("OTEL_EXPORTER_OTLP_{name}")))
    };
    if either("PROTOCOL").is_some_and(|protocol| protocol.trim() == "grpc") {
        tracing::warn!("OTLP is sent over HTTP only: name its port and set no protocol `grpc`");
        return None;
    }
    let own = set(&format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"));
    let below = |base: String| format!("{}/{path}", base.trim().trim_end_matches('/'));
    let url = own.or_else(|| set("OTEL_EXPORTER_OTLP_ENDPOINT").map(below))?.trim().to_owned();
    let headers = either("HEADERS").unwrap_or_default();
    let headers = pairs(&headers).map(|(name, value)| (name, Secret::new(value))).collect();
    Some(Target { url, headers })
}

/// `name=value,name=value`, percent-encoded.
fn pairs(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let split = text.split(',').filter_map(|pair| pair.split_once('='));
    split.map(|(name, value)| (name.trim().to_owned(), decoded(value.trim())))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let digits = digits.filter(|two| two.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn resource(set: &dyn Fn(&str) -> Option<String>) -> Value {
    let given = set("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let mut all: Vec<(String, String)> = pairs(&given).collect();
    let default = |name: &str, value: &str, all: &mut Vec<(String, String)>| {
        if !all.iter().any(|(known, _)| known == name) {
            all.push((name.to_owned(), value.to_owned()));
        }
    };
    if let Some(name) = set("OTEL_SERVICE_NAME") {
        all.retain(|(known, _)| known != "service.name");
        default("service.name", name.trim(), &mut all);
    }
    default("service.name", "docent-gateway", &mut all);
    default("service.version", env!("CARGO_PKG_VERSION"), &mut all);
    default("telemetry.sdk.name", "docent", &mut all);
    default("telemetry.sdk.language", "rust", &mut all);
    let attributes: Vec<_> = all.into_iter().map(|(key, value)| attribute(&key, value)).collect();
    json!({ "attributes": attributes })
}

fn sampler(set: &dyn Fn(&str) -> Option<String>) -> Sampler {
    let name = set("OTEL_TRACES_SAMPLER").unwrap_or_default();
    let ratio = set("OTEL_TRACES_SAMPLER_ARG").and_then(|value| value.trim().parse::<f64>().ok());
    let ratio = ratio.filter(|ratio| (0.0..=1.0).contains(ratio)).unwrap_or(1.0);
    let (follows, own) = match name.trim().strip_prefix("parentbased_") {
        Some(own) => (true, own),
        None => (name.trim().is_empty(), name.trim()),
    };
    match own {
        "always_off" => Sampler { follows, ratio: 0.0 },
        "traceidratio" => Sampler { follows, ratio },
        "always_on" | "" => Sampler { follows, ratio: 1.0 },
        // One that is not known here is as good as none.
        _ => Sampler { follows: true, ratio: 1.0 },
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = |target: &Option<Target>| target.as_ref().map(|target| target.url.clone());
        f.debug_struct("Settings")
            .field("traces", &url(&self.traces))
            .field("metrics", &url(&self.metrics))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Option<Settings> {
        Settings::read(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/");

    #[test]
    fn nothing_is_sent_unless_a_collector_is_named() {
        assert!(read(&[]).is_none());
        assert!(read(&[ENDPOINT, ("OTEL_SDK_DISABLED", "true")]).is_none());
        assert!(read(&[ENDPOINT, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).is_none());
        let settings = read(&[ENDPOINT, ("OTEL_METRICS_EXPORTER", "none")]).unwrap();
        assert_eq!(settings.traces.unwrap().url, "http://localhost:4318/v1/traces");
        assert!(settings.metrics.is_none());
        let own = ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m:1/x");
        let settings = read(&[own]).unwrap();
        assert_eq!(settings.metrics.unwrap().url, "http://m:1/x");
        assert!(settings.traces.is_none());
    }

    #[test]
    fn headers_and_attributes_are_read_and_headers_not_shown() {
        let settings = read(&[
            ENDPOINT,
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%3Db%2, x=1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,env=test"),
            ("OTEL_SERVICE_NAME", "mine"),
        ]);
        let settings = settings.unwrap();
        let headers = settings.traces.clone().unwrap().headers;
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| (&**name, value.expose())).collect();
        assert_eq!(headers, [("api-key", "a=b%2"), ("x", "1")]);
        assert!(!format!("{settings:?}").contains("a=b"));
        let resource = settings.resource.to_string();
        assert!(resource.contains("\"mine\"") && !resource.contains("other"), "{resource}");
        assert!(resource.contains("\"test\""), "{resource}");
    }

    #[test]
    fn samplers() {
        let parent = |flags: &str| {
            let text = format!("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-{flags}");
            TraceContext::parse(&text)
        };
        for (name, argument, expected) in [
            ("", "", [true, false, true]),
            ("always_on", "", [true, true, true]),
            ("always_off", "", [false, false, false]),
            ("parentbased_always_off", "", [true, false, false]),
            ("traceidratio", "0", [false, false, false]),
            ("parentbased_traceidratio", "1", [true, false, true]),
            ("somebody's own", "", [true, false, true]),
        ] {
            let settings = read(&[
                ENDPOINT,
                ("OTEL_TRACES_SAMPLER", name),
                ("OTEL_TRACES_SAMPLER_ARG", argument),
            ]);
            let sampler = settings.unwrap().sampler;
            let samples = [parent("01"), parent("00"), None]
                .map(|parent| sampler.samples(parent, u128::from(u64::MAX / 2)));
            assert_eq!(samples, expected, "{name}");
        }
    }
}
