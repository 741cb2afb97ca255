//! Which URIs a template matches, and how it divides them.

use super::{show, template};

fn check(rows: &[(&str, &[(&str, &str)])]) {
    for (text, cases) in rows {
        let template = template(text);
        for (uri, expected) in *cases {
            let found = template.matches(uri);
            assert_eq!(show(found.as_ref()), *expected, "{text} against {uri}");
        }
    }
}

/// [SRV-RES-06] templates are matched on read
#[test]
fn templates_match_uris_back_to_variables() {
    check(&[
        (
            "test://template/{id}/data",
            &[
                ("test://template/123/data", "id=123"),
                ("test://template/a%20b%2Cc/data", "id=a b,c"),
                ("test://template/%C3%A9%E6%BC%A2/data", "id=é漢"),
                ("test://template/a:b@c;d=e,f!$&'()*+/data", "id=a:b@c;d=e,f!$&'()*+"),
                ("test://template//data", "-"),
                ("test://template/data", "-"),
                ("test://template/1/2/data", "-"),
                ("test://template/1?/data", "-"),
                ("test://template/1#/data", "-"),
                ("test://template/1/data/", "-"),
                ("test://template/1/Data", "-"),
                ("TEST://template/1/data", "-"),
                ("test://template/a b/data", "-"),
                ("test://template/é/data", "-"),
                ("test://template/a\\b/data", "-"),
                ("test://template/a\nb/data", "-"),
                ("test://template/{id}/data", "-"),
                ("test://template/%/data", "-"),
                ("test://template/%4/data", "-"),
                ("test://template/%zz/data", "-"),
                ("test://template/%ff/data", "-"),
                ("test://template/%C3/data", "-"),
                ("", "-"),
            ],
        ),
        ("a:static", &[("a:static", ""), ("a:static?", "-"), ("a:stati", "-"), ("", "-")]),
        ("", &[("", ""), ("a", "-")]),
        ("a:b{x}b:a", &[("a:bxb:a", "x=x"), ("a:b:a", "-"), ("a:bb:a", "-")]),
        // Several variables: the earlier one is the longer one.
        (
            "a:{name}.{ext}",
            &[
                ("a:f.rs", "ext=rs name=f"),
                ("a:f.tar.gz", "ext=gz name=f.tar"),
                ("a:f..rs", "ext=rs name=f."),
                ("a:.rs", "-"),
                ("a:f.", "-"),
            ],
        ),
        ("a:{x}-{y}-{z}", &[("a:1-2-3-4", "x=1-2 y=3 z=4"), ("a:1-2", "-"), ("a:---", "-")]),
        ("a:{x}{y}", &[("a:123", "x=12 y=3"), ("a:1", "-")]),
        // A literal is never found inside an escape, nor a boundary inside a character.
        ("a:{x}2{y}", &[("a:1%2Cb", "-"), ("a:%202b", "x=  y=b"), ("a:1%2C2%2D", "x=1, y=-")]),
        ("a:{x}{y}2{z}", &[("a:1a2b%2Cc", "x=1 y=a z=b,c")]),
        ("a:{x}{y}%A9", &[("a:1%C3%A9", "-"), ("a:12%A9", "x=1 y=2")]),
        ("a:{x}{y}", &[("a:1%C3%A9", "x=1 y=é"), ("a:%F0%9F%98%80%E6%BC%A2", "x=\u{1F600} y=漢")]),
        // Literal text beyond ASCII stands escaped in a URI.
        ("a:é/{x}", &[("a:%C3%A9/1", "x=1"), ("a:é/1", "-")]),
    ]);
}

#[test]
fn long_values_are_found_whole() {
    for length in [63, 64, 65, 128, 129, 1_000, 60_000] {
        let long = "v".repeat(length);
        for (text, uri) in [
            ("a:{x}", format!("a:{long}")),
            ("a:{x}{y}", format!("a:{long}w")),
            ("a:{y}-{x}", format!("a:u-{long}")),
            ("a:{+x}/{y}", format!("a:{long}/w")),
            ("a:{.x}", format!("a:.{long}")),
            ("a:{y}{?x}", format!("a:w?x={long}")),
            ("a:{y}/{+x}{#f}", format!("a:w/{long}#f")),
        ] {
            let found = template(text).matches(&uri).unwrap_or_default();
            assert!(found.get("x") == Some(&long), "{text}, {length} characters");
        }
    }
}

#[test]
fn commas_divide_only_where_the_template_says_so() {
    check(&[
        ("a:{x}", &[("a:1,2", "x=1,2")]),
        ("a:{x,y}", &[("a:1,2", "x=1 y=2"), ("a:1", "-"), ("a:1,", "-"), ("a:1,2,3", "-")]),
        ("a:{x*}", &[("a:1", "x=[1]"), ("a:1,2%2C3", "x=[1|2,3]"), ("a:1,,2", "-"), ("a:", "-")]),
        ("a:{x*,y}", &[("a:1,2,3", "x=[1|2] y=3"), ("a:1", "-")]),
        ("a:{+x,y}", &[("a:/1,/2", "x=/1 y=/2")]),
        ("a:{+x*}", &[("a:/1,/2", "x=[/1|/2]")]),
        ("a{#x,y}", &[("a#1,2", "x=1 y=2"), ("a#1", "x=1"), ("a#,2", "x= y=2"), ("a", "")]),
        ("a{#x*}", &[("a#1,,2", "x=[1||2]")]),
    ]);
}

