import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * `npm run check:template`: cfn-lint and checkov on what `cdk synth` has written. They are Python programs, so they get
 * a virtual environment of their own, once, outside the repository; `.cfnlintrc` and `.checkov.yaml` say what is let go.
 */
const linters = { "cfn-lint": "1.58.0", checkov: "3.3.30" };

const run = promisify(execFile);

/** Where the linters are. @throws Error without Python or the package registry */
function install(): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const names = Object.entries(linters).map(([name, version]) => `${name}-${version}`);
  const folder = join(cache, "odis", names.join("-"));
  const bin = join(folder, "bin");
  if (Object.keys(linters).every((name) => existsSync(join(bin, name)))) return bin;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("python3", ["-m", "venv", folder], { stdio: "pipe" });
    const packages = Object.entries(linters).map(([name, version]) => `${name}==${version}`);
    execFileSync(join(bin, "pip"), ["install", "--quiet", ...packages], { stdio: "pipe" });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return bin;
}

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
  bin = install();
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
