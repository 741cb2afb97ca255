// Runs the checklist with one peer and prints one JSON line per check.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { checks, NotSupported } from './checklist.mjs';

const TOTAL_LIMIT_MS = 60_000;
const CHECK_LIMIT_MS = 20_000;

/** The command after `--`, as a stdio transport's parameters. */
export function serverCommand() {
  const [command, ...args] = process.argv.slice(process.argv.indexOf('--') + 1);
  return { command, args, env: process.env };
}

/** The server's address, when one stands after `--` instead of a command. */
export function serverUrl() {
  const { command } = serverCommand();
  return command.startsWith('http:') ? new URL(command) : undefined;
}

/** A transport of one SDK: HTTP+SSE when the address ends in `/sse`, stdio when it is none. */
export function transportOf({ Stdio, StreamableHttp, Sse }) {
  const url = serverUrl();
  if (url === undefined) {
    return new Stdio(serverCommand());
  }
  return url.pathname.endsWith('/sse') ? new Sse(url) : new StreamableHttp(url);
}

let failed = false;

async function report(check, promise, limitMs) {
  let line = { check, ok: true };
  const limit = sleep(limitMs).then(() => assert.fail(`no end within ${limitMs} ms`));
  try {
    await Promise.race([promise, limit]);
  } catch (error) {
    const message = String(error?.message ?? error);
    failed ||= !(error instanceof NotSupported);
    line = error instanceof NotSupported ? { check, skip: message } : { check, ok: false, error: message };
  }
  console.log(JSON.stringify(line));
  return line.ok === true;
}

/** Runs the whole checklist; the process ends with it. */
export async function run(peer) {
  setTimeout(() => {
    console.log(JSON.stringify({ check: 'time_limit', ok: false, error: 'the checklist took too long' }));
    process.exit(1);
  }, TOTAL_LIMIT_MS).unref();
  let client;
  const connected = await report('connect', peer.start().then((started) => (client = started)), TOTAL_LIMIT_MS);
  if (connected) {
    for (const [name, check] of Object.entries(checks(peer, client))) {
      const lacking = async () => {
        throw new NotSupported('this release has it not');
      };
      const run = peer.lacks?.includes(name) ? lacking : check;
      await report(name, Promise.resolve().then(run), CHECK_LIMIT_MS);
    }
  }
  process.exit(failed ? 1 : 0);
}
