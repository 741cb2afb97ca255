//! Real children that behave, misbehave, and refuse to go.

use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::ChildProcess;
use crate::limits::Limits;
use crate::transport::{Incoming, Transport};

/// What closing may take, with the default limits and whatever the child does.
const CLOSE_MAX: Duration = Duration::from_secs(3);

/// A child that runs a script.
fn script(script: &str) -> ChildProcess {
    ChildProcess::new("/bin/sh").args(["-c", script])
}

fn start(text: &str) -> Transport {
    script(text).spawn(&Limits::default()).unwrap()
}

/// A child that is ended sooner than by default.
fn start_impatient(text: &str) -> Transport {
    let child_exit_timeout = Duration::from_millis(200);
    script(text).spawn(&Limits { child_exit_timeout, ..Limits::default() }).unwrap()
}

async fn send(transport: &mut Transport, line: &str) {
    transport.writer.write(&mut vec![Bytes::from(line.to_owned())]).await.unwrap();
}

/// The next lines that the child writes, or none at its end.
async fn receive(transport: &mut Transport) -> Vec<String> {
    let mut items = Vec::new();
    transport.reader.read(&mut items).await.unwrap();
    let text = |item| match item {
        Incoming::Frame(frame) => String::from_utf8(frame.to_vec()).unwrap(),
        other => panic!("{other:?}"),
    };
    items.into_iter().map(text).collect()
}

/// The next `count` lines.
async fn receive_lines(transport: &mut Transport, count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    while lines.len() < count {
        let more = receive(transport).await;
        assert!(!more.is_empty(), "the child ended after {lines:?}");
        lines.extend(more);
    }
    lines
}

/// Ends the child as a session does that has nothing more to say, and tells how long it took and
/// what became of it.
async fn close(mut transport: Transport) -> (Duration, String) {
    let begin = Instant::now();
    transport.writer.close().await.unwrap();
    let guard = transport.guard.as_ref().unwrap();
    guard.end().await;
    (begin.elapsed(), guard.explain().unwrap())
}

/// Whether a process runs, dead ones that nobody reaped yet not counted.
fn runs(process: &str) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", process]).output().unwrap();
    let state = String::from_utf8(output.stdout).unwrap();
    !state.trim().is_empty() && !state.starts_with('Z')
}

pub(super) async fn gone_within(process: &str, time: Duration) -> bool {
    let begin = Instant::now();
    while runs(process) {
        if begin.elapsed() > time {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    true
}

/// [CLI-STDIO-02] a child that minds the end of its input is not signaled, and is reaped.
#[tokio::test]
async fn closing_the_input_ends_a_child_that_minds() {
    let mut transport = start("echo $$; cat; echo bye >&2; exit 3");
    let process = receive_lines(&mut transport, 1).await.remove(0);
    send(&mut transport, "ping").await;
    assert_eq!(receive(&mut transport).await, ["ping"]);
    let (_, explained) = close(transport).await;
    assert_eq!(explained, "`/bin/sh` has ended, exit status: 3; its stderr ends with:\nbye");
    let state = Command::new("ps").args(["-o", "stat=", "-p", &process]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&state.stdout), "", "it was not reaped");
}

/// [CLI-STDIO-02] a child that ignores the end of its input and SIGTERM is killed.
#[tokio::test]
async fn a_child_that_minds_nothing_is_killed() {
    let mut transport = start("trap '' TERM; echo $$; while :; do sleep 0.1; done");
    let process = receive_lines(&mut transport, 1).await.remove(0);
    let (took, explained) = close(transport).await;
    assert!(took > Duration::from_secs(2) && took < CLOSE_MAX, "closing took {took:?}");
    assert!(explained.contains("ended with SIGKILL"), "{explained}");
    assert!(!runs(&process));
}

/// [CLI-STDIO-02] a child that acts on SIGTERM has the time to clean up.
#[tokio::test]
async fn a_child_may_clean_up_on_sigterm() {
    let script = "trap 'echo cleaned >&2; exit 0' TERM; echo ready; while :; do sleep 0.1; done";
    let mut transport = start(script);
    receive_lines(&mut transport, 1).await;
    let (took, explained) = close(transport).await;
    assert!(took < CLOSE_MAX, "closing took {took:?}");
    assert!(explained.contains("was ended with SIGTERM"), "{explained}");
    assert!(explained.ends_with("\ncleaned"), "{explained}");
}

/// [CLI-STDIO-02] what a child started is ended with it: behind a wrapper, left behind by a leader
/// that exits, deaf to SIGTERM.
#[tokio::test]
async fn grandchildren_are_ended_too() {
    let check = |script: &'static str| async move {
        let mut transport = start(script);
        let grandchild = receive_lines(&mut transport, 1).await.remove(0);
        assert!(runs(&grandchild));
        let (took, _) = close(transport).await;
        assert!(took < CLOSE_MAX, "{script}: closing took {took:?}");
        assert!(!runs(&grandchild), "{script}: the grandchild is left");
    };
    tokio::join!(
        check("sh -c 'echo $$; sleep 100; :'; :"),
        check("sleep 100 & echo $!; cat"),
        check("sleep 100 & echo $!; exit 0"),
        check("sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & cat"),
    );
}

