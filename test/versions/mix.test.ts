import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadFunctions } from "../../tools/local/functions.ts";
import { lambdaContext } from "../../tools/local/lambda-context.ts";
import { temporaryFolder } from "../support/set-up.ts";
import { changedFunctions, mix, type Readers } from "./mix.ts";

const folder = temporaryFolder();

/** Creates a build whose functions have the given content. */
function built(name: string, functions: Readonly<Record<string, string>>): string {
  for (const [place, says] of Object.entries(functions)) {
    mkdirSync(join(folder, name, place), { recursive: true });
    writeFileSync(join(folder, name, place, "index.mjs"), `export const handler = async () => "${says}";`);
  }
  return join(folder, name);
}

const older = built("older", { "members/show": "old", "members/list": "same" });
const newer = built("newer", { "members/show": "new", "members/list": "same", "members/added": "new" });

it("changedFunctions lists functions that differ, and those that only one build has", () => {
  expect(changedFunctions(older, newer)).toEqual(["members/added", "members/show"]);
  expect(changedFunctions(newer, newer)).toEqual([]);
});

it.each<[Readers, string, string[]]>([
  ["older", "old", ["new", "old", "new"]],
  ["newer", "new", ["old", "new", "old"]],
])("in a mixed build, the %s version reads and both versions write in turns", async (readers, read, written) => {
  const dist = join(folder, `mixed-${readers}`);
  mix(older, newer, dist, readers);
  const functions = loadFunctions({ dist });
  const call = (file: string, method: string) =>
    functions.invoke({ area: "members", file }, { requestContext: { http: { method } } }, lambdaContext(file, 25));
  expect([await call("show", "GET"), await call("show", "GET")]).toEqual([read, read]);
  expect([await call("show", "POST"), await call("show", "PATCH"), await call("show", "POST")]).toEqual(written);
  expect([await call("added", "GET"), await call("added", "POST")]).toEqual(["new", "new"]);
});
