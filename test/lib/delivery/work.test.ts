import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Task } from "#lib/delivery/queue.ts";
import { sealingWith } from "#lib/delivery/sealing.ts";
import { newSecret, overlapFrom, storedSecret } from "#lib/delivery/secret.ts";
import { workOn } from "#lib/delivery/work.ts";
import * as communities from "#lib/store/communities.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { Item } from "#lib/store/expression.ts";
import type { Writer } from "#lib/store/table.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, type GivenCommunity, givenBy } from "../../support/given.ts";

const test = startTable();
const sealing = sealingWith("a key");
const start = Date.parse("2026-11-21T12:00:00.000Z");
const [minute, hour] = [60_000, 3_600_000];

type Received = { readonly headers: Record<string, string>; readonly body: string };

/** A receiver on this machine, which answers as it is told. */
async function aReceiver(answer: RequestListener) {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  servers.push(server);
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
const servers: Server[] = [];
const answering = (status: number, headers: Record<string, string> = {}) =>
  aReceiver((_, response) => void response.writeHead(status, headers).end("x"));

/** Time that passes only when the next task is due. */
let now: number;
let queue: Task[];
/** How long an answer is waited for: short where none comes. */
let patienceMs: number;
let table: Writer;
let community: GivenCommunity;

beforeAll(() => {
  vi.stubEnv("LOOPBACK_DESTINATIONS", "true");
});
beforeEach(async () => {
  now = start;
  queue = [];
  patienceMs = 10_000;
  community = await aCommunity(test.table);
  const runtime = {
    ...test.table.runtime,
    now: () => new Date(now),
    random: () => 0.5,
    deadline: () => AbortSignal.timeout(patienceMs),
  };
  table = { ...test.table, runtime };
});
afterAll(() => {
  vi.unstubAllEnvs();
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

const world = () => ({
  table,
  sealing: async () => sealing,
  enqueue: async (tasks: readonly Task[]) => void queue.push(...tasks),
});

let destinationsMade = 0;
async function aDestination(url: string, events: string[] = ["*"]) {
  // Ids of one millisecond may be the same.
  const id = destinations.newDestinationId(test.table, new Date(start + ++destinationsMade));
  const secret = newSecret(test.table.runtime);
  const parent = await communities.open(test.table, community.id);
  const others = await destinations.listOf(test.table, community.id);
  const given = { id, url, events, description: "", ...storedSecret(secret, id, sealing) };
  const stored = await destinations.add(test.table, parent, others, given, givenBy(new Date(now)));
  return { ...stored, plain: secret };
}

let made = 0;
const anEvent = (type = "member.joined") => ({
  id: `event-${++made}`,
  type,
  timestamp: new Date(now).toISOString(),
  sequence: made,
  subject: `communities/${community.id}/members/1`,
  community_id: community.id as number | null,
  data: { member: { id: 1 } },
  previous: {},
});
const tell = (event: object) => workOn(JSON.stringify({ detail: event }), world());

/** Works on tasks in the order in which they are due, until none is due before `until`. */
async function work(until = Number.POSITIVE_INFINITY): Promise<number[]> {
  const times: number[] = [];
  for (;;) {
    const [next, ...rest] = queue.toSorted((a, b) => a.due_at - b.due_at);
    if (!next || next.due_at > until) return times;
    queue = rest;
    now = Math.max(now, next.due_at);
    times.push(now - start);
    await workOn(JSON.stringify(next), world());
  }
}
const deliveriesTo = async ({ id }: { id: number }) => (await deliveries.list(table, id, { per: 100 })).data;
const again = ({ id }: { id: number }) => destinations.find(table, community.id, id);

describe("an event", () => {
  it("is posted to each destination that asks for it, signed by Standard Webhooks", async () => {
    const { url, received } = await answering(200);
    const asking = await aDestination(url, ["member.*"]);
    await aDestination(url, ["tier.*", "access.granted"]);
    const event = anEvent();
    await tell(event);
    await work();

    expect(received).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    // The package checks the time against the clock, which is another one here.
    vi.useFakeTimers({ now: start, toFake: ["Date"] });
    const verified = new Webhook(asking.plain).verify(body, headers);
    vi.useRealTimers();
    expect(verified).toEqual(event);
    expect(headers).toMatchObject({ "webhook-id": event.id, "webhook-timestamp": String(start / 1000) });
    expect(await deliveriesTo(asking)).toMatchObject([
      { event_id: event.id, event_type: "member.joined", status: "delivered", attempts: [{ status_code: 200 }] },
    ]);
    expect(await again(asking)).toMatchObject({ last_success_at: new Date(start).toISOString(), failing_since: null });
  });

  it("that comes twice is one delivery", async () => {
    const { url, received } = await answering(204);
    const destination = await aDestination(url);
    const event = anEvent();
    await tell(event);
    await work();
    await tell(event);
    await work();
    expect([received.length, (await deliveriesTo(destination)).length]).toEqual([1, 1]);
  });

  it("of the same millisecond as others is not lost, whatever ids they share", async () => {
    const { url, received } = await answering(200);
    await aDestination(url);
    const events = Array.from({ length: 40 }, () => anEvent());
    await Promise.all(events.map(tell));
    await work();
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
  });

  it("of no community goes to nobody, and is not asked for in another community", async () => {
    const { url, received } = await answering(200);
    await aDestination(url);
    await tell({ ...anEvent("brand.created"), community_id: null });
    await tell({ ...anEvent(), community_id: (await aCommunity(test.table)).id });
    await work();
    expect(received).toEqual([]);
  });
});

describe("a receiver that fails", () => {
  it("gets ten attempts at the times of the contract, and then the delivery has failed", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    const gaps = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
    expect(await work()).toEqual(gaps.map((_, n) => gaps.slice(0, n + 1).reduce((sum, gap) => sum + gap, 0)));
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed" }]);
    expect(await again(destination)).toMatchObject({
      status: "enabled",
      failing_since: new Date(start).toISOString(),
      last_success_at: null,
    });
  });

  it.each([
    ["answers 500", { status: 500, error: "status" }],
    ["redirects", { status: 301, error: "redirect" }],
    ["answers 404", { status: 404, error: "status" }],
  ])("that %s is not followed, and attempted again", async (_, { status, error }) => {
    const elsewhere = await answering(200);
    const { url } = await answering(status, { location: elsewhere.url });
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    expect(elsewhere.received).toEqual([]);
    expect(await deliveriesTo(destination)).toMatchObject([
      { status: "pending", attempts: [{ status_code: status, error }] },
    ]);
    expect(queue).toMatchObject([{ attempts: 1, due_at: start + 5000 }]);
  });

  it("that answers nothing has timed out, and one that is not there has no connection", async () => {
    patienceMs = 50;
    const silent = await aDestination((await aReceiver(() => {})).url);
    const gone = await answering(200);
    await new Promise((closed) => void servers.pop()?.close(closed));
    const missing = await aDestination(gone.url);
    await tell(anEvent());
    await work(start);
    expect(await deliveriesTo(silent)).toMatchObject([{ attempts: [{ status_code: null, error: "timeout" }] }]);
    expect(await deliveriesTo(missing)).toMatchObject([{ attempts: [{ status_code: null, error: "connection" }] }]);
  });

  it("that answers endlessly is cut off, and counts by its status", async () => {
    let isCut = false;
    const { url } = await aReceiver((request, response) => {
      response.writeHead(200);
      const pour = () => {
        if (!response.destroyed) response.write("x".repeat(10_000), () => setImmediate(pour));
      };
      pour();
      request.socket.on("close", () => {
        isCut = true;
      });
    });
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered" }]);
    await vi.waitUntil(() => isCut);
  });

  it("that is gone is disabled at once, and what is pending is dropped", async () => {
    const { url, received } = await answering(410);
    const destination = await aDestination(url);
    await tell(anEvent());
    await tell(anEvent());
    await work();
    expect(received).toHaveLength(1);
    expect(await again(destination)).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    await tell(anEvent());
    expect(queue).toEqual([]);
  });

  it("is disabled after five days without a success", async () => {
    const { url } = await answering(503);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work();
    now = start + 5 * 24 * hour - minute;
    await tell(anEvent());
    await work(now);
    expect(await again(destination)).toMatchObject({ status: "enabled" });
    await work(now + 10 * minute);
    expect(await again(destination)).toMatchObject({ status: "disabled", disabled_reason: "failing" });
  });

  it("that recovers has lost nothing of three days", async () => {
    let status = 500;
    const { url, received } = await aReceiver((_, response) => void response.writeHead(status).end());
    const destination = await aDestination(url);
    const told = new Set<string>();
    for (let n = 0; n < 12; n++) {
      const event = anEvent();
      told.add(event.id);
      await tell(event);
      await work(now + 4 * hour);
      now = start + (n + 1) * 4 * hour;
    }
    status = 200;
    received.length = 0;
    await work();
    expect(new Set(received.map(({ headers }) => headers["webhook-id"]))).toEqual(told);
    expect((await deliveriesTo(destination)).every((delivery) => delivery.status === "delivered")).toBe(true);
  });
});

describe("a slow receiver", () => {
  /** Leaves the first request without an answer. */
  async function aSlowStarter() {
    patienceMs = 50;
    let isFirst = true;
    return aReceiver((_, response) => {
      if (!isFirst) response.writeHead(200).end();
      isFirst = false;
    });
  }

  it("is left to the queue of slow destinations, as the same attempt", async () => {
    const { url, received } = await aSlowStarter();
    const destination = await aDestination(url);
    await tell(anEvent());
    expect(queue).toMatchObject([{ attempts: 0, is_slow: true, due_at: start }]);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "pending", attempts: [] }]);

    await work(start);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered", attempts: [{ status_code: 200 }] }]);
  });

  it("is not attempted among the others for an hour, also by a task that is in their queue", async () => {
    const { url, received } = await aSlowStarter();
    await aDestination(url);
    await tell(anEvent());
    await tell(anEvent());
    const [task] = queue;
    await workOn(JSON.stringify({ ...task, is_slow: false }), world());
    expect(queue.map(({ is_slow }) => is_slow)).toEqual([true, true, true]);
    expect(received).toHaveLength(1);
    await work(start);

    now = start + hour;
    received.length = 0;
    await tell(anEvent());
    expect([received.length, queue.length]).toEqual([1, 0]);
  });

  it("stays slow while it is, and does not delay others", async () => {
    patienceMs = 50;
    const silent = await aReceiver(() => {});
    const { url, received } = await answering(200);
    await aDestination(silent.url, ["member.*"]);
    await aDestination(url, ["tier.*"]);
    await tell(anEvent());
    await work(start + 40 * minute);
    now = start + hour + minute;
    silent.received.length = 0;
    await tell(anEvent());
    await tell(anEvent("tier.created"));
    expect(queue.every(({ is_slow }) => is_slow)).toBe(true);
    expect([silent.received.length, received.length]).toEqual([0, 1]);
  });
});

