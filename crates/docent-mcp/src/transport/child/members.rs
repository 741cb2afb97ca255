//! What the system can do to the members of a process group, and what it can tell of them.
//!
//! The group is named by the process id of its leader. That number stays taken for as long as the
//! leader has not been reaped or any member is left, so a signal cannot reach a stranger.

pub(super) use system::{any_alive, end_of, kill, peek, resume, separate, terminate};

#[cfg(unix)]
mod system {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};

    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
    };

    /// Makes the child that a command starts the leader of a group of its own.
    pub(crate) fn separate(command: &mut Command) {
        command.process_group(0);
    }

    /// Has members go on that were stopped; the others do not notice.
    pub(crate) fn resume(leader: &mut Child) {
        send(leader, Signal::CONT);
    }

    /// Asks all members to exit.
    pub(crate) fn terminate(leader: &mut Child) {
        send(leader, Signal::TERM);
        // A stopped process acts on nothing but SIGKILL before it is continued.
        resume(leader);
    }

    /// Ends all members.
    pub(crate) fn kill(leader: &mut Child) {
        send(leader, Signal::KILL);
    }

    fn send(leader: &Child, signal: Signal) {
        // Fails only if there is nobody to reach, or nobody whom we may signal.
        let _ = kill_process_group(Pid::from_child(leader), signal);
    }

    /// Whether any member still runs. The leader must have been reaped.
    pub(crate) fn any_alive(leader: &Child) -> bool {
        let group = Pid::from_child(leader);
        // Members that are dead but not yet reaped count as members. They are not ours to reap, and
        // in a container there may be nobody who does, so they are told apart from those that run.
        test_kill_process_group(group) != Err(Errno::SRCH) && !all_dead(group)
    }

    #[cfg(target_os = "linux")]
    fn all_dead(group: Pid) -> bool {
        let Ok(processes) = std::fs::read_dir("/proc") else { return false };
        !processes.flatten().any(|process| {
            std::fs::read_to_string(process.path().join("stat"))
                .is_ok_and(|stat| runs_in(&stat, group.as_raw_nonzero().get()))
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn all_dead(_: Pid) -> bool {
        false
    }

    /// Whether a line of `/proc/*/stat` is that of a member that runs.
    #[cfg(target_os = "linux")]
    fn runs_in(stat: &str, group: i32) -> bool {
        // `pid (name) state parent group …`, and the name may hold anything.
        let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
        let mut fields = rest.split(' ');
        let state = fields.next().unwrap_or("X");
        let member = fields.nth(1).and_then(|field| field.parse().ok()) == Some(group);
        member && !matches!(state, "Z" | "X")
    }

    /// How the leader ended, if it did, without reaping it: that would free the group's number.
    pub(crate) fn peek(leader: &mut Child) -> Option<ExitStatus> {
        look(Pid::from_child(leader), WaitIdOptions::NOHANG)
    }

    /// Waits for the leader to end, without reaping it, and tells how it did. Blocks.
    pub(crate) fn end_of(leader: &Child) -> impl FnOnce() -> Option<ExitStatus> + Send + 'static {
        let leader = Pid::from_child(leader);
        move || look(leader, WaitIdOptions::empty())
    }

    fn look(leader: Pid, options: WaitIdOptions) -> Option<ExitStatus> {
        let options = options | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let look = || waitid(WaitId::Pid(leader), options);
        let status = rustix::io::retry_on_intr(look).ok()??;
        let raw = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => (code & 0xff) << 8,
            (None, Some(signal)) => signal | if status.dumped() { 0x80 } else { 0 },
            (None, None) => return None,
        };
        Some(ExitStatus::from_raw(raw))
    }

    #[cfg(all(test, target_os = "linux"))]
    mod tests {
        use super::*;

        #[test]
        fn only_members_that_run_are_alive() {
            assert!(runs_in("71 (a) b) S 1 70 5 0 -1", 70));
            assert!(runs_in("71 (sh) T 1 70 5 0 -1", 70));
            assert!(!runs_in("71 (sh) Z 1 70 5 0 -1", 70));
            assert!(!runs_in("70 (70) S 70 71 70 0 -1", 70));
            assert!(!runs_in("", 70));
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Child, Command, ExitStatus};

    /// There are no groups, but on Windows a console window to suppress.
    pub(crate) fn separate(command: &mut Command) {
        #[cfg(windows)]
        {
            const CREATE_NO_WINDOW: u32 = 0x0800_0000;
            std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
        }
        #[cfg(not(windows))]
        let _ = command;
    }

    /// Nothing is ever stopped.
    pub(crate) fn resume(_: &mut Child) {}

    /// There is no way to ask.
    pub(crate) fn terminate(_: &mut Child) {}

    pub(crate) fn kill(leader: &mut Child) {
        // Fails only if it has ended already.
        let _ = leader.kill();
    }

    pub(crate) fn any_alive(_: &Child) -> bool {
        false
    }

    pub(crate) fn peek(leader: &mut Child) -> Option<ExitStatus> {
        leader.try_wait().ok().flatten()
    }

    /// Cannot be told without taking the child from its owner.
    pub(crate) fn end_of(_: &Child) -> impl FnOnce() -> Option<ExitStatus> + Send + 'static {
        || None
    }
}
