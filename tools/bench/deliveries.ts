import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { aBenefit, aCommunity, type GivenCommunity } from "../../test/support/given.ts";
import { build } from "../build/build.ts";
import { type Stack, startStack } from "../local/stack.ts";
import { tokenFor } from "../local/users.ts";
import type { Result } from "./result.ts";
import { percentile } from "./statistics.ts";

/** Number of events in the first measurement. */
const many = 3000;
/** Number of edits in the second measurement. */
const edits = 300;
/** Third measurement: number of events per destination, and milliseconds between two events. */
const [steady, intervalMs] = [200, 150];
const badReceivers = ["/500", "/410", "/301", "/silent", "/endless"];

/** Measures how fast events arrive, and how failing receivers delay the others. */
export async function run(): Promise<Result> {
  await build();
  const stack = await startStack();
  stack.listen();
  const receivers = await startReceivers();
  try {
    const perSecond = await throughput(stack, receivers);
    const first = await latencyOfEdits(stack, receivers);
    const alone = await latencyOfOthers(stack, receivers, []);
    const beside = await latencyOfOthers(stack, receivers, badReceivers);
    const [p99, moved] = [percentile(first, 0.99), percentile(beside, 0.99) - percentile(alone, 0.99)];
    const row = (measured: string, samples: readonly number[]) => ({
      "milliseconds until an event arrives": measured,
      events: samples.length,
      p50: percentile(samples, 0.5),
      p99: percentile(samples, 0.99),
    });
    return {
      method:
        `${many} events were put into the queue at once, for one destination. ` +
        `Then ${edits} benefits were edited one after the other over HTTP, and ${steady} events were sent to three destinations, one every ${intervalMs} ms, ` +
        `first alone, and then while five bad receivers were sent as many: they answer 500, 410 or 301, nothing, or endlessly. Everything runs on the local stack, in one process but for the engine.`,
      rows: [
        row("after an edit over HTTP", first),
        row("from the bus", alone),
        row("from the bus, beside bad receivers", beside),
      ],
      claims: [
        {
          claim: "Events delivered in a second ≥ 100",
          measured: perSecond.toFixed(0),
          holds: perSecond >= 100,
        },
        {
          claim: "ms from the response to the first delivery, p99 ≤ 5000",
          measured: p99.toFixed(0),
          holds: p99 <= 5000,
        },
        {
          claim: "ms by which bad receivers move the p99 of others ≤ 1000",
          measured: moved.toFixed(0),
          holds: moved <= 1000,
        },
      ],
    };
  } finally {
    await receivers.close();
    await stack.stop();
  }
}

type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** Starts a server whose paths behave differently. It records when each event first arrived. */
async function startReceivers() {
  const arrivals = new Map<string, number>();
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { url = "" } = request;
      if (url === "/silent") return void open.add(response);
      if (url === "/endless") return pour(response.writeHead(200));
      const key = `${url} ${String(request.headers["webhook-id"])}`;
      if (!arrivals.has(key)) arrivals.set(key, performance.now());
      response.writeHead(Number(/^\/(\d{3})$/.exec(url)?.[1] ?? 200), { location: "/elsewhere" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    arrivals,
    urlOf: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      for (const response of open) response.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function pour(response: ServerResponse): void {
  if (!response.destroyed) response.write("x", () => setTimeout(() => pour(response), 100));
}

const tokenOf = (stack: Stack, { owner }: GivenCommunity) =>
  tokenFor(stack.cognito, { id: owner.id, groups: [], expiresIn: 3600 });

async function ask(stack: Stack, community: GivenCommunity, method: string, path: string, body: object) {
  const token = await tokenOf(stack, community);
  const response = await fetch(`${stack.url}/odis/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/** Creates a community with an event destination for each path. */
async function aCommunityWith(stack: Stack, receivers: Receivers, paths: readonly string[], events: string) {
  const community = await aCommunity(stack.table);
  for (const path of paths)
    await ask(stack, community, "POST", `/communities/${community.id}/event_destinations`, {
      event_destination: { url: receivers.urlOf(path), events: [events] },
    });
  return community;
}

let sentEvents = 0;
/** Sends an event to the queue, as the rule of the bus does. Returns its id. */
function tell(stack: Stack, community: GivenCommunity): string {
  const id = `bench-${++sentEvents}`;
  const data = { member: { id: 1, status: "active", access: { granted: true, reason: "paid", until: null } } };
  const subject = `communities/${community.id}/members/1`;
  const of = { community_id: community.id, sequence: sentEvents, subject };
  const detail = { id, type: "member.renewed", timestamp: new Date().toISOString(), ...of, data, previous: {} };
  stack.queues.put(JSON.stringify({ detail }));
  return id;
}

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 120_000; !holds(); await wait(10))
    if (performance.now() > deadline)
      throw new Error("Events have not arrived after two minutes: is the machine busy?");
}

async function throughput(stack: Stack, receivers: Receivers): Promise<number> {
  const community = await aCommunityWith(stack, receivers, ["/many"], "member.*");
  await arrivalsOf(receivers, "/many", [tell(stack, community)]);
  const startedAt = performance.now();
  const ids = Array.from({ length: many }, () => tell(stack, community));
  await arrivalsOf(receivers, "/many", ids);
  return many / ((performance.now() - startedAt) / 1000);
}

/** Waits until all events have arrived and returns their arrival times. */
async function arrivalsOf({ arrivals }: Receivers, path: string, ids: readonly string[]): Promise<number[]> {
  await until(() => ids.every((id) => arrivals.has(`${path} ${id}`)));
  return ids.map((id) => arrivals.get(`${path} ${id}`) ?? Number.NaN);
}

async function latencyOfEdits(stack: Stack, receivers: Receivers): Promise<number[]> {
  const community = await aCommunityWith(stack, receivers, ["/edits"], "benefit.updated");
  const benefit = await aBenefit(stack.table, community);
  const answeredAt: number[] = [];
  const arrived = () => [...receivers.arrivals].filter(([key]) => key.startsWith("/edits ")).map(([, at]) => at);
  for (let n = 0; n < edits; n++) {
    const path = `/benefits/${benefit.id}`;
    await ask(stack, community, "PATCH", path, { benefit: { name: `Edit ${n}` } });
    answeredAt.push(performance.now());
  }
  await until(() => arrived().length >= edits);
  // Events may arrive in another order. Pairs them in order, which gives the longest delays.
  const at = arrived().toSorted((a, b) => a - b);
  return answeredAt.map((time, n) => Math.max(0, (at[n] ?? Number.NaN) - time));
}

async function latencyOfOthers(stack: Stack, receivers: Receivers, bad: readonly string[]): Promise<number[]> {
  const healthy = [1, 2, 3].map((n) => `/healthy-${bad.length}-${String.fromCodePoint(96 + n)}`);
  const community = await aCommunityWith(stack, receivers, healthy, "*");
  const others: GivenCommunity[] = [];
  for (const path of bad) others.push(await aCommunityWith(stack, receivers, [path], "member.*"));
  const sentAt = new Map<string, number>();
  for (let n = 0; n < steady; n++) {
    for (const other of others) tell(stack, other);
    sentAt.set(tell(stack, community), performance.now());
    await wait(intervalMs);
  }
  const ids = [...sentAt.keys()];
  const latencies: number[] = [];
  for (const path of healthy)
    for (const [n, at] of (await arrivalsOf(receivers, path, ids)).entries())
      latencies.push(at - (sentAt.get(ids[n] ?? "") ?? Number.NaN));
  return latencies;
}
