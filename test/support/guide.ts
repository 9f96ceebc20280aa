import { readFileSync } from "node:fs";

const text = readFileSync("docs/guide.md", "utf8");

/** A part of the guide between two comments. @throws Error if there is no such part */
function partOf(name: string): string {
  const part = new RegExp(`<!-- ${name} -->(.*)<!-- /${name} -->`, "s").exec(text)?.[1];
  if (part === undefined) throw new Error(`docs/guide.md has no part "${name}"`);
  return part;
}

/** The commands of the quick start, one a line. */
export const quickStart = (): string[] =>
  Array.from(partOf("quick start").matchAll(/^```sh\n(.*?)^```$/gms), ([, block = ""]) =>
    block.trim().split("\n"),
  ).flat();

/** All shell blocks, each of which a reader can paste alone. */
export const shellBlocks = (): string[] =>
  Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = ""]) => block);

/** The steps of the guide in the browser, in order, without line breaks. */
export const steps = (): string[] =>
  partOf("steps")
    .trim()
    .split(/^\d+\. /m)
    .slice(1)
    .map((step) => step.replaceAll(/\s+/g, " ").trim());

/** Excerpts of source files, with the file that each is from. */
export const excerpts = (): { readonly file: string; readonly code: string }[] =>
  Array.from(
    text.matchAll(/^<!-- ((?:examples|site\/club)\/\S+) -->\n```ts\n(.*?)^```$/gms),
    ([, file = "", code = ""]) => ({
      file,
      code,
    }),
  );
