import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import type { Movement, Series, Stats, Transaction } from "../../../client/schema.ts";
import { startDemoStack } from "../../../tools/local/demo-stack.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
let stack: Awaited<ReturnType<typeof startDemoStack>>;
let statusesOfHealth: number[];
let communitiesWhenHealthy: unknown;
let refusalWhileStarting: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  const port = fivePorts();
  const starting = startDemoStack({ port, folder });
  const refused = start("tools/local/start.ts", "--port", "0", "--fresh");
  statusesOfHealth = await healthUntilOk(port);
  const explore = await fetch(`http://127.0.0.1:${port}/api/v1/communities/explore`);
  communitiesWhenHealthy = ((await explore.json()) as { total: number }).total;
  [stack, refusalWhileStarting] = await Promise.all([starting, refused]);
});
afterAll(() => stack.stop());

/** The first of five ports outside the range from which systems choose free ones, different in each process. */
const fivePorts = (): number => 10_000 + ((process.pid * 5) % 20_000);

/** The statuses of /health, up to and including the first 200. */
async function healthUntilOk(port: number): Promise<number[]> {
  const statuses: number[] = [];
  while (!statuses.includes(200)) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer) statuses.push(answer.status);
    await setTimeout(5);
  }
  return statuses;
}

/** Runs a script in its own process. It uses the stack of this test. */
const start = (script: string, ...args: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [script, "--folder", folder, ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

it("/health returns 503 until the demo data exists, and then 200", () => {
  expect([...new Set(statusesOfHealth)]).toEqual([503, 200]);
  expect(communitiesWhenHealthy).toBe(stack.local.communities.length);
});

it("the stand-ins have the ports after that of the API", () => {
  const port = fivePorts();
  const { stripe_url, cognito_url, events_url, control_url } = stack.local;
  expect([stripe_url, cognito_url, events_url, control_url].map((url) => Number(new URL(url ?? "").port))).toEqual([
    port + 1,
    port + 2,
    port + 3,
    port + 4,
  ]);
});

it("a second start with the same data prints one line while the first is starting", () => {
  expect(refusalWhileStarting).toMatchObject({ code: 1, out: "" });
  expect(refusalWhileStarting.err).toMatch(/^A stack is already running with this data: .+\n$/);
});

it("the demo's members are ordered by created_at and id, each on their day of joining", async () => {
  const headers = { authorization: `Bearer ${stack.local.tokens.admin}` };
  const response = await fetch(`${stack.local.api_url}/odis/v1/communities/1/members?per=100&sort=created_at`, {
    headers,
  });
  const { data } = (await response.json()) as {
    data: { id: number; created_at: string; current_period_start: string }[];
  };
  const times = data.map(({ created_at }) => created_at);
  expect(data.map(({ id }) => id)).toEqual(data.map(({ id }) => id).toSorted((a, b) => a - b));
  expect(times).toEqual(times.toSorted());
  const day = 86_400_000;
  expect(Date.now() - Date.parse(times[0] ?? "")).toBeGreaterThan(100 * day);
  for (const { created_at, current_period_start } of data)
    expect(Date.parse(created_at) - Date.parse(current_period_start)).toBeLessThan(day);
});

describe("the demo's year", () => {
  const ask = async <T>(path: string): Promise<T> => {
    const headers = { authorization: `Bearer ${stack.local.tokens.owner}` };
    const response = await fetch(`${stack.local.api_url}/odis/v1/communities/1${path}`, { headers });
    return (await response.json()) as T;
  };
  const today = new Date();
  const aYearAgo = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11, 1)).toISOString().slice(0, 10);
  const byMonth = async (metric: string): Promise<number[]> => {
    const { points } = await ask<Series>(`/stats/series?metric=${metric}&interval=month&from=${aYearAgo}`);
    return points.map(({ value }) => value);
  };
  type Page<T> = { readonly data: readonly T[]; readonly next_cursor: string | null };
  async function everyPage<T>(path: string): Promise<T[]> {
    const all: T[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const next: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page<T> = await ask(`${path}&per=100${next}`);
      all.push(...page.data);
      cursor = page.next_cursor;
    }
    return all;
  }
  let stats: Stats;
  beforeAll(async () => {
    // The figures are updated shortly after the members.
    for (;;) {
      stats = await ask<Stats>("/stats");
      if (stats.movements_30d.end_cents === stats.monthly_recurring_revenue_cents && stats.total > 60) return;
    }
  });

  it("the demo's year has members of every status and a blocked one", () => {
    expect(Object.values(stats.by_status).every((count) => count > 0)).toBe(true);
    expect(stats.blocked).toBe(1);
  });

  it("the demo's year has movements of every kind in the last 30 days, and they add up", () => {
    const { start_cents, end_cents, ...movements } = stats.movements_30d;
    expect(Object.values(movements).map(({ members }) => members > 0)).toEqual(Array(5).fill(true));
    const sum = Object.values(movements).reduce((all, { cents }) => all + cents, start_cents);
    expect(sum).toBe(end_cents);
  });

  it("the payments and refunds of each month add up to the series", async () => {
    const all = await everyPage<Transaction>(`/transactions?from=${aYearAgo}`);
    const { points } = await ask<Series>(`/stats/series?metric=gross&interval=month&from=${aYearAgo}`);
    const sumsOf = (transactions: readonly Transaction[]) =>
      points.map(({ at }) =>
        transactions
          .filter(({ day }) => day.startsWith(at.slice(0, 7)))
          .reduce((sum, { amount_cents }) => sum + amount_cents, 0),
      );
    const isKept = ({ status }: Transaction) => status !== "failed" && status !== "canceled";
    expect(sumsOf(all.filter(({ type }) => type === "payment"))).toEqual(await byMonth("gross"));
    expect(sumsOf(all.filter((one) => one.type === "refund" && isKept(one)))).toEqual(await byMonth("refunded"));
    expect(new Set(all.map(({ type }) => type)).size).toBeGreaterThan(1);
  });

  it("the listed movements of each month are as many as the series count", async () => {
    const all = await everyPage<Movement>(`/movements?from=${aYearAgo}`);
    const { points } = await ask<Series>(`/stats/series?metric=joined&interval=month&from=${aYearAgo}`);
    const countsOf = (access: Movement["access"]) =>
      points.map(
        (point) => all.filter((one) => one.access === access && one.at.startsWith(point.at.slice(0, 7))).length,
      );
    expect(countsOf("begun")).toEqual(await byMonth("joined"));
    expect(countsOf("ended")).toEqual(await byMonth("left"));
  });

  it("the demo's year has new and paying members in every month, and grows", async () => {
    const [joined, left, gross, refunded, members] = await Promise.all(
      ["joined", "left", "gross", "refunded", "members"].map(byMonth),
    );
    expect(joined).toHaveLength(12);
    // Omits the current month, which may have begun today.
    expect(joined?.slice(0, -1).every((count) => count > 0)).toBe(true);
    expect(gross?.slice(0, -1).every((cents) => cents > 0)).toBe(true);
    expect(left?.filter((count) => count > 0).length).toBeGreaterThan(3);
    expect(refunded?.filter((cents) => cents > 0).length).toBeGreaterThan(1);
    expect(members?.at(-1)).toBe(stats.member_count);
    expect(members?.at(-1)).toBeGreaterThan(4 * (members?.[0] ?? 0));
  });
});

