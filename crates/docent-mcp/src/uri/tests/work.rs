//! How much work matching takes, counted in word operations and bytes looked at.

use super::super::matching::find;
use super::template;

/// Templates on which a matcher that tries one length after another needs ages.
fn nasty_templates() -> Vec<String> {
    let repeated = |piece: &str, count: usize| piece.repeat(count);
    let named = |operator: &str| {
        let names: Vec<_> = (0..64).map(|at| format!("v{at}")).collect();
        format!("a:{{{operator}{}}}", names.join(","))
    };
    vec![
        "a:{x}".into(),
        "a:{+x}".into(),
        format!("a:{}", repeated("{x}", 64)),
        format!("a:{}b", repeated("{x}a", 64)),
        format!("a:{}b", repeated("{+x}a", 64)),
        format!("a:{}b", repeated("{+x}/", 64)),
        format!("a:{{x}}{}{{y}}", repeated("a", 2000)),
        format!("a:{}", repeated("{/x*}", 64)),
        format!("a:{}b", repeated("{.x*}", 64)),
        format!("a:{}b", repeated("{;a}", 64)),
        format!("a:{}b", repeated("{;a*}", 64)),
        format!("a:{}b", repeated("{&a*}", 64)),
        format!("a:{}b", repeated("{x:9999}", 64)),
        format!("a:{}{}X{{+y}}", repeated("{;a*}", 31), repeated("{.x}", 32)),
        format!("a:{}b", repeated("{;a*}X{+y}", 32)),
        "a:{x*,y*,z*}".into(),
        named(""),
        named("+"),
        named("/"),
        named(";"),
        named("?"),
        named("&"),
        "a:{+x}{?q*}{#f}".into(),
    ]
}

fn nasty_uri(piece: &str, bytes: usize) -> String {
    format!("a:{}", &piece.repeat(bytes / piece.len() + 1)[..bytes - 2])
}

const PIECES: [&str; 12] =
    ["a", "/", "a/", ".a", ";a=1", "&a=1", "?a=1&", ";", "%61", "a,", ";v1;v2;v3=", "&v1=1&v2=2"];

#[test]
fn work_is_bounded_by_the_product_of_the_lengths() {
    for text in nasty_templates() {
        let template = template(&text);
        let units = template.program.units.len() + 1;
        for piece in PIECES {
            for bytes in [1_000, 10_000] {
                let uri = nasty_uri(piece, bytes);
                let mut work = 0;
                find(&template.program, &uri, &mut work);
                let words = bytes / 64 + 1;
                // Setting up, the sets of single bytes and of classes, then every unit.
                let bound =
                    24 * bytes + words * (text.len() + 128 + 12 * units) + 3 * bytes * units;
                assert!(work <= bound, "{text} against {piece}…: {work} of {bound}");
            }
        }
    }
}

#[test]
fn twice_the_uri_is_twice_the_work() {
    for text in nasty_templates() {
        let template = template(&text);
        for piece in PIECES {
            let work = |bytes: usize| {
                let mut work = 0;
                find(&template.program, &nasty_uri(piece, bytes), &mut work);
                work
            };
            let (once, twice, eight_times) = (work(3_200), work(6_400), work(25_600));
            assert!(twice <= once * 2 + 10_000, "{text} against {piece}…: {once}, then {twice}");
            assert!(
                eight_times <= once * 8 + 70_000,
                "{text} against {piece}…: {once}, then {eight_times}"
            );
        }
    }
}
