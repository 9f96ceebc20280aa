import { ServerResponse } from "node:http";
import * as v from "valibot";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { events } from "#lib/contract/events.ts";
import { machine } from "#lib/runtime.ts";
import { handler as ping } from "../../functions/destinations/ping.ts";
import { startDelivering } from "../support/delivering.ts";
import { invoke } from "../support/direct.ts";

const { aDestination, aReceiver, state, test } = startDelivering();

beforeAll(() => void vi.stubEnv("SEALING_KEY", "a key"));
afterEach(() => {
  vi.restoreAllMocks();
});

const send = (destination: { readonly id: number }, deadline = machine.deadline, now = machine.now) =>
  invoke(ping, test.platform({ deadline, now }), { params: { id: destination.id }, as: state.community.owner });

/** A receiver that leaves requests waiting, and the responses to the first three of them. */
async function aWaitingReceiver() {
  const waiting = Array.from({ length: 3 }, () => Promise.withResolvers<ServerResponse>());
  let arrived = 0;
  const { url } = await aReceiver((_, response) => waiting[arrived++]?.resolve(response));
  return { url, waiting: waiting.map(({ promise }) => promise) };
}

it("at most two pings of a community run at the same time, and further ones get 429 until one of them has ended", async () => {
  const { url, waiting } = await aWaitingReceiver();
  const [destination, other] = [await aDestination(url), await aDestination(url)];
  const first = send(destination);
  const firstResponse = await waiting[0];
  const second = send(other);
  const secondResponse = await waiting[1];
  expect(await send(destination)).toMatchObject({
    status: 429,
    headers: { "retry-after": "5" },
    body: { code: "too_many_requests", detail: expect.stringContaining("Retry when they have ended") },
  });

  firstResponse?.writeHead(200).end();
  expect(await first).toMatchObject({ status: 200, body: { status_code: 200, error: null } });
  const third = send(destination);
  for (const response of [secondResponse, await waiting[2]]) response?.writeHead(204).end();
  expect([(await second).status, (await third).status]).toEqual([200, 200]);
});

it("pings whose functions have crashed block other pings of the community for only twenty seconds", async () => {
  const { url, waiting } = await aWaitingReceiver();
  const destination = await aDestination(url);
  const begun = Date.now();
  const after = (milliseconds: number) => () => new Date(begun + milliseconds);
  const died = [send(destination, machine.deadline, after(0)), send(destination, machine.deadline, after(0))];
  await Promise.all(waiting.slice(0, 2));
  expect(await send(destination, machine.deadline, after(19_999))).toMatchObject({ status: 429 });
  const next = send(destination, machine.deadline, after(20_000));
  expect(await Promise.race([next, waiting[2]])).toBeInstanceOf(ServerResponse);
  for (const response of waiting) (await response).writeHead(204).end();
  expect(await next).toMatchObject({ status: 200, body: { status_code: 204 } });
  await Promise.all(died);
});

it("a ping waits five seconds for the response", async () => {
  const { url, waiting } = await aWaitingReceiver();
  const waits = new Map<number, AbortController>();
  const deadline = (milliseconds: number) => {
    const controller = new AbortController();
    waits.set(milliseconds, controller);
    return controller.signal;
  };
  const pinged = send(await aDestination(url), deadline);
  await waiting[0];
  waits.get(5000)?.abort();
  expect(await pinged).toMatchObject({ status: 200, body: { status_code: null, error: "timeout" } });
});

it("the body of a ping has the data of the event ping in the contract", async () => {
  const { url, received } = await aReceiver((_, response) => response.writeHead(204).end());
  const destination = await aDestination(url);
  await send(destination);
  const body = JSON.parse(received[0]?.body ?? "") as { readonly type: "ping"; readonly data: unknown };
  expect(body).toMatchObject({ type: "ping", subject: `event_destinations/${destination.id}`, previous: {} });
  expect(v.parse(v.strictObject(events.ping.data.entries), body.data)).toEqual({
    event_destination: { id: destination.id },
  });
});
