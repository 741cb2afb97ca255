//! From the text of a template to its parts, with the position of whatever is wrong.
//!
//! Fed by `UriTemplate::new`. One pass, no recursion; templates come from peers too, so nothing is
//! kept before its limit was checked.

use super::characters::{RESERVED, UNRESERVED, is_literal_beyond_ascii};
use super::error::TemplateProblem as Problem;
use super::escape::{encode_into, starts_with_escape};
use super::template::{Expression, Modifier, Operator, Part, Variable};
use super::{UriLimits, UriTemplateError};

/// Longest prefix length that RFC 6570 can write.
const PREFIX_DIGITS_MAX: usize = 4;

pub(super) fn parse(template: &str, limits: &UriLimits) -> Result<Vec<Part>, UriTemplateError> {
    let max = limits.template_bytes_max;
    if template.len() > max {
        return Err(UriTemplateError::new(max, Problem::TooLong { max }));
    }
    let mut parts = Vec::new();
    let (mut variables, mut pair_expressions) = (0, 0);
    let mut at = 0;
    while at < template.len() {
        let rest = &template[at..];
        if rest.starts_with('{') {
            let fail = |problem| UriTemplateError::new(at, problem);
            let end =
                memchr::memchr(b'}', rest.as_bytes()).ok_or_else(|| fail(Problem::Unclosed))?;
            let expression = expression(&rest[1..end], at + 1)?;
            variables += expression.variables.len();
            pair_expressions += usize::from(expression.operator.is_named());
            if variables > limits.variables_max {
                return Err(fail(Problem::TooManyVariables { max: limits.variables_max }));
            }
            if pair_expressions > limits.pair_expressions_max {
                let max = limits.pair_expressions_max;
                return Err(fail(Problem::TooManyPairExpressions { max }));
            }
            parts.push(Part::Expression(expression));
            at += end + 1;
        } else {
            let end = memchr::memchr(b'{', rest.as_bytes()).unwrap_or(rest.len());
            parts.push(Part::Literal(literal(&rest[..end], at)?));
            at += end;
        }
    }
    Ok(parts)
}

/// Checks literal text and escapes what a URI cannot hold.
fn literal(text: &str, position: usize) -> Result<String, UriTemplateError> {
    for (at, found) in text.char_indices() {
        let legal = match found {
            '}' => Err(Problem::StrayBrace),
            '%' if !starts_with_escape(&text.as_bytes()[at..]) => Err(Problem::BrokenEscape),
            '%' => Ok(()),
            _ => match u8::try_from(found) {
                Ok(byte) if UNRESERVED.with(RESERVED).has(byte) => Ok(()),
                _ if is_literal_beyond_ascii(found) => Ok(()),
                _ => Err(Problem::InLiteral(found)),
            },
        };
        legal.map_err(|problem| UriTemplateError::new(position + at, problem))?;
    }
    let mut escaped = String::with_capacity(text.len());
    encode_into(&mut escaped, text, UNRESERVED.with(RESERVED), true);
    Ok(escaped)
}

/// Reads what stands between braces; `position` is where `text` starts in the template.
fn expression(text: &str, position: usize) -> Result<Expression, UriTemplateError> {
    let first = text.chars().next();
    let first = first.ok_or_else(|| UriTemplateError::new(position, Problem::EmptyExpression))?;
    if matches!(first, '=' | ',' | '!' | '@' | '|') {
        return Err(UriTemplateError::new(position, Problem::ReservedOperator(first)));
    }
    let operator = u8::try_from(first).ok().and_then(Operator::of);
    let mut at = usize::from(operator.is_some());
    let mut variables = Vec::new();
    for spec in text[at..].split(',') {
        variables.push(variable(spec, position + at)?);
        at += spec.len() + 1;
    }
    Ok(Expression { operator: operator.unwrap_or(Operator::Simple), variables })
}

/// Reads one name with its modifier.
fn variable(spec: &str, position: usize) -> Result<Variable, UriTemplateError> {
    let fail = |at: usize, problem| Err(UriTemplateError::new(position + at, problem));
    let name_end = spec.find([':', '*']).unwrap_or(spec.len());
    let (name, modifier) = spec.split_at(name_end);
    let mut at = 0;
    // A dot joins two parts of a name, so a name neither starts nor ends with one.
    for piece in name.split('.') {
        if piece.is_empty() {
            return match spec[at..].chars().next() {
                Some('.') => fail(at, Problem::InName('.')),
                _ if at > 0 => fail(at - 1, Problem::InName('.')),
                _ => fail(0, Problem::MissingName),
            };
        }
        for (offset, found) in piece.char_indices() {
            match found {
                '%' if !starts_with_escape(&piece.as_bytes()[offset..]) => {
                    return fail(at + offset, Problem::BrokenEscape);
                }
                '%' | '_' => {}
                _ if found.is_ascii_alphanumeric() => {}
                _ => return fail(at + offset, Problem::InName(found)),
            }
        }
        at += piece.len() + 1;
    }
    let modifier = match modifier.as_bytes() {
        [] => Modifier::None,
        [b'*'] => Modifier::Explode,
        [b'*', ..] => {
            let found = modifier[1..].chars().next().unwrap_or_default();
            return fail(name_end + 1, Problem::AfterModifier(found));
        }
        _ => {
            let digits = modifier[1..].bytes().take_while(u8::is_ascii_digit).count();
            let number = &modifier[1..=digits];
            if digits == 0 || digits > PREFIX_DIGITS_MAX || number.starts_with('0') {
                return fail(name_end, Problem::PrefixLength);
            }
            if let Some(found) = modifier[1 + digits..].chars().next() {
                return fail(name_end + 1 + digits, Problem::AfterModifier(found));
            }
            match number.parse() {
                Ok(length) => Modifier::Prefix(length),
                Err(_) => return fail(name_end, Problem::PrefixLength),
            }
        }
    };
    Ok(Variable { name: name.to_owned(), modifier, position })
}

