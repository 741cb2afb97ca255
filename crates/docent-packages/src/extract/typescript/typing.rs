//! The types in the text of a signature, as far as each is one name.
//!
//! Feeds [`super::certain`]. Signatures are as the source has them, so brackets, generics and
//! function types all occur; what is not plain is left out.

/// The names of the types that all overloads of one function agree on.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Signature {
    /// The types of the parameters.
    pub(super) takes: Vec<Option<String>>,
    /// The type of what it returns or, of a value, its own.
    pub(super) returns: Option<String>,
    /// Whether that comes in a promise.
    pub(super) awaited: bool,
    /// Where overloads do not agree: numbers of arguments, and the type that those agree on that
    /// take as many.
    pub(super) returns_for: Vec<(u32, String)>,
    /// How many arguments it needs.
    needs: usize,
    /// Whether it takes any number more than it names.
    takes_more: bool,
}

impl Signature {
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let first = one(lines.next()?)?;
        let others = lines.map(one).collect::<Option<Vec<Self>>>()?;
        let agree = others
            .iter()
            .all(|other| (&first.returns, first.awaited) == (&other.returns, other.awaited));
        let returns_for = if agree { Vec::new() } else { by_count(&first, &others) };
        let mut all = Self { returns_for, ..first };
        if !agree {
            (all.returns, all.awaited) = (None, false);
        }
        for other in others {
            for (at, name) in other.takes.into_iter().enumerate() {
                match all.takes.get_mut(at) {
                    Some(known) if *known != name => *known = None,
                    Some(_) => {}
                    None => all.takes.push(name),
                }
            }
        }
        Some(all)
    }
}

/// What overloads agree on for each number of arguments.
fn by_count(first: &Signature, others: &[Signature]) -> Vec<(u32, String)> {
    const COUNT_MAX: usize = 8;
    let mut found = Vec::new();
    for count in 0..=COUNT_MAX {
        let fits =
            |one: &&Signature| one.needs <= count && (one.takes_more || count <= one.takes.len());
        let mut fitting = std::iter::once(first).chain(others).filter(fits);
        let Some(one) = fitting.next() else { continue };
        // Without arguments, the first one that fits is the one that is called.
        let agree =
            count == 0 || fitting.all(|other| other.returns == one.returns && !other.awaited);
        if let (Some(name), true, false) = (&one.returns, agree, one.awaited) {
            found.push((u32::try_from(count).unwrap_or(u32::MAX), name.clone()));
        }
    }
    found
}

/// What one line says.
fn one(line: &str) -> Option<Signature> {
    let line = line.trim().trim_end_matches([';', ',']);
    let open = at_top(line, |byte| byte == b'(');
    let colon = at_top(line, |byte| byte == b':');
    let (parameters, of) = match (open, colon) {
        (Some(open), colon) => {
            let end = open + closing(&line[open..])?;
            let rest = line[end + 1..].trim_start();
            let of = match colon.filter(|&colon| colon < open) {
                // `name: (…) => type`
                Some(_) => rest.strip_prefix("=>")?,
                None => rest.strip_prefix(':').unwrap_or_default(),
            };
            (&line[open + 1..end], of)
        }
        (None, Some(colon)) => ("", &line[colon + 1..]),
        (None, None) => return None,
    };
    let generics = generics(line);
    let own = |name: String| (!generics.contains(&name)).then_some(name);
    let parameters = split(parameters);
    let is_optional = |parameter: &&str| {
        let name = parameter.split(':').next().unwrap_or_default().trim();
        name.ends_with('?') || name.starts_with("...")
    };
    let needs = parameters.iter().filter(|parameter| !is_optional(parameter)).count();
    let takes_more = parameters.iter().any(|parameter| parameter.trim().starts_with("..."));
    let takes = parameters.into_iter().map(|parameter| taken(parameter).and_then(own));
    let (awaited, of) = match of.trim().strip_prefix("Promise<") {
        Some(inner) => (true, inner.strip_suffix('>').unwrap_or_default()),
        None => (false, of),
    };
    let returns = name(of).and_then(own);
    let awaited = awaited && returns.is_some();
    let (takes, returns_for) = (takes.collect(), Vec::new());
    Some(Signature { takes, awaited, returns, returns_for, needs, takes_more })
}

/// The type of a parameter.
fn taken(parameter: &str) -> Option<String> {
    let parameter = parameter.trim();
    if parameter.starts_with("...") {
        return None;
    }
    let colon = at_top(parameter, |byte| byte == b':')?;
    let of = parameter[colon + 1..].trim();
    let of = of.strip_suffix("| undefined").or_else(|| of.strip_suffix("| null")).unwrap_or(of);
    let of = of.trim();
    let whole = ["Readonly<", "Partial<"].iter().find_map(|wrap| of.strip_prefix(wrap));
    name(whole.and_then(|inner| inner.strip_suffix('>')).unwrap_or(of))
}