/// [CLI-STDIO-02] closing does not depend on the child: here it is stopped, with a request stuck in
/// the pipe, and the end is asked for while the write still waits.
#[tokio::test]
async fn a_stopped_child_with_a_full_pipe_is_ended() {
    let mut transport = start("echo $$; kill -STOP $$; cat");
    let process = receive_lines(&mut transport, 1).await.remove(0);
    let mut writer = transport.writer;
    let stuck =
        tokio::spawn(
            async move { writer.write(&mut vec![Bytes::from(vec![b'x'; 10 << 20])]).await },
        );
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!stuck.is_finished());
    let begin = Instant::now();
    transport.guard.as_ref().unwrap().end().await;
    assert!(begin.elapsed() < CLOSE_MAX, "closing took {:?}", begin.elapsed());
    assert_eq!(stuck.await.unwrap().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert!(!runs(&process));
}

#[tokio::test]
async fn a_flood_of_stderr_does_not_block_the_child() {
    let limits = Limits { stderr_bytes_max: 1000, ..Limits::default() };
    let flood = "head -c 67108864 /dev/zero | tr '\\0' x >&2; echo done >&2; cat";
    let mut transport = script(flood).spawn(&limits).unwrap();
    send(&mut transport, "ping").await;
    assert_eq!(receive(&mut transport).await, ["ping"]);
    let (_, explained) = close(transport).await;
    assert!(explained.ends_with("xxxdone"), "{explained}");
    assert!(explained.len() < 1100);
}

/// Messages of all sizes, sent and received at the same time, arrive as they were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_sizes_pass_both_ways_at_once() {
    let limits = Limits { message_bytes_max: 8 << 20, ..Limits::default() };
    let Transport { mut reader, mut writer, guard } =
        ChildProcess::new("cat").spawn(&limits).unwrap();
    let sizes = || (0..=23).flat_map(|bits| [1 << bits, ((1 << bits) - 1).max(1)]);
    let message = |(number, size): (usize, usize)| {
        Bytes::from(vec![b'a' + u8::try_from(number % 26).unwrap(); size])
    };
    let sending = tokio::spawn(async move {
        for frame in sizes().enumerate().map(message) {
            writer.write(&mut vec![frame]).await.unwrap();
        }
        writer.close().await.unwrap();
    });
    let mut received = Vec::new();
    loop {
        let before = received.len();
        reader.read(&mut received).await.unwrap();
        if received.len() == before {
            break;
        }
    }
    sending.await.unwrap();
    assert_eq!(received.len(), sizes().count());
    for (item, expected) in received.iter().zip(sizes().enumerate().map(message)) {
        assert!(matches!(item, Incoming::Frame(frame) if *frame == expected));
    }
    guard.unwrap().end().await;
}

/// A server that is still writing when the session stops reading is not hit by SIGPIPE.
#[tokio::test]
async fn a_child_may_write_until_it_is_gone() {
    let mut transport = start("cat; head -c 1000000 /dev/zero; echo cleaned >&2; exit 5");
    transport.writer.close().await.unwrap();
    let Transport { reader, guard, .. } = transport;
    drop(reader);
    let guard = guard.unwrap();
    guard.end().await;
    let explained = guard.explain().unwrap();
    assert!(explained.ends_with("exit status: 5; its stderr ends with:\ncleaned"), "{explained}");
}