describe("a destination that changes", () => {
  it("by being disabled and enabled again is not sent what was pending", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    const by = () => givenBy(new Date(now));
    now += 1000;
    const off = await destinations.update(
      table,
      (await again(destination)) ?? destination,
      { status: "disabled" },
      by(),
    );
    now += 1000;
    await destinations.update(table, off, { status: "enabled" }, by());
    await work();
    expect(received).toHaveLength(1);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed" }]);
  });

  it("by a rotation is signed with both secrets for a day, and then with the new one", async () => {
    const { url, received } = await answering(200);
    const destination = await aDestination(url);
    const secret = newSecret(test.table.runtime);
    const at = new Date(now);
    const next = { ...storedSecret(secret, destination.id, sealing), until: overlapFrom(at) };
    await destinations.rotate(table, destination, next, givenBy(at));
    await tell(anEvent());
    await work();
    now = start + 24 * hour;
    await tell(anEvent());
    await work();

    const opens = (with_: string, { headers, body }: Received) => {
      vi.useFakeTimers({ now: Number(headers["webhook-timestamp"]) * 1000, toFake: ["Date"] });
      try {
        return Boolean(new Webhook(with_).verify(body, headers));
      } catch {
        return false;
      } finally {
        vi.useRealTimers();
      }
    };
    expect(received.map((one) => [opens(destination.plain, one), opens(secret, one)])).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it("by being deleted gets nothing more", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    await destinations.remove(table, (await again(destination)) ?? destination, givenBy(new Date(now)));
    await work();
    expect(received).toHaveLength(1);
  });
});

