import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { attempt, noteDelivered } from "#lib/delivery/attempt.ts";
import { workOn } from "#lib/delivery/work.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import { addAll } from "#lib/store/events.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import type { Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { minute, start, startDelivering } from "../../support/delivering.ts";
import { aCommunity } from "../../support/given.ts";

const { aDestination, again, anEvent, answering, aReceiver, deliveriesTo, state, tell, test, work, world } =
  startDelivering();

describe("an event", () => {
  it("an event is posted to each destination that has selected its type, signed by Standard Webhooks", async () => {
    const { url, received } = await answering(200);
    const asking = await aDestination(url, ["member.*"]);
    await aDestination(url, ["tier.*", "access.granted"]);
    const event = anEvent();
    await tell(event);
    await work();

    expect(received).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    // The package compares the time with the system clock, which is set to that of the test.
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

  it("an event that is received twice causes one delivery", async () => {
    const { url, received } = await answering(204);
    const destination = await aDestination(url);
    const event = anEvent();
    await tell(event);
    await work();
    await tell(event);
    await work();
    expect([received.length, (await deliveriesTo(destination)).length]).toEqual([1, 1]);
  });

  it("events of the same millisecond are all delivered, even if their ids collide", async () => {
    const { url, received } = await answering(200);
    await aDestination(url);
    const events = Array.from({ length: 40 }, () => anEvent());
    await Promise.all(events.map(tell));
    await work();
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
  });

  it("an event without a community is not delivered, and events are not delivered to destinations of other communities", async () => {
    const { url, received } = await answering(200);
    await aDestination(url);
    await tell({ ...anEvent("brand.created"), community_id: null });
    await tell({ ...anEvent(), community_id: (await aCommunity(test.table)).id });
    await work();
    expect(received).toEqual([]);
  });
});

describe("a crash", () => {
  it("a crash between storing an attempt and queuing the next one loses no attempt", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    const [task] = state.queue;
    state.now = start + 5000;
    const crashing = { ...world(), enqueue: () => Promise.reject(new Error("crashed")) };
    await expect(workOn(JSON.stringify(task), crashing)).rejects.toThrow("crashed");
    await work(state.now + 6 * minute);
    expect(received).toHaveLength(3);
    expect(await deliveriesTo(destination)).toMatchObject([{ attempts: [{}, {}, {}] }]);
  });

  it.each([
    ["before the first attempt", { sealing: () => Promise.reject(new Error("crashed")) }, 1],
    ["before the second attempt was queued", { enqueue: () => Promise.reject(new Error("crashed")) }, 2],
  ])(
    "a crash after a delivery was stored, %s, is recovered when the event is received again",
    async (_, crash, attempts) => {
      const { url } = await answering(500);
      const destination = await aDestination(url);
      const message = JSON.stringify({ detail: anEvent() });
      await expect(workOn(message, { ...world(), ...crash })).rejects.toThrow("crashed");
      await workOn(message, world());
      await work(start + 5000 * (attempts - 1));
      expect(await deliveriesTo(destination)).toMatchObject([
        { attempts: Array.from({ length: attempts }, () => ({ status_code: 500 })) },
      ]);
    },
  );

  it("a crash before the second attempt was queued is recovered, even if a resend has made a second attempt", async () => {
    const { url } = await answering(500);
    const destination = await aDestination(url);
    const message = JSON.stringify({ detail: anEvent() });
    const crash = { enqueue: () => Promise.reject(new Error("crashed")) };
    await expect(workOn(message, { ...world(), ...crash })).rejects.toThrow("crashed");
    state.now += 1000;
    const [delivery] = await deliveriesTo(destination);
    if (delivery) await attempt({ is_slow: false }, { delivery, destination }, world());
    await workOn(message, world());
    expect(state.queue).toMatchObject([{ delivery_id: delivery?.id, attempts: 2 }]);
  });

  it.each([
    ["event", [500, 200], 2],
    ["task", [500, 500, 200], 1],
  ])(
    "a success that a crash kept from being stored in the destination is stored when the %s is received again",
    async (kind, answers, writes) => {
      const { url } = await aReceiver((_, response) => void response.writeHead(answers.shift() ?? 500).end());
      const destination = await aDestination(url);
      await tell(anEvent());
      expect(await again(destination)).toMatchObject({ failing_since: new Date(start).toISOString() });
      const event = anEvent();
      if (kind === "task") await tell(event);
      const message = JSON.stringify(kind === "task" ? state.queue.at(-1) : { detail: event });
      state.now += 5000;
      const crashing = {
        ...state.table,
        onWrite: () => {
          if (--writes === 0) throw new Error("crashed");
        },
      };
      await expect(workOn(message, { ...world(), table: crashing })).rejects.toThrow("crashed");
      await workOn(message, world());
      expect(answers).toEqual([]);
      const last_success_at = new Date(start + 5000).toISOString().slice(0, 19);
      expect(await again(destination)).toMatchObject({
        failing_since: null,
        last_success_at: expect.stringContaining(last_success_at),
      });
    },
  );

  it.each([
    { begun: -2000, lasted: 1000, isStored: false, order: "ended before the first failure" },
    { begun: -1000, lasted: 1000, isStored: false, order: "ended at the time of the first failure" },
    { begun: -1000, lasted: 1001, isStored: true, order: "began before the first failure and ended after it" },
    { begun: 1000, lasted: 10, isStored: true, order: "began after the first failure" },
  ])("a success that was not stored in the destination is stored late: $isStored if it $order", async (row) => {
    const { begun, lasted, isStored } = row;
    const destination = await aDestination((await answering(500)).url);
    await tell(anEvent());
    const failing_since = new Date(start).toISOString();
    const failing = await again(destination);
    if (!failing) throw new Error("The destination is lost");
    expect(failing).toMatchObject({ failing_since, last_success_at: null });
    const success = { at: new Date(start + begun).toISOString(), duration_ms: lasted, status_code: 200, error: null };
    await noteDelivered(state.table, failing, { status: "delivered", attempts: [success] });
    const at = new Date(start + begun + lasted).toISOString();
    const expected = isStored ? { failing_since: null, last_success_at: at } : { failing_since, last_success_at: null };
    expect(await again(destination)).toMatchObject(expected);
  });

  it("a crash during the delivery to one destination does not prevent delivery to others", async () => {
    const { url, received } = await answering(200);
    const broken = await aDestination(url);
    await aDestination(url);
    const event = anEvent();
    const failing: Writer = {
      ...state.table,
      query: (asked) => state.table.query(asked).then((page) => ({ ...page, items: page.items.map(unreadable) })),
    };
    const unreadable = (item: Item): Item => (item.id === broken.id ? { ...item, secret: "?" } : item);
    await expect(workOn(JSON.stringify({ detail: event }), { ...world(), table: failing })).rejects.toThrow("vector");
    expect(received).toHaveLength(1);
  });
});

describe("a delivery", () => {
  it("a delivery refers to the stored event, and each attempt sends its body", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    const event = anEvent();
    await addAll(state.table, destination.community_id, [event]);
    await tell(event);
    await work();
    const [delivery] = await deliveriesTo(destination);
    const item = await state.table.get(keys.delivery(destination.id, delivery?.id ?? 0));
    expect(item).toMatchObject({ event_id: event.id, body: "" });
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set([JSON.stringify(event)]));
  });

  it("an event that an earlier version has sent without storing it is kept in its deliveries", async () => {
    const { url } = await answering(200);
    const destination = await aDestination(url);
    const event = anEvent();
    await tell(event);
    const [delivery] = await deliveriesTo(destination);
    expect(JSON.parse(delivery?.body ?? "")).toEqual(event);
  });

  it("a delivery whose event has expired is ended without an attempt", async () => {
    const { url, received } = await answering(200);
    const destination = await aDestination(url);
    const posted = { event: anEvent(), body: "", isLast: false };
    const delivery = await deliveries.add(state.table, destination, posted, new Date(state.now));
    expect(await attempt({ is_slow: false }, { delivery, destination }, world())).toMatchObject({ status: "failed" });
    expect(received).toEqual([]);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed", attempts_made: 0 }]);
  });

  it("a delivery lists an attempt once, even if the write of the attempt is repeated", async () => {
    const { url } = await answering(200);
    const destination = await aDestination(url);
    const event = anEvent();
    const delivery = await deliveries.add(state.table, destination, { event, isLast: false }, new Date(state.now));
    const one = { at: event.timestamp, status_code: 500, duration_ms: 3, error: "status" } as const;
    const add = () => deliveries.addAttempt(state.table, delivery, one, ({ status }) => status);
    expect(await add()).toMatchObject({ attempts: [one], attempts_made: 1 });
    expect(await add()).toMatchObject({ attempts: [one], attempts_made: 1 });
  });

  it("a delivery that is dropped during another attempt has the status failed", async () => {
    const { url } = await answering(500);
    const destination = await aDestination(url);
    const event = anEvent();
    const delivery = await deliveries.add(state.table, destination, { event, isLast: false }, new Date(state.now));
    await attempt({ is_slow: false }, { delivery, destination }, world());
    await deliveries.drop(state.table, delivery);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed", attempts_made: 1 }]);
  });

  it("a delivery keeps its last 20 attempts and the total number", async () => {
    const { url } = await answering(200);
    const destination = await aDestination(url);
    await tell(anEvent());
    for (let n = 1; n < 25; n++) {
      state.now = start + n * minute;
      const [delivery] = await deliveriesTo(destination);
      if (delivery) await attempt({ is_slow: false }, { delivery, destination }, world());
    }
    const [delivery] = await deliveriesTo(destination);
    expect(delivery).toMatchObject({ status: "delivered", attempts_made: 25 });
    const minutes = delivery?.attempts.map(({ at }) => (Date.parse(at) - start) / minute);
    expect(minutes).toEqual(Array.from({ length: 20 }, (_, n) => n + 5));
  });

  it("a delivery that an earlier version stored without a number of attempts is retried at the next time of the schedule", async () => {
    const { url } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start + 5000);
    const [delivery] = await deliveriesTo(destination);
    const key = keys.delivery(destination.id, delivery?.id ?? 0);
    await write(test.table, [{ update: key, set: { attempts_made: undefined }, when: { is: { attempts_made: 2 } } }]);
    await work(start + 6 * minute);
    expect(await deliveriesTo(destination)).toMatchObject([{ attempts: [{}, {}, {}], attempts_made: 3 }]);
    expect(state.queue).toMatchObject([{ attempts: 3 }]);
  });
});

it("a host name that resolves to a private address is not connected to", async () => {
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
