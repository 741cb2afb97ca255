// invented: to_rfc_3339; right: to_rfc3339
use chrono::{Duration, Utc};

fn main() {
    let now = Utc::now();
    let text = now.to_rfc_3339();
    let later = now.checked_add_signed(Duration::hours(2));
    println!("{text} {later:?}");
}
