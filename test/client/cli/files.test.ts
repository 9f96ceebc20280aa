import { readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { startApi } from "../../support/api.ts";
import { commandLine, outcomeOf, serve } from "../../support/command-line.ts";
import { aCommunity, aMember } from "../../support/given.ts";

const api = startApi();
const { start, at, exported } = commandLine(api);

it("members export that fails between two pages ends, and leaves no file", async () => {
  const { apiUrl, close } = await serve(({ url = "" }, response) => {
    response.writeHead(url.includes("cursor") ? 500 : 200, { "content-type": "application/json" });
    response.end('{"data":[],"has_more":true,"next_cursor":"next","total":2}');
  });
  const args = ["--api-url", apiUrl, "members", "export", "--community", "1", "--out", at("cut.jsonl")];
  const { code } = await outcomeOf(start(args, { ODIS_TOKEN: "any" }));
  close();
  expect(code).toBe(4);
  const files = await readdir(dirname(at("cut.jsonl")));
  expect(files.filter((name) => name.startsWith("cut"))).toEqual([]);
});

it("members export writes a file that only the user can read", async () => {
  const community = await aCommunity(api.table);
  const { user } = await aMember(api.table, community);
  expect(await exported(community.id, "private.jsonl")).toContain(user.email);
  expect((await stat(at("private.jsonl"))).mode & 0o777).toBe(0o600);
});

it.each([
  ["members export --out", ["members", "export", "--out", "/dev/full"], []],
  ["members export", ["members", "export"], ["/dev/full"]],
  ["members list", ["members", "list"], ["/dev/full"]],
])("%s to a full disk fails with one JSON object on standard error", async (_, args, [out]) => {
  const community = await aCommunity(api.table);
  await aMember(api.table, community);
  const command = [...args, "--community", String(community.id), "--json"];
  const { code, err } = await outcomeOf(start(command, {}, [], out));
  expect({ code, ...(JSON.parse(err) as object) }).toMatchObject({
    code: 1,
    error: { code: "failed", message: expect.stringContaining("ENOSPC") as string, exit_code: 1 },
  });
});
