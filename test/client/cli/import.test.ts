import { once } from "node:events";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { admin, startApi } from "../../support/api.ts";
import { commandLine, linesOf, outcomeOf } from "../../support/command-line.ts";
import { aCommunity, aTier, type GivenCommunity } from "../../support/given.ts";

const api = startApi();
const { start, odis, at, write, exported } = commandLine(api);

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
          phone: "+52 951 000",
        },
      }),
      ...(id % 5 === 0 && { is_blocked: true, blocked_at: "2020-01-01T00:00:00.000Z", block_reason: "'=cmd\nline" }),
      lifetime_spend_cents: 100 + id,
      metadata: { notes: "=SUM(A1)", shirt: { size: "M" } },
      tier_name: tier.name,
    };
  });

const importing = (community: GivenCommunity, file: string, ...more: string[]) =>
  odis(["members", "import", "--community", String(community.id), file, ...more]);

describe("an import", () => {
  it("an import resumes after it was killed, creates no duplicates, and an export returns the imported records", async () => {
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

    const { out, err, code } = await importing(community, file);
    expect({ code, err }).toMatchObject({ code: 0 });
    const [created, unchanged] = [/(\d+) created/, /(\d+) unchanged/].map((what) => Number(what.exec(out)?.[1]));
    expect((created ?? 0) + (unchanged ?? 0)).toBe(500);
    expect(linesOf(await exported(community.id, "again.jsonl"))).toEqual(all);
    expect((await importing(community, file)).out.split(" (")[0]).toBe(out.split(" (")[0]);
    expect((await importing(community, file, "--fresh")).out).toContain("500 unchanged");
  });

  it("an import is refused while another one of the same file runs, which goes on", async () => {
    const community = await aCommunity(api.table);
    const file = await write("at-once.jsonl", records(200, community));
    const first = start(["--quiet", "members", "import", "--community", String(community.id), file]);
    const ended = outcomeOf(first);
    await vi.waitFor(() => readFile(`${file}.progress.json`), { timeout: 30_000, interval: 1 });
    first.kill("SIGSTOP");
    expect(await importing(community, file)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(`An import of ${file} is running already`) as string,
    });
    first.kill("SIGCONT");
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining("200 created") as string });
    expect((await importing(community, file)).err).toContain("done the first 200 rows");
  });

  it("members import accepts the CSV of an export, in which no cell is a formula", async () => {
    const [community, other] = [await aCommunity(api.table), await aCommunity(api.table)];
    const all = records(30, community);
    await importing(community, await write("csv.jsonl", all));
    const content = await exported(community.id, "members.csv", "--without-stripe");
    expect(content).not.toMatch(/(^|,)"?[=+@-]/m);
    expect((await importing(other, at("members.csv"))).out).toContain("30 created");
    const there = linesOf(await exported(other.id, "there.jsonl")) as Record<string, unknown>[];
    const withoutIds = (list: readonly Record<string, unknown>[]) =>
      list.map((record) => JSON.stringify({ ...record, id: 0, tier_id: 0 })).toSorted();
    expect(withoutIds(there)).toEqual(withoutIds(all));
  });

  it("an import reports every refused row by its line, and the corrected report can be imported", async () => {
    const community = await aCommunity(api.table);
    const [good, wrong, foreign, cut] = records(4, community);
    const unnamed = { ...foreign, tier_id: 1, tier_name: "Nothing" };
    const file = await write("bad.jsonl", [good, { ...wrong, status: "gone", user: undefined }, unnamed]);
    await writeFile(file, `${await readFile(file, "utf8")}{"cut`);
    const { out, err, code } = await importing(community, file);
    expect(code).toBe(3);
    expect(out).toContain("1 created, 0 updated, 0 unchanged, 3 refused");
    expect(err.split("\n")).toEqual(
      expect.arrayContaining([
        "Line 2: /user is required",
        expect.stringMatching(/^Line 2: \/status must be one of /),
        "Line 3: /tier_id must be a tier of the community",
        expect.stringMatching(/^Line 4: .*JSON/),
      ]),
    );

    const report = `${file}.refused.jsonl`;
    const refused = linesOf(await readFile(report, "utf8")) as Record<string, unknown>[];
    expect(refused).toMatchObject([
      {
        line: 2,
        errors: [
          { pointer: "/user", code: "required" },
          { pointer: "/status", code: "not_one_of" },
        ],
      },
      { line: 3, errors: [{ pointer: "/tier_id", code: "unknown_reference" }], record: { tier_id: 1 } },
      { line: 4, errors: [{ code: "unreadable" }], text: '{"cut' },
    ]);
    const again = await importing(community, report);
    expect(again.out).toContain("3 refused");
    expect(again.err).toContain("Line 3: The refused row has no record");

    const moved = `The refused rows of an earlier run are now in ${report}.1`;
    expect((await importing(community, file, "--fresh")).err).toContain(moved);

    const corrected = [wrong, foreign, cut].map((record, n) => ({ ...refused[n], record }));
    await write("bad.jsonl.refused.jsonl", corrected);
    expect(await importing(community, report)).toMatchObject({
      code: 0,
      out: expect.stringContaining("3 created, 0 updated, 0 unchanged, 0 refused") as string,
    });
  });

  it("an import reports which rows an earlier run has completed, and how to import them again", async () => {
    const community = await aCommunity(api.table);
    const file = await write("twice.jsonl", records(2, community));
    expect((await importing(community, file)).err).not.toContain("--fresh");
    expect((await importing(community, file)).err).toContain("An earlier run had done the first 2 rows.");
  });

  it("an import starts from the first row at another API, even if the community or producer has the same id", async () => {
    const community = await aCommunity(api.table);
    const members = ["members", "import", "--community", String(community.id)];
    const brands = ["brands", "import", "--producer", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0051"];
    const files = [
      [...members, await write("two-stages.jsonl", records(1, community))],
      [...brands, await write("brands-of-two-stages.jsonl", [{ name: "Smoke" }])],
    ];
    const otherUrl = api.origin.replace("127.0.0.1", "localhost");
    for (const args of files) {
      expect(await odis(args)).toMatchObject({ code: 0 });
      const { err } = await odis(args, { ODIS_API_URL: otherUrl, ODIS_TOKEN: await api.tokenOf(admin) });
      expect(err).toBe(`Target: ${otherUrl} (stage local), as the caller of ODIS_TOKEN\n`);
    }
  });

  it("members import finds tiers by --tier, by id and by name", async () => {
    const [community, other] = [await aCommunity(api.table), await aCommunity(api.table, { tier: { name: "Añejo" } })];
    const second = await aTier(api.table, other.id, { name: "Joven" });
    const [byMap, byName] = records(2, community);
    const rows = [
      { ...byMap, tier_id: 7 },
      { ...byName, tier_id: 8, tier_name: "Joven" },
    ];
    const { code } = await importing(other, await write("tiers.jsonl", rows), "--tier", `7=${other.tier.id}`);
    expect(code).toBe(0);
    expect(linesOf(await exported(other.id, "tiers-back.jsonl"))).toMatchObject([
      { id: byMap?.id, tier_id: other.tier.id, tier_name: "Añejo" },
      { id: byName?.id, tier_id: second.id, tier_name: "Joven" },
    ]);
  });

  it("members import with other tiers starts from the first row, and resumes if --tier has the same pairs", async () => {
    const community = await aCommunity(api.table);
    const second = await aTier(api.table, community.id);
    const rows = records(2, community).map((record, n) => ({ ...record, tier_id: 7 + n }));
    const file = await write("other-tiers.jsonl", rows);
    const run = (...pairs: string[]) => importing(community, file, ...pairs.flatMap((pair) => ["--tier", pair]));
    await run(`7=${community.tier.id}`, `8=${community.tier.id}`);
    expect((await run(`8=${community.tier.id}`, `7=${community.tier.id}`)).err).toContain("done the first 2 rows");
    expect(await run(`7=${community.tier.id}`, `8=${second.id}`)).toMatchObject({
      out: expect.stringContaining("1 updated, 1 unchanged") as string,
      err: expect.not.stringContaining("An earlier run") as string,
    });
  });

  it("members import reads a CSV file whose cells are separated by semicolons", async () => {
    const community = await aCommunity(api.table);
    const time = "2026-11-01T00:00:00Z";
    const header = "user_email;user_first_name;tier_id;status;created_at;current_period_start;current_period_end";
    await writeFile(
      at("semicolons.csv"),
      `${header}\nana@example.com;"Ana, Luz";${community.tier.id};active;${time};${time};${time}\n`,
    );
    expect(await importing(community, at("semicolons.csv"))).toMatchObject({ code: 0 });
    expect(linesOf(await exported(community.id, "semicolons.jsonl"))).toMatchObject([
      { user: { first_name: "Ana, Luz" } },
    ]);
  });

  it.each([
    ["is empty", "empty.csv", "", "empty.csv has no rows"],
    ["has only a header", "header.csv", "user_email,tier_id\n", "header.csv has no rows"],
    [
      "has an unclosed quote",
      "open.csv",
      'user_email,status\na@example.com,"active\n',
      "open.csv is not a CSV file: Quote Not Closed",
    ],
    ["is not in UTF-8", "old.csv", Buffer.from("user_first_name\nZo\xeb\n", "latin1"), "old.csv is not in UTF-8"],
  ])("an import of a file that %s sends nothing, and exits with 2", async (_, name, content, message) => {
    const community = await aCommunity(api.table);
    await writeFile(at(name), content);
    const outcome = await importing(community, at(name));
    expect(outcome).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) as string });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "an import that ends by %s shows the terminal's cursor again",
    async (signal) => {
      const community = await aCommunity(api.table);
      const file = await write(`${signal}.jsonl`, records(300, community));
      const child = start(["members", "import", "--community", String(community.id), file], {}, ["stderr"]);
      child.stderr?.on("data", (chunk: Buffer) => {
        if (chunk.includes("\u001b[?25l")) child.kill(signal);
      });
      const outcome = await outcomeOf(child);
      expect(outcome.signal).toBe(signal);
      expect(outcome.err.lastIndexOf("\u001b[?25h")).toBeGreaterThan(outcome.err.lastIndexOf("\u001b[?25l"));
    },
  );

  it("an import refuses a CSV row with more or fewer cells than the header, and an unknown column", async () => {
    const community = await aCommunity(api.table);
    const file = at("cells.csv");
    await writeFile(file, "id,user_email,statsu\n1,a@example.com,active,more\n2\n3,b@example.com,active\n");
    expect((await importing(community, file)).out).toContain("3 refused");
    expect(linesOf(await readFile(`${file}.refused.jsonl`, "utf8"))).toMatchObject([
      { line: 2, errors: [{ code: "unreadable" }] },
      { line: 3, errors: [{ code: "unreadable" }] },
      { line: 4, errors: expect.arrayContaining([expect.objectContaining({ pointer: "/statsu" })]) as unknown },
    ]);
    expect(await importing(community, at("none.csv"), "--dry-run")).toMatchObject({ code: 2 });
  });

  it("an import with --dry-run sends nothing", async () => {
    const community = await aCommunity(api.table);
    const [good, wrong] = records(2, community);
    const file = await write("dry.jsonl", [good, { ...wrong, created_at: "yesterday" }]);
    const { out, code } = await importing(community, file, "--dry-run");
    expect({ out: out.split(" (")[0], code }).toEqual({ out: "1 would be sent, 1 would be refused", code: 3 });
    expect(await exported(community.id, "dry-export.jsonl")).toBe("");
  });

  it("brands import creates each brand once, even if the journal is lost", async () => {
    const producer = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0042";
    const file = await write("brands.jsonl", [{ name: "Smoke" }, { name: "Fire" }, { nome: "?" }]);
    const run = () => odis(["brands", "import", "--producer", producer, file]);
    expect((await run()).out).toContain("2 created, 0 updated, 0 unchanged, 1 refused");
    await utimes(file, 0, 0);
    expect((await run()).code).toBe(3);
    const list = async () => linesOf((await odis(["brands", "list", "--producer", producer])).out);
    expect(await list()).toMatchObject([{ name: "Fire" }, { name: "Smoke" }]);

    await write("brands.jsonl", [{ name: "Fire" }, { name: "Fire" }, { name: " Smoke" }]);
    expect((await run()).out).toContain("1 created, 0 updated, 2 unchanged, 0 refused");
    expect(await list()).toMatchObject([{ name: "Fire" }, { name: "Fire" }, { name: "Smoke" }]);
  });

  it("brands import creates a refused brand from the corrected report, although an accepted one has its name", async () => {
    const producer = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0043";
    const run = (file: string) => odis(["brands", "import", "--producer", producer, file]);
    const file = await write("smoke.jsonl", [{ name: "Smoke" }, { name: "Smoke", producer_ids: ["nobody"] }]);
    expect((await run(file)).out).toContain("1 created, 0 updated, 0 unchanged, 1 refused");
    const [refused] = linesOf(await readFile(`${file}.refused.jsonl`, "utf8")) as object[];
    const report = await write("smoke.jsonl.refused.jsonl", [{ ...refused, record: { name: "Smoke" } }]);
    expect((await run(report)).out).toContain("1 created, 0 updated, 0 unchanged, 0 refused");
    const list = linesOf((await odis(["brands", "list", "--producer", producer])).out);
    expect(list).toMatchObject([{ name: "Smoke" }, { name: "Smoke" }]);
  });
});
