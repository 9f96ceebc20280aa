import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import type { OutputFile, Plugin } from "esbuild";
import { stackVariables } from "#lib/env.ts";
import type { Range } from "./called.ts";

/** The environment of a function on Lambda, but without credentials, so that no request is sent. */
const environment = {
  ...Object.fromEntries(Object.keys(stackVariables).map((name) => [name, "https://odis.example.com"])),
  EPOCH: "0",
  USER_POOL_ID: "eu-central-1_Example",
  JWKS: JSON.stringify({ keys: [] }),
  AWS_LAMBDA_FUNCTION_NAME: "build",
  AWS_REGION: "eu-central-1",
};

/** A parenthesis, and the offset at which it is inserted. */
type Insertion = { readonly at: number; readonly text: "(" | ")" };

/**
 * Puts the arrow functions that a bundle calls while it is loaded in parentheses. V8 compiles such functions when it first
 * reads them. Of all others, it only checks the syntax, and reads them again when they are called
 * (https://v8.dev/blog/preparser#pife). The build fails if a bundle cannot be loaded. Needs the option `write: false`.
 */
export const eager: Plugin = {
  name: "eager",
  setup(esbuild) {
    esbuild.onEnd(async ({ errors, outputFiles = [] }) => {
      if (errors.length > 0) return;
      const bundles = outputFiles.filter(({ path }) => path.endsWith(".mjs"));
      const called = await calledBy(bundles);
      for (const [n, bundle] of bundles.entries()) {
        const { path, text } = bundle;
        const insertions = (called[n] ?? [])
          .filter(([start]) => isArrow(text, start))
          .flatMap(([start, end]): Insertion[] => [
            { at: start, text: "(" },
            { at: end, text: ")" },
          ])
          .toSorted((a, b) => a.at - b.at);
        bundle.contents = Buffer.from(inserted(text, insertions));
        const map = outputFiles.find((file) => file.path === `${path}.map`);
        if (map) map.contents = Buffer.from(shifted(map.text, text, insertions));
      }
    });
  },
};

/** The functions that each bundle has called once it is loaded. */
async function calledBy(bundles: readonly OutputFile[]): Promise<Range[][]> {
  const folder = mkdtempSync(join(tmpdir(), "odis-build-"));
  try {
    const urls = bundles.map(({ contents }, n) => {
      const file = join(folder, `${n}.mjs`);
      writeFileSync(file, contents);
      return pathToFileURL(file).href;
    });
    const worker = new Worker(join(import.meta.dirname, "called.ts"), { env: environment, workerData: urls });
    const [called] = (await once(worker, "message")) as [Range[][]];
    await worker.terminate();
    return called;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether a function that starts here is an arrow function. The range of a method starts with its name. */
const isArrow = (code: string, start: number): boolean =>
  /^(async ?)?(\(|[\w$]+=>)/.test(code.slice(start, start + 80));

const inserted = (code: string, insertions: readonly Insertion[]): string =>
  insertions.map(({ at, text }, n) => code.slice(insertions[n - 1]?.at ?? 0, at) + text).join("") +
  code.slice(insertions.at(-1)?.at ?? 0);

/** The source map of the code after the insertions. */
function shifted(map: string, code: string, insertions: readonly Insertion[]): string {
  const parsed = JSON.parse(map) as { readonly mappings: string };
  const mappings = decode(parsed.mappings);
  let lineStart = 0;
  for (const [n, line] of code.split("\n").entries()) {
    const lineEnd = lineStart + line.length;
    const columns = insertions.filter(({ at }) => at >= lineStart && at <= lineEnd).map(({ at }) => at - lineStart);
    let before = 0;
    for (const segment of mappings[n] ?? []) {
      while ((columns[before] ?? Number.POSITIVE_INFINITY) <= segment[0]) before++;
      segment[0] += before;
    }
    lineStart = lineEnd + 1;
  }
  return JSON.stringify({ ...parsed, mappings: encode(mappings) });
}
