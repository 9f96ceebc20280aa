import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { buildClient } from "../../tools/build/client.ts";

type Manifest = {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: object;
};

let folder: string;
let manifest: Manifest;
beforeAll(() => {
  folder = buildClient();
  manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
});

const modules = () => Object.values(manifest.exports).filter((path) => path.endsWith(".js"));

/** Size of the minified and compressed JavaScript of an app that uses these functions, in bytes. */
async function sizeOf(...names: readonly string[]): Promise<number> {
  const contents = `export { ${names.join(", ")} } from "@odis/client";`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    alias: { "@odis/client": join(folder, "odis.js") },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? "").length;
}

describe("the package @odis/client", () => {
  it.each([
    ["createOdis", ["createOdis"], 2000],
    ["the client with sign-in and session", ["createOdis", "createSignIn", "createSession"], 6000],
  ])("an app that uses %s loads at most this many bytes (%j): %i", async (_, names, most) => {
    const size = await sizeOf(...names);
    expect(size).toBeGreaterThan(most / 2);
    expect(size).toBeLessThanOrEqual(most);
  });

  it("the package @odis/client has at most 15 kB of minified JavaScript", async () => {
    const { metafile } = await build({
      entryPoints: modules(),
      absWorkingDir: folder,
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      outdir: "unused",
      write: false,
      metafile: true,
    });
    const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThanOrEqual(15_000);
  });

  it("the package @odis/client imports only its own files and has no dependencies", () => {
    expect(manifest.dependencies).toBeUndefined();
    const imported = globSync("**/*.{js,d.ts}", { cwd: folder }).flatMap((file) =>
      Array.from(
        readFileSync(join(folder, file), "utf8").matchAll(/^(?:im|ex)port .*from "([^"]+)";$/gm),
        ([, path = ""]) => join(file, "..", path),
      ),
    );
    const files = globSync("**/*", { cwd: folder });
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((path) => !files.includes(path))).toEqual([]);
  });

  it("the package @odis/client has JavaScript and declarations for every entry", () => {
    for (const path of modules())
      for (const file of [path, path.replace(/\.js$/, ".d.ts")])
        expect(readFileSync(join(folder, file), "utf8")).toContain("export");
  });

  it("the package @odis/client has a README, a license, and a changelog with its version", () => {
    for (const name of ["README.md", "LICENSE"]) expect(readFileSync(join(folder, name), "utf8")).not.toBe("");
    expect(readFileSync(join(folder, "CHANGELOG.md"), "utf8")).toContain(`\n## ${manifest.version}\n`);
  });
});
