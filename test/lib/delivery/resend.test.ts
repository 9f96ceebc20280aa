import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { performResend } from "#lib/delivery/resend-work.ts";
import { workOn } from "#lib/delivery/work.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import * as resends from "#lib/store/resends.ts";
import { handler as listDeliveries } from "../../../functions/destinations/deliveries.ts";
import { handler as resendOne } from "../../../functions/destinations/resend.ts";
import { handler as resendMany } from "../../../functions/destinations/resend-many.ts";
import { hour, minute, type Received, start, startDelivering } from "../../support/delivering.ts";
import { type Call, invoke } from "../../support/direct.ts";

const delivering = startDelivering();
const { aDestination, aReceiver, anEvent, answering, deliveriesTo, expire, state, tell, test, work, world } =
  delivering;

type Destination = Awaited<ReturnType<typeof aDestination>>;

let key: string;
beforeEach(() => {
  key = randomUUID();
});

/** Makes a request with an `Idempotency-Key`, and handles its task a second later. */
async function ask(endpoint: Endpoint, { id }: Destination, call: Call, enqueue = world().enqueue) {
  const platform = test.platform({ now: () => new Date(state.now), enqueue });
  const answer = await invoke(endpoint, platform, {
    as: state.community.owner,
    headers: { "idempotency-key": key },
    ...call,
    params: { id, ...call.params },
  });
  state.now += 1000;
  return answer;
}
const since = (time: number) => new Date(time).toISOString();
const askForSpan = (destination: Destination, span: object = {}, enqueue = world().enqueue) =>
  ask(resendMany, destination, { body: { since: since(start), ...span } }, enqueue);
const askForOne = async (destination: Destination, call: Call = {}) => {
  const [delivery] = await deliveriesTo(destination);
  return ask(resendOne, destination, { ...call, params: { delivery_id: delivery?.id } });
};

const idsOf = (received: readonly Received[]) => received.map(({ headers }) => String(headers["webhook-id"]));

/** A receiver that has refused `count` events, one a minute, and accepts them from now on. */
async function aMissedSpan(count: number) {
  let status = 500;
  const receiver = await aReceiver((_, response) => void response.writeHead(status).end());
  const destination = await aDestination(receiver.url);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const event = anEvent();
    ids.push(event.id);
    await tell(event);
    state.now += minute;
  }
  state.queue = [];
  receiver.received.length = 0;
  status = 200;
  const answerWith = (next: number) => {
    status = next;
  };
  return { ...receiver, destination, ids, answerWith };
}

/** Edits a destination as its owner. */
async function edit(destination: Destination, change: { status: "enabled" | "disabled" }) {
  state.now += 1000;
  return delivering.change(destination, change);
}

