//! Ends our children when we are killed and cannot do so ourselves.
//!
//! A child whose parent dies sees the end of its input, which is enough for one that minds it, but
//! not for wrappers, for what it started, and for the stubborn. The kernel's help (a death signal)
//! does not reach grandchildren, and asking for it takes unsafe code. So there is one small shell
//! beside us, not one per child, that reads from a pipe which group has started and which is gone.
//! When we die, however that happens, the kernel closes the pipe, and the shell ends the groups
//! that are left. It starts with the first child and exits with the last.
//!
//! The shell runs a fixed script. Nothing reaches it but the numbers of groups.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::members;

/// Descriptors above 2 close on exec unless somebody else made them; those that a shell can name
/// are closed here. At the end, the groups have 0.3 s to exit by themselves and then 0.8 s to act on
/// SIGTERM; on a busy machine, each `sleep` adds to that, so there are few.
const SCRIPT: &str = r#"
# Ends the MCP servers of a program that was killed. It holds the other end of stdin.
trap '' HUP INT QUIT TERM
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
groups=' '
while read -r order group; do
  case $order in
    add) groups="$groups$group " ;;
    del) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
  esac
done
signal() {
  for group in $groups; do kill "-$1" "-$group"; done
}
any_left() {
  for group in $groups; do
    if kill -0 "-$group"; then return 0; fi
  done
  return 1
}
give() {
  for seconds in "$@"; do
    any_left || exit 0
    sleep "$seconds" || { sleep 1; return; }
  done
}
give 0.1 0.2
signal TERM
signal CONT
give 0.1 0.2 0.5
signal KILL
"#;

/// How long the shell may take to see that there is nothing more to do.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

static WATCHDOG: Mutex<Watchdog> =
    Mutex::new(Watchdog { users: 0, groups: BTreeSet::new(), shell: None });

/// The watchdog of this program.
struct Watchdog {
    /// How many [`Watched`] there are, with a group or without one yet.
    users: usize,
    groups: BTreeSet<u32>,
    /// None if there is nothing to watch, or no shell.
    shell: Option<Shell>,
}

impl Watchdog {
    fn lock() -> MutexGuard<'static, Self> {
        WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&mut self) {
        if self.shell.is_none() {
            self.shell = Shell::start(&self.groups)
                .inspect_err(|error| tracing::debug!("no watchdog for child processes: {error}"))
                .ok();
        }
    }

    fn tell(&mut self, order: &str, group: u32) {
        let Some(shell) = &mut self.shell else { return };
        if shell.tell(order, group).is_err() {
            // Somebody ended it. A new one is told of all groups, this change included.
            self.shell = None;
            self.start();
        }
    }
}

/// A place with the watchdog, for one group. Dropping it gives up the place.
pub(super) struct Watched {
    group: Option<u32>,
}

impl Watched {
    /// Makes sure that there is a watchdog, before there is anything to watch: so a child is unknown
    /// to it only for the moment between being started and [`watch`](Self::watch).
    pub(super) fn reserve() -> Self {
        let mut watchdog = Watchdog::lock();
        watchdog.users += 1;
        watchdog.start();
        Watched { group: None }
    }

    /// Has a group ended if we die.
    pub(super) fn watch(&mut self, group: u32) {
        let mut watchdog = Watchdog::lock();
        self.group = Some(group);
        watchdog.groups.insert(group);
        watchdog.tell("add", group);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut watchdog = Watchdog::lock();
        watchdog.users -= 1;
        if let Some(group) = self.group {
            watchdog.groups.remove(&group);
            watchdog.tell("del", group);
        }
        let unneeded = if watchdog.users == 0 { watchdog.shell.take() } else { None };
        // Others need not wait until it has exited.
        drop(watchdog);
        if let Some(shell) = unneeded {
            shell.stop();
        }
    }
}

/// The process that watches.
struct Shell(Child);

