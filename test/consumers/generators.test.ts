import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { copyFile, cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pythonEnvironment } from "../../tools/build/python.ts";
import { compile, run, startProject, tools } from "./project.ts";

let project: Awaited<ReturnType<typeof startProject>>;
beforeAll(async () => {
  project = await startProject();
  await symlink(join(tools, "node_modules"), join(project.folder, "node_modules"));
  await project.tell("nobody@example.com");
  const cli = join(tools, "node_modules/openapi-typescript/bin/cli.js");
  await run(process.execPath, [cli, `${project.url}/openapi.json`, "-o", "paths.ts"], project.folder);
});
afterAll(() => project.stop());

const typescript = join(tools, "node_modules/typescript");

/** The results of eight calls with the demo's data, and of a ninth one that is refused. */
const found = (benefit: string) => ({
  community: true,
  hosted: true,
  reason: "not_a_member",
  members: 5,
  active: true,
  benefit,
  refused: "forbidden",
});

async function runProgram(name: string): Promise<unknown> {
  await project.add(`${name}.ts`);
  await compile(typescript, [`${name}.ts`], project.folder);
  return JSON.parse(await run(process.execPath, [`${name}.js`], project.folder)) as unknown;
}

describe("a first program", () => {
  it("a first program compiles and runs with openapi-typescript and openapi-fetch", async () => {
    expect(await runProgram("openapi-fetch")).toEqual(found("Made with openapi-fetch"));
  });

  it("a first program compiles and runs with @hey-api/openapi-ts", async () => {
    const cli = join(tools, "node_modules/@hey-api/openapi-ts/bin/run.js");
    await run(process.execPath, [cli, "-i", `${project.url}/openapi.json`, "-o", "hey"], project.folder);
    expect(await runProgram("hey-api")).toEqual(found("Made with hey-api"));
  });

  it("a first program runs with openapi-python-client, which generates one class for all problems", async ({
    skip,
  }) => {
    let python: string;
    try {
      python = join(pythonEnvironment({ "openapi-python-client": "0.29.0" }), "bin");
    } catch (error) {
      console.warn(`NOT TESTED: the Python client, which cannot be generated here (${(error as Error).message})`);
      return skip();
    }
    const { folder, url, fanToken, ownerToken } = project;
    await run(join(python, "openapi-python-client"), ["generate", "--url", `${url}/openapi.json`], folder);
    const models = globSync("odis-client/odis_client/models/*.py", { cwd: folder });
    expect(models.filter((path) => /_response_\d/.test(path))).toEqual([]);
    await project.add("first.py");
    await copyFile(join(folder, "first.py"), join(folder, "odis-client/first.py"));
    const out = await run(join(python, "python"), ["first.py", url, fanToken, ownerToken], join(folder, "odis-client"));
    expect(JSON.parse(out)).toEqual(found("Made with Python"));
  });

  it("a first program in Go compiles and runs with oapi-codegen", async ({ skip }) => {
    const { folder, url, fanToken, ownerToken } = project;
    const calls = join(folder, "calls");
    await cp(join(import.meta.dirname, "programs/calls"), calls, { recursive: true });
    const { status, error, stderr } = spawnSync("go", ["mod", "download"], { cwd: calls, encoding: "utf8" });
    if (status !== 0) {
      console.warn(`NOT TESTED: the Go client, which cannot be generated here (${error?.message ?? stderr})`);
      return skip();
    }
    await run("go", ["tool", "oapi-codegen", "-config", "config.yaml", `${url}/openapi.json`], calls);
    const out = await run("go", ["run", ".", url, fanToken, ownerToken], calls);
    expect(JSON.parse(out)).toEqual(found("Made with Go"));
  });
});

it("the client's types equal those that openapi-typescript generates, for every operation", async () => {
  const { folder } = project;
  const schema = await readFile(join(import.meta.dirname, "../../client/schema.ts"), "utf8");
  const compare = async (ours: string): Promise<string> => {
    await writeFile(join(folder, "schema.ts"), ours);
    return compile(typescript, ["same-types.ts"], folder);
  };
  await project.add("same-types.ts");
  expect(await compare(schema)).toBe("");
  const isWrong = schema.replace("  cancel_at_period_end: boolean;", "  cancel_at_period_end?: boolean;");
  await expect(compare(isWrong)).rejects.toThrow("GET /odis/v1/communities/{community_id}/members");
});
