//! Random templates, values and URIs against independent answers.

use std::collections::BTreeSet;

use super::super::matching::find;
use super::{Random, UriTemplate, Variables, template};

/// Text of every kind, but not `!`, which divides the parts of the random templates, and not
/// what a path refuses.
const ENCODED: [&str; 18] = [
    "a",
    "Z",
    "0",
    "-",
    "_",
    "~",
    " ",
    "é",
    "漢",
    "\u{1F600}",
    "%",
    "%2F",
    ",",
    ";",
    "&",
    "=",
    "?",
    "#",
];
const RESERVED: [&str; 14] = ["a", "Z", "0", "-", "é", " ", "/", ":", "@", ";", "=", "&", "(", "+"];

/// A template of levels 1 to 3 with the values of its variables, such that only one division of
/// the expanded URI is possible.
fn random_case(random: &mut Random) -> (String, Variables) {
    let mut text = String::from("t://x");
    let mut variables = Variables::new();
    let mut name = 0;
    let operators: [&str; 7] = ["", "+", ".", "/", ";", "?", "#"];
    // A query comes once, then at most a fragment; everything else as often as it likes.
    let mut rank = 0;
    for _ in 0..=random.below(5) {
        let at = rank + random.below(operators.len() - rank);
        let operator = operators[at];
        rank = if at >= 5 { at + 1 } else { 0 };
        if !matches!(operator, "?" | "#") {
            text.push('!');
        }
        text.push('{');
        text.push_str(operator);
        let count = 1 + random.below(3);
        for position in 0..count {
            if position > 0 {
                text.push(',');
            }
            let mut value = match operator {
                "+" | "#" => random.text(&RESERVED, 1, 8),
                "?" => random.text(&ENCODED, 0, 8),
                _ => random.text(&ENCODED, 1, 8),
            };
            if operator == "+" {
                value.insert(0, 'p');
            }
            text.push_str(&format!("v{name}"));
            variables.set(format!("v{name}"), value);
            name += 1;
        }
        text.push('}');
        if rank == operators.len() {
            break;
        }
        if operator == "?" && random.below(2) == 0 {
            let value = random.text(&ENCODED, 0, 8);
            text.push_str(&format!("{{&v{name}}}"));
            variables.set(format!("v{name}"), value);
            name += 1;
        }
    }
    (text, variables)
}

#[test]
fn what_was_expanded_is_matched_back() {
    let mut random = Random(6570);
    for round in 0..5_000 {
        let (text, variables) = random_case(&mut random);
        let template = template(&text);
        let uri = template.expand(&variables).unwrap();
        assert_eq!(crate::uri::check_uri(&uri), Ok(()), "round {round}: {text}");
        assert_eq!(template.matches(&uri), Some(variables), "round {round}: {text} made {uri}");
    }
}

#[test]
fn lists_and_maps_are_matched_back() {
    let mut random = Random(4);
    for round in 0..2_000 {
        let (operator, min) = random.pick(&[&("", 1), &("/", 1), &("?", 0), &(";", 0), &("&", 0)]);
        let items: Vec<_> = (0..=random.below(4)).map(|_| random.text(&ENCODED, *min, 5)).collect();
        let template = template(&format!("t://x{{{operator}list*}}"));
        let variables = Variables::new().with("list", items);
        let uri = template.expand(&variables).unwrap();
        assert_eq!(template.matches(&uri), Some(variables), "round {round}: {template} made {uri}");
    }
}

/// Whether some way to give each variable a piece of the URI, or nothing if it is not
/// `required`, expands to the URI. Tries them all.
fn some_expansion_gives(
    template: &UriTemplate,
    uri: &str,
    required: impl Fn(&str) -> bool,
) -> bool {
    let ends = |start| (start + 1..=uri.len()).map(move |end| &uri[start..end]);
    let pieces: BTreeSet<&str> = (0..uri.len()).flat_map(ends).collect();
    let mut choices = vec![Variables::new()];
    for name in template.variable_names() {
        let given = |before: &Variables| {
            let with = |piece: &&str| before.clone().with(name, *piece);
            pieces.iter().map(with).collect::<Vec<_>>()
        };
        let absent = if required(name) { Vec::new() } else { choices.clone() };
        choices = choices.iter().flat_map(given).chain(absent).collect();
    }
    choices.iter().any(|variables| template.expand(variables).as_deref() == Ok(uri))
}

/// The matcher against brute force, on short URIs with many possible divisions: it finds one
/// whenever there is one, and what it finds expands to the same URI again.
#[test]
fn matching_agrees_with_brute_force() {
    let mut random = Random(2012);
    let expressions = [
        "{x}", "{y}", "{+x}", "{+y}", "{/x}", "{/y}", "{.x}", "{.y}", "{/x,y}", "{x,y}", "{;x}",
        "{?y}", "{#y}",
    ];
    let literals = ["", "", "a", "b", "/", ".", "a/", ","];
    let letters = ["a", "b", "a", "/", ".", ",", ";x=", "?y=", "#"];
    let (mut matched, mut unmatched) = (0, 0);
    for round in 0..3_000 {
        let (first, second) = (random.pick(&expressions), random.pick(&expressions));
        let mut literal = || random.pick(&literals);
        let text = [literal(), first, literal(), second, literal()].concat();
        let template = template(&text);
        let uri = match random.below(2) {
            0 => random.text(&letters, 0, 5),
            _ => {
                let mut value = || random.text(&["a", "b", ".", "-"], 1, 2);
                let variables = Variables::new().with("x", value()).with("y", value());
                template.expand(&variables).unwrap()
            }
        };
        if let Some(variables) = template.matches(&uri) {
            matched += 1;
            // A simple value may hold reserved characters, which expansion would escape; and a
            // variable that was absent in one place and not in the other expands in both.
            let twice = ["x", "y"].iter().any(|x| first.contains(x) && second.contains(x));
            if !uri.contains([',', ';', '?', '#']) && !twice {
                let again = template.expand(&variables);
                assert_eq!(again.as_deref(), Ok(uri.as_str()), "round {round}: {text}");
            }
        }
        // Where the template has a query or a fragment, `{+x}` leaves it to the template.
        let left_to_it =
            text.contains('?') && uri.contains('?') || text.contains('#') && uri.contains('#');
        if find(&template.program, &uri, &mut 0).is_none() && !left_to_it {
            unmatched += 1;
            let required = |name: &str| {
                [first, second]
                    .iter()
                    .any(|found| found.contains(name) && !found.contains(['/', '.', ';', '?', '#']))
            };
            assert!(
                !some_expansion_gives(&template, &uri, required),
                "round {round}: {text} should match {uri}"
            );
        }
    }
    assert!(matched > 300 && unmatched > 300, "{matched} matched, {unmatched} did not");
}
