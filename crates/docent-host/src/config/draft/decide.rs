//! What the fields of an entry amount to: a program or an address.

use std::time::Duration;

use super::fields::{Manner, Parts, Reader};
use super::{Draft, DraftCommand, DraftTransport, settings};
use crate::config::dialect::{Kind, TYPES_SEEN, Typing};
use crate::config::entry::HttpKind;
use crate::config::read::Fault;

impl Reader<'_> {
    /// The draft.
    pub(super) fn finish(mut self) -> Result<Draft, Fault> {
        let kind = self.kind()?;
        let transport = match kind {
            Kind::Stdio => DraftTransport::Stdio(self.finish_command()?),
            _ => self.finish_address(kind)?,
        };
        let Parts { disabled, times, mut tools, oauth, lazy, .. } = self.parts;
        // Some clients want the list to be there even if it says nothing.
        if tools.allow == ["*"] {
            tools.allow.clear();
        }
        let (startup_timeout, call_timeout): (Option<Duration>, Option<Duration>) = times.into();
        Ok(Draft { transport, disabled, startup_timeout, call_timeout, tools, oauth, lazy })
    }

    /// What the entry is, by its `type` or else by what it has.
    fn kind(&mut self) -> Result<Kind, Fault> {
        let (dialect, client) = (self.dialect, self.dialect.name);
        let has_command = !self.parts.command.line.is_empty();
        let has_url = self.parts.url.is_some();
        let fault = |what: String| Err(Fault::new(self.line, what));
        if let Some((word, line)) = &self.parts.kind {
            let known = |types: &[(&str, Kind)]| {
                types.iter().find(|(known, _)| known == word).map(|(_, kind)| *kind)
            };
            let own = known(dialect.types);
            let any = known(TYPES_SEEN).filter(|_| self.manner == Manner::ToUse);
            if own.is_none() && any.is_some() && dialect.typing != Typing::Inferred {
                let what = format!("{client} does not know the type `{word}`");
                self.warnings.push((*line, what));
            }
            return match own.or(any) {
                Some(Kind::Foreign) => {
                    Err(Fault::new(*line, format!("servers of type `{word}` are not supported")))
                }
                Some(kind) => Ok(kind),
                None => Err(Fault::new(*line, format!("it does not know the type `{word}`"))),
            };
        }
        match (has_command, has_url) {
            (false, false) => fault("it has neither a command nor an address".to_owned()),
            (true, true) if dialect.strict => {
                fault("it has a command and an address; remove one".to_owned())
            }
            (true, _) => {
                if has_url {
                    let what = "it has a command and an address; the command counts".to_owned();
                    self.warnings.push((self.line, what));
                }
                match dialect.typing == Typing::Always && self.manner == Manner::AsOwner {
                    true => fault("it wants a `type`".to_owned()),
                    false => Ok(Kind::Stdio),
                }
            }
            (false, true) => {
                let needed = matches!(dialect.typing, Typing::Remote | Typing::Always);
                if needed && self.manner == Manner::AsOwner {
                    return fault("it wants a `type` beside an address".to_owned());
                }
                if needed {
                    let what = format!("{client} wants a `type` beside an address");
                    self.warnings.push((self.line, what));
                }
                Ok(Kind::Http(self.parts.url.as_ref().map_or(HttpKind::Auto, |(_, kind)| *kind)))
            }
        }
    }

    fn finish_command(&mut self) -> Result<DraftCommand, Fault> {
        let mut command = std::mem::take(&mut self.parts.command);
        let Some(program) = command.line.first() else {
            return Err(Fault::new(self.line, "it has no command"));
        };
        if program.raw.trim().is_empty() {
            return Err(Fault::new(program.line, "its command is empty"));
        }
        command.line.append(&mut self.parts.args);
        if let Some(words) = settings::whole_line(&command.line, self.manner) {
            let line = command.line[0].line;
            let what = "`command` holds a whole command line; it is taken apart at the spaces, \
                        which others do not do: use `args`";
            self.warnings.push((line, what.to_owned()));
            command.line = words.iter().map(|word| self.parse(word, line)).collect();
        }
        Ok(command)
    }

    fn finish_address(&mut self, kind: Kind) -> Result<DraftTransport, Fault> {
        let Some((url, promised)) = self.parts.url.take() else {
            return Err(Fault::new(self.line, "it has no address"));
        };
        if !self.dialect.remote && self.manner == Manner::AsOwner {
            return Err(Fault::new(url.line, "it starts programs only, and knows no addresses"));
        }
        let kind = match kind {
            Kind::Http(HttpKind::Auto) => promised,
            Kind::Http(kind) => kind,
            Kind::Stdio | Kind::Foreign => HttpKind::Auto,
        };
        let scheme = url.raw.split_once("://").map(|(scheme, _)| scheme);
        if let Some(scheme @ ("unix" | "pipe" | "ws" | "wss")) = scheme {
            return Err(Fault::new(url.line, format!("`{scheme}:` addresses are not supported")));
        }
        let headers = std::mem::take(&mut self.parts.headers);
        let line = std::mem::take(&mut self.parts.helper);
        // What else is said of a command can only be meant for this one.
        let helper = (!line.is_empty())
            .then(|| DraftCommand { line, ..std::mem::take(&mut self.parts.command) });
        Ok(DraftTransport::Http { url, headers, helper, kind })
    }
}
