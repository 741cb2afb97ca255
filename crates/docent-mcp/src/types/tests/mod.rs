//! The vocabulary against the official schemas and examples, and against itself.
//!
//! - `official`: finds and prepares the published files;
//! - `table`: every request, result and notification, and how a drawn value of it is encoded;
//! - `conformance`: what we encode is what the schemas allow, and no more;
//! - `examples`: the published examples survive a round trip;
//! - `roundtrip`: decoding undoes encoding, and unknown fields survive;
//! - `golden`: single rules, by example.

mod conformance;
mod examples;
mod golden;
mod official;
mod roundtrip;
mod table;

use proptest::test_runner::Config;

/// So many cases, few enough for a run of seconds, or as many as `PROPTEST_CASES` says.
fn config(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 4096,
        ..Config::default()
    }
}
