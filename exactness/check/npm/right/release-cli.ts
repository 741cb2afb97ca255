import { Argument, Command, InvalidArgumentError, Option } from "commander";
import chalk, { Chalk } from "chalk";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const program = new Command();

function level(value: string): "patch" | "minor" | "major" {
  if (value === "patch" || value === "minor" || value === "major") {
    return value;
  }
  throw new InvalidArgumentError("patch, minor or major");
}

function next(version: string, by: "patch" | "minor" | "major"): string {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  switch (by) {
    case "major":
      return `${major + 1}.0.0`;
    case "minor":
      return `${major}.${minor + 1}.0`;
    default:
      return `${major}.${minor}.${patch + 1}`;
  }
}

program
  .name("release")
  .description("raises the version of a package")
  .version("1.0.0", "-v, --version")
  .addArgument(new Argument("[folder]", "the package").default("."))
  .requiredOption("-l, --level <level>", "what to raise", level)
  .addOption(new Option("--color <when>").choices(["auto", "never"]).default("auto"))
  .option("--dry-run", "only tell")
  .showHelpAfterError()
  .action(async (folder: string, options: { level: "patch"; color: string; dryRun?: boolean }) => {
    const colors = options.color === "never" ? new Chalk({ level: 0 }) : chalk;
    const file = join(resolve(folder), "package.json");
    const manifest = JSON.parse(await readFile(file, "utf8")) as { version: string };
    const version = next(manifest.version, options.level);
    console.log(colors.green.bold("✔"), colors.dim(manifest.version), "→", colors.cyan(version));
    if (!options.dryRun) {
      await writeFile(file, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
    }
  });

program.on("command:*", () => {
  console.error(chalk.hex("#ff8800")("unknown command"));
  program.outputHelp();
});

await program.parseAsync(process.argv);
