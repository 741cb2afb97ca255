//! Tests that take several files of this module together, as tables.

#[cfg(unix)]
mod links; // Hostile paths on disk.
mod matching; // Which URIs a template matches, and how it divides them.
mod properties; // Random templates, values and URIs against independent answers.
mod rfc6570; // The examples of RFC 6570.
mod traversal; // Hostile paths, as text.
mod work; // How much work matching takes, counted.

use super::{UriLimits, UriTemplate, UriValue, Variables};

/// A template that may be worse than the defaults allow.
fn template(text: &str) -> UriTemplate {
    let limits =
        UriLimits { uri_bytes_max: 1 << 20, pair_expressions_max: 64, ..UriLimits::default() };
    UriTemplate::with_limits(text, &limits).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Variables on one line: `a=text b=[item|item] c={key:value}`; `-` for no match at all.
fn show(variables: Option<&Variables>) -> String {
    let Some(variables) = variables else { return "-".to_owned() };
    let entries = variables.iter().map(|(name, value)| match value {
        UriValue::Text(text) => format!("{name}={text}"),
        UriValue::List(items) => format!("{name}=[{}]", items.join("|")),
        UriValue::Map(pairs) => {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{name}={{{}}}", pairs.join("|"))
        }
    });
    entries.collect::<Vec<_>>().join(" ")
}

/// A random number generator that gives the same numbers every time (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A text of `min` to `max` pieces.
    fn text(&mut self, pieces: &[&str], min: usize, max: usize) -> String {
        let count = min + self.below(max - min + 1);
        (0..count).map(|_| self.pick(pieces)).collect()
    }
}