#[test]
fn reserved_values_reach_as_far_as_the_template_lets_them() {
    check(&[
        (
            "a:{+x}",
            &[
                ("a:/b/c?d=e#f", "x=/b/c?d=e#f"),
                ("a:b%2Fc%20d", "x=b/c d"),
                ("a:http://[::1]/", "x=http://[::1]/"),
                ("a:", "-"),
            ],
        ),
        ("a:{+x}/{y}", &[("a:b/c/d", "x=b/c y=d"), ("a:/d", "-"), ("a:b/", "-")]),
        ("a:{+x}@{v}", &[("a:@scope/name@1.0", "v=1.0 x=@scope/name"), ("a:@scope/name", "-")]),
        (
            "a:{+x}{?q}",
            &[
                ("a:b/c?q=1", "q=1 x=b/c"),
                ("a:b/c", "x=b/c"),
                ("a:b/c?q=1&other=2", "-"),
                ("a:b/c?other=2", "-"),
                ("a:b#c?q=1", "-"),
            ],
        ),
        ("a:{+x}?q={+q}", &[("a:b?q=c?d", "q=c?d x=b")]),
        ("a:{+x}{#f}", &[("a:b?c#d", "f=d x=b?c"), ("a:b?c", "x=b?c")]),
        (
            "a{#x}",
            &[
                ("a", ""),
                ("a#", "x="),
                ("a#/b?c", "x=/b?c"),
                ("a#b%2Fc", "x=b/c"),
                ("a#b#c", "-"),
                ("ab", "-"),
            ],
        ),
    ]);
}

#[test]
fn segments_and_labels_are_taken_in_order() {
    check(&[
        (
            "a:{/x,y}",
            &[
                ("a:", ""),
                ("a:/1", "x=1"),
                ("a:/1/2", "x=1 y=2"),
                ("a:/1%2C/2.3", "x=1, y=2.3"),
                ("a:/1/2/3", "-"),
                ("a:/", "-"),
                ("a:/1/", "-"),
                ("a://1", "-"),
                ("a:1", "-"),
            ],
        ),
        ("a:{/x}{/y}", &[("a:/1", "x=1"), ("a:/1/2", "x=1 y=2")]),
        ("a:{/x*}", &[("a:", ""), ("a:/1", "x=[1]"), ("a:/1/2/3", "x=[1|2|3]"), ("a:/1//3", "-")]),
        ("a:{/x*}/{y}", &[("a:/1/2/3", "x=[1|2] y=3"), ("a:/3", "y=3"), ("a:/1/2/", "-")]),
        ("a:{/x*,y}", &[("a:/1/2/3", "x=[1|2] y=3"), ("a:/1", "x=[1]")]),
        ("a:{/x*}/end{?q}", &[("a:/1/end/end?q=/end", "q=/end x=[1|end]")]),
        ("a{.x}", &[("a", ""), ("a.b", "x=b"), ("a.b.c", "x=b.c"), ("a.", "-"), ("ab", "-")]),
        ("a{.x,y}", &[("a.b.c", "x=b y=c"), ("a.b", "x=b"), ("a.b.c.d", "-")]),
        ("a{.x*}", &[("a.b.c", "x=[b|c]"), ("a.b..c", "-")]),
        // What may be absent is present if it can be.
        ("a:{name}{.ext}", &[("a:f.tar.gz", "ext=gz name=f.tar"), ("a:f", "name=f")]),
        (
            "a:{name}{.ext}{;v}",
            &[
                ("a:f.rs;v=1", "ext=rs name=f v=1"),
                ("a:f;v=1", "name=f v=1"),
                ("a:f.rs", "ext=rs name=f"),
                ("a:f;w=1", "name=f;w=1"),
            ],
        ),
    ]);
}

