//! One occurrence of a server, read and expanded; and from all of them, the configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;

use docent_mcp::auth::Secret;

use super::Config;
use super::approve::Approvals;
use super::dialect::Dialect;
use super::draft::{Built, Draft, Manner, build, draft};
use super::entry::{Approval, Client, Masked, ServerEntry, Transport};
use super::expand::{Scene, Trace};
use super::input::{Answers, Ask, Input};
use super::machine::Machine;
use super::problem::{Problem, Severity};
use super::read::Fault;
use super::survey::{Occurrence, Survey};

/// The answers that were given, by file and id.
pub(crate) type Given = BTreeMap<PathBuf, BTreeMap<String, Option<Secret>>>;

/// What is known about an occurrence.
pub(crate) struct Examined {
    pub(crate) draft: Option<Draft>,
    pub(crate) entry: Result<ServerEntry, Fault>,
    pub(crate) trace: Trace,
}

/// Reads and expands an occurrence.
pub(crate) fn examine(
    occurrence: &Occurrence,
    machine: &Machine,
    approvals: &Approvals,
    ask: &mut dyn Ask,
    given: &mut Given,
) -> Examined {
    let dialect = Dialect::of(occurrence.origin.client);
    let mut trace = Trace::default();
    let (platform, warnings) = (machine.platform(), &mut trace.warnings);
    let mut draft = match draft(&occurrence.node, dialect, platform, Manner::ToUse, warnings) {
        Ok(draft) => draft,
        Err(fault) => return Examined { draft: None, entry: Err(fault), trace },
    };
    draft.disabled |= occurrence.switched_off;
    let approval = approvals.of(&occurrence.name, &occurrence.origin, &draft);
    let idle = draft.disabled || approval != Approval::Approved;
    let given = given.entry(occurrence.origin.file.clone()).or_default();
    let mut answers = Answers::new(&occurrence.inputs, ask, given);
    let mut scene = Scene {
        machine,
        dialect,
        file: &occurrence.origin.file,
        workspace: &occurrence.folder,
        answers: &mut answers,
        idle,
    };
    let built = build(&draft, &mut scene, &mut trace);
    let entry = built.map(|built| entry(occurrence, &draft, built, approval));
    Examined { draft: Some(draft), entry, trace }
}

fn entry(occurrence: &Occurrence, draft: &Draft, built: Built, approval: Approval) -> ServerEntry {
    let mut transport = built.transport;
    if occurrence.origin.client == Client::ClaudeCode {
        for_claude(occurrence, &mut transport);
    }
    ServerEntry {
        name: occurrence.name.clone(),
        origin: occurrence.origin.clone(),
        transport,
        disabled: draft.disabled,
        approval,
        startup_timeout: draft.startup_timeout,
        call_timeout: draft.call_timeout,
        tools: draft.tools.clone(),
        oauth: built.oauth,
        lazy: draft.lazy,
    }
}

/// Variables that commands in files of Claude Code may rely on.
fn for_claude(occurrence: &Occurrence, transport: &mut Transport) {
    let set = |env: &mut BTreeMap<String, Masked>, name: &str, value: Masked| {
        env.entry(name.to_owned()).or_insert(value);
    };
    let folder = Masked::plain(occurrence.folder.display().to_string());
    match transport {
        Transport::Stdio { env, .. } => set(env, "CLAUDE_PROJECT_DIR", folder),
        Transport::Http { url, helper: Some(helper), .. } => {
            let name = Masked::plain(&occurrence.name);
            set(&mut helper.env, "CLAUDE_PROJECT_DIR", folder);
            set(&mut helper.env, "CLAUDE_CODE_MCP_SERVER_NAME", name);
            set(&mut helper.env, "CLAUDE_CODE_MCP_SERVER_URL", url.clone());
        }
        Transport::Http { .. } => {}
    }
}

impl Survey {
    /// Sets aside servers that the program which asks has no use for, and says why: they do not count,
    /// and are explained. Returns the names that nothing else has.
    pub fn set_aside(
        &mut self,
        why: &'static str,
        unwanted: impl Fn(&ServerEntry) -> bool,
    ) -> Vec<String> {
        let (none, mut given) = (Approvals::in_memory(), Given::new());
        // Nobody is asked for something that may not be used.
        let mut ask = |_: &Input| Some("".into());
        let mut gone = Vec::new();
        for occurrence in self.occurrences.iter_mut().filter(|one| one.set_aside.is_none()) {
            let examined = examine(occurrence, &self.machine, &none, &mut ask, &mut given);
            if examined.entry.is_ok_and(|entry| unwanted(&entry)) {
                occurrence.set_aside = Some(why);
                gone.push(occurrence.name.clone());
            }
        }
        gone.sort();
        gone.dedup();
        gone.retain(|name| {
            let mut left = self.occurrences.iter().filter(|one| one.set_aside.is_none());
            !left.any(|one| one.name == *name)
        });
        gone
    }

    /// The configuration: for each name, the server that wins. `ask` is asked for what servers that
    /// will be started want to know.
    pub fn config(&self, approvals: &Approvals, ask: &mut dyn Ask) -> Config {
        let mut config = Config { servers: Vec::new(), problems: self.problems.clone() };
        let mut given = Given::new();
        for (_, all) in self.by_name() {
            let Some(winner) = all.first().filter(|winner| winner.set_aside.is_none()) else {
                continue;
            };
            let examined = examine(winner, &self.machine, approvals, ask, &mut given);
            config.problems.extend(problems(winner, &examined));
            config.servers.extend(examined.entry.ok());
        }
        config
    }
}

/// What is wrong with an occurrence.
pub(crate) fn problems(occurrence: &Occurrence, examined: &Examined) -> Vec<Problem> {
    let problem = |severity, line, message: &str| Problem {
        severity,
        server: Some(occurrence.name.clone()),
        file: occurrence.origin.file.clone(),
        line,
        message: message.to_owned(),
    };
    let warnings = examined.trace.warnings.iter();
    let warnings = warnings.map(|(line, message)| problem(Severity::Warning, *line, message));
    let error = examined.entry.as_ref().err();
    let error = error.map(|fault| problem(Severity::Error, fault.line, &fault.message));
    error.into_iter().chain(warnings).collect()
}
