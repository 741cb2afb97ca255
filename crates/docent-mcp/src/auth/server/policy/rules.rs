//! The rules, and what follows from them for one request.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::subject::{Kind, Subject};
use crate::auth::Claims;
use crate::server::Context;

/// Rules about who may use what, by scope, by claim or by a function; for
/// [`Server::layer`](crate::Server::layer).
///
/// A rule begins with what it is about and goes on with what that needs. `*` stands for any text.
/// Every rule that fits has to be kept; what no rule is about is free to use, unless
/// [`Policy::deny_others`] is said. Lists show only what their reader may use.
///
/// ```
/// use docent_mcp::auth::Policy;
/// use docent_mcp::Server;
///
/// let server = Server::new("notes", "1.0").layer(
///     Policy::new()
///         .tool("delete_*").resource("notes://private/*").needs_scope("notes:admin")
///         .tool("export").needs_scope("notes:read").needs_claim("plan", "pro")
///         .prompt("*").needs(|claims, _| claims.is_some()),
/// );
/// ```
///
/// Who lacks a scope is told which one (over HTTP with 403 and a challenge), because it can be
/// asked for. Who lacks anything else gets the answer that something unknown gets.
///
/// Claims come from the transport. Where it has none, as on standard input, nothing that needs one
/// can be used.
#[derive(Clone, Default)]
pub struct Policy {
    rules: Vec<Rule>,
    deny_others: bool,
}

#[derive(Clone, Default)]
struct Rule {
    subjects: Vec<(Kind, String)>,
    needs: Vec<Need>,
}

type Check = dyn Fn(Option<&Claims>, &Context) -> bool + Send + Sync;

#[derive(Clone)]
enum Need {
    Scope(String),
    Claim(String, Value),
    Check(Arc<Check>),
}

/// Why a request is not let through.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It needs these scopes, all together.
    NeedsScopes(BTreeSet<String>),
    /// This is not there for whoever asks.
    Unknown(Subject),
}

/// What the rules say about one thing.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Allowed,
    /// All scopes that would be needed, of which some are missing.
    NeedsScopes(Vec<String>),
    Denied,
}

impl Policy {
    /// No rules: everything is allowed.
    pub fn new() -> Self {
        Self::default()
    }

    /// What follows is needed to see and call the tools of this name.
    #[must_use]
    pub fn tool(self, name: impl Into<String>) -> Self {
        self.about(Kind::Tool, name.into())
    }

    /// What follows is needed to see, read and watch the resources at this URI. Templates are held
    /// against it as they are written.
    #[must_use]
    pub fn resource(self, uri: impl Into<String>) -> Self {
        self.about(Kind::Resource, uri.into())
    }

    /// What follows is needed to see and get the prompts of this name.
    #[must_use]
    pub fn prompt(self, name: impl Into<String>) -> Self {
        self.about(Kind::Prompt, name.into())
    }

    /// What follows is needed for the requests of this method, those of extensions for example.
    #[must_use]
    pub fn method(self, method: impl Into<String>) -> Self {
        self.about(Kind::Method, method.into())
    }

    /// The token needs this scope.
    #[must_use]
    pub fn needs_scope(self, scope: impl Into<String>) -> Self {
        self.need(Need::Scope(scope.into()))
    }

    /// The token needs this claim: with this value, or a list that holds it.
    #[must_use]
    pub fn needs_claim(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.need(Need::Claim(name.into(), value.into()))
    }

    /// A function decides. It must be quick: it is asked for every entry of a list.
    #[must_use]
    pub fn needs(
        self,
        check: impl Fn(Option<&Claims>, &Context) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.need(Need::Check(Arc::new(check)))
    }

    /// Denies every tool, resource and prompt that no rule is about.
    #[must_use]
    pub fn deny_others(mut self) -> Self {
        self.deny_others = true;
        self
    }

    /// Adds to the rule that has no needs yet, or begins one.
    fn about(mut self, kind: Kind, pattern: String) -> Self {
        match self.rules.last_mut() {
            Some(rule) if rule.needs.is_empty() => rule.subjects.push((kind, pattern)),
            _ => self.rules.push(Rule { subjects: vec![(kind, pattern)], needs: Vec::new() }),
        }
        self
    }

    /// Adds to the last rule. Without one, it is about everything.
    fn need(mut self, need: Need) -> Self {
        if self.rules.is_empty() {
            let everything = [Kind::Tool, Kind::Resource, Kind::Prompt];
            let subjects = everything.map(|kind| (kind, "*".to_owned())).into();
            self.rules.push(Rule { subjects, needs: Vec::new() });
        }
        if let Some(rule) = self.rules.last_mut() {
            rule.needs.push(need);
        }
        self
    }

    /// What the rules say about everything that a request wants to use.
    pub(super) fn decide(&self, subjects: &[Subject], context: &Context) -> Result<(), Refused> {
        let mut missing = BTreeSet::new();
        for subject in subjects {
            for name in std::iter::once(&subject.name).chain(&subject.aliases) {
                match self.judge(subject.kind, name, context) {
                    Verdict::Allowed => {}
                    Verdict::NeedsScopes(scopes) => missing.extend(scopes),
                    Verdict::Denied => return Err(Refused::Unknown(subject.clone())),
                }
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Refused::NeedsScopes(missing)),
        }
    }

    fn judge(&self, kind: Kind, name: &str, context: &Context) -> Verdict {
        let claims = context.claims();
        let mut scopes: Vec<String> = Vec::new();
        let mut known = kind == Kind::Method || !self.deny_others;
        for rule in self.rules.iter().filter(|rule| rule.is_about(kind, name)) {
            known = true;
            for need in &rule.needs {
                match need {
                    Need::Scope(scope) if !scopes.contains(scope) => scopes.push(scope.clone()),
                    Need::Scope(_) => {}
                    Need::Claim(name, value) if claims.is_some_and(|it| says(it, name, value)) => {}
                    Need::Check(check) if check(claims, context) => {}
                    Need::Claim(..) | Need::Check(_) => return Verdict::Denied,
                }
            }
        }
        let held = scopes.iter().all(|scope| claims.is_some_and(|claims| claims.has_scope(scope)));
        match (known, held, claims) {
            (true, true, _) => Verdict::Allowed,
            (true, false, Some(_)) => Verdict::NeedsScopes(scopes),
            _ => Verdict::Denied,
        }
    }
}

impl Rule {
    fn is_about(&self, kind: Kind, name: &str) -> bool {
        self.subjects.iter().any(|(about, pattern)| *about == kind && matches(pattern, name))
    }
}

fn says(claims: &Claims, name: &str, value: &Value) -> bool {
    match claims.get(name) {
        Some(Value::Array(all)) => all.contains(value) || Value::Array(all.clone()) == *value,
        Some(one) => one == value,
        None => false,
    }
}

/// Whether a text is of a form in which `*` stands for any text. Takes at most the product of both
/// lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut read) = (0, 0);
    // Where to go on when what follows the last star does not fit.
    let mut retry: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at, read));
                at += 1;
            }
            Some(byte) if *byte == text[read] => (at, read) = (at + 1, read + 1),
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    (at, read) = (star + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subjects = self.rules.iter().map(|rule| &rule.subjects);
        f.debug_list().entries(subjects).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("admin_*", "admin_", true),
            ("admin_*", "admin_x", true),
            ("admin_*", "my_admin_x", false),
            ("*_admin", "x_admin", true),
            ("*_admin", "x_admin_", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("file:///é/*", "file:///é/x", true),
            ("**", "x", true),
            ("x", "X", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert!(!matches(&"*a".repeat(50), &"a".repeat(49)));
    }
}
