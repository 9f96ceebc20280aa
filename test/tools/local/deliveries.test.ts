import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stack, startStack } from "../../../tools/local/stack.ts";
import { tokenFor } from "../../../tools/local/users.ts";
import { aBenefit, aCommunity, type GivenCommunity } from "../../support/given.ts";

type Received = { readonly path: string; readonly headers: Record<string, string>; readonly body: string };

let stack: Stack;
let server: Server;
let community: GivenCommunity;
let token: string;
/** The response status of each receiver. A receiver is a path of one server. Default: 200. */
const answers = new Map<string, number>();
const received: Received[] = [];
const arrived = (path: string) => received.filter((one) => one.path === path);
/**
 * Received events, sorted by sequence, because they can arrive in another order. An attempt that takes a second is made
 * again, so an event can arrive twice on a busy machine.
 */
const verified = (path: string, secret: string) =>
  [...new Map(arrived(path).map((one) => [one.headers["webhook-id"], one])).values()]
    .map(({ headers, body }) => new Webhook(secret).verify(body, headers) as { readonly sequence: number })
    .toSorted((a, b) => a.sequence - b.sequence);

beforeAll(async () => {
  stack = await startStack();
  stack.listen();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "" } = request;
      const body = Buffer.concat(chunks).toString();
      received.push({ path, headers: request.headers as Record<string, string>, body });
      response.writeHead(answers.get(path) ?? 200).end();
    });
  });
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  community = await aCommunity(stack.table);
  token = await tokenFor(stack.cognito, { id: community.owner.id, groups: [], expiresIn: 3600 });
});
afterAll(async () => {
  server.close();
  await stack.stop();
});

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${stack.url}/odis/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Waits until all events are delivered or their first attempt has failed. */
async function delivered(): Promise<void> {
  await stack.settled();
  await stack.queues.idle();
}

type Made = { readonly id: number; readonly secret: string };
const create = (path: string, events: readonly string[]) =>
  ask<Made>("POST", `/communities/${community.id}/event_destinations`, {
    event_destination: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, events },
  });

it("a change in the API arrives as a webhook that the standardwebhooks package verifies", async () => {
  const { id, secret } = await create("/benefits", ["benefit.*"]);
  const benefit = await aBenefit(stack.table, community);
  await ask("PATCH", `/benefits/${benefit.id}`, { benefit: { name: "A tour" } });
  await delivered();

  expect(verified("/benefits", secret)).toMatchObject([
    { type: "benefit.created", subject: `benefits/${benefit.id}`, community_id: community.id },
    { type: "benefit.updated", data: { benefit: { name: "A tour" } }, previous: { name: "Tasting notes" } },
  ]);
  const { data } = await ask<{ data: object[] }>("GET", `/event_destinations/${id}/deliveries`);
  expect(data).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
});

it("a ping arrives immediately", async () => {
  const { id, secret } = await create("/ping", ["tier.*"]);
  expect(await ask("POST", `/event_destinations/${id}/ping`)).toMatchObject({ status_code: 200, error: null });
  expect(verified("/ping", secret)).toMatchObject([
    { type: "ping", subject: `event_destinations/${id}`, community_id: community.id },
  ]);
});

it("a refused delivery is resent manually with the same webhook-id", async () => {
  const { id } = await create("/refusing", ["benefit.created"]);
  answers.set("/refusing", 500);
  await aBenefit(stack.table, community);
  await delivered();
  answers.delete("/refusing");
  const { data } = await ask<{ data: { id: number }[] }>("GET", `/event_destinations/${id}/deliveries`);
  expect(data).toMatchObject([{ status: "pending", attempts: [{ status_code: 500, error: "status" }] }]);
  await ask("POST", `/event_destinations/${id}/deliveries/${data[0]?.id}/resend`);
  await delivered();
  const again = await ask<{ data: object[] }>("GET", `/event_destinations/${id}/deliveries`);
  expect(again.data).toMatchObject([
    { status: "delivered", attempts: [{ status_code: 500 }, { status_code: 200 }], attempts_made: 2 },
  ]);
  expect(new Set(arrived("/refusing").map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

it("the events of a time span are resent with the same webhook-ids", async () => {
  const since = new Date().toISOString();
  const { id } = await create("/again", ["benefit.created"]);
  for (let n = 0; n < 25; n++) await aBenefit(stack.table, community);
  await delivered();
  const idsFrom = (begin: number) =>
    new Set(
      arrived("/again")
        .slice(begin)
        .map(({ headers }) => headers["webhook-id"]),
    );
  const first = idsFrom(0);
  const count = arrived("/again").length;
  await ask("POST", `/event_destinations/${id}/resend`, { since, status: "delivered" });
  await delivered();
  expect([first.size, idsFrom(count)]).toEqual([25, first]);
});

it("the queue has no failed messages", () => {
  expect([stack.queues.failures(), stack.queues.deadLetters]).toEqual([0, []]);
});

it("other destinations receive the event that a destination which responded with 410 was disabled", async () => {
  const { secret } = await create("/watching", ["event_destination.disabled"]);
  const { id } = await create("/gone", ["benefit.deleted"]);
  answers.set("/gone", 410);
  const benefit = await aBenefit(stack.table, community);
  await ask("DELETE", `/benefits/${benefit.id}`);
  // The first delivery is that of the deletion. Its effects are delivered next.
  await delivered();
  await delivered();
  expect(verified("/watching", secret)).toMatchObject([
    {
      type: "event_destination.disabled",
      data: { event_destination: { id, status: "disabled", disabled_reason: "gone" } },
      previous: { status: "enabled", disabled_reason: null },
    },
  ]);
});