describe("resending one delivery", () => {
  it("resending a delivery returns 202 with the delivery, and makes one attempt with the same webhook-id", async () => {
    const { destination, received, ids } = await aMissedSpan(1);
    const answer = await askForOne(destination);
    expect(answer).toMatchObject({ status: 202, body: { event_id: ids[0], status: "pending", attempts_made: 1 } });
    expect(received).toEqual([]);
    await work(state.now);
    expect(idsOf(received)).toEqual(ids);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered", attempts_made: 2 }]);
  });

  it("resending a delivery sends it once, however often its message is received", async () => {
    const { destination, received } = await aMissedSpan(1);
    await askForOne(destination);
    const [task] = state.queue;
    await work(state.now);
    await workOn(JSON.stringify(task), world());
    expect(received).toHaveLength(1);
  });

  it("resending also sends delivered events, and a failed delivery that fails again stays failed", async () => {
    const { destination, received, answerWith } = await aMissedSpan(1);
    await askForOne(destination);
    await work(state.now);
    answerWith(500);
    key = randomUUID();
    await askForOne(destination);
    await work(state.now);
    expect(received).toHaveLength(2);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered", attempts_made: 3 }]);
    expect(state.queue).toEqual([]);
  });

  it("resending a pending delivery adds an attempt, and its schedule continues", async () => {
    const { url } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await askForOne(destination);
    await work(state.now);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "pending", attempts_made: 2 }]);
    await work();
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed", attempts_made: 10 }]);
  });

  it("resending to a slow receiver uses the queue of slow destinations", async () => {
    let isSlow = true;
    const { url } = await aReceiver((_, response) => {
      if (isSlow) expire();
      else response.writeHead(200).end();
      isSlow = false;
    });
    const destination = await aDestination(url);
    await tell(anEvent());
    state.queue = [];
    await askForOne(destination);
    const [task] = state.queue;
    state.queue = [];
    await workOn(JSON.stringify(task), world());
    expect(state.queue).toEqual([{ ...task, is_slow: true }]);
    await work(state.now);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "delivered" }]);
  });

  it("resending sends nothing once the destination was disabled, even if it is enabled again", async () => {
    const { destination, received } = await aMissedSpan(1);
    await askForOne(destination);
    await edit(destination, { status: "disabled" });
    const [task] = state.queue;
    await work(state.now);
    await edit(destination, { status: "enabled" });
    await workOn(JSON.stringify(task), world());
    expect(received).toEqual([]);
  });

  it("a delivery that is dropped because its destination was disabled is failed at once, and is resent as such", async () => {
    const { destination, received, ids } = await aMissedSpan(1);
    const shown = async () =>
      (await ask(listDeliveries, destination, {})).body as { data: readonly { readonly status: string }[] };
    expect(await shown()).toMatchObject({ data: [{ status: "pending" }] });
    await edit(destination, { status: "disabled" });
    expect(await shown()).toMatchObject({ data: [{ status: "failed" }] });
    await edit(destination, { status: "enabled" });
    expect(await shown()).toMatchObject({ data: [{ status: "failed" }] });
    await askForSpan(destination, { status: "pending" });
    await work(state.now);
    expect(received).toEqual([]);
    key = randomUUID();
    await askForSpan(destination, { status: "failed" });
    await work(state.now);
    expect(idsOf(received)).toEqual(ids);
    expect(await shown()).toMatchObject({ data: [{ status: "delivered" }] });
  });

  it("resending is refused for a disabled destination, and returns 503 if the queue is unavailable", async () => {
    const { destination } = await aMissedSpan(1);
    const [delivery] = await deliveriesTo(destination);
    const call = { params: { delivery_id: delivery?.id } };
    const unavailable = await ask(resendOne, destination, call, () => Promise.reject(new Error("no queue")));
    expect(unavailable).toMatchObject({ status: 503, body: { code: "unavailable" } });
    await edit(destination, { status: "disabled" });
    expect(await askForOne(destination)).toMatchObject({ status: 409, body: { code: "destination_disabled" } });
  });
});

describe("resending a list of deliveries", () => {
  it("resending a list of deliveries queues and makes one attempt for each, even if the list repeats one", async () => {
    const { destination, received, ids } = await aMissedSpan(4);
    const [, third, second] = await deliveriesTo(destination);
    const delivery_ids = [second?.id, third?.id, second?.id];
    const answer = await ask(resendMany, destination, { body: { delivery_ids } });
    expect(answer).toMatchObject({ status: 202, body: { delivery_ids, since: null, until: null, status: null } });
    // Messages are handled at the same time, so a second one of a delivery could send it again.
    expect(state.queue.map(({ delivery_id }) => delivery_id)).toEqual([second?.id, third?.id]);
    await work(state.now);
    expect(idsOf(received).toSorted()).toEqual(ids.slice(1, 3).toSorted());
  });

  it("resending a list with unknown deliveries reports each unknown one and queues nothing", async () => {
    const [foreign] = await deliveriesTo((await aMissedSpan(1)).destination);
    const { destination } = await aMissedSpan(1);
    const [own] = await deliveriesTo(destination);
    const answer = await ask(resendMany, destination, { body: { delivery_ids: [own?.id, foreign?.id, 7] } });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        errors: [
          { pointer: "/delivery_ids/1", code: "unknown_reference" },
          { pointer: "/delivery_ids/2", code: "unknown_reference" },
        ],
      },
    });
    expect(state.queue).toEqual([]);
  });
});

