//! The children: our server, plain or behind scripts that make it hard to end, or behind a tap.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use docent_host::config::{Masked, ServerEntry, Transport};
use docent_mcp::transport::child::ChildProcess;

use super::census::MARK;
use crate::Result;

/// A way to start the server.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// A shell script that runs the server, which is `"$@"`.
    script: &'static str,
    /// Whether all of it ends when its input does.
    pub(super) minds_end_of_input: bool,
    /// Whether a crash of the server can be seen from outside.
    pub(super) shows_crash: bool,
}

/// The friendliest kind; the others depart from it.
const PLAIN: Kind =
    Kind { name: "plain", script: "exec \"$@\"", minds_end_of_input: true, shows_crash: true };

pub(super) const KINDS: &[Kind] = &[
    PLAIN,
    Kind { name: "wrapped", script: "\"$@\"\nexit $?", ..PLAIN },
    Kind {
        // The leader is gone long before the connection ends. A shell gives its background jobs no
        // input, hence the detour.
        name: "orphaned",
        script: "exec 3<&0\n\"$@\" <&3 3<&- &",
        ..PLAIN
    },
    Kind {
        name: "with a helper",
        script: "sleep 300 &\nexec \"$@\"",
        minds_end_of_input: false,
        ..PLAIN
    },
    Kind {
        name: "with a deaf helper",
        script: "(trap '' TERM; while :; do sleep 0.2; done) &\nexec \"$@\"",
        minds_end_of_input: false,
        ..PLAIN
    },
    Kind {
        name: "with a stopped helper",
        script: "(kill -STOP \"$(exec sh -c 'echo $PPID')\"; sleep 300) &\nexec \"$@\"",
        minds_end_of_input: false,
        ..PLAIN
    },
    Kind {
        name: "stubborn",
        script: "trap '' TERM\n\"$@\"\nwhile :; do sleep 0.2; done",
        minds_end_of_input: false,
        shows_crash: false,
    },
    Kind {
        // The leader is a tap, and the stubborn server behind it is in a group that only the tap
        // knows. The command stands beside this program.
        name: "behind a tap",
        script: "exec \"${1%/*}/docent\" tap -o /dev/null -- /bin/sh -c \
                 'trap \"\" TERM; \"$@\"; while :; do sleep 0.2; done' sh \"$@\"",
        minds_end_of_input: false,
        shows_crash: false,
    },
];

impl Kind {
    fn file(&self) -> String {
        format!("{}.sh", self.server())
    }

    /// What a gateway calls a server of this kind.
    pub(super) fn server(&self) -> String {
        self.name.replace(' ', "-")
    }

    /// A server of this kind as a gateway has it configured.
    pub(super) fn entry(&self, scripts: &Path, mark: &str, legacy: bool) -> Result<ServerEntry> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut arguments = vec![text(&std::env::current_exe()?), "serve".to_owned()];
        arguments.extend(legacy.then(|| "legacy".to_owned()));
        let program = text(&scripts.join(self.file()));
        let mut entry = ServerEntry::stdio(self.server(), program, arguments);
        entry.lazy = Some(false);
        if let Transport::Stdio { env, .. } = &mut entry.transport {
            env.insert(MARK.to_owned(), Masked::plain(mark));
        }
        Ok(entry)
    }

    /// The command that starts a server of this kind.
    pub(super) fn command(&self, scripts: &Path, mark: &str) -> Result<ChildProcess> {
        Ok(ChildProcess::new(scripts.join(self.file()))
            .arg(std::env::current_exe()?)
            .arg("serve")
            .env(MARK, mark))
    }
}

pub(super) fn write_scripts(folder: &Path) -> Result<()> {
    for kind in KINDS {
        let file = folder.join(kind.file());
        fs::write(&file, format!("#!/bin/sh\n{}\n", kind.script))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
