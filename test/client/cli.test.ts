import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addProfile, password } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember, type GivenCommunity } from "../support/given.ts";

const api = startApi();

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "odis-cli-"));
  const { url, cognito } = api.stack;
  const tokens = { admin: await api.tokenOf(admin) };
  const { CLIENT_ID, USER_POOL_ID } = process.env;
  const local = { api_url: url, cognito_url: cognito.url, tokens, environment: { CLIENT_ID, USER_POOL_ID } };
  await writeFile(join(folder, "local.json"), JSON.stringify(local));
  environment = { ...process.env, ODIS_CONFIG: join(folder, "session", "session.json") };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, ["client/cli/main.ts", "--folder", folder, "--quiet", ...args], {
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });

async function odis(args: readonly string[], env?: NodeJS.ProcessEnv) {
  const child = start(args, env);
  const [out, err, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "exit"),
  ]);
  return { out, err, code: Number(code) };
}

const linesOf = (content: string): unknown[] =>
  content
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

const write = async (name: string, records: readonly unknown[]): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return file;
};

let next = 1;
const records = (count: number, { tier }: GivenCommunity) =>
  Array.from({ length: count }, (): Record<string, unknown> => {
    const id = next++;
    return {
      id,
      user: { id: 9000 + id, username: `u${id}`, email: `u${id}@example.com`, first_name: "Zoë", last_name: "=1+1" },
      tier_id: tier.id,
      status: "active",
      created_at: "2015-01-01T00:00:00.000Z",
      current_period_start: "2026-11-01T00:00:00.000Z",
      current_period_end: "2026-12-01T00:00:00.000Z",
      ...(id % 3 === 0 && {
        shipping_address: {
          name: "Zoë",
          line1: 'Calle "1", alto',
          line2: "",
          city: "Oaxaca",
          state: "OAX",
          postal_code: "068",
          country: "MX",
        },
      }),
      ...(id % 5 === 0 && { is_blocked: true, blocked_at: "2020-01-01T00:00:00.000Z", block_reason: "'=cmd\nline" }),
      lifetime_spend_cents: 100 + id,
      metadata: { notes: "=SUM(A1)", shirt: { size: "M" } },
    };
  });

const importing = (community: GivenCommunity, file: string, ...more: string[]) =>
  odis(["members", "import", "--community", String(community.id), file, ...more]);

async function exported(community: GivenCommunity, name: string) {
  const file = join(folder, name);
  expect(await odis(["members", "export", "--community", String(community.id), "--out", file])).toMatchObject({
    code: 0,
  });
  return file;
}

