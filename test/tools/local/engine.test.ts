import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findEngine } from "../../../tools/local/dynamodb/engine.ts";

const packageName = `@dynoxide/${process.platform}-${process.arch}`;

/** The folder of a project on a machine without any engine. */
let machine: string;
beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), "odis-engine-"));
});
afterEach(() => rm(machine, { recursive: true }));

async function install(path: string, content = "{}"): Promise<string> {
  const file = join(machine, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { mode: 0o755 });
  return file;
}

const find = (env: NodeJS.ProcessEnv = {}) => findEngine({ env, root: join(machine, "project") });
const binaryOf = (env?: NodeJS.ProcessEnv) => find(env)({ port: 8000 })[0];

test("engines are found in this order: DYNOXIDE_BIN, DynamoDB Local, the project's package, .engine, the PATH", async () => {
  const env: NodeJS.ProcessEnv = { PATH: `/nowhere:${join(machine, "bin")}` };
  const onPath = await install("bin/dynoxide");
  expect(binaryOf(env)).toBe(onPath);

  const apart = await install(`project/.engine/node_modules/${packageName}/package.json`);
  expect(binaryOf(env)).toBe(join(dirname(apart), "dynoxide"));

  const own = await install(`project/node_modules/${packageName}/package.json`);
  expect(binaryOf(env)).toBe(join(dirname(own), "dynoxide"));

  const named = { ...env, DYNAMODB_LOCAL_LIB: "/jars" };
  expect(binaryOf(named)).toBe("java");
  expect(binaryOf({ ...named, DYNOXIDE_BIN: "/opt/dynoxide" })).toBe("/opt/dynoxide");
});

test("findEngine throws with installation instructions if there is no engine", () => {
  expect(() => find()).toThrow(`npm install --prefix .engine ${packageName}@1.2.1`);
});

test("dynoxide listens on the loopback address, and stores its data in a file if one is given", () => {
  const engine = find({ DYNOXIDE_BIN: "dx" });
  const inMemory = ["dx", "serve", "--host", "127.0.0.1", "--port", "8000"];
  expect(engine({ port: 8000 })).toEqual(inMemory);
  expect(engine({ port: 8000, file: "/data/table.db" })).toEqual([...inMemory, "--db-path", "/data/table.db"]);
});

test("DynamoDB Local shares its tables among all credentials and sends no telemetry", () => {
  const engine = find({ DYNAMODB_LOCAL_LIB: "/jars" });
  expect(engine({ port: 8000 })).toEqual(expect.arrayContaining(["-inMemory", "-sharedDb", "-disableTelemetry"]));
  expect(engine({ port: 8000, file: "/data/table.db" }).slice(-2)).toEqual(["-dbPath", "/data"]);
});
