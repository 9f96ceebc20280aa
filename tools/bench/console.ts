import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { ImportedMembers, TierPage } from "../../client/schema.ts";
import { hasBrowser, launch } from "../../test/support/chromium.ts";
import { consoleFiles } from "../build/site/console.ts";
import { people } from "../local/demo/people.ts";
import { password } from "../local/users.ts";
import { loadsOf } from "./bundle.ts";
import { startLocalStack } from "./local-stack.ts";
import type { Claim, Result } from "./result.ts";
import { medians, percentile } from "./statistics.ts";

/** Number of measurements of each time. */
const rounds = 9;
/** How many times slower a phone's CPU is. */
const slowdown = 4;
/** Members of a large community. */
const largeCount = 1500;
const numberFormat = new Intl.NumberFormat("en");

/** The communities of the demo by their owner: one as it is, and one that gets as many members as a large one has. */
const communities = { owner: 1, other_owner: 2 } as const;
type Owner = keyof typeof communities;

/** Measures the size of the console and the time until a person can use it. */
export async function run(): Promise<Result> {
  const sizes = await sizesOf();
  const total = sizes.reduce((sum, { gzip }) => sum + gzip, 0);
  const sizeClaim = {
    claim: "kB of the whole console with uPlot, gzip ≤ 120",
    measured: total.toFixed(1),
    holds: total <= 120,
  };
  const times = hasBrowser("the times of the console") ? await timesInChromium() : undefined;
  return {
    method: `The console's files were compressed with gzip at level 6 and Brotli at quality 5; CloudFront serves either. ${
      times
        ? `Then it was opened ${rounds} times in Chromium, each time with an empty cache, against the local stack on this machine, without a network in between; and ${rounds} times with a CPU that the browser slows down ${slowdown} times, as a phone's. The last three rows are of a community into which ${numberFormat.format(largeCount)} members were imported. Medians, with the p90 in parentheses.`
        : "There was no Chromium, so no times were measured."
    }`,
    rows: [...sizes.map(({ name, gzip, brotli }) => rowOf(name, { gzip, brotli })), ...(times ? timeRows(times) : [])],
    claims: [sizeClaim, ...(times ? timeClaims(times) : [])],
  };
}

type Cells = { readonly gzip?: number; readonly brotli?: number; readonly desktop?: string; readonly phone?: string };

const rowOf = (name: string, { gzip, brotli, desktop, phone }: Cells) => ({
  console: name,
  "kB, gzip": gzip,
  "kB, Brotli": brotli,
  ms: desktop,
  [`ms, CPU ${slowdown}× slower`]: phone,
});

/** The compressed sizes of the files that a browser loads first, and of those that it loads on demand. */
async function sizesOf() {
  const { files, names } = await consoleFiles();
  const page = await readFile(join(import.meta.dirname, "../../site/console/index.html"), "utf8");
  const texts = new Map([...files].map(([path, text]) => [basename(path), text]));
  const entries = ["/assets/console.js", "/assets/console-styles.css"].map((name) => basename(names.get(name) ?? name));
  const { first, onDemand } = loadsOf(texts, entries);
  const sizeOf = (name: string, contents: readonly string[]) => ({
    name,
    gzip: kilobytes(contents, (text) => gzipSync(text, { level: 6 })),
    brotli: kilobytes(contents, (text) =>
      brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ),
  });
  const textsOf = (some: ReadonlySet<string>) => [...some].map((name) => texts.get(name) ?? "");
  return [
    sizeOf("First load: page, script and styles", [page, ...textsOf(first)]),
    sizeOf("On demand: uPlot, and the page that imports members", textsOf(onDemand)),
  ];
}

const kilobytes = (contents: readonly string[], compress: (text: string) => Buffer): number =>
  contents.reduce((sum, text) => sum + compress(text).length, 0) / 1000;

/** The times of one visit, in milliseconds. */
type Times = Readonly<Record<"form" | "figures" | "needs" | "plots", number>>;
type Measured = Readonly<Record<"desktop" | "phone" | "phoneLarge", readonly Times[]>>;

const measures = {
  form: "From navigation to the form that signs in",
  figures: "From signing in to the overview's figures",
  needs: "From signing in to what needs the owner",
  plots: "From signing in to the overview's plots",
} as const satisfies Record<keyof Times, string>;

function timeRows({ desktop, phone, phoneLarge }: Measured) {
  const textOf = (visits: readonly Times[], name: keyof Times) => {
    const samples = visits.map((visit) => visit[name]);
    return `${percentile(samples, 0.5).toFixed(0)} (${percentile(samples, 0.9).toFixed(0)})`;
  };
  return [
    ...(Object.keys(measures) as (keyof Times)[]).map((name) =>
      rowOf(measures[name], { desktop: textOf(desktop, name), phone: textOf(phone, name) }),
    ),
    ...(["figures", "needs", "plots"] as const).map((name) =>
      rowOf(`${measures[name]}, ${numberFormat.format(largeCount)} members`, { phone: textOf(phoneLarge, name) }),
    ),
  ];
}

function timeClaims({ phone, phoneLarge }: Measured): Claim[] {
  const { form, figures } = medians(phone);
  const large = medians(phoneLarge);
  return [
    {
      claim: `ms from navigation to the form that signs in, CPU ${slowdown}× slower ≤ 2000`,
      measured: form.toFixed(0),
      holds: form <= 2000,
    },
    {
      claim: `ms from signing in to the overview's figures, CPU ${slowdown}× slower ≤ 1000`,
      measured: figures.toFixed(0),
      holds: figures <= 1000,
    },
    {
      claim: `ms from signing in to the overview's figures, ${numberFormat.format(largeCount)} members, CPU ${slowdown}× slower ≤ 1000`,
      measured: large.figures.toFixed(0),
      holds: large.figures <= 1000,
    },
  ];
}

