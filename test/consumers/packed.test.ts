import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildClient } from "../../tools/build/client.ts";
import { compile, run, runtime, startProject, tools } from "./project.ts";

let project: Awaited<ReturnType<typeof startProject>>;
beforeAll(async () => {
  project = await startProject();
  const { folder } = project;
  const packed = await run("npm", ["pack", "--pack-destination", folder, "--silent"], buildClient());
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, packed.trim())], folder);
  await project.add("packed.ts");
  await project.tell("nobody@example.com");
});
afterAll(() => project.stop());

const compilers = [
  ["TypeScript 5", join(tools, "node_modules/typescript")],
  ["TypeScript 7", join(import.meta.dirname, "../../node_modules/typescript")],
] as const;

it.each(compilers)(
  "the packed client compiles in an empty project with %s, strict and skipLibCheck off",
  async (_, compiler) => {
    expect(await compile(compiler, ["packed.ts"], project.folder)).toBe("");
  },
);

const runtimes = [
  ["Node 20", runtime("node"), []],
  ["Node 24", process.execPath, []],
  ["Deno", runtime("deno"), ["run", "--allow-net"]],
  ["Bun", runtime("bun"), []],
] as const;

it.each(runtimes.filter(([, program]) => program !== undefined))(
  "the packed client runs on %s",
  async (name, program = "", args) => {
    await project.tell(`${name.replace(" ", "-")}@example.com`);
    await compile(compilers[1][1], ["packed.ts"], project.folder);
    const out = await run(program, [...args, "packed.js"], project.folder);
    expect(JSON.parse(out)).toEqual({
      granted: true,
      name: "Anna",
      hasManyMembers: true,
      perPage: 1,
      hasRequestId: true,
      problem: ["not_found", 404, true],
    });
  },
);

it("every sample of the client's README compiles", async () => {
  const { folder } = project;
  const text = await readFile(join(folder, "node_modules/@odis/client/README.md"), "utf8");
  const samples = Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, sample = ""]) => sample);
  expect(samples.length).toBeGreaterThan(3);
  const files = await Promise.all(
    samples.map(async (sample, n) => {
      const unknown = ["accessToken", "password", "codeFromTheEmail", "baseUrl"];
      const declared = unknown.map((name) => `declare const ${name}: string;`);
      const odis = sample.includes("const odis =") ? "" : 'declare const odis: import("@odis/client").Odis;\n';
      const file = `sample-${n}.ts`;
      await writeFile(join(folder, file), `${declared.join("\n")}\n${odis}${sample}\nexport {};\n`);
      return file;
    }),
  );
  expect(await compile(compilers[1][1], files, folder)).toBe("");
});
