// invented: uuidv4; right: v4
import { uuidv4, validate } from "uuid";
import { createHash } from "node:crypto";

export function session(user) {
  const id = uuidv4();
  if (!validate(id)) {
    throw new Error("not an id");
  }
  return { id, etag: createHash("sha256").update(`${user}:${id}`).digest("hex") };
}
