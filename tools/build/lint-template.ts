import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { command, run } from "../command.ts";
import { pythonEnvironment } from "./python.ts";

/** In a virtual environment of their own outside the repository; `.cfnlintrc` and `.checkov.yaml` say what is accepted. */
const linters = { "cfn-lint": "1.58.0", checkov: "3.3.30" };
const template = "cdk.out/odis-sandbox.template.json";

const program = command(
  "npm run check:template",
  "Checks the template that `npm run synth` wrote, using cfn-lint and checkov. The first run requires Python 3 to install them.",
).action(async () => {
  if (!existsSync(template)) throw new Error("No template found. Run: npm run synth");
  const bin = binaries();
  if (bin === undefined) return;
  const results = await Promise.all([
    passes(join(bin, "cfn-lint"), ["--", template]),
    passes(join(bin, "checkov"), ["--file", template]),
  ]);
  if (results.includes(false)) process.exitCode = 1;
});

function binaries(): string | undefined {
  try {
    return join(pythonEnvironment(linters), "bin");
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n");
    console.error(`NOT CHECKED: cfn-lint and checkov cannot be installed (${reason})`);
    return undefined;
  }
}

/** Whether a linter finds nothing. What it finds is printed. */
async function passes(linter: string, args: readonly string[]): Promise<boolean> {
  try {
    await promisify(execFile)(linter, args, { maxBuffer: 64 * 1024 * 1024 });
    return true;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    console.error(stdout + stderr || message);
    return false;
  }
}

await run(program);
