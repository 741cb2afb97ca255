// invented: readFileAsync; right: readFile
import * as fs from "node:fs";
import { join } from "node:path";

export async function settings(folder: string): Promise<Record<string, string>> {
  const file = join(folder, "settings.json");
  if (!fs.existsSync(file)) {
    return {};
  }
  return JSON.parse(await fs.readFileAsync(file, "utf8"));
}
