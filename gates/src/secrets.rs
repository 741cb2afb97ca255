//! Twelve credentials through every kind of fetch: none shows where it does not belong.

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::unit_tests;

/// The tests that look for credentials, and the one that shows that the look finds them.
const TESTS: &[&str] = &[
    "fetch::login::tests::a_credential_goes_only_where_it_belongs",
    "fetch::tests::hops::every_hop_decides_anew_who_one_is",
    "fetch::tests::hops::whoever_is_named_in_an_address_is_not_sent",
    "fetch::tests::secrets::credentials_are_nowhere_but_where_they_belong",
    "fetch::tests::secrets::the_search_finds_what_it_should",
];

pub(crate) fn run(_: &Options) -> Result<Report> {
    let mut report = Report::new();
    let counted = unit_tests::run("docent-packages", TESTS)?;
    report.count("tests_not_passed", TESTS.len() - counted.passed.min(TESTS.len()), 0);
    Ok(report)
}
