// invented: brightRed; right: redBright
import chalk from "chalk";

export function report(problems) {
  for (const { file, line, message } of problems) {
    console.error(`${chalk.underline(file)}:${chalk.yellow(line)} ${chalk.brightRed(message)}`);
  }
  console.error(problems.length ? chalk.bold.red("failed") : chalk.green("passed"));
}
