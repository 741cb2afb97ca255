//! Credentials through every kind of fetch and login: none shows where it does not belong.
//!
//! Those of registries go through the unit tests of the documentation engine. Those of logins go
//! through `flows`, against a realm that misbehaves; `listen` keeps what was logged meanwhile, `seen`
//! all that others could read, and `search` looks for secrets in it.

mod flows;
mod listen;
mod search;
mod seen;

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::{unit_tests, web};

/// The tests that look for credentials, and the one that shows that the look finds them.
const TESTS: &[&str] = &[
    "fetch::login::tests::a_credential_goes_only_where_it_belongs",
    "fetch::tests::hops::every_hop_decides_anew_who_one_is",
    "fetch::tests::hops::whoever_is_named_in_an_address_is_not_sent",
    "fetch::tests::secrets::credentials_are_nowhere_but_where_they_belong",
    "fetch::tests::secrets::the_search_finds_what_it_should",
];

/// Fewer would not be all ways to log in, and to fail at it.
const FLOWS_MIN: usize = 24;
/// Access, refresh, code, verifier, state, registered and given secrets, assertions, keys.
const SECRETS_MIN: usize = 12;

pub(crate) fn run(_: &Options) -> Result<Report> {
    let mut report = Report::new();
    let counted = unit_tests::run("docent-packages", TESTS)?;
    report.count("tests_not_passed", TESTS.len() - counted.passed.min(TESTS.len()), 0);
    let log = listen::start()?;
    let found = web::runtime()?.block_on(flows::all())?;
    let mut seen = found.seen;
    let logged = log.text();
    let logs_nothing = logged.is_empty();
    seen.add("the log", logged);
    let leaks = search::leaks(&found.secrets, &seen.texts);
    for leak in &leaks {
        println!("LEAKED: {leak}");
    }
    println!(
        "{} secrets through {} logins, {} texts, {} kB of log: {} leaks",
        found.secrets.len(),
        found.flows,
        seen.texts.len(),
        seen.texts.last().map_or(0, |(_, text)| text.len() / 1000),
        leaks.len()
    );
    report.count("login_leaks", leaks.len(), 0);
    report.count("login_flows_missing", FLOWS_MIN.saturating_sub(found.flows), 0);
    report.count("login_secrets_missing", SECRETS_MIN.saturating_sub(found.secrets.len()), 0);
    report.count("login_flows_unlike_expected", found.surprises, 0);
    report.count("store_files_open", found.open_files, 0);
    report.count("search_blind", search::blind() + usize::from(logs_nothing), 0);
    Ok(report)
}