it("npm run events writes an event for each function, and deletes nothing else", async () => {
  const into = join(folder, "events");
  const others = ["notes.txt", "Removed.json", "package.json"];
  await mkdir(join(into, "kept"), { recursive: true });
  for (const name of others) await writeFile(join(into, name), "kept");

  const { code, out, err } = await start("tools/scripts/events.ts", "--into", into);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const names = await readdir(into);
  const events = names.filter((name) => ![...others, "kept"].includes(name));
  expect(out).toBe(`${events.length} events in ${into}\n`);
  expect(events).toEqual(expect.arrayContaining(routes.map(({ id }) => `${id}.json`)));
  for (const name of others) expect(await readFile(join(into, name), "utf8")).toBe("kept");
  expect(names).toContain("kept");
});

it("npm run events writes only untracked files", async () => {
  const { out } = await start("tools/scripts/events.ts", "--help");
  expect(out).toContain('(default: ".odis/events")');
  expect((await readFile(".gitignore", "utf8")).split("\n")).toContain(".odis/");
});

it.each([
  { expiresIn: 60, status: 200 },
  { expiresIn: -60, status: 401 },
])("npm run token prints a token that expires in $expiresIn s, and nothing else", async ({ expiresIn, status }) => {
  const args = ["--user", "7", "--groups", "admin", "--expires-in", String(expiresIn)];
  const { code, out, err } = await start("tools/scripts/token.ts", ...args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const headers = { authorization: `Bearer ${out.trim()}` };
  const response = await fetch(`${stack.local.api_url}/odis/v1/communities/1/members`, { headers });
  expect(response.status).toBe(status);
});

it("a second start with the same data prints one line and does not affect the first", async () => {
  const before = await readFile(stack.file, "utf8");
  expect(await start("tools/local/start.ts", "--port", "0", "--fresh")).toEqual({
    code: 1,
    out: "",
    err: `A stack is already running with this data: ${stack.local.api_url}\n`,
  });
  expect(await readFile(stack.file, "utf8")).toBe(before);
  expect((await fetch(`${stack.local.api_url}/health`)).status).toBe(200);
});

it.each(["jsonl", "csv"])(
  "members export and import as %s move every demo member to an empty community",
  async (form) => {
    const odis = async (...args: string[]) => {
      const { code, out, err } = await start("client/cli/main.ts", "--as", "admin", "--json", ...args);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      return out
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    /**
     * Removes the tier's id, which differs between the communities. Returns `created_at` separately, because an import
     * changes it by up to a minute.
     */
    const withoutTier = ({ created_at, ...record }: Record<string, unknown>) => [
      JSON.stringify({ ...record, tier_id: undefined }),
      Date.parse(String(created_at)),
    ];
    const recordsOf = async (community: string) => {
      const records = await odis("members", "export", "--community", community, "--without-stripe");
      return records.map(withoutTier).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    };

    const [created] = await odis("communities", "create", "--name", `Second home (${form})`, "--owner", "3");
    const empty = String(created?.id);
    for (const { name } of await odis("tiers", "list", "--community", "1", "--status", "all"))
      await odis("tiers", "create", "--community", empty, "--name", String(name), "--monthly-price-dollars", "10");
    const file = join(folder, `moved.${form}`);
    await odis("members", "export", "--community", "1", "--without-stripe", "--out", file);
    const [imported] = await odis("members", "import", "--community", empty, file);

    const [before, after] = [await recordsOf("1"), await recordsOf(empty)];
    expect(before.length).toBeGreaterThanOrEqual(60);
    expect(imported).toMatchObject({ created: before.length, refused: 0 });
    expect(after.map(([record]) => record)).toEqual(before.map(([record]) => record));
    for (const [n, [, time]] of after.entries())
      expect(Math.abs(Number(time) - Number(before[n]?.[1]))).toBeLessThan(60_000);
  },
);
