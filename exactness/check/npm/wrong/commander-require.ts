// invented: requireOption; right: requiredOption
import { Command } from "commander";

const program = new Command();

program
  .name("deploy")
  .description("brings a build to a server")
  .requireOption("-t, --target <host>", "where to")
  .option("--force", "even if nothing changed")
  .parse(process.argv);

console.log(program.opts());
