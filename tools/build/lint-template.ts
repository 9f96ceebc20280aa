import { execFile } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { command, run } from "../command.ts";
import { buildIfStale } from "./build.ts";
import { pythonEnvironment } from "./python.ts";
import { createVariant, type VariantName, variantNames } from "./variants.ts";

/** The variants to lint. The others differ only in a few numbers and booleans, which a test verifies. */
const linted: readonly VariantName[] = ["sandbox with alarms", "prod", "prod on a restored table"];

/** The linters and their versions. `.cfnlintrc` and `.checkov.yaml` list the accepted findings. */
const linters = { "cfn-lint": "1.58.0", checkov: "3.3.30" };

const program = command(
  "npm run check:template",
  "Synthesizes every variant of the stack, which the CDK and cdk-nag check, and checks those of a sandbox, prod and prod on a restored table using cfn-lint and checkov. The first run requires Python 3 to install them.",
).action(async () => {
  await buildIfStale();
  using folder = mkdtempDisposableSync(join(tmpdir(), "odis-templates-"));
  const templates = new Map(variantNames.map((name) => [name, synthesize(name, folder.path)]));
  const toLint = linted.map((name) => templates.get(name)).filter((template) => template !== undefined);
  const isLinted = await passLinters(toLint);
  if (!isLinted || [...templates.values()].includes(undefined)) process.exitCode = 1;
});

/** @returns the file of the template; undefined if a rule refuses it, after printing the reason */
function synthesize(name: VariantName, folder: string): string | undefined {
  const { app, stack } = createVariant(name, join(folder, name.replaceAll(" ", "-")));
  try {
    return join(app.synth().directory, stack.templateFile);
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
    return undefined;
  }
}

async function passLinters(templates: readonly string[]): Promise<boolean> {
  const bin = binaries();
  if (bin === undefined) return true;
  const results = await Promise.all([
    passes(join(bin, "cfn-lint"), ["--", ...templates]),
    passes(
      join(bin, "checkov"),
      templates.flatMap((template) => ["--file", template]),
    ),
  ]);
  return !results.includes(false);
}

function binaries(): string | undefined {
  try {
    return join(pythonEnvironment(linters), "bin");
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n");
    console.error(`NOT CHECKED: cfn-lint and checkov cannot be installed (${reason})`);
    return undefined;
  }
}

/** Runs a linter and prints its findings. Returns whether there are none. */
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
