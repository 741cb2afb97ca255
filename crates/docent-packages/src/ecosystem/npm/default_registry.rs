//! The registry that the user's own tools ask when no configuration names one.

use url::Url;

use crate::Ecosystem;
use crate::ecosystem::Context;

type Question = (&'static str, &'static [&'static str]);

/// The questions, in the order they are asked.
const QUESTIONS: &[Question] = &[
    ("npm", &["config", "get", "registry"]),
    ("pnpm", &["config", "get", "registry"]),
    ("yarn", &["config", "get", "npmRegistryServer"]),
    ("yarn", &["config", "get", "registry"]),
];

/// What `docent.toml` says, else the first answer that is an address.
pub(super) async fn ask(context: &Context<'_>) -> Option<Url> {
    if let Some(set) = context.environment.registry(Ecosystem::Npm) {
        return address(set);
    }
    for (program, arguments) in QUESTIONS {
        let timeout = context.limits.tool_timeout;
        let answer = context.tools.ask(program, arguments, context.environment, timeout).await;
        if let Some(url) = answer.as_deref().and_then(address) {
            return Some(url);
        }
    }
    None
}

/// The address in an answer, which may come after messages of the tool's.
fn address(answer: &str) -> Option<Url> {
    let line = answer.lines().last()?.trim();
    Url::parse(line).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_are_answers() {
        let check = |answer: &str, expected: Option<&str>| {
            assert_eq!(address(answer).as_ref().map(Url::as_str), expected, "{answer}");
        };
        check("https://registry.example/", Some("https://registry.example/"));
        check("notice: new version\nhttps://registry.example", Some("https://registry.example/"));
        for answer in ["undefined", "", "file:///etc/passwd", "null"] {
            check(answer, None);
        }
    }
}
