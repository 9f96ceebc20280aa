import { globSync } from "node:fs";
import { join } from "node:path";
import { pythonEnvironment } from "../../tools/build/python.ts";

const version = "1.170.0";

/**
 * Paths of the Python interpreter that has SAM installed, and of the emulator of Lambda's runtime interface in SAM's
 * package.
 */
export type Sam = { readonly python: string; readonly emulator: string };

/** Installs SAM in its own virtual environment if it is missing. Returns a reason if SAM cannot be installed. */
export function fetchSam(): Sam | { readonly missing: string } {
  if (process.platform !== "linux") return { missing: "the emulator of Lambda's runtime is a program for Linux" };
  let environment: string;
  try {
    environment = pythonEnvironment({ "aws-sam-cli": version });
  } catch (error) {
    return { missing: (error as Error).message };
  }
  const architecture = process.arch === "arm64" ? "arm64" : "x86_64";
  const place = `lib/*/site-packages/samcli/local/rapid/aws-lambda-rie-${architecture}`;
  const [emulator] = globSync(place, { cwd: environment });
  if (emulator === undefined) return { missing: `aws-sam-cli ${version} brings no emulator for ${architecture}` };
  return { python: join(environment, "bin/python"), emulator: join(environment, emulator) };
}