#[cfg(test)]
mod tests {
    use super::super::{UriLimits, UriTemplate};

    #[test]
    fn mistakes_are_named_where_they_are() {
        for (template, position, words) in [
            ("a:{", 2, "never closed"),
            ("a:{b", 2, "never closed"),
            ("a:}b", 2, "closes nothing"),
            ("a:{b}}", 5, "closes nothing"),
            ("a:{{b}}", 3, "'{' cannot stand in a variable name"),
            ("a:{}", 3, "names no variable"),
            ("a:{?}", 4, "name is missing"),
            ("a:{b,}", 5, "name is missing"),
            ("a:{,b}", 3, "operator `,` is reserved"),
            ("a:{b,,c}", 5, "name is missing"),
            ("a:{!b}", 3, "operator `!` is reserved"),
            ("a:{=b}", 3, "operator `=` is reserved"),
            ("a:{@b}", 3, "operator `@` is reserved"),
            ("a:{|b}", 3, "operator `|` is reserved"),
            ("a:{b-c}", 4, "'-' cannot stand in a variable name"),
            ("a:{b c}", 4, "' ' cannot stand"),
            ("a:{+ b}", 4, "' ' cannot stand"),
            ("a:{$b}", 3, "'$' cannot stand"),
            ("a:{b..c}", 5, "'.' cannot stand"),
            ("a:{?.b}", 4, "'.' cannot stand"),
            ("a:{b.}", 4, "'.' cannot stand"),
            ("a:{bé}", 4, "'é' cannot stand"),
            ("a:{b%4}", 4, "two hexadecimal digits"),
            ("a:{b:}", 4, "length from 1 to 9999"),
            ("a:{b:0}", 4, "length from 1 to 9999"),
            ("a:{b:01}", 4, "length from 1 to 9999"),
            ("a:{b:10000}", 4, "length from 1 to 9999"),
            ("a:{b:-1}", 4, "length from 1 to 9999"),
            ("a:{b:1*}", 6, "'*' after a modifier"),
            ("a:{b*:1}", 5, "':' after a modifier"),
            ("a:{b**}", 5, "'*' after a modifier"),
            ("a:{*}", 3, "name is missing"),
            ("a b", 1, "' ' cannot stand in a URI"),
            ("a\nb", 1, "'\\n' cannot stand in a URI"),
            ("a\\b", 1, "cannot stand in a URI"),
            ("a<b", 1, "'<' cannot stand in a URI"),
            ("é\u{E0041}", 2, "cannot stand in a URI"),
            ("a\u{85}", 1, "cannot stand in a URI"),
            ("a%4", 1, "two hexadecimal digits"),
            ("a%{b}", 1, "two hexadecimal digits"),
        ] {
            let error = UriTemplate::new(template).expect_err(template);
            assert_eq!(error.position(), position, "{template}: {error}");
            assert!(error.to_string().contains(words), "{template}: {error}");
        }
    }

    #[test]
    fn unusual_templates_are_accepted() {
        for (template, names) in [
            ("", vec![]),
            ("a:", vec![]),
            ("{b}", vec!["b"]),
            ("a:{b.c_D9%20}{b.c_D9%20}", vec!["b.c_D9%20"]),
            ("a:{b:9999,c*,d}{?e}", vec!["b", "c", "d", "e"]),
            ("a:{1}{_}", vec!["1", "_"]),
            ("a:'é%C3%A9{#b}", vec!["b"]),
        ] {
            let parsed = UriTemplate::new(template).expect(template);
            assert_eq!(parsed.variable_names().collect::<Vec<_>>(), names, "{template}");
            assert_eq!(parsed.as_str(), template);
            assert_eq!(parsed.to_string().parse::<UriTemplate>().as_ref(), Ok(&parsed));
        }
    }

    #[test]
    fn limits_hold_exactly() {
        let limits = UriLimits {
            uri_bytes_max: 5,
            template_bytes_max: 12,
            variables_max: 3,
            pair_expressions_max: 2,
        };
        let parse = |template: &str| UriTemplate::with_limits(template, &limits);
        for (template, position) in [
            ("aaaaaaaaaaaa", None),
            ("aaaaaaaaaaaaa", Some(12)),
            ("{a,b,c}", None),
            ("{a,b,c,d}", Some(0)),
            ("{a}{b}{c}", None),
            ("{a}{b}{c}{d}", Some(9)),
            ("{?a}{&b}{c}", None),
            ("{?a}{&b}{;c}", Some(8)),
        ] {
            let found = parse(template).err().map(|error| error.position());
            assert_eq!(found, position, "{template}");
        }
        let template = parse("{a}").unwrap();
        assert!(template.matches("12345").is_some());
        assert!(template.matches("123456").is_none());
    }
}
