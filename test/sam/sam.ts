import { spawnSync } from "node:child_process";
import { existsSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../support/cache.ts";

const version = "1.170.0";

/** SAM as a Python package: the interpreter that has it, and the emulator of Lambda's runtime interface inside it. */
export type Sam = { readonly python: string; readonly emulator: string };

/** SAM in a virtual environment of its own, made where it is not there yet; a reason instead where it cannot be had. */
export function fetchSam(): Sam | { readonly missing: string } {
  if (process.platform !== "linux") return { missing: "the emulator of Lambda's runtime is a program for Linux" };
  const environment = cached(`aws-sam-cli-${version}`);
  const finished = join(environment, "finished");
  const python = join(environment, "bin/python");
  if (!existsSync(finished)) {
    const made = spawnSync("python3", ["-m", "venv", environment], { encoding: "utf8" });
    if (made.status !== 0) return { missing: `it needs Python 3 with venv: ${made.error?.message ?? made.stderr}` };
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `aws-sam-cli==${version}`];
    const { status, stderr } = spawnSync(python, pip, { encoding: "utf8" });
    if (status !== 0) return { missing: `pip could not fetch aws-sam-cli ${version}: ${stderr.slice(-500)}` };
    writeFileSync(finished, "");
  }
  const architecture = process.arch === "arm64" ? "arm64" : "x86_64";
  const place = `lib/*/site-packages/samcli/local/rapid/aws-lambda-rie-${architecture}`;
  const [emulator] = globSync(place, { cwd: environment });
  if (emulator === undefined) return { missing: `aws-sam-cli ${version} brings no emulator for ${architecture}` };
  return { python, emulator: join(environment, emulator) };
}
