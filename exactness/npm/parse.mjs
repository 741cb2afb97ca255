// How long TypeScript's own parser takes for some files: paths on stdin, milliseconds on stdout.
//
// The median of five rounds over all of them, after one that is not counted; reading is not part of it.

import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import ts from "typescript";

const files = readFileSync(0, "utf8").split("\n").filter((file) => file !== "");
const texts = files.map((file) => [file, readFileSync(file, "utf8")]);
const rounds = [];
for (let round = 0; round < 6; round += 1) {
  const begin = performance.now();
  for (const [file, text] of texts) ts.createSourceFile(file, text, ts.ScriptTarget.ESNext);
  if (round > 0) rounds.push(performance.now() - begin);
}
rounds.sort((one, other) => one - other);
process.stdout.write(`${rounds[2]}\n`);
