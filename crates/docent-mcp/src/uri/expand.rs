//! From variables to a URI, as RFC 6570 section 3.2 says.
//!
//! Fed by a caller who has variables; `matching` goes the other way.

use super::characters::{Class, RESERVED, UNRESERVED};
use super::error::TemplateProblem;
use super::escape::{encode_into, starts_with_escape};
use super::template::{Expression, Modifier, Operator, Part, Variable};
use super::{UriTemplate, UriTemplateError, UriValue, Variables};

impl UriTemplate {
    /// Writes the URI that the template makes of `variables`.
    ///
    /// Undefined variables leave nothing behind, as RFC 6570 says; check for them first where
    /// each one is needed. The only error is a prefix (`{var:3}`) of a list or a map.
    ///
    /// ```
    /// use docent_mcp::uri::{UriTemplate, Variables};
    ///
    /// let template = UriTemplate::new("search://{index}{/path*}{?q,page}")?;
    /// let variables = Variables::new()
    ///     .with("index", "all docs")
    ///     .with("path", ["std", "io"])
    ///     .with("q", "read & write");
    /// assert_eq!(
    ///     template.expand(&variables)?,
    ///     "search://all%20docs/std/io?q=read%20%26%20write"
    /// );
    /// # Ok::<(), docent_mcp::uri::UriTemplateError>(())
    /// ```
    pub fn expand(&self, variables: &Variables) -> Result<String, UriTemplateError> {
        let mut out = String::with_capacity(self.as_str().len());
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Expression(expression) => write_expression(&mut out, expression, variables)?,
            }
        }
        Ok(out)
    }
}

fn write_expression(
    out: &mut String,
    expression: &Expression,
    variables: &Variables,
) -> Result<(), UriTemplateError> {
    let writer = Writer::of(expression.operator);
    let mut first = true;
    for variable in &expression.variables {
        let value = match variables.value(&variable.name) {
            None => continue,
            Some(UriValue::List(items)) if items.is_empty() => continue,
            Some(UriValue::Map(pairs)) if pairs.is_empty() => continue,
            Some(value) => value,
        };
        if first {
            out.extend(expression.operator.first().map(char::from));
        } else {
            out.push(writer.separator);
        }
        first = false;
        writer.variable(out, variable, value)?;
    }
    Ok(())
}

/// How one operator writes values.
struct Writer {
    separator: char,
    named: bool,
    /// What follows a name whose value is empty.
    if_empty: &'static str,
    allowed: Class,
    keep_escapes: bool,
}

impl Writer {
    fn of(operator: Operator) -> Writer {
        let reserved = operator.allows_reserved();
        Writer {
            separator: char::from(operator.separator()),
            named: operator.is_named(),
            if_empty: if operator == Operator::Parameter { "" } else { "=" },
            allowed: if reserved { UNRESERVED.with(RESERVED) } else { UNRESERVED },
            keep_escapes: reserved,
        }
    }

    fn variable(
        &self,
        out: &mut String,
        variable: &Variable,
        value: &UriValue,
    ) -> Result<(), UriTemplateError> {
        let name = variable.name.as_str();
        match (value, variable.modifier) {
            (UriValue::Text(text), modifier) => {
                let text = match modifier {
                    Modifier::Prefix(length) => self.prefix(text, length),
                    Modifier::None | Modifier::Explode => text,
                };
                if self.named {
                    self.name(out, name, text.is_empty());
                }
                self.encode(out, text);
            }
            (_, Modifier::Prefix(length)) => {
                let problem =
                    TemplateProblem::PrefixOfComposite { name: format!("{name}:{length}") };
                return Err(UriTemplateError::new(variable.position, problem));
            }
            (UriValue::List(items), Modifier::Explode) => {
                self.join(out, self.separator, items, |out, item| {
                    if self.named {
                        self.name(out, name, item.is_empty());
                    }
                    self.encode(out, item);
                });
            }
            (UriValue::Map(pairs), Modifier::Explode) => {
                self.join(out, self.separator, pairs, |out, (key, value)| {
                    // Encoded like a value, so that a key can never start another parameter.
                    self.encode(out, key);
                    if !self.named || !value.is_empty() {
                        out.push('=');
                    } else {
                        out.push_str(self.if_empty);
                    }
                    self.encode(out, value);
                });
            }
            (UriValue::List(items), Modifier::None) => {
                if self.named {
                    self.name(out, name, false);
                }
                self.join(out, ',', items, |out, item| self.encode(out, item));
            }
            (UriValue::Map(pairs), Modifier::None) => {
                if self.named {
                    self.name(out, name, false);
                }
                self.join(out, ',', pairs, |out, (key, value)| {
                    self.encode(out, key);
                    out.push(',');
                    self.encode(out, value);
                });
            }
        }
        Ok(())
    }

    fn name(&self, out: &mut String, name: &str, is_empty: bool) {
        out.push_str(name);
        out.push_str(if is_empty { self.if_empty } else { "=" });
    }

    fn encode(&self, out: &mut String, text: &str) {
        encode_into(out, text, self.allowed, self.keep_escapes);
    }

    fn join<T>(
        &self,
        out: &mut String,
        separator: char,
        items: &[T],
        write: impl Fn(&mut String, &T),
    ) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push(separator);
            }
            write(out, item);
        }
    }

    /// The first characters of a value. An escape that will be kept counts as one character,
    /// because half an escape is none.
    fn prefix<'a>(&self, text: &'a str, length: usize) -> &'a str {
        let mut rest = text;
        for _ in 0..length {
            let Some(first) = rest.chars().next() else { break };
            let escape = self.keep_escapes && starts_with_escape(rest.as_bytes());
            rest = &rest[if escape { 3 } else { first.len_utf8() }..];
        }
        &text[..text.len() - rest.len()]
    }
}
