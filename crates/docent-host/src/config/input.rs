//! Questions that a file asks the user before a server can be started: VS Code's `inputs`.
//!
//! A program that a client starts has nobody to ask, so a variable can hold the answer.

use std::collections::BTreeMap;

use docent_mcp::auth::Secret;

use super::read::Node;

/// A question of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// Its name in the file.
    pub id: String,
    /// What to ask; the id if the file says nothing.
    pub description: String,
    /// Whether the answer must not be seen while it is typed.
    pub password: bool,
    /// The answer if the user gives none.
    pub default: Option<String>,
    /// The answers to choose from; any answer if there are none.
    pub options: Vec<String>,
}

/// Asks the user. It is called once for each question, and only for servers that will be started.
pub trait Ask {
    /// The answer; none if there is nobody to ask, or the user declines.
    fn ask(&mut self, input: &Input) -> Option<Secret>;
}

/// Nobody to ask: questions have their defaults, or fail the servers that need them.
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyToAsk;

impl Ask for NobodyToAsk {
    fn ask(&mut self, _: &Input) -> Option<Secret> {
        None
    }
}

impl<F: FnMut(&Input) -> Option<Secret>> Ask for F {
    fn ask(&mut self, input: &Input) -> Option<Secret> {
        self(input)
    }
}

/// A question's name as that of a variable: `api-key` is `API_KEY`.
pub(crate) fn as_variable(id: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    id.chars().map(letter).collect()
}

/// The variable that answers a question, so that nobody is asked. It has a name of its own: a
/// question `user` is not to be answered with what `USER` happens to be.
pub(crate) fn variable(id: &str) -> String {
    format!("DOCENT_INPUT_{}", as_variable(id))
}

/// A file's questions: either understood, or why not.
pub(crate) type Inputs = BTreeMap<String, Result<Input, String>>;

/// Reads the `inputs` of a file.
pub(crate) fn read(root: &Node) -> Inputs {
    let list = root.get("inputs").and_then(Node::list).unwrap_or_default();
    list.iter().filter_map(|node| Some((node.get("id")?.text()?.to_owned(), one(node)))).collect()
}

fn one(node: &Node) -> Result<Input, String> {
    let text = |name| node.get(name).and_then(Node::text).map(str::to_owned);
    let id = text("id").unwrap_or_default();
    let kind = text("type").unwrap_or_else(|| "promptString".to_owned());
    if !matches!(kind.as_str(), "promptString" | "pickString") {
        return Err(format!("input `{id}` is of type `{kind}`, which only VS Code can answer"));
    }
    // An option is a text, or a table with a label and a value.
    let option = |node: &Node| node.text().or_else(|| node.get("value")?.text()).map(str::to_owned);
    let options = node.get("options").and_then(Node::list).unwrap_or_default();
    Ok(Input {
        description: text("description").unwrap_or_else(|| id.clone()),
        password: node.get("password").and_then(Node::bool).unwrap_or(false),
        default: text("default"),
        options: options.iter().filter_map(option).collect(),
        id,
    })
}

/// The answers to one file's questions, each asked once.
pub(crate) struct Answers<'a> {
    inputs: &'a Inputs,
    ask: &'a mut dyn Ask,
    given: &'a mut BTreeMap<String, Option<Secret>>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(
        inputs: &'a Inputs,
        ask: &'a mut dyn Ask,
        given: &'a mut BTreeMap<String, Option<Secret>>,
    ) -> Self {
        Answers { inputs, ask, given }
    }

    /// The answer, or why there is none.
    pub(crate) fn answer(&mut self, id: &str) -> Result<Secret, String> {
        let input = self
            .inputs
            .get(id)
            .ok_or_else(|| format!("there is no input `{id}` in this file"))?
            .as_ref()
            .map_err(Clone::clone)?;
        let ask = &mut self.ask;
        let answer = self
            .given
            .entry(id.to_owned())
            .or_insert_with(|| ask.ask(input).or_else(|| input.default.clone().map(Secret::from)));
        answer.clone().ok_or_else(|| {
            let (asked, variable) = (&input.description, variable(id));
            format!(
                "it asks for `{asked}` (input `{id}`), and there was no answer; the variable \
                 `{variable}` can hold one"
            )
        })
    }
}