describe("an import", () => {
  it("an import resumes after it was killed, creates nobody twice, and an export returns what was imported", async () => {
    const community = await aCommunity(api.table);
    const all = records(500, community);
    const file = await write("killed.jsonl", all);
    const first = start(["members", "import", "--community", String(community.id), file, "--concurrency", "2"]);
    const gone = once(first, "exit");
    const journal = async () =>
      JSON.parse(await readFile(`${file}.progress.json`, "utf8").catch(() => '{"rows":0}')) as { rows: number };
    while ((await journal()).rows < 100) expect(first.exitCode).toBeNull();
    first.kill("SIGKILL");
    await gone;
    const { rows } = await journal();
    expect(rows).toBeLessThan(500);

    const { out, code } = await importing(community, file);
    expect(code).toBe(0);
    const [created, unchanged] = [/(\d+) created/, /(\d+) unchanged/].map((what) => Number(what.exec(out)?.[1]));
    expect((created ?? 0) + (unchanged ?? 0)).toBe(500);
    expect(linesOf(await readFile(await exported(community, "again.jsonl"), "utf8"))).toEqual(all);
    expect((await importing(community, file)).out.split(" (")[0]).toBe(out.split(" (")[0]);
    expect((await importing(community, file, "--fresh")).out).toContain("500 unchanged");
  });

  it("members import accepts the CSV of an export, in which no cell is a formula", async () => {
    const [community, other] = [await aCommunity(api.table), await aCommunity(api.table)];
    const all = records(30, community);
    await importing(community, await write("csv.jsonl", all));
    const csv = await exported(community, "members.csv");
    const content = await readFile(csv, "utf8");
    expect(content).not.toMatch(/(^|,)"?[=+@-]/m);

    // Ids are taken: the same people are other members elsewhere.
    const [header = "", ...lines] = content.split("\r\n");
    const moved = lines.map((line) => line.replace(/^\d+/, "").replace(`,${community.tier.id},`, `,${other.tier.id},`));
    await writeFile(csv, [header, ...moved].join("\r\n"));
    expect((await importing(other, csv)).out).toContain("30 created");
    const there = linesOf(await readFile(await exported(other, "there.jsonl"), "utf8")) as Record<string, unknown>[];
    const withoutIds = (list: readonly Record<string, unknown>[]) =>
      list.map((record) => JSON.stringify({ ...record, id: 0, tier_id: 0 })).toSorted();
    expect(withoutIds(there)).toEqual(withoutIds(all));
  });

  it("an import reports every refused row with its line and the reason, and exits with 1", async () => {
    const community = await aCommunity(api.table);
    const [good, wrong, foreign] = records(3, community);
    const file = await write("bad.jsonl", [good, { ...wrong, status: "gone" }, { ...foreign, tier_id: 1 }]);
    await writeFile(file, `${await readFile(file, "utf8")}{"cut`);
    const { out, code } = await importing(community, file);
    expect(code).toBe(1);
    expect(out).toContain("1 created, 0 updated, 0 unchanged, 3 refused");
    expect(linesOf(await readFile(`${file}.refused.jsonl`, "utf8"))).toMatchObject([
      { line: 2, errors: [{ pointer: "/status" }] },
      { line: 3, errors: [{ code: "unknown_reference" }], record: { tier_id: 1 } },
      { line: 4, errors: [{ code: "unreadable" }] },
    ]);
  });

  it("an import refuses a CSV row with more or fewer cells than the header, and an unknown column", async () => {
    const community = await aCommunity(api.table);
    const file = join(folder, "cells.csv");
    await writeFile(file, "id,user_email,statsu\n1,a@example.com,active,more\n2\n3,b@example.com,active\n");
    expect((await importing(community, file)).out).toContain("3 refused");
    expect(linesOf(await readFile(`${file}.refused.jsonl`, "utf8"))).toMatchObject([
      { line: 2, errors: [{ code: "unreadable" }] },
      { line: 3, errors: [{ code: "unreadable" }] },
      { line: 4, errors: expect.arrayContaining([expect.objectContaining({ pointer: "/statsu" })]) as unknown },
    ]);
    expect(await importing(community, join(folder, "none.csv"), "--dry-run")).toMatchObject({ code: 1 });
  });

  it("an import with --dry-run sends nothing", async () => {
    const community = await aCommunity(api.table);
    const [good, wrong] = records(2, community);
    const file = await write("dry.jsonl", [good, { ...wrong, created_at: "yesterday" }]);
    const { out, code } = await importing(community, file, "--dry-run");
    expect({ out: out.split(" (")[0], code }).toEqual({ out: "1 would be sent, 1 would be refused", code: 1 });
    expect(await readFile(await exported(community, "dry-export.jsonl"), "utf8")).toBe("");
  });

  it("brands import creates each brand once, even if the journal is lost", async () => {
    const producer = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0042";
    const file = await write("brands.jsonl", [{ name: "Smoke" }, { name: "Fire" }, { nome: "?" }]);
    const run = () => odis(["brands", "import", "--producer", producer, file]);
    expect((await run()).out).toContain("2 created, 0 updated, 0 unchanged, 1 refused");
    await utimes(file, 0, 0);
    expect((await run()).code).toBe(1);
    const { out } = await odis(["brands", "list", "--producer", producer]);
    expect(linesOf(out)).toMatchObject([{ name: "Fire" }, { name: "Smoke" }]);
  });
});

describe("a command", () => {
  it("the members commands show, block and list members, and print the API's refusals", async () => {
    const community = await aCommunity(api.table);
    const member = await aMember(api.table, community);
    const of = ["--community", String(community.id)];
    const shown = await odis(["members", "show", ...of, String(member.id)]);
    expect(JSON.parse(shown.out)).toMatchObject({ id: member.id, user: { email: member.user.email } });
    await odis(["members", "block", ...of, String(member.id), "--reason", "Spam"]);
    const { out } = await odis(["members", "list", ...of, "--blocked"]);
    expect(linesOf(out)).toMatchObject([{ id: member.id, block_reason: "Spam" }]);

    const refused = await odis(["members", "cancel", ...of, String(member.id)]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("no_subscription") as string });
    expect(await odis(["members", "refund", ...of, String(member.id)])).toMatchObject({ code: 1 });
  });

  it("commands run as the signed-in user, whose session file only they can read", async () => {
    await api.stack.cognito.addUser({ username: "ops", password, email: "ops@example.com" });
    const { ODIS_CONFIG: session = "" } = environment;
    expect(await odis(["sign-in", "--username", "ops"], { ODIS_PASSWORD: password })).toMatchObject({ code: 0 });
    expect((await stat(session)).mode & 0o777).toBe(0o600);
    const community = await aCommunity(api.table);
    const listing = ["members", "list", "--community", String(community.id)];
    expect((await odis(listing)).err).toContain("forbidden");
    expect(await odis(listing, { ODIS_TOKEN: await api.tokenOf(admin) })).toMatchObject({ code: 0 });

    await odis(["sign-out"]);
    await expect(stat(session)).rejects.toThrow("ENOENT");
    expect(await odis(listing)).toMatchObject({ code: 0 });
    expect((await odis(["sign-in", "--username", "ops"], { ODIS_PASSWORD: "wrong" })).err).toContain("Incorrect");
  });
});

