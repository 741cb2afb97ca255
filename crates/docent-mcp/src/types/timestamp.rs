//! A time as tasks and annotations write it: ISO 8601, in UTC, to the millisecond.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time as the protocol writes it, for example in
/// [`Annotations::last_modified`](super::Annotations::last_modified). What was before 1970 is taken
/// for 1970.
pub fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format(since.as_secs(), since.subsec_millis())
}

/// Writes a time that is given in seconds since 1970.
fn format(seconds: u64, millis: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March, in cycles of 400, so that the leap day is the last of its year.
    let days = days + 719_468;
    let (cycle, day_of_cycle) = (days / 146_097, days % 146_097);
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = cycle * 400 + year_of_cycle + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [BOTH-TASK-02] the times of a task are ISO 8601
    #[test]
    fn days_that_calendars_get_wrong() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (68_169_600, "1972-02-29T00:00:00.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (951_868_800, "2000-03-01T00:00:00.007Z"),
            (1_798_761_599, "2026-12-31T23:59:59.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            assert_eq!(format(seconds, 7), expected);
        }
    }
}
