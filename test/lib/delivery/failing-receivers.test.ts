import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { workOn } from "#lib/delivery/work.ts";
import { disable, noteFailure, noteSuccess } from "#lib/store/destination-state.ts";
import { hour, minute, start, startDelivering } from "../../support/delivering.ts";

const {
  aDestination,
  aReceiver,
  aSilentReceiver,
  again,
  anEvent,
  answering,
  change,
  deliveriesTo,
  expire,
  state,
  tell,
  work,
  world,
} = startDelivering();

describe("a receiver that fails", () => {
  it("a delivery has ten attempts at the documented times and then fails", async () => {
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

  it("the messages of a delivery that fails for three days come to an end, with at most 15 minutes between them", async () => {
    const { url, received } = await answering(500);
    await aDestination(url);
    await tell(anEvent());
    let messages = 0;
    for (let task = state.queue.shift(); task && messages < 1000; task = state.queue.shift()) {
      if ("due_at" in task) state.now += Math.min(15 * minute, task.due_at - state.now);
      await workOn(JSON.stringify(task), world());
      messages++;
    }
    // One for each beginning quarter of an hour of each of the nine gaps.
    expect([received.length, messages]).toEqual([10, 1 + 1 + 2 + 8 + 20 + 40 + 56 + 80 + 96]);
  });

  it.each([
    ["answers 500", { status: 500, error: "status" }],
    ["redirects", { status: 301, error: "redirect" }],
    ["answers 404", { status: 404, error: "status" }],
  ])("a receiver that %s is not followed, and the delivery is retried", async (_, { status, error }) => {
    const elsewhere = await answering(200);
    const { url } = await answering(status, { location: elsewhere.url });
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    expect(elsewhere.received).toEqual([]);
    expect(await deliveriesTo(destination)).toMatchObject([
      { status: "pending", attempts: [{ status_code: status, error }] },
    ]);
    expect(state.queue).toMatchObject([{ attempts: 1, due_at: start + 5000 }]);
  });

  it("a receiver that does not respond causes a timeout", async () => {
    const silent = await aDestination((await aSilentReceiver()).url);
    await tell(anEvent());
    await work(start);
    expect(await deliveriesTo(silent)).toMatchObject([{ attempts: [{ status_code: null, error: "timeout" }] }]);
  });

  it("a receiver that cannot be reached causes a connection error", async () => {
    const gone = await answering(200);
    await gone.close();
    const missing = await aDestination(gone.url);
    await tell(anEvent());
    await work(start);
    expect(await deliveriesTo(missing)).toMatchObject([{ attempts: [{ status_code: null, error: "connection" }] }]);
  });

  it("an endless response is cut off, and its status counts", async () => {
    const cut = Promise.withResolvers<void>();
    const { url } = await aReceiver((request, response) => {
      response.writeHead(200);
      const pour = () => {
        if (!response.destroyed) response.write("x".repeat(10_000), () => setImmediate(pour));
      };
      pour();
      request.socket.on("close", () => cut.resolve());
    });
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered" }]);
    await cut.promise;
  });

  it("a destination that responds 410 is disabled immediately, and its pending deliveries are dropped", async () => {
    const { url, received } = await answering(410);
    const destination = await aDestination(url);
    await tell(anEvent());
    await tell(anEvent());
    await work();
    expect(received).toHaveLength(1);
    expect(await again(destination)).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    await tell(anEvent());
    expect(state.queue).toEqual([]);
  });

  it("a destination is not disabled before three attempts of two deliveries have failed, however old the first failure is", async () => {
    const { url } = await answering(503);
    const poisoned = await aDestination(url, ["member.*"]);
    const quiet = await aDestination(url, ["tier.*"]);
    await tell(anEvent());
    await work();
    await tell(anEvent("tier.created"));
    state.queue = [];
    state.now = start + 30 * 24 * hour;
    await tell(anEvent("tier.created"));
    expect((await deliveriesTo(poisoned))[0]?.attempts).toHaveLength(10);
    expect([await again(poisoned), await again(quiet)]).toMatchObject([{ status: "enabled" }, { status: "enabled" }]);
    await work(state.now + minute);
    expect(await again(quiet)).toMatchObject({ status: "disabled", disabled_reason: "failing" });
  });

  it("enabling a destination resets its failures, so that the next one does not disable it", async () => {
    const { url } = await answering(503);
    const destination = await aDestination(url);
    await tell(anEvent());
    await tell(anEvent());
    await work();
    state.now = start + 6 * 24 * hour;
    await tell(anEvent());
    expect(await again(destination)).toMatchObject({ disabled_reason: "failing" });
    await change(destination, { status: "enabled" });
    const enabled = await again(destination);
    expect(enabled).toMatchObject({ status: "enabled", failing_since: null });
    expect(enabled).not.toHaveProperty("failures");
    state.now += minute;
    await tell(anEvent());
    expect(await again(destination)).toMatchObject({ status: "enabled" });
  });

  it("a destination is not disabled by a failure that follows a success", async () => {
    const waiting = Promise.withResolvers<ServerResponse>();
    let answer = (response: ServerResponse): void => void response.writeHead(503).end();
    const { url } = await aReceiver((_, response) => answer(response));
    const destination = await aDestination(url);
    await tell(anEvent());
    await tell(anEvent());
    await work();
    state.now = start + 6 * 24 * hour;
    answer = waiting.resolve;
    const failing = tell(anEvent());
    const response = await waiting.promise;
    answer = (other) => void other.writeHead(200).end();
    await tell(anEvent());
    response.writeHead(503).end();
    await failing;
    expect(await again(destination)).toMatchObject({ status: "enabled", failing_since: null });
  });

  it.each([
    ["gone", "disabled"],
    ["owner_changed", "disabled"],
    ["restored", "disabled"],
    ["failing", "enabled"],
  ] as const)(
    "with the reason %s, a destination is %s if an attempt has succeeded since it was read",
    async (...row) => {
      const [reason, status] = row;
      const destination = await aDestination("https://receiver.example.com/");
      await noteSuccess(state.table, destination, new Date(start + minute));
      await disable(state.table, destination, { reason, now: new Date(start + 2 * minute) });
      expect(await again(destination)).toMatchObject({ status });
    },
  );

  it("a failure does not count if an attempt has succeeded since its destination was read", async () => {
    const destination = await aDestination("https://receiver.example.com/");
    const succeeded = new Date(start + minute);
    await noteSuccess(state.table, destination, succeeded);
    const failures = { attempts: 3, delivery_id: 1, of_several: true };
    await noteFailure(state.table, destination, { failing_since: new Date(start).toISOString(), failures });
    const stored = await again(destination);
    expect(stored).toMatchObject({ failing_since: null, last_success_at: succeeded.toISOString() });
    expect(stored).not.toHaveProperty("failures");
  });

  it("a destination is disabled after five days without a success", async () => {
    const { url } = await answering(503);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work();
    state.now = start + 5 * 24 * hour - minute;
    await tell(anEvent());
    await work(state.now);
    expect(await again(destination)).toMatchObject({ status: "enabled" });
    await work(state.now + 10 * minute);
    expect(await again(destination)).toMatchObject({ status: "disabled", disabled_reason: "failing" });
  });

  it("a receiver that recovers after three days receives all events", async () => {
    let status = 500;
    const { url, received } = await aReceiver((_, response) => void response.writeHead(status).end());
    const destination = await aDestination(url);
    const told = new Set<string>();
    for (let n = 0; n < 12; n++) {
      const event = anEvent();
      told.add(event.id);
      await tell(event);
      await work(state.now + 4 * hour);
      state.now = start + (n + 1) * 4 * hour;
    }
    status = 200;
    received.length = 0;
    await work();
    expect(new Set(received.map(({ headers }) => headers["webhook-id"]))).toEqual(told);
    expect((await deliveriesTo(destination)).every((delivery) => delivery.status === "delivered")).toBe(true);
  });
});

describe("a slow receiver", () => {
  /** A receiver that does not respond to the first request. */
  async function aSlowStarter() {
    let isFirst = true;
    return aReceiver((_, response) => {
      if (isFirst) expire();
      else response.writeHead(200).end();
      isFirst = false;
    });
  }

  it("an attempt with a slow receiver is left to the queue of slow destinations", async () => {
    const { url, received } = await aSlowStarter();
    const destination = await aDestination(url);
    await tell(anEvent());
    expect(state.queue).toMatchObject([{ attempts: 0, is_slow: true, due_at: start }]);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "pending", attempts: [] }]);

    await work(start);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered", attempts: [{ status_code: 200 }] }]);
  });

  it("deliveries to a slow receiver use only the queue of slow destinations for an hour", async () => {
    const { url, received } = await aSlowStarter();
    await aDestination(url);
    await tell(anEvent());
    await tell(anEvent());
    const [task] = state.queue;
    await workOn(JSON.stringify({ ...task, is_slow: false }), world());
    expect(state.queue.map(({ is_slow }) => is_slow)).toEqual([true, true, true]);
    expect(received).toHaveLength(1);
    await work(start);

    state.now = start + hour;
    received.length = 0;
    await tell(anEvent());
    expect([received.length, state.queue.length]).toEqual([1, 0]);
  });

  it("a slow receiver stays slow and does not delay others", async () => {
    const silent = await aSilentReceiver();
    const { url, received } = await answering(200);
    await aDestination(silent.url, ["member.*"]);
    await aDestination(url, ["tier.*"]);
    await tell(anEvent());
    await work(start + 40 * minute);
    state.now = start + hour + minute;
    silent.received.length = 0;
    await tell(anEvent());
    await tell(anEvent("tier.created"));
    expect(state.queue.every(({ is_slow }) => is_slow)).toBe(true);
    expect([silent.received.length, received.length]).toEqual([0, 1]);
  });
});
