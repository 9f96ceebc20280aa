import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(import.meta.dirname, "../..");

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number };
type Script = { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] };

/** Runs work and returns the share of the lines of `lib` and `functions` that were executed. */
export async function measureCoverage<T>(work: (env: { readonly NODE_V8_COVERAGE: string }) => Promise<T>) {
  const folder = mkdtempSync(join(tmpdir(), "odis-coverage-"));
  try {
    const result = await work({ NODE_V8_COVERAGE: folder });
    const scripts = readdirSync(folder).flatMap((name) => {
      const { result: those } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly result: Script[] };
      return those;
    });
    return { result, coverage: { lib: shareOf("lib", scripts), functions: shareOf("functions", scripts) } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function shareOf(folder: string, scripts: readonly Script[]): string {
  let [reached, all] = [0, 0];
  for (const file of globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ["**/*.as.ts"] })) {
    const source = readFileSync(join(root, file), "utf8");
    // Types and comments are not executed. They are replaced by spaces, so that offsets stay the same.
    const text = withoutComments(stripTypeScriptTypes(source));
    const runs = scripts.filter(({ url }) => url.startsWith("file:") && relative(root, fileURLToPath(url)) === file);
    const covered = runs.map(({ functions }) => reachedCharacters(text.length, functions));
    let offset = 0;
    for (const line of text.split("\n")) {
      const first = offset + line.search(/\S/);
      offset += line.length + 1;
      if (!/\w/.test(line)) continue;
      all++;
      if (covered.some((characters) => characters[first] === 1)) reached++;
    }
  }
  return `${((100 * reached) / all).toFixed(1)} % of ${all}`;
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, " "));

/** Returns for each character whether it was executed. Inner ranges override the ranges around them. */
function reachedCharacters(length: number, functions: Script["functions"]): Uint8Array {
  const reached = new Uint8Array(length);
  const ranges = functions.flatMap((one) => one.ranges);
  for (const { startOffset, endOffset, count } of ranges.toSorted(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  ))
    reached.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return reached;
}
