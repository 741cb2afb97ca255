// invented: to_pretty_string; right: to_string_pretty
use serde::Serialize;

#[derive(Serialize)]
struct Point {
    x: i32,
    y: i32,
}

fn main() -> serde_json::Result<()> {
    println!("{}", serde_json::to_pretty_string(&Point { x: 1, y: 2 })?);
    let value = serde_json::to_value(Point { x: 3, y: 4 })?;
    println!("{}", value["x"]);
    Ok(())
}