describe("a crash", () => {
  it("after an attempt was stored, and before the next one was queued, loses nothing", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    const [task] = queue;
    now = start + 5000;
    const crashing = { ...world(), enqueue: () => Promise.reject(new Error("crashed")) };
    await expect(workOn(JSON.stringify(task), crashing)).rejects.toThrow("crashed");
    await work(now + 6 * minute);
    expect(received).toHaveLength(3);
    expect(await deliveriesTo(destination)).toMatchObject([{ attempts: [{}, {}, {}] }]);
  });

  it.each([
    ["before the first attempt", { sealing: () => Promise.reject(new Error("crashed")) }, 1],
    ["before the second attempt was queued", { enqueue: () => Promise.reject(new Error("crashed")) }, 2],
  ])("after a delivery was stored, %s, is made good when the event comes again", async (_, crash, attempts) => {
    const { url } = await answering(500);
    const destination = await aDestination(url);
    const message = JSON.stringify({ detail: anEvent() });
    await expect(workOn(message, { ...world(), ...crash })).rejects.toThrow("crashed");
    await workOn(message, world());
    await work(start + 5000 * (attempts - 1));
    expect(await deliveriesTo(destination)).toMatchObject([
      { attempts: Array.from({ length: attempts }, () => ({ status_code: 500 })) },
    ]);
  });

  it("of one destination does not keep an event from the others", async () => {
    const { url, received } = await answering(200);
    const broken = await aDestination(url);
    await aDestination(url);
    const event = anEvent();
    const failing: Writer = {
      ...table,
      query: (asked) => table.query(asked).then((page) => ({ ...page, items: page.items.map(unreadable) })),
    };
    const unreadable = (item: Item): Item => (item.id === broken.id ? { ...item, secret: "?" } : item);
    await expect(workOn(JSON.stringify({ detail: event }), { ...world(), table: failing })).rejects.toThrow("vector");
    expect(received).toHaveLength(1);
  });
});

it("a private address that a name resolves to is not connected to", async () => {
  vi.stubEnv("LOOPBACK_DESTINATIONS", "false");
  const { url, received } = await answering(200);
  const destination = await aDestination(url.replace("http://127.0.0.1", "http://localhost"));
  await tell(anEvent());
  await work(start);
  vi.stubEnv("LOOPBACK_DESTINATIONS", "true");
  expect(received).toEqual([]);
  expect(await deliveriesTo(destination)).toMatchObject([
    { attempts: [{ status_code: null, error: "address_refused" }] },
  ]);
});
