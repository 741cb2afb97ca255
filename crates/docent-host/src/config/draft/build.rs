//! From a draft to an entry: every reference is expanded, once.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Draft, DraftCommand, DraftTransport};
use crate::config::entry::{Command, Masked, OAuthSettings, Transport};
use crate::config::expand::{Scene, Shown, Template, Trace};
use crate::config::mask;
use crate::config::printable::Printable;
use crate::config::read::Fault;

/// What becomes of a draft.
pub(crate) struct Built {
    pub(crate) transport: Transport,
    pub(crate) oauth: OAuthSettings,
}

/// Expands a draft. The first reference without a value is an error, but all are traced.
pub(crate) fn build(
    draft: &Draft,
    scene: &mut Scene<'_>,
    trace: &mut Trace,
) -> Result<Built, Fault> {
    let transport = match &draft.transport {
        DraftTransport::Stdio(draft) => command(draft, scene, trace).map(|built| {
            let Command { command, args, env, cwd, inherit } = built;
            Transport::Stdio { command, args, env, cwd, inherit }
        }),
        DraftTransport::Http { url, headers, helper, kind } => {
            let url = scene.resolve(url, "url", Shown::Address, trace);
            let headers = all(headers.iter().map(|(name, value)| {
                let value =
                    scene.resolve(value, &format!("headers.{name}"), Shown::Hidden, trace)?;
                Ok((name.clone(), value))
            }));
            let helper = helper.as_ref().map(|command| headers_helper(command, scene, trace));
            url.and_then(|url| {
                let helper = helper.transpose()?.map(Box::new);
                Ok(Transport::Http { url, headers: headers?, helper, kind: *kind })
            })
        }
    };
    let oauth = oauth(draft, scene, trace);
    Ok(Built { transport: transport?, oauth: oauth? })
}

/// Like `collect`, but goes on after an error, so that everything is traced.
fn all<T>(results: impl Iterator<Item = Result<T, Fault>>) -> Result<Vec<T>, Fault> {
    let mut found = Vec::new();
    let mut fault = None;
    for result in results {
        match result {
            Ok(value) => found.push(value),
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    fault.map_or(Ok(found), Err)
}

/// A command that prints headers starts in the project, as relative names in it suggest.
fn headers_helper(
    draft: &DraftCommand,
    scene: &mut Scene<'_>,
    trace: &mut Trace,
) -> Result<Command, Fault> {
    let mut built = command(draft, scene, trace)?;
    built.cwd.get_or_insert_with(|| scene.workspace.to_owned());
    Ok(built)
}

/// What is started, whatever for.
fn command(
    command: &DraftCommand,
    scene: &mut Scene<'_>,
    trace: &mut Trace,
) -> Result<Command, Fault> {
    let line = all(command.line.iter().enumerate().map(|(index, template)| {
        let before = index.checked_sub(1).map(|before| command.line[before].raw.as_str());
        let shown = match mask::follows_secret_flag(before) {
            true => Shown::Hidden,
            false => Shown::Argument,
        };
        let field = match index {
            0 => "command".to_owned(),
            _ => format!("args[{}]", index - 1),
        };
        scene.resolve(template, &field, shown, trace)
    }));
    let mut env: BTreeMap<String, Masked> = command
        .pass
        .iter()
        .filter_map(|name| {
            let value = scene.machine.variable(name)?;
            Some((name.clone(), Masked::shown_as(value, format!("${{{name}}}"))))
        })
        .collect();
    let file = env_file(command, scene, trace);
    let set = all(command.env.iter().map(|(name, template)| {
        let value = scene.resolve(template, &format!("env.{name}"), Shown::Hidden, trace)?;
        Ok((name.clone(), value))
    }));
    let cwd = command.cwd.as_ref().map(|cwd| {
        let path = scene.resolve(cwd, "cwd", Shown::Argument, trace)?;
        let path = path.expose();
        Ok(match path.strip_prefix("~/").zip(scene.machine.home()) {
            Some((rest, home)) => home.join(rest),
            // Relative folders are meant from the project, wherever the file stands in it.
            None => scene.workspace.join(path).components().collect(),
        })
    });
    let mut line = line?.into_iter();
    env.extend(file?);
    env.extend(set?);
    Ok(Command {
        // A draft of a program has at least its name.
        command: line.next().unwrap_or_else(|| Masked::plain("")),
        args: line.collect(),
        env,
        cwd: cwd.transpose()?,
        inherit: command.inherit,
    })
}

/// The variables of a file beside the configuration, `NAME=value` in each line.
fn env_file(
    command: &DraftCommand,
    scene: &mut Scene<'_>,
    trace: &mut Trace,
) -> Result<Vec<(String, Masked)>, Fault> {
    let Some(template) = &command.env_file else { return Ok(Vec::new()) };
    let path = scene.resolve(template, "envFile", Shown::Argument, trace)?;
    if scene.idle {
        return Ok(Vec::new());
    }
    let path = match path.expose().strip_prefix("~/") {
        Some(_) => scene.path(path.expose()),
        None => scene.workspace.join(path.expose()),
    };
    let text = crate::config::read_text(&path).map_err(|error| {
        Fault::new(template.line, format!("cannot read `{}`: {error}", path.display()))
    })?;
    Ok(text.lines().filter_map(variable_line).collect())
}

fn variable_line(line: &str) -> Option<(String, Masked)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = value.trim();
    let quoted = |quote: char| value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote));
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    Some((name.trim().to_owned(), Masked::hidden(value)))
}

