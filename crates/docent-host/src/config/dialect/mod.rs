//! What differs between the clients, as a table: one row for each.
//!
//! `table` is the table. `find` asks it where files are, `survey` under which key servers stand,
//! `fields` what their keys mean, `expand` which references are expanded; `explain` and `convert`
//! ask the same of the *other* rows.

mod table;
#[cfg(test)]
mod tests;

pub(crate) use table::ROWS;

use super::entry::{Client, HttpKind, Scope};
use super::machine::Platform;
use super::read::Format;

/// A client's ways.
pub(crate) struct Dialect {
    pub(crate) client: Client,
    /// What people call it.
    pub(crate) name: &'static str,
    /// What a command line calls it.
    pub(crate) id: &'static str,
    pub(crate) places: &'static [Place],
    pub(crate) format: Format,
    /// Where servers stand in a file: the place of the newest version first, that of the oldest
    /// last.
    pub(crate) roots: &'static [&'static [&'static str]],
    pub(crate) syntax: Syntax,
    /// The fields it knows, in groups that rows share.
    pub(crate) fields: &'static [&'static [(&'static str, Field)]],
    /// The values of `type` it knows.
    pub(crate) types: &'static [(&'static str, Kind)],
    pub(crate) typing: Typing,
    /// Whether a field that it does not know makes it refuse the entry.
    pub(crate) strict: bool,
    /// Whether entries can have addresses at all.
    pub(crate) remote: bool,
}

/// One place where a client looks.
pub(crate) struct Place {
    pub(crate) scope: Scope,
    pub(crate) base: Base,
    pub(crate) path: &'static str,
    /// Only there; everywhere if none is named.
    pub(crate) only: Option<Platform>,
}

/// What a place is relative to.
#[derive(Clone, Copy)]
pub(crate) enum Base {
    /// Each folder of the project.
    Project,
    /// The home folder.
    Home,
    /// A variable that names a folder, else a folder in the home folder.
    Variable(&'static str, &'static str),
    /// A variable that names the file; without it, nowhere.
    File(&'static str),
    /// Where the platform keeps configuration of applications.
    ApplicationData,
    /// `~/.config`, on macOS too.
    DotConfig,
    /// Docent's own folder, unless `DOCENT_CONFIG` names the file.
    Own,
    /// The root of the file system.
    Root,
}

/// Which references a client expands. What it does not know, it passes on as it is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Syntax {
    /// `${VAR}`
    pub(crate) braces: bool,
    /// `${VAR:-default}`, and `${env:VAR:-default}` where that form exists.
    pub(crate) default: bool,
    /// `${env:VAR}`
    pub(crate) env: bool,
    /// `${input:id}`
    pub(crate) input: bool,
    /// `${workspaceFolder}` and its like.
    pub(crate) folders: bool,
    /// `$VAR`
    pub(crate) dollar: bool,
    /// `%VAR%`, on Windows.
    pub(crate) percent: bool,
    /// `{env:VAR}` and `{file:path}`
    pub(crate) curly: bool,
    /// `$${` for a `${` that is meant literally.
    pub(crate) escape: bool,
}

/// What a value of `type` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Stdio,
    Http(HttpKind),
    /// Something this program cannot speak or start.
    Foreign,
}

/// When `type` is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    /// There is no such field: the others tell.
    Inferred,
    /// Without it, the other fields tell.
    Optional,
    /// An address without it is not understood.
    Remote,
    /// No entry is understood without it.
    Always,
}

/// Who takes a command line apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    /// A shell of the system.
    Used,
    /// Nobody: it is a list already.
    Unused,
}

/// What a field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Type,
    Command,
    Args,
    Env,
    /// A file of variables.
    EnvFile,
    /// Names of variables to pass on if they are set.
    Pass,
    Inherit,
    Cwd,
    /// An address, and the protocol that this name for it promises.
    Url(HttpKind),
    Headers,
    /// The name of a variable that holds a bearer token.
    BearerFrom,
    /// Headers, each with the name of the variable that holds its value.
    HeadersFrom,
    /// A command that prints headers: a line for a shell, or a program and its arguments.
    HeadersHelper(Shell),
    Disabled,
    Enabled,
    /// Times, for the first answer and for calls, in milliseconds or seconds.
    StartMs,
    StartSec,
    CallMs,
    CallSec,
    /// One number for both, or a table with `startup` and `request`, in milliseconds.
    Times,
    Allow,
    Deny,
    /// A table with `allow` and `deny`.
    Tools,
    OAuth,
    Scopes,
    Resource,
    Lazy,
    /// The opposite of lazy.
    Eager,
    /// Means nothing for us.
    Ignored,
    /// Means something that we do not do; what that is.
    Undone(&'static str),
    /// Refused by its owner, for good reason; the field to use in its place.
    Refused(&'static str),
}

impl Dialect {
    pub(crate) fn of(client: Client) -> &'static Dialect {
        // Every client has a row; a test counts them.
        ROWS.iter().find(|row| row.client == client).unwrap_or(&ROWS[0])
    }

    /// The client with that name on a command line.
    pub(crate) fn named(id: &str) -> Option<&'static Dialect> {
        ROWS.iter().find(|row| row.id == id)
    }

    /// What a field of this client means.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        let mut known = self.fields.iter().flat_map(|group| group.iter());
        known.find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    /// What this client calls a field.
    pub(crate) fn name_of(&self, wanted: Field) -> Option<&'static str> {
        let mut known = self.fields.iter().flat_map(|group| group.iter());
        known.find(|(_, field)| *field == wanted).map(|(name, _)| *name)
    }
}

/// Fields that people copy from one client's file into another's. They are understood everywhere,
/// with a warning, because what they mean is beyond doubt.
pub(crate) const COPIED: &[(&str, Field)] = &[
    ("type", Field::Type),
    ("args", Field::Args),
    ("url", Field::Url(HttpKind::Auto)),
    ("baseUrl", Field::Url(HttpKind::Auto)),
    ("serverUrl", Field::Url(HttpKind::Auto)),
    ("httpUrl", Field::Url(HttpKind::Streamable)),
    ("endpoint", Field::Url(HttpKind::Auto)),
    ("headers", Field::Headers),
    ("env", Field::Env),
    ("environment", Field::Env),
    ("cwd", Field::Cwd),
    ("disabled", Field::Disabled),
    ("enabled", Field::Enabled),
];

/// Every value of `type` that has been seen, for files that use another client's word.
pub(crate) const TYPES_SEEN: &[(&str, Kind)] = &[
    ("stdio", Kind::Stdio),
    ("local", Kind::Stdio),
    ("http", Kind::Http(HttpKind::Streamable)),
    ("streamable-http", Kind::Http(HttpKind::Streamable)),
    ("streamableHttp", Kind::Http(HttpKind::Streamable)),
    ("streamable_http", Kind::Http(HttpKind::Streamable)),
    ("sse", Kind::Http(HttpKind::Sse)),
    ("remote", Kind::Http(HttpKind::Auto)),
    ("ws", Kind::Foreign),
    ("sdk", Kind::Foreign),
];
