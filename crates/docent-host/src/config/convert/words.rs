//! Texts with references, in another client's syntax.

use std::path::Path;

use crate::config::dialect::Dialect;
use crate::config::draft::Draft;
use crate::config::expand::{Folder, Piece, Reference, Template};
use crate::config::input;
use crate::config::machine::{Machine, Platform};

/// Translates texts, and notes what cannot be translated.
pub(super) struct Words<'a> {
    pub(super) to: &'static Dialect,
    machine: &'a Machine,
    /// The server's name.
    pub(super) name: &'a str,
    /// The project's folder.
    workspace: &'a Path,
    pub(super) losses: Vec<String>,
    pub(super) impossible: Vec<String>,
    /// The ids of the questions that were kept.
    pub(super) asked: Vec<String>,
}

impl<'a> Words<'a> {
    pub(super) fn new(
        to: &'static Dialect,
        machine: &'a Machine,
        name: &'a str,
        workspace: &'a Path,
    ) -> Self {
        let (losses, impossible, asked) = Default::default();
        Words { to, machine, name, workspace, losses, impossible, asked }
    }

    /// Something that the other client has no words for, and does without.
    pub(super) fn lose(&mut self, what: &str) {
        self.losses.push(format!("{} has no place for {what}", self.to.name));
    }

    /// For a client that asks no questions, each becomes a variable that the user can set.
    pub(super) fn without_questions(&mut self, draft: &Draft) -> Draft {
        let mut draft = draft.clone();
        if self.to.syntax.input {
            return draft;
        }
        for piece in draft.templates_mut().into_iter().flat_map(|template| &mut template.pieces) {
            let Piece::Reference(raw, reference) = piece else { continue };
            let Reference::Input(id) = reference else { continue };
            let name = input::as_variable(id);
            self.losses.push(format!(
                "{} asks no questions: set the variable `{name}` instead of `{raw}`",
                self.to.name
            ));
            *reference = Reference::Variable { name, default: None };
        }
        draft
    }

    /// A text in the other syntax.
    pub(super) fn text(&mut self, template: &Template, field: &str) -> String {
        let mut text = String::new();
        for piece in &template.pieces {
            match piece {
                Piece::Text(literal) => text.push_str(&self.literal(literal, field)),
                Piece::Reference(raw, reference) => {
                    text.push_str(&self.reference(raw, reference, field));
                }
            }
        }
        text
    }

    /// What was meant literally may be a reference to the other client.
    fn literal(&mut self, text: &str, field: &str) -> String {
        let syntax = self.to.syntax;
        let platform = self.machine.platform();
        let theirs = Template::parse(text, 0, syntax, platform);
        let expanded = |(_, reference): (&str, &Reference)| *reference != Reference::Foreign;
        if !theirs.references().any(expanded) {
            return text.to_owned();
        }
        if syntax.escape {
            return text.replace("${", "$${");
        }
        self.losses.push(format!("{} would expand what stands in `{field}`", self.to.name));
        text.to_owned()
    }

    fn reference(&mut self, raw: &str, reference: &Reference, field: &str) -> String {
        match reference {
            Reference::Variable { name, default } => {
                self.variable(raw, name, default.as_deref(), field)
            }
            Reference::Input(id) if self.to.syntax.input => {
                self.asked.push(id.clone());
                format!("${{input:{id}}}")
            }
            Reference::Folder(folder) if self.to.syntax.folders => {
                format!("${{{}}}", folder.name())
            }
            Reference::Folder(folder) => {
                let path = self.folder(*folder);
                self.losses.push(format!("`{raw}` became `{path}`"));
                path
            }
            Reference::File(path) if self.to.syntax.curly => format!("{{file:{path}}}"),
            Reference::Foreign => self.literal(raw, field),
            Reference::Input(_) | Reference::File(_) | Reference::Nested => self.no_way(raw, field),
        }
    }

    fn variable(&mut self, raw: &str, name: &str, default: Option<&str>, field: &str) -> String {
        let syntax = self.to.syntax;
        let kept = default.filter(|_| syntax.default);
        if default.is_some() && kept.is_none() && (syntax.env || syntax.braces || syntax.curly) {
            self.losses.push(format!("the default of `{raw}` is lost: {} has none", self.to.name));
        }
        let default = kept.map(|default| format!(":-{default}")).unwrap_or_default();
        match () {
            () if syntax.braces => format!("${{{name}{default}}}"),
            () if syntax.env => format!("${{env:{name}{default}}}"),
            () if syntax.curly => format!("{{env:{name}}}"),
            () => self.no_way(raw, field),
        }
    }

    /// A reference that the other client cannot express. Its value is not written in its place:
    /// values of references are secrets, and belong in no file.
    fn no_way(&mut self, raw: &str, field: &str) -> String {
        let client = self.to.name;
        self.impossible.push(format!("{client} has no way to say `{raw}` in `{field}`"));
        raw.to_owned()
    }

    fn folder(&self, folder: Folder) -> String {
        let workspace = self.workspace;
        match folder {
            Folder::Workspace => workspace.display().to_string(),
            Folder::WorkspaceName => {
                workspace.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            Folder::Home => self.machine.home().unwrap_or(workspace).display().to_string(),
            Folder::Separator if self.machine.platform() == Platform::Windows => "\\".to_owned(),
            Folder::Separator => "/".to_owned(),
        }
    }
}
