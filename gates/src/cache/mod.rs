//! The cache, harmed on disk, lied to on the wire, and shared by processes that race: what it
//! serves is what was written, or nothing.

pub(crate) mod content;
mod damage;
pub(crate) mod race;

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::unit_tests;

/// The tests of what happens when a registry sends the wrong thing, by name.
const WIRE: &[&str] = &[
    "fetch::tests::documents::each_answer_has_its_meaning",
    "fetch::tests::documents::an_unchanged_answer_about_something_else_is_not_believed",
    "fetch::tests::documents::copies_are_not_kept_when_they_must_not_be",
    "fetch::tests::documents::a_copy_belongs_to_the_credential_it_was_got_with",
    "fetch::tests::downloads::every_published_digest_must_match",
    "fetch::tests::downloads::an_artifact_is_known_by_its_digest_wherever_it_comes_from",
    "fetch::tests::downloads::a_damaged_artifact_is_fetched_again",
    "fetch::tests::downloads::downloads_end_well_or_leave_nothing",
];

pub(crate) fn run(options: &Options) -> Result<Report> {
    let mut report = Report::new();
    let damage = damage::run()?;
    println!("{} kinds of damage: {} served wrong", damage.harms, damage.wrong);
    let rounds = if options.quick { 100 } else { 1_000 };
    let race = race::run(options.seed, rounds)?;
    println!("two processes, {rounds} rounds each: {race:?}");
    let wire = unit_tests::run("docent-packages", WIRE)?;
    println!("{} tests of the wire: {} passed", WIRE.len(), wire.passed);
    report.count("served_wrong_after_damage", damage.wrong, 0);
    report.count("not_replaceable_after_damage", damage.unrepaired, 0);
    report.count("served_wrong_in_race", race.wrong, 0);
    // A race in which nothing was there to be read would show nothing.
    report.count("race_without_reads", usize::from(race.right < rounds / 2), 0);
    report.count("wire_tests_not_passed", WIRE.len() - wire.passed.min(WIRE.len()), 0);
    Ok(report)
}