/// The name that a type is, applied to others or not.
fn name(of: &str) -> Option<String> {
    let of = of.trim();
    let end = of.find(|letter: char| !(letter.is_alphanumeric() || "_$.".contains(letter)));
    let (name, rest) = of.split_at(end.unwrap_or(of.len()));
    let applied = rest.starts_with('<') && closing(rest) == Some(rest.len() - 1);
    let starts = name.starts_with(|first: char| first.is_alphabetic() || "_$".contains(first));
    (starts && (rest.is_empty() || applied)).then(|| name.to_owned())
}

/// The names of the type parameters in the head of a declaration.
pub(super) fn generics(head: &str) -> Vec<String> {
    let line = head.lines().next().unwrap_or_default();
    let end = line.find(['(', '{', ':']).unwrap_or(line.len());
    let Some(open) = line[..end].find('<') else { return Vec::new() };
    let Some(close) = closing(&line[open..]) else { return Vec::new() };
    let one = |parameter: &str| {
        let words = parameter.split_whitespace();
        let word = words.into_iter().find(|word| !matches!(*word, "const" | "in" | "out"))?;
        Some(word.split(['=', ',']).next().unwrap_or(word).to_owned())
    };
    split(&line[open + 1..open + close]).into_iter().filter_map(one).collect()
}

/// The parts between commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = at_top(rest, |byte| byte == b',') {
        parts.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    if !rest.trim().is_empty() {
        parts.push(rest);
    }
    parts
}

/// The first wanted character outside of all brackets; all that are wanted are ASCII.
fn at_top(text: &str, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    let mut before = b' ';
    let mut quote: Option<u8> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, _) if depth == 0 && wanted(byte) => return Some(at),
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{' | b'<') => depth += 1,
            (None, b'>') if before == b'=' => {}
            (None, b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = byte;
    }
    None
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let inner = text.char_indices().nth(1)?.0;
    let closes = |byte| matches!(byte, b')' | b']' | b'}' | b'>');
    let end = at_top(&text[inner..], closes)?;
    // An arrow is no bracket.
    let mut end = inner + end;
    while text[..end].ends_with('=') && text[end..].starts_with('>') {
        let next = at_top(&text[end + 1..], closes)?;
        end += 1 + next;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, takes: &[&str], returns: &str) {
        let found = Signature::of(text).unwrap_or_default();
        let shown: Vec<&str> =
            found.takes.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
        let promise = if found.awaited { "await " } else { "" };
        let of = format!("{promise}{}", found.returns.as_deref().unwrap_or("-"));
        assert_eq!((&shown[..], of.as_str()), (takes, returns), "{text}");
    }

    #[test]
    fn types_that_are_names_are_found() {
        check("function f(a: A, b?: B): C", &["A", "B"], "C");
        check("function f<T>(a: T, b: B<T>): Promise<C<T>>;", &["-", "B"], "await C");
        check("create(options?: Partial<Options>): this", &["Options"], "this");
        check("min: (value: number, params?: a.B) => this", &["number", "a.B"], "this");
        check("readonly headers: Headers", &[], "Headers");
        check("on(name: 'a' | 'b', each: (x: X) => void): A | B", &["-", "-"], "-");
        check("f({ a, b }: Options, ...rest: R[]): void", &["Options", "-"], "void");
        check("f(a: A): B\nf(a: C, d: D): B", &["-", "D"], "B");
        check("f(a: A): B\nf(a: A): C", &["A"], "-");
        check("f(a: Map<string, () => X>, b: B): C", &["Map", "B"], "C");
        check("f(a: A | undefined): C[]", &["A"], "-");
        check("const a: (A | B)", &[], "-");
        check("", &[], "-");
    }

    #[test]
    fn overloads_are_told_apart_by_the_number_of_arguments() {
        let check = |text, expected: &[(u32, &str)]| {
            let found = Signature::of(text).unwrap_or_default().returns_for;
            let found: Vec<(u32, &str)> = found.iter().map(|(n, of)| (*n, of.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("f(a?: A): B\nf<T>(a: T): C<T>", &[(0, "B")]);
        check("name(a: string): this\nname(): string", &[(0, "string"), (1, "this")]);
        check("f(): B\nf(a: A): B", &[]);
        check(
            "f(a: A, ...rest: R[]): B\nf(): Promise<C>",
            &[(1, "B"), (2, "B"), (3, "B"), (4, "B"), (5, "B"), (6, "B"), (7, "B"), (8, "B")],
        );
    }

    #[test]
    fn type_parameters_are_known() {
        assert_eq!(generics("interface A<out T = unknown, in U extends B<C>> {"), ["T", "U"]);
        assert_eq!(generics("class A"), [""; 0]);
    }
}
