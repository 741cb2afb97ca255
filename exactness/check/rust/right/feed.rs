//! Turns JSON lines into a table: values of any shape, dates, groups.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use chrono::{Datelike, Duration, NaiveDate, NaiveDateTime, Utc, Weekday};
use itertools::Itertools;
use serde_json::{Map, Number, Value, json};
use uuid::{Uuid, uuid};

const NOBODY: Uuid = uuid!("00000000-0000-4000-8000-000000000000");

#[derive(Debug)]
struct Entry {
    id: Uuid,
    day: NaiveDate,
    amount: f64,
    tags: Vec<String>,
}

fn entry(line: &str) -> Result<Entry, serde_json::Error> {
    let value: Value = serde_json::from_str(line)?;
    let id = value.get("id").and_then(Value::as_str).and_then(|text| Uuid::parse_str(text).ok());
    let at = value["at"].as_str().unwrap_or_default();
    let day = NaiveDateTime::parse_from_str(at, "%Y-%m-%dT%H:%M:%S").map(|at| at.date());
    let amount = match &value["amount"] {
        Value::Number(number) => number.as_f64().unwrap_or(0.0),
        Value::String(text) => text.parse().unwrap_or(0.0),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => 0.0,
    };
    let tags = serde_json::from_value(value.pointer("/meta/tags").cloned().unwrap_or(json!([])))?;
    Ok(Entry {
        id: id.unwrap_or(NOBODY),
        day: day.unwrap_or_else(|_| Utc::now().date_naive()),
        amount,
        tags,
    })
}

fn monday(day: NaiveDate) -> NaiveDate {
    let behind = day.weekday().num_days_from_monday();
    day - Duration::days(i64::from(behind))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = io::stdin().lock().lines();
    let entries: Vec<Entry> =
        lines.map_while(Result::ok).filter_map(|line| entry(&line).ok()).collect();
    let weeks: BTreeMap<NaiveDate, Vec<&Entry>> =
        entries.iter().into_group_map_by(|entry| monday(entry.day)).into_iter().collect();
    let mut table = Map::new();
    for (week, entries) in &weeks {
        let total: f64 = entries.iter().map(|entry| entry.amount).sum();
        let tags = entries.iter().flat_map(|entry| &entry.tags).unique().sorted().join(", ");
        let busiest = entries.iter().map(|entry| entry.day.weekday()).counts();
        let busiest = busiest.into_iter().max_by_key(|(_, count)| *count);
        let people = entries.iter().map(|entry| entry.id).filter(|id| !id.is_nil()).dedup().count();
        let row = json!({
            "total": Number::from_f64(total),
            "tags": tags,
            "people": people,
            "weekend": matches!(busiest, Some((Weekday::Sat | Weekday::Sun, _))),
        });
        table.insert(week.format("%G-W%V").to_string(), row);
    }
    if let Some((first, last)) = weeks.keys().minmax().into_option() {
        let days = last.signed_duration_since(*first).num_days();
        table.entry("days").or_insert_with(|| days.into());
    }
    serde_json::to_writer_pretty(io::stdout().lock(), &Value::Object(table))?;
    Ok(())
}