fn oauth(draft: &Draft, scene: &mut Scene<'_>, trace: &mut Trace) -> Result<OAuthSettings, Fault> {
    let from = &draft.oauth;
    let mut text = |template: &Option<Template>, field: &str| {
        let template = template.as_ref();
        template.map(|found| scene.resolve(found, field, Shown::Hidden, trace)).transpose()
    };
    let client_id = text(&from.client_id, "oauth.clientId")?;
    Ok(OAuthSettings {
        off: from.off,
        client_id: client_id.map(|id| id.expose().to_owned()),
        client_secret: text(&from.client_secret, "oauth.clientSecret")?,
        scopes: from.scopes.clone(),
        callback_port: from.callback_port,
        metadata_url: from.metadata_url.clone(),
        resource: from.resource.clone(),
    })
}

/// What a draft starts or calls, in one line, with its references as they are written.
pub(crate) fn shown(draft: &Draft) -> String {
    let target = match &draft.transport {
        DraftTransport::Stdio(command) => line(command),
        DraftTransport::Http { url, .. } => {
            mask::address(&url.visible(|text| mask::text(text, Shown::Address)))
        }
    };
    Printable(target).to_string()
}

/// What a user is asked to approve: the same, and whatever else it runs or trusts.
pub(crate) fn asked(draft: &Draft) -> String {
    let mut text = shown(draft);
    // Writing to a string cannot fail.
    if let Some(command) = helper(draft) {
        let _ = write!(text, ", with headers that this command prints: {}", line(command));
    }
    if let Some(address) = &draft.oauth.metadata_url {
        let _ = write!(text, ", with a login as {} says", mask::address(address));
    }
    Printable(text).to_string()
}

/// The command that prints headers, in one line.
pub(crate) fn helper_shown(draft: &Draft) -> Option<String> {
    helper(draft).map(|command| Printable(line(command)).to_string())
}

fn helper(draft: &Draft) -> Option<&DraftCommand> {
    match &draft.transport {
        DraftTransport::Http { helper, .. } => helper.as_ref(),
        DraftTransport::Stdio(_) => None,
    }
}

fn line(command: &DraftCommand) -> String {
    let mut text = String::new();
    for (index, template) in command.line.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| command.line[before].raw.as_str());
        let hidden = mask::follows_secret_flag(before);
        let shown = if hidden { Shown::Hidden } else { Shown::Argument };
        let word = template.visible(|text| mask::text(text, shown));
        let space = if index > 0 { " " } else { "" };
        let quote = if word.contains(' ') || word.is_empty() { "'" } else { "" };
        let _ = write!(text, "{space}{quote}{word}{quote}");
    }
    text
}
