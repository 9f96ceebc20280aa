import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, run } from "../command.ts";
import { runTool } from "./tool.ts";

const source = "lib/discovery/scan.as.ts";
const generated = "lib/discovery/scan.wasm.ts";

const flags = ["-O3", "--runtime", "stub", "--importMemory", "--noExportMemory", "--enable", "simd"];

/** Returns the TypeScript file with the compiled name scan. */
function compile(): string {
  using folder = mkdtempDisposableSync(join(tmpdir(), "odis-scan-"));
  const outFile = join(folder.path, "scan.wasm");
  if (runTool("scan-compiler", "asc", [source, ...flags, "--outFile", outFile]) !== 0)
    throw new Error(`${source} does not compile`);
  return textOf(readFileSync(outFile));
}

const textOf = (bytes: Buffer): string => `/**
 * The WebAssembly module that \`npm run scan\` compiles from scan.as.ts, in base64 (${bytes.length} bytes). Generated, do not edit.
 */
export const scanWasm =
  "${bytes.toString("base64")}";
`;

const program = command(
  "npm run scan --",
  `Compiles ${source}, which searches the names in the directory, into ${generated}.`,
)
  .option("--check", "Write nothing, and fail if the committed module differs from the compiled source")
  .action(({ check }: { readonly check?: true }) => {
    const expected = compile();
    if (!check) return writeFileSync(generated, expected);
    if (readFileSync(generated, "utf8") !== expected)
      throw new Error(`${generated} differs from what ${source} compiles to: run \`npm run scan\` and commit both`);
    console.log(`${generated} is what ${source} compiles to.`);
  });

await run(program);