#[test]
fn pairs_come_in_any_order_and_each_once() {
    check(&[
        (
            "a{?x,y}",
            &[
                ("a", ""),
                ("a?x=1", "x=1"),
                ("a?y=2", "y=2"),
                ("a?x=1&y=2", "x=1 y=2"),
                ("a?y=2&x=1", "x=1 y=2"),
                ("a?x=", "x="),
                ("a?x", "x="),
                ("a?x&y=2", "x= y=2"),
                ("a?x=a%26b%3Dc+d%20e", "x=a&b=c+d e"),
                ("a?x=/b?c;d,e=f:@", "x=/b?c;d,e=f:@"),
                ("a?x=..%2F", "x=../"),
                ("a?x=1&x=2", "-"),
                ("a?x=1&z=3", "-"),
                ("a?z=3&x=1", "-"),
                ("a?X=1", "-"),
                ("a?%78=1", "-"),
                ("a?", "-"),
                ("a?x=1&", "-"),
                ("a?&x=1", "-"),
                ("a?x=1&&y=2", "-"),
                ("a?x=1?y=2", "x=1?y=2"),
                ("a&x=1", "-"),
                ("a?x=1#f", "-"),
                ("a?x=%ff", "-"),
                ("a?x=é", "-"),
            ],
        ),
        (
            "a{?x}{&y}{#f}",
            &[("a?x=1&y=2#3", "f=3 x=1 y=2"), ("a?x=1#3", "f=3 x=1"), ("a?y=2", "-")],
        ),
        ("a?k=v{&x,y}", &[("a?k=v", ""), ("a?k=v&y=2&x=1", "x=1 y=2"), ("a?k=v&z=1", "-")]),
        ("a{?x}&k=v", &[("a?x=1&k=v", "x=1"), ("a&k=v", "")]),
        ("a?q={q}{&x}", &[("a?q=b&x=1", "q=b x=1"), ("a?q=b&y=1", "q=b&y=1"), ("a?q=%2F", "-")]),
        (
            "a{;x,y}",
            &[
                ("a", ""),
                ("a;x=1;y=2", "x=1 y=2"),
                ("a;y;x=1", "x=1 y="),
                ("a;x=1;x=1", "-"),
                ("a;z", "-"),
                ("a;", "-"),
            ],
        ),
        ("a{;x}{/y}{?z}", &[("a;x=1/2?z=3", "x=1 y=2 z=3"), ("a/2", "y=2"), ("a?z=3", "z=3")]),
        // A value before pairs leaves them all to the pairs; one can end where the template goes on.
        (
            "a:{n}{;x,y}",
            &[
                ("a:n;x=1;y=2", "n=n x=1 y=2"),
                ("a:n;z;y=2;x", "n=n;z x= y=2"),
                ("a:n;x=1;x=2", "n=n;x=1 x=2"),
            ],
        ),
        ("a:{n}{;x}.json", &[("a:n;x=1.json", "n=n x=1"), ("a:n;x=.json", "n=n x=")]),
        ("a:{n}{;x}{.e}", &[("a:n.m;x=1.2.rs", "e=rs n=n.m x=1.2")]),
        ("a{;x}{;y}{;x}", &[("a;x=1;y=2;x=1", "x=1 y=2"), ("a;x=1;y=2;x=3", "-")]),
        // Exploded: a list of its own name, or a map of what nobody else asked for.
        (
            "a{?x*}",
            &[
                ("a?x=1", "x=[1]"),
                ("a?x=1&x=2", "x=[1|2]"),
                ("a?k=1&l=2", "x={k:1|l:2}"),
                ("a?x=1&k%20=2", "x={x:1|k :2}"),
                ("a?=1", "-"),
            ],
        ),
        ("a{?x,y*}", &[("a?k=1&x=2&y=3", "x=2 y={k:1|y:3}"), ("a?x=1&x=2", "-")]),
        ("a{?x*}&end=1", &[("a?x=1&x=2&end=1", "x=[1|2]")]),
        ("a{;x*}", &[("a;x=1;x=2", "x=[1|2]"), ("a;k;l=2", "x={k:|l:2}")]),
    ]);
}

#[test]
fn repeated_variables_and_prefixes_agree() {
    check(&[
        ("a:{x}/{x}", &[("a:1/1", "x=1"), ("a:1/2", "-"), ("a:a%2D/a-", "x=a-")]),
        (
            "a:{x:3}",
            &[("a:12", "x=12"), ("a:123", "x=123"), ("a:1234", "-"), ("a:%C3%A9bc", "x=ébc")],
        ),
        ("a:{x:1}/{x}", &[("a:v/value", "x=value"), ("a:w/value", "-"), ("a:va/value", "-")]),
        ("a:{x:3}/{x:1}", &[("a:val/v", "x=val"), ("a:val/w", "-")]),
        ("a:{x:1}{y}", &[("a:123", "x=1 y=23"), ("a:%C3%A923", "x=é y=23")]),
        ("a:{x:2}{y:1}", &[("a:123", "x=12 y=3"), ("a:12", "x=1 y=2"), ("a:1234", "-")]),
        ("a{?x:2}", &[("a?x=12", "x=12"), ("a?x=123", "-")]),
        ("a:{x*}/{x}", &[("a:1/1", "-")]),
    ]);
}

#[test]
fn the_most_specific_template_comes_first() {
    let mut found: Vec<_> = [
        "d://{+rest}",
        "d://{name}",
        "d://{name}/{version}",
        "d://{name}/{+path}",
        "d://serde/{version}",
        "d://{name,version}",
        "d://{name}/latest",
        "d://serde/1.0",
    ]
    .map(template)
    .into();
    found.sort_by_key(|template| std::cmp::Reverse(template.specificity()));
    assert_eq!(
        found.iter().map(|template| template.as_str()).collect::<Vec<_>>(),
        [
            "d://serde/1.0",
            "d://{name}/latest",
            "d://serde/{version}",
            "d://{name}/{version}",
            "d://{name}/{+path}",
            "d://{name}",
            "d://{name,version}",
            "d://{+rest}",
        ]
    );
}