it("people export writes everything about a person, and people erase erases them, after a dry run", async () => {
  const community = await aCommunity(api.table);
  const member = await aMember(api.table, community, { status: "canceled", notes: "likes reposado" });
  await addProfile(api.table, member.user);
  const id = String(member.user.id);
  const file = join(folder, "person.json");
  expect((await odis(["people", "export", id, "--out", file])).code).toBe(0);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ memberships: [{ notes: "likes reposado" }] });
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const dryRun = await odis(["people", "erase", id, "--dry-run"]);
  expect(JSON.parse(dryRun.out)).toMatchObject({ erased: false, blockers: [], counts: { user: 1, member: 1 } });
  expect(JSON.parse((await odis(["people", "erase", id])).out)).toMatchObject({ erased: true });
  const { out } = await odis(["people", "export", id]);
  expect(JSON.parse(out)).toMatchObject({ profile: { username: "erased" }, memberships: [{ notes: "" }] });

  const owner = await odis(["people", "erase", String(community.owner.id)]);
  expect(owner.code).toBe(1);
  expect(owner.err).toContain(`erasure_blocked: Blocked by owns_community in community ${community.id}`);
});

it.each([
  [
    "the file of an export cannot be written",
    ["members", "export", "--community", "1", "--out", "/nowhere/m.csv"],
    "ENOENT",
  ],
  ["the API cannot be reached", ["--api-url", "http://127.0.0.1:1/", "people", "erase", "1"], "fetch failed: bad port"],
  ["--as names no demo user", ["--as", "nobody", "members", "list", "--community", "1"], 'no caller "nobody"'],
])("the command line fails with one line if %s", async (_, args, message) => {
  const { out, err, code } = await odis(args, args[0] === "--api-url" ? { ODIS_TOKEN: "any" } : {});
  expect({ out, code, lines: err.trim().split("\n").length }).toEqual({ out: "", code: 1, lines: 1 });
  expect(err).toContain(message);
});