describe("resending a time span", () => {
  it("resending a time span sends its events in pages of 20, oldest first", async () => {
    const { destination, received, ids } = await aMissedSpan(50);
    const span = { since: since(start + 5 * minute), until: since(start + 48 * minute) };
    const answer = await askForSpan(destination, span);
    expect(answer).toMatchObject({
      status: 202,
      body: { requested_at: since(start + 50 * minute), delivery_ids: null, ...span, status: null },
    });
    expect(received).toEqual([]);
    await work(state.now);
    const pages = [received.slice(0, 20), received.slice(20, 40), received.slice(40)].map(idsOf);
    const expected = [ids.slice(5, 25), ids.slice(25, 45), ids.slice(45, 48)];
    expect(pages.map((page) => page.toSorted())).toEqual(expected.map((page) => page.toSorted()));
  });

  it("resending a time span sends only deliveries with the given status, up to the time of the request", async () => {
    const { destination, received, ids, answerWith } = await aMissedSpan(3);
    const delivered = anEvent();
    await tell(delivered);
    answerWith(500);
    const missed = anEvent();
    await tell(missed);
    answerWith(200);
    received.length = 0;
    state.queue = [];
    state.now += minute;
    await askForSpan(destination, { status: "pending" });
    await work(state.now);
    expect(idsOf(received).toSorted()).toEqual([...ids, missed.id].toSorted());
  });

  it.each([
    ["nothing", {}, [["/since", "required"]]],
    ["an end alone", { until: since(start) }, [["/since", "required"]]],
    ["an empty list", { delivery_ids: [] }, [["/delivery_ids", "too_few"]]],
    ["101 deliveries", { delivery_ids: Array.from({ length: 101 }, (_, n) => n + 1) }, [["/delivery_ids", "too_many"]]],
    [
      "both a list and a time span",
      { delivery_ids: [1], since: since(start), until: since(start), status: "failed" },
      [
        ["/since", "conflicts"],
        ["/until", "conflicts"],
        ["/status", "conflicts"],
      ],
    ],
    ["a start of more than 30 days ago", { since: since(start - 30 * 24 * hour - 1) }, [["/since", "too_small"]]],
    ["a start in the future", { since: since(start + 1) }, [["/since", "in_the_future"]]],
    [
      "an end that is not after the start",
      { since: since(start - 1000), until: since(start - 1000) },
      [["/until", "too_small"]],
    ],
    ["an end in the future", { since: since(start - 1000), until: since(start + 1) }, [["/until", "in_the_future"]]],
    ["a day instead of a time", { since: "2026-11-21" }, [["/since", "invalid_format"]]],
    ["an unknown status", { since: since(start), status: "sent" }, [["/status", "not_one_of"]]],
  ])("a resend request with %s is refused with a pointer to the field", async (_, body, expected) => {
    const destination = await aDestination("http://127.0.0.1:9/");
    const answer = await ask(resendMany, destination, { body });
    const errors = answer.body?.errors as { pointer: string; code: string }[];
    expect([answer.status, errors.map(({ pointer, code }) => [pointer, code])]).toEqual([422, expected]);
  });

  it("resending a time span accepts a start exactly 30 days ago in any time zone", async () => {
    const destination = await aDestination("http://127.0.0.1:9/");
    const answer = await askForSpan(destination, { since: "2026-10-22T14:00:00+02:00" });
    expect(answer).toMatchObject({ status: 202, body: { since: "2026-10-22T12:00:00.000Z" } });
  });

  it("resending a time span neither loses nor repeats events if a page fails before the next one is queued", async () => {
    const { destination, received, ids } = await aMissedSpan(45);
    await askForSpan(destination);
    const [task] = state.queue;
    state.queue = [];
    const failing = { ...world(), enqueue: () => Promise.reject(new Error("no queue")) };
    await expect(workOn(JSON.stringify(task), failing)).rejects.toThrow("no queue");
    await workOn(JSON.stringify(task), world());
    await work(state.now);
    expect(idsOf(received).toSorted()).toEqual(ids.toSorted());
  });

  it("resending a time span neither loses nor repeats events if some attempts of a page throw", async () => {
    const { destination, received, ids } = await aMissedSpan(20);
    await askForSpan(destination);
    const [task] = state.queue;
    state.queue = [];
    let opened = 0;
    const sealing = () => (++opened % 3 === 0 ? Promise.reject(new Error("no key")) : world().sealing());
    await expect(workOn(JSON.stringify(task), { ...world(), sealing })).rejects.toThrow("no key");
    expect(received).toHaveLength(14);
    await workOn(JSON.stringify(task), world());
    await work(state.now);
    expect(idsOf(received).toSorted()).toEqual(ids.toSorted());
  });

  it("resending a time span resumes when its message is received after a crash, and skips a leased page", async () => {
    const { destination, received } = await aMissedSpan(3);
    await askForSpan(destination);
    const [task] = state.queue;
    const span = await resends.find(state.table, destination.id, since(start + 3 * minute));
    if (!span) throw new Error("No time span is stored");
    await resends.lease(state.table, destination.id, span, minute);
    await work(state.now);
    expect(received).toEqual([]);
    state.now += minute;
    await workOn(JSON.stringify(task), world());
    expect(received).toHaveLength(3);
  });

  it("resending a time span continues if the response to the lease of a page is lost and the SDK repeats the write", async () => {
    const { destination, received, ids } = await aMissedSpan(1);
    await askForSpan(destination);
    let isLost = false;
    const lost = { step: "deserialize", name: "lost-response" } as const;
    test.client.middlewareStack.add(
      (next) => async (args) => {
        const response = await next(args);
        if (isLost || !String((args.request as { body?: unknown }).body).includes("leased_until")) return response;
        isLost = true;
        throw Object.assign(new Error("No response"), { name: "TimeoutError" });
      },
      lost,
    );
    await work(state.now).finally(() => test.client.middlewareStack.remove(lost.name));
    expect([isLost, idsOf(received)]).toEqual([true, ids]);
    expect(await resends.find(state.table, destination.id, since(start + minute))).toBeUndefined();
  });

  it("resending a time span sends each event once if its message is received twice", async () => {
    const { destination, received, ids } = await aMissedSpan(45);
    await askForSpan(destination);
    const [task] = state.queue;
    if (!task || "attempts" in task) throw new Error("No resend is queued");
    state.queue = [];
    await Promise.all([performResend(task, world()), performResend(task, world())]);
    await work(state.now);
    expect(idsOf(received).toSorted()).toEqual(ids.toSorted());
  });

  it("resending a time span moves to the queue of slow destinations after a slow response and omits no event", async () => {
    let requests = 0;
    const { url, received } = await aReceiver((_, response) => {
      if (++requests > 1) response.writeHead(200).end();
      else expire();
    });
    const destination = await aDestination(url, ["tier.created"]);
    for (let n = 0; n < 22; n++) {
      await tell(anEvent("tier.created"));
      state.now += minute;
    }
    state.queue = [];
    received.length = 0;
    await askForSpan(destination);
    await work(state.now);
    expect(new Set(idsOf(received)).size).toBe(22);
  });

  it("resending a time span stops when the receiver responds 410, and does not continue when the destination is enabled again", async () => {
    const { destination, received, answerWith } = await aMissedSpan(45);
    answerWith(410);
    await askForSpan(destination);
    const [task] = state.queue;
    await work(state.now);
    expect(received).toHaveLength(20);
    expect(await delivering.again(destination)).toMatchObject({ status: "disabled", disabled_reason: "gone" });

    answerWith(200);
    await edit(destination, { status: "enabled" });
    await workOn(JSON.stringify(task), world());
    expect(received).toHaveLength(20);
    key = randomUUID();
    expect((await askForSpan(destination)).status).toBe(202);
    await work(state.now);
    expect(received).toHaveLength(65);
  });

  it("resending a time span is refused while another one is in progress, and replaces one that stalled for an hour", async () => {
    const { destination, received } = await aMissedSpan(3);
    const first = await askForSpan(destination);
    const replay = await askForSpan(destination);
    expect([replay.headers["idempotency-replayed"], replay.body]).toEqual(["true", first.body]);
    const [stalled] = state.queue;
    state.queue = [];
    key = randomUUID();
    expect(await askForSpan(destination)).toMatchObject({
      status: 429,
      headers: { "retry-after": "60" },
      body: { code: "too_many_requests", detail: expect.stringContaining("Retry when it has ended") },
    });
    state.now += hour;
    expect((await askForSpan(destination)).status).toBe(202);
    await workOn(JSON.stringify(stalled), world());
    expect(received).toEqual([]);
    await work(state.now);
    expect(received).toHaveLength(3);
  });

  it("resending a time span is possible after a request that could not be queued", async () => {
    const { destination, received } = await aMissedSpan(3);
    const failed = await askForSpan(destination, {}, () => Promise.reject(new Error("no queue")));
    expect(failed).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    key = randomUUID();
    expect((await askForSpan(destination)).status).toBe(202);
    await work(state.now);
    expect(received).toHaveLength(3);
  });
});