#[tokio::test]
async fn dropping_a_transport_ends_its_child() {
    let mut transport = start_impatient("sleep 100 & echo $! $$; trap '' TERM; wait");
    let processes = receive_lines(&mut transport, 1).await.remove(0);
    drop(transport);
    for process in processes.split(' ') {
        assert!(gone_within(process, CLOSE_MAX).await, "{process} of {processes} is left");
    }
}

/// Destructors also run after the runtime is gone.
#[test]
fn a_transport_may_outlive_its_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let (transport, process) = first.block_on(async {
        let mut transport = start_impatient("echo $$; sleep 100");
        let process = receive_lines(&mut transport, 1).await.remove(0);
        (transport, process)
    });
    drop(first);
    drop(transport);
    assert!(runtime().block_on(gone_within(&process, CLOSE_MAX)));
}

#[tokio::test]
async fn an_end_that_nobody_waits_for_goes_on() {
    let mut transport = start_impatient("echo $$; sleep 100");
    let process = receive_lines(&mut transport, 1).await.remove(0);
    let guard = transport.guard.take().unwrap();
    let hasty = tokio::time::timeout(Duration::from_millis(10), guard.end()).await;
    assert!(hasty.is_err());
    assert!(gone_within(&process, CLOSE_MAX).await);
    guard.end().await;
    assert!(guard.explain().unwrap().contains("SIGTERM"));
}

/// A crash ends the output, after all that was written, even while a grandchild holds the pipe; and
/// what is known of it is told before the end, too.
#[tokio::test]
async fn a_crash_is_noticed_and_explained() {
    for (script, status) in [
        ("sleep 100 & echo boom >&2; echo last; kill -SEGV $$", "signal: 11 (SIGSEGV)"),
        ("sleep 100 & echo boom >&2; echo last; exit 2", "exit status: 2"),
    ] {
        let mut transport = start(script);
        assert_eq!(receive(&mut transport).await, ["last"]);
        assert!(receive(&mut transport).await.is_empty());
        assert!(receive(&mut transport).await.is_empty());
        let guard = transport.guard.as_ref().unwrap();
        let early = guard.explain().unwrap();
        assert!(early.contains(&format!("has ended, {status}")), "{early}");
        let (_, explained) = close(transport).await;
        let expected = format!("has ended, {status}; its stderr ends with:\nboom");
        assert!(explained.ends_with(&expected), "{explained}");
    }
}