impl Shell {
    fn start(groups: &BTreeSet<u32>) -> io::Result<Self> {
        if !cfg!(unix) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "docent-watchdog"]);
        // For `sleep`, the one program that the script runs.
        command.env_clear().env("PATH", "/usr/bin:/bin");
        command.current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        members::separate(&mut command);
        let mut shell = Shell(command.spawn()?);
        for group in groups {
            shell.tell("add", *group)?;
        }
        Ok(shell)
    }

    fn tell(&mut self, order: &str, group: u32) -> io::Result<()> {
        let pipe = self.0.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        // One write, so that we cannot die in the middle of a line.
        pipe.write_all(format!("{order} {group}\n").as_bytes())
    }

    /// Closes the pipe and waits for the shell to exit; it must have no groups left.
    fn stop(mut self) {
        drop(self.0.stdin.take());
        let deadline = Instant::now() + STOP_TIMEOUT;
        while let Ok(None) = self.0.try_wait()
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Before the pipe closes, or it would take that for our end. Nothing happens if it was
        // reaped already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// How long we may be dead before our children are.
    const END_MAX: Duration = Duration::from_secs(3);

    /// The leader of a group, ended in any case.
    struct Leader(Child);

    impl Leader {
        fn start(script: &str) -> Self {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            members::separate(&mut command);
            Leader(command.spawn().unwrap())
        }

        /// Minds nothing but SIGKILL, and has a grandchild.
        fn stubborn() -> Self {
            let script = "trap '' TERM HUP; echo; sleep 100 & while :; do sleep 0.1; done";
            let mut leader = Leader::start(script);
            // The line says that signals are ignored from here on.
            io::Read::read_exact(leader.0.stdout.as_mut().unwrap(), &mut [0]).unwrap();
            leader
        }

        fn ends(&mut self) -> bool {
            let begin = Instant::now();
            while self.0.try_wait().unwrap().is_none() || members::any_alive(&self.0) {
                if begin.elapsed() > END_MAX {
                    return false;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            true
        }
    }

    impl Drop for Leader {
        fn drop(&mut self) {
            members::kill(&mut self.0);
            self.0.wait().unwrap();
        }
    }

    /// [CLI-STDIO-02] when the pipe closes, the groups that are still listed end, and no others.
    #[test]
    fn the_groups_that_are_left_are_ended() {
        let mut leaders: Vec<Leader> = (0..4).map(|_| Leader::stubborn()).collect();
        let ids: Vec<u32> = leaders.iter().map(|leader| leader.0.id()).collect();
        let mut shell = Shell::start(&BTreeSet::from([ids[0], ids[1]])).unwrap();
        shell.tell("add", ids[2]).unwrap();
        shell.tell("add", ids[3]).unwrap();
        shell.tell("del", ids[1]).unwrap();
        shell.tell("del", ids[3]).unwrap();
        // What the kernel does for a process that is killed.
        drop(shell.0.stdin.take());
        assert!(leaders[0].ends() && leaders[2].ends());
        assert!(shell.0.wait().unwrap().success());
        for spared in [1, 3] {
            assert!(leaders[spared].0.try_wait().unwrap().is_none());
        }
    }

    /// [CLI-STDIO-02] a child that minds the end of its input has a moment before it is signaled.
    #[test]
    fn the_end_of_input_comes_before_the_signal() {
        let mut leader = Leader::start("cat; exit 7");
        let mut shell = Shell::start(&BTreeSet::from([leader.0.id()])).unwrap();
        drop((shell.0.stdin.take(), leader.0.stdin.take()));
        assert_eq!(leader.0.wait().unwrap().code(), Some(7));
        assert!(shell.0.wait().unwrap().success());
    }

    #[test]
    fn a_shell_without_groups_exits_at_once() {
        let shell = Shell::start(&BTreeSet::new()).unwrap();
        let begin = Instant::now();
        shell.stop();
        assert!(begin.elapsed() < STOP_TIMEOUT);
    }

    #[test]
    fn a_shell_that_somebody_ended_is_replaced() {
        let mut leader = Leader::stubborn();
        let groups = BTreeSet::from([leader.0.id()]);
        let mut watchdog = Watchdog { users: 1, groups, shell: None };
        watchdog.start();
        let first = watchdog.shell.as_mut().unwrap();
        first.0.kill().unwrap();
        first.0.wait().unwrap();
        watchdog.tell("add", leader.0.id());
        let mut second = watchdog.shell.take().unwrap();
        drop(second.0.stdin.take());
        assert!(leader.ends());
        assert!(second.0.wait().unwrap().success());
    }
}
