import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadFunctions } from "../../../tools/local/functions.ts";
import { lambdaContext } from "../../../tools/local/lambda-context.ts";

let dist: string;
beforeEach(async () => {
  dist = await mkdtemp(join(tmpdir(), "odis-functions-"));
});
afterEach(() => rm(dist, { recursive: true }));

/** Writes a bundle like the build. `second` determines its modification time. */
async function bundle(place: string, code: string, second = 0): Promise<void> {
  const file = join(dist, place, "index.mjs");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
  await utimes(file, second, second);
}

const route = { area: "members", file: "list" };
const invoke = (functions: ReturnType<typeof loadFunctions>, event: unknown = {}) =>
  functions.invoke(route, event, lambdaContext("MembersList", 10));

test("a route's function is called with the event and the context", async () => {
  await bundle("members/list", "export const handler = async (event, context) => [event, context.functionName];");
  expect(await invoke(loadFunctions({ dist }), { a: 1 })).toEqual([{ a: 1 }, "MembersList"]);
});

test("a trigger's function is called by the name of its file", async () => {
  await bundle("triggers/deliver", "export const handler = async (event, { functionName }) => [event, functionName];");
  expect(await loadFunctions({ dist }).call("deliver", 7)).toEqual([7, "deliver"]);
});

test("a function is imported at its first call, and keeps its state from call to call", async () => {
  const functions = loadFunctions({ dist });
  await bundle("members/list", "let calls = 0; export const handler = async () => ++calls;");
  expect(await Promise.all([invoke(functions), invoke(functions)])).toEqual([1, 2]);
});

test("a new build is used after a reload, and not before", async () => {
  const functions = loadFunctions({ dist });
  await bundle("members/list", "export const handler = async () => 'old';", 1);
  expect(await invoke(functions)).toBe("old");
  await bundle("members/list", "export const handler = async () => 'new';", 2);
  expect(await invoke(functions)).toBe("old");
  functions.reload();
  expect(await invoke(functions)).toBe("new");
});

test("events and results pass through JSON", async () => {
  await bundle(
    "members/list",
    "export const handler = async (event) => ({ at: new Date(0), none: undefined, event: ((event.seen = true), event) });",
  );
  const event = { at: new Date(0) };
  const at = "1970-01-01T00:00:00.000Z";
  expect(await invoke(loadFunctions({ dist }), event)).toEqual({ at, event: { at, seen: true } });
  expect(event).toEqual({ at: new Date(0) });
});

test("the failure of a function is thrown to the caller", async () => {
  await bundle("members/list", "export const handler = async () => { throw new Error('broken'); };");
  await expect(invoke(loadFunctions({ dist }))).rejects.toThrow("broken");
});

test("a missing build throws with instructions, and the function is found once it is built", async () => {
  const functions = loadFunctions({ dist });
  await expect(invoke(functions)).rejects.toThrow("Function members/list is not in");
  await expect(invoke(functions)).rejects.toThrow("npm run build");
  await bundle("members/list", "export const handler = async () => 1;");
  expect(await invoke(functions)).toBe(1);
});

test("a bundle without a handler throws an error that says so", async () => {
  await bundle("members/list", "export const other = 1;");
  await expect(invoke(loadFunctions({ dist }))).rejects.toThrow("exports no handler");
});