/// A wrapper that ends well may have handed its pipes on.
#[tokio::test]
async fn a_wrapper_may_leave_its_server_behind() {
    let mut transport = start("exec 3<&0; cat <&3 & exit 0");
    let guard = transport.guard.as_ref().unwrap();
    while guard.explain().unwrap().contains("is running") {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    send(&mut transport, "ping").await;
    assert_eq!(receive(&mut transport).await, ["ping"]);
    let (took, _) = close(transport).await;
    assert!(took < CLOSE_MAX);
}

#[tokio::test]
async fn a_silent_child_is_explained() {
    let (_, explained) = close(start("exit 0")).await;
    assert_eq!(explained, "`/bin/sh` has ended, exit status: 0; it wrote nothing to stderr");
}

#[tokio::test]
async fn stderr_lines_are_passed_on() {
    let (lines, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let noisy = script("echo one >&2; printf 'two\\r\\nthree' >&2; cat")
        .stderr_to(move |line| lines.send(line.to_owned()).unwrap());
    let transport = noisy.spawn(&Limits::default()).unwrap();
    close(transport).await;
    drop(noisy);
    let mut all = Vec::new();
    while let Some(line) = seen.recv().await {
        all.push(line);
    }
    assert_eq!(all, ["one", "two", "three"]);
}

/// The names of the variables that a child sees.
async fn environment(child: ChildProcess) -> Vec<String> {
    let mut transport = child.spawn(&Limits::default()).unwrap();
    let mut names = Vec::new();
    loop {
        let lines = receive(&mut transport).await;
        if lines.is_empty() {
            return names;
        }
        names.extend(lines.iter().filter_map(|line| Some(line.split_once('=')?.0.to_owned())));
    }
}

/// Cargo sets variables for tests, which makes one whose fate can be watched.
#[tokio::test]
async fn a_child_inherits_little_unless_asked_to() {
    const OURS: &str = "CARGO_MANIFEST_DIR";
    assert!(std::env::var_os(OURS).is_some(), "run by `cargo test`");
    let command = ChildProcess::new("env").env("TOKEN", "secret").envs([("A", "1"), ("B", "2")]);
    let names = environment(command.clone()).await;
    let has = |names: &[String], name: &str| names.iter().any(|seen| seen == name);
    assert!(["PATH", "TOKEN", "A", "B"].iter().all(|name| has(&names, name)), "{names:?}");
    assert!(!has(&names, OURS), "{names:?}");
    let names = environment(command.inherit_env()).await;
    assert!(has(&names, OURS) && has(&names, "TOKEN"), "{names:?}");
}

#[test]
fn debug_output_shows_no_values() {
    let text = format!("{:?}", ChildProcess::new("server").arg("--fast").env("TOKEN", "hunter2"));
    assert!(text.contains("TOKEN") && text.contains("--fast"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn a_command_that_does_not_start_says_why() {
    for (command, reason) in [
        (ChildProcess::new("no-such-server"), "not found in PATH"),
        (ChildProcess::new("no-such-server").env("PATH", "/nowhere"), "which is `/nowhere`"),
        (ChildProcess::new("/no/such/server"), "there is no such file"),
        (ChildProcess::new("/bin/sh").current_dir("/no/such"), "`/no/such` does not exist"),
        (ChildProcess::new("/etc"), "executable"),
    ] {
        let error = command.spawn(&Limits::default()).unwrap_err().to_string();
        assert!(error.contains(&*command.program.to_string_lossy()), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn no_child_is_started_without_a_runtime() {
    let error = ChildProcess::new("cat").spawn(&Limits::default()).unwrap_err();
    assert!(error.to_string().contains("runtime"), "{error}");
}

/// Arguments are data: no shell reads them.
#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let odd = ["$(echo 1)", "a b", "'\"", "*", ";", "--", ""];
    let child = ChildProcess::new("printf").arg("%s\\n").args(odd);
    let mut transport = child.spawn(&Limits::default()).unwrap();
    assert_eq!(receive_lines(&mut transport, 6).await, odd[..6]);
}

/// Many at once do not get into each other's way.
#[tokio::test]
async fn children_are_independent() {
    let mut transports: Vec<_> = (0..8).map(|_| start("echo $$; cat")).collect();
    for transport in &mut transports {
        receive_lines(transport, 1).await;
    }
    let kept = transports.split_off(4);
    for transport in transports {
        close(transport).await;
    }
    for mut transport in kept {
        send(&mut transport, "still here").await;
        assert_eq!(receive(&mut transport).await, ["still here"]);
        let (_, explained) = close(transport).await;
        assert!(explained.contains("exit status: 0"), "{explained}");
    }
}

/// Bytes pass as they are, and the end is the one of every child.
#[tokio::test]
async fn a_child_whose_bytes_somebody_else_moves() {
    let limits = Limits { child_exit_timeout: Duration::from_millis(200), ..Limits::default() };
    let mut child = script("cat; exit 3").piped(&limits).unwrap();
    let odd: &[u8] = b"no line\r\n\n\xff\0 and no end";
    child.input.write_all(odd).await.unwrap();
    child.input.shutdown().await.unwrap();
    let mut seen = Vec::new();
    child.output.read_to_end(&mut seen).await.unwrap();
    assert_eq!(seen, odd);
    assert_eq!(child.process.end().await.unwrap().code(), Some(3));
    assert_eq!(child.process.end().await.unwrap().code(), Some(3));

    // One that does not mind the end of its input, but is asked to go at once.
    let patient = Limits { child_exit_timeout: Duration::from_secs(60), ..Limits::default() };
    let deaf = script("trap 'exit 4' TERM; echo; while :; do sleep 0.1; done").piped(&patient);
    let mut deaf = deaf.unwrap();
    deaf.output.read_exact(&mut [0]).await.unwrap();
    assert_eq!(deaf.process.terminate().await.unwrap().code(), Some(4));

    let stubborn = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
    for dropped in [false, true] {
        let mut child = script(stubborn).piped(&limits).unwrap();
        let mut seen = [0; 16];
        let read = child.output.read(&mut seen).await.unwrap();
        let id = String::from_utf8_lossy(&seen[..read]).trim().to_owned();
        match dropped {
            true => drop(child),
            false => {
                let status = child.process.end().await.unwrap();
                assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
            }
        }
        assert!(gone_within(&id, CLOSE_MAX).await, "dropped: {dropped}");
    }
}
