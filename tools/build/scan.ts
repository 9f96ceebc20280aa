import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "./tool.ts";

const source = "lib/discovery/scan.as.ts";
const generated = "lib/discovery/scan.wasm.ts";

const flags = ["-O3", "--runtime", "stub", "--importMemory", "--noExportMemory", "--enable", "simd"];

/** The TypeScript file that holds the compiled name scan. */
function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), "odis-scan-"));
  try {
    const outFile = join(folder, "scan.wasm");
    if (runTool("scan-compiler", "asc", [source, ...flags, "--outFile", outFile]) !== 0)
      throw new Error(`${source} does not compile`);
    return textOf(readFileSync(outFile));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const textOf = (bytes: Buffer): string => `/**
 * The WebAssembly module that \`npm run scan\` compiles from scan.as.ts, in base64 (${bytes.length} bytes). Generated, do not edit.
 */
export const scanWasm =
  "${bytes.toString("base64")}";
`;

/**
 * `npm run scan` compiles the name scan. With `--check` it only compares: the exit code is 1 if the committed module is
 * not what its source compiles to.
 */
const expected = compile();
if (!process.argv.includes("--check")) {
  writeFileSync(generated, expected);
} else if (readFileSync(generated, "utf8") !== expected) {
  console.error(
    `${generated} is not what ${source} compiles to. Regenerate it with \`npm run scan\`, and commit both.`,
  );
  process.exitCode = 1;
} else {
  console.log(`${generated} is what ${source} compiles to.`);
}
