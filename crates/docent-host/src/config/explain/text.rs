//! An explanation as text for a terminal.

use std::fmt::{self, Display, Formatter};

use super::{Explanation, ServerReport, Standing, Verdict};
use crate::config::expand::{Resolution, Source};
use crate::config::printable::Printable;

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.files.is_empty() {
            return writeln!(f, "No configuration file was found.");
        }
        writeln!(f, "Files, those that win first:")?;
        for file in &self.files {
            let count = match file.servers {
                Some(1) => "1 server".to_owned(),
                Some(count) => format!("{count} servers"),
                None => "cannot be read".to_owned(),
            };
            let (path, client) = (Printable(file.path.display()), file.client);
            writeln!(f, "  {path} ({client}, {}): {count}", file.scope)?;
        }
        for problem in &self.problems {
            writeln!(f, "  {}", Printable(problem))?;
        }
        for server in &self.servers {
            writeln!(f)?;
            server.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for ServerReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", Printable(&self.name), self.state)?;
        for place in &self.places {
            let standing = match place.standing {
                Standing::Wins => "wins".to_owned(),
                Standing::Shadowed => "shadowed".to_owned(),
                Standing::SetAside(why) => format!("set aside: {why}"),
            };
            let (file, line) = (Printable(place.file.display()), place.line);
            writeln!(f, "  {file}:{line} ({}, {}): {standing}", place.client, place.scope)?;
        }
        if let Some(target) = &self.target {
            let verb =
                if target.contains("://") && !target.contains(' ') { "calls" } else { "runs" };
            writeln!(f, "  {verb} {}", Printable(target))?;
        }
        if let Some(folder) = &self.folder {
            writeln!(f, "  in {}", Printable(folder.display()))?;
        }
        for setting in &self.settings {
            writeln!(f, "  with {}", Printable(setting))?;
        }
        for reference in &self.references {
            writeln!(f, "  {}", Printable(reference))?;
        }
        for problem in &self.problems {
            writeln!(f, "  {}", Printable(problem))?;
        }
        verdicts(&self.verdicts, f)
    }
}

/// Clients of which the same is to be said share a line.
fn verdicts(verdicts: &[Verdict], f: &mut Formatter<'_>) -> fmt::Result {
    let same: Vec<&str> =
        verdicts.iter().filter(|v| v.differences.is_empty()).map(|v| v.client).collect();
    if !same.is_empty() {
        writeln!(f, "  the same in {}", same.join(", "))?;
    }
    let mut groups: Vec<(bool, String, Vec<&str>)> = Vec::new();
    for verdict in verdicts.iter().filter(|verdict| !verdict.differences.is_empty()) {
        let said = verdict.differences.join("; ");
        let same = |group: &&mut (bool, String, _)| group.0 == verdict.usable && group.1 == said;
        match groups.iter_mut().find(same) {
            Some((.., clients)) => clients.push(verdict.client),
            None => groups.push((verdict.usable, said, vec![verdict.client])),
        }
    }
    groups.sort_by_key(|(usable, ..)| !usable);
    for (usable, said, clients) in groups {
        let how = if usable { "different in" } else { "refused by" };
        writeln!(f, "  {how} {}: {}", clients.join(", "), Printable(said))?;
    }
    Ok(())
}

impl Display for Resolution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}, line {}: {}", self.reference, self.field, self.line, self.source)
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Source::Variable { name } => write!(f, "the variable {name}, which is set"),
            Source::Unset { name } => write!(f, "the variable {name}, which is not set"),
            Source::Default { name } => {
                write!(f, "its default, because the variable {name} is not set or empty")
            }
            Source::Input { id, .. } => write!(f, "asked of the user (input {id})"),
            Source::Folder { path } => write!(f, "{path}"),
            Source::File { path } => write!(f, "the content of {path}"),
            Source::Literal => f.write_str("not expanded"),
            Source::NotAsked => f.write_str("not looked up while the server is not started"),
        }
    }
}