async function timesInChromium(): Promise<Measured> {
  const stack = await startLocalStack();
  const browser = await launch();
  try {
    await addMembers(stack.url, stack.tokens.other_owner);
    const visit = (rate: number, who: Owner = "owner") => timesOfVisit(browser, stack.url, { rate, who });
    await visit(1);
    const desktop: Times[] = [];
    const phone: Times[] = [];
    const phoneLarge: Times[] = [];
    for (let round = 0; round < rounds; round++) {
      desktop.push(await visit(1));
      phone.push(await visit(slowdown));
      phoneLarge.push(await visit(slowdown, "other_owner"));
    }
    return { desktop, phone, phoneLarge };
  } finally {
    await browser.close();
    await stack.stop();
  }
}

/** Imports members into the second community, of all statuses that a community of this size has. */
async function addMembers(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const community = `${url}/odis/v1/communities/${communities.other_owner}`;
  const tiers = (await (await fetch(`${community}/tiers`, { headers })).json()) as TierPage;
  const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const recordOf = (n: number) => ({
    user: { email: `member${n}@example.com`, first_name: "Member", last_name: String(n) },
    tier_id: tiers.data[n % tiers.data.length]?.id,
    status: n % 30 === 0 ? "past_due" : n % 11 === 0 ? "canceled" : "active",
    created_at: dayFromNow(-n / 4),
    current_period_start: dayFromNow(-3),
    current_period_end: dayFromNow(27),
  });
  for (let from = 0; from < largeCount; from += 25) {
    const members = Array.from({ length: 25 }, (_, n) => recordOf(from + n));
    const response = await fetch(`${community}/members/import`, {
      method: "POST",
      headers,
      body: JSON.stringify({ members }),
    });
    const { data } = (await response.json()) as ImportedMembers;
    const refused = data.find(({ outcome }) => outcome !== "created");
    if (refused) throw new Error(`A member was not imported: ${JSON.stringify(refused)}`);
  }
}

type Moment = keyof Times | "sent";

/**
 * A script that runs in the page before its own scripts. It reports when the form, the figures and the plots were first
 * painted and when the form was submitted, in milliseconds since the navigation.
 */
const observer = `
  const tell = (name) => globalThis.tellMoment(name, performance.now());
  const awaited = { form: 'form [type="submit"]', figures: ".month-sentence", needs: "a.need", plots: ".plot canvas" };
  const counts = { form: 1, figures: 1, needs: 1, plots: 2 };
  const pending = new Set(Object.keys(awaited));
  new MutationObserver(() => {
    for (const name of pending) {
      if (document.querySelectorAll(awaited[name]).length < counts[name]) continue;
      pending.delete(name);
      requestAnimationFrame(() => setTimeout(() => tell(name)));
    }
  }).observe(document, { childList: true, subtree: true });
  addEventListener("submit", () => tell("sent"), { capture: true });
`;

type Visit = { readonly rate: number; readonly who: Owner };

async function timesOfVisit(browser: Browser, url: string, { rate, who }: Visit): Promise<Times> {
  const context = await browser.newContext({ viewport: { width: rate === 1 ? 1280 : 390, height: 844 } });
  try {
    const page = await context.newPage();
    const momentOf = await momentsOf(page);
    const debuggerSession = await context.newCDPSession(page);
    await debuggerSession.send("Emulation.setCPUThrottlingRate", { rate });
    await page.goto(`${url}/console#/communities/${communities[who]}`);
    const form = await momentOf("form");
    await page.getByLabel("Email").fill(`${people[who].username}@example.com`);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const sent = await momentOf("sent");
    const after = async (moment: "figures" | "needs" | "plots") => (await momentOf(moment)) - sent;
    return { form, figures: await after("figures"), needs: await after("needs"), plots: await after("plots") };
  } finally {
    await context.close();
  }
}

/** Returns a function that waits for a moment of the next page. */
async function momentsOf(page: Page): Promise<(moment: Moment) => Promise<number>> {
  const moments = {
    form: Promise.withResolvers<number>(),
    sent: Promise.withResolvers<number>(),
    figures: Promise.withResolvers<number>(),
    needs: Promise.withResolvers<number>(),
    plots: Promise.withResolvers<number>(),
  };
  await page.exposeFunction("tellMoment", (moment: Moment, at: number) => moments[moment].resolve(at));
  await page.addInitScript(observer);
  return (moment) => moments[moment].promise;
}
