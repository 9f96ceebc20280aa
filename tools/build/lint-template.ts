import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pythonEnvironment } from "./python.ts";

/**
 * `npm run check:template`: cfn-lint and checkov on what `cdk synth` has written. They are Python programs, so they get
 * a virtual environment of their own, once, outside the repository; `.cfnlintrc` and `.checkov.yaml` say what is let go.
 */
const linters = { "cfn-lint": "1.58.0", checkov: "3.3.30" };

const run = promisify(execFile);

/** Whether a program found nothing; what it found is printed. */
async function passes(program: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(program, args, { maxBuffer: 64 * 1024 * 1024 });
    return true;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    console.error(stdout + stderr || message);
    return false;
  }
}

const template = "cdk.out/odis-sandbox.template.json";
if (!existsSync(template)) throw new Error("There is no template: npm run synth");

let bin: string | undefined;
try {
  bin = join(pythonEnvironment(linters), "bin");
} catch (error) {
  const [reason = ""] = (error as Error).message.split("\n");
  console.error(`NOT CHECKED: the template by cfn-lint and checkov, as they cannot be installed (${reason})`);
}
if (bin !== undefined) {
  const results = await Promise.all([
    passes(join(bin, "cfn-lint"), ["--", template]),
    passes(join(bin, "checkov"), ["--file", template]),
  ]);
  if (results.includes(false)) process.exitCode = 1;
}
