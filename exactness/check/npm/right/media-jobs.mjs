import fs, { createReadStream } from "node:fs";
import { mkdir, readdir, stat, rm } from "node:fs/promises";
import path from "node:path";
import os from "node:os";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { EventEmitter, once } from "node:events";
import { parseArgs, promisify } from "node:util";
import { execFile } from "node:child_process";
import { glob, globSync, hasMagic } from "glob";
import pLimit from "p-limit";
import { v7 as uuidv7 } from "uuid";
import _ from "lodash";
import debounce from "lodash/debounce.js";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import WebSocket, { WebSocketServer } from "ws";

const run = promisify(execFile);
const limit = pLimit({ concurrency: Math.max(1, os.availableParallelism() - 1) });
const events = new EventEmitter({ captureRejections: true });

const { values } = parseArgs({ options: { out: { type: "string", short: "o" } }, strict: false });
const argv = await yargs(hideBin(process.argv))
  .option("pattern", { type: "string", default: "**/*.png", describe: "what to pack" })
  .option("port", { alias: "p", type: "number", default: 0 })
  .demandCommand(0)
  .strict()
  .help()
  .parseAsync();

async function pack(file, folder) {
  const target = path.join(folder, `${uuidv7()}-${path.basename(file)}.gz`);
  await pipeline(createReadStream(file), createGzip({ level: 9 }), fs.createWriteStream(target));
  const { size } = await stat(target);
  events.emit("packed", { file, size });
  return size;
}

const folder = path.resolve(values.out ?? os.tmpdir(), "packed");
await mkdir(folder, { recursive: true });
if (!hasMagic(argv.pattern)) {
  console.warn("no wildcard", globSync("*").length);
}
const files = await glob(argv.pattern, { ignore: "node_modules/**", nodir: true });
const sizes = await Promise.all(_.uniq(files).map((file) => limit(() => pack(file, folder))));
console.log(_.sum(sizes), _.chain(sizes).sortBy().last().value(), limit.activeCount);

const wss = new WebSocketServer({ port: argv.port, path: "/events", maxPayload: 1024 });
const notify = debounce((message) => {
  for (const client of wss.clients) {
    if (client.readyState === WebSocket.OPEN) client.send(JSON.stringify(message));
  }
}, 100, { leading: true });
events.on("packed", notify);
wss.on("connection", (socket) => socket.on("error", console.error));
await once(process, "SIGINT");
wss.close();
await run("true");
for (const name of await readdir(folder)) await rm(path.join(folder, name), { force: true });
