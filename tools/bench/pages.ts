import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildIfStale } from "../build/build.ts";

/** What a browser without a cache loads for a page, with the files that it loads on demand. */
type Load = { readonly requests: number; readonly kb: number };

const site = join(import.meta.dirname, "../../dist/site");

/** Measures pages of the built site, compressed with gzip. */
export async function measurePages<Page extends string>(pages: readonly Page[]): Promise<Record<Page, Load>> {
  await buildIfStale();
  const assets = await readdir(join(site, "assets"));
  const measured = pages.map(async (page) => [page, await loadOf(page, assets)] as const);
  return Object.fromEntries(await Promise.all(measured)) as Record<Page, Load>;
}

async function loadOf(page: string, assets: readonly string[]): Promise<Load> {
  const texts = new Map([["", await readFile(join(site, page, "index.html"), "utf8")]]);
  // The iteration includes files that are added during it.
  for (const text of texts.values())
    for (const name of assets)
      if (text.includes(name) && !texts.has(name)) texts.set(name, await readFile(join(site, "assets", name), "utf8"));
  const bytes = [...texts.values()].reduce((sum, text) => sum + gzipSync(text).length, 0);
  return { requests: texts.size, kb: bytes / 1024 };
}
