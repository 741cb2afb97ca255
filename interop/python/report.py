"""Runs the checklist with one peer and prints one JSON line per check."""

import json
import os
import signal
import sys
from contextlib import AsyncExitStack

import anyio

from checklist import CHECKS, Checklist, NotSupported

TOTAL_LIMIT_S = 60
CHECK_LIMIT_S = 20


def server_command():
    """The command after `--`, as (command, arguments)."""
    command, *arguments = sys.argv[sys.argv.index("--") + 1 :]
    return command, arguments


def server_url():
    """The server's address, when one stands after `--` instead of a command."""
    command, _ = server_command()
    return command if command.startswith("http:") else None


def emit(line):
    print(json.dumps(line, separators=(",", ":")), flush=True)


def describe(error):
    """One line for an error; a task group's error is the errors inside it."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(describe(inner) for inner in error.exceptions)
    return f"{type(error).__name__}: {error}"


class Report:
    """Prints the outcome of each check and remembers whether one failed."""

    def __init__(self):
        self.failed = False
        self.running = None

    def fail(self, name, error):
        self.failed = True
        emit({"check": name, "ok": False, "error": error})

    async def check(self, name, run, limit_s=None):
        """Runs one check; without a limit it may enter or leave the connection's task groups."""
        self.running = name
        try:
            if limit_s is None:
                await run()
            else:
                with anyio.fail_after(limit_s):
                    await run()
        except NotSupported as reason:
            emit({"check": name, "skip": str(reason)})
        except Exception as error:
            self.fail(name, describe(error))
        else:
            emit({"check": name, "ok": True})
            return True
        return False


async def lacking():
    raise NotSupported("this release has it not")


async def run_checks(report, peer):
    async with AsyncExitStack() as stack:
        if await report.check("connect", lambda: peer.connect(stack)):
            checklist = Checklist(peer)
            for name in CHECKS:
                run = lacking if name in getattr(peer, "lacks", ()) else getattr(checklist, name)
                await report.check(name, run, CHECK_LIMIT_S)
            await report.check("close", stack.aclose)


def main(peer):
    """Runs the whole checklist; the process ends with it."""
    report = Report()

    def give_up(_signal, _frame):
        report.fail("time_limit", f"the checklist took too long, in {report.running}")
        os._exit(1)

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(TOTAL_LIMIT_S)
    try:
        anyio.run(run_checks, report, peer)
    except Exception as error:  # the connection's task groups fail outside of any check
        report.fail(report.running, describe(error))
    sys.exit(report.failed)
