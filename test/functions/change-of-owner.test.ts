import { randomUUID } from "node:crypto";
import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Endpoint } from "#lib/http/handler.ts";
import * as communities from "#lib/store/communities.ts";
import type { StoredDelivery } from "#lib/store/deliveries.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import type { StoredDestination } from "#lib/store/destinations.ts";
import * as destinations from "#lib/store/destinations.ts";
import { keys } from "#lib/store/keys.ts";
import { handler as createBenefit } from "../../functions/benefits/create.ts";
import { handler as updateCommunity } from "../../functions/communities/update.ts";
import { handler as create } from "../../functions/destinations/create.ts";
import { handler as list } from "../../functions/destinations/list.ts";
import { handler as ping } from "../../functions/destinations/ping.ts";
import { handler as remove } from "../../functions/destinations/remove.ts";
import { handler as resend } from "../../functions/destinations/resend.ts";
import { handler as resendMany } from "../../functions/destinations/resend-many.ts";
import { handler as rotate } from "../../functions/destinations/rotate-secret.ts";
import { handler as update } from "../../functions/destinations/update.ts";
import { admin } from "../support/api.ts";
import { type Call, invoke, startTable } from "../support/direct.ts";
import { aCommunity, aDestination, type GivenCommunity, givenBy } from "../support/given.ts";

const test = startTable();
const url = "https://receiver.example/events";

let community: GivenCommunity;
let next: { readonly id: number };
let disabled: StoredDestination;
beforeAll(() => void vi.stubEnv("SEALING_KEY", "a key"));
beforeEach(async () => {
  community = await aCommunity(test.table);
  next = (await aCommunity(test.table)).owner;
  const parent = await communities.open(test.table, community.id);
  disabled = await destinations.update(
    test.table,
    parent,
    await aDestination(test.table, community),
    { status: "disabled" },
    givenBy(),
  );
});
afterEach(() => void vi.restoreAllMocks());

const transfer = async (to = next) =>
  communities.update(
    test.table,
    await communities.open(test.table, community.id),
    { owner_id: to.id },
    givenBy(new Date()),
  );

/** Transfers the community after the next request was authorized, and before it writes. */
function transferBeforeNextWrite(): void {
  const send = test.client.send.bind(test.client);
  let isNext = true;
  const transferring = async (command: object, ...rest: readonly never[]): Promise<unknown> => {
    if (isNext && command instanceof TransactWriteCommand) {
      isNext = false;
      await transfer();
    }
    return send(command as never, ...(rest as []));
  };
  vi.spyOn(test.client, "send").mockImplementation(transferring as never);
}

const ask = (endpoint: Endpoint, call: Call) => invoke(endpoint, test.platform(), call);
const shownTo = async (as: { readonly id: number }) =>
  (await ask(list, { params: { community_id: community.id }, as })).body?.data as readonly object[];
const shown = () => shownTo(next);

describe("a change of owner", () => {
  const key = { "idempotency-key": "3f0c3a86-8f0e-4f4c-9d0a-1d5b2f0d6c11" };
  it.each<[string, Endpoint, () => Omit<Call, "as">]>([
    [
      "creating an event destination",
      create,
      () => ({ params: { community_id: community.id }, body: { event_destination: { url, events: ["*"] } } }),
    ],
    [
      "creating an event destination with an idempotency key",
      create,
      () => ({
        params: { community_id: community.id },
        body: { event_destination: { url, events: ["*"] } },
        headers: key,
      }),
    ],
    [
      "enabling an event destination",
      update,
      () => ({ params: { id: disabled.id }, body: { event_destination: { status: "enabled" } } }),
    ],
    ["rotating the secret of an event destination", rotate, () => ({ params: { id: disabled.id } })],
    ["deleting an event destination", remove, () => ({ params: { id: disabled.id } })],
    [
      "renaming the community",
      updateCommunity,
      () => ({ params: { id: community.id }, body: { community: { name: "Mine" } } }),
    ],
    [
      "creating a benefit",
      createBenefit,
      () => ({ params: { community_id: community.id }, body: { benefit: { name: "Late", description: "" } } }),
    ],
  ])(
    "after a transfer, %s by the former owner is refused without an effect, even if it was authorized before",
    async (_, endpoint, callOf) => {
      const before = await shownTo(community.owner);
      transferBeforeNextWrite();
      const { status, body } = await ask(endpoint, { ...callOf(), as: community.owner });
      expect([status, body?.code]).toEqual([403, "forbidden"]);
      expect(await shown()).toEqual(before);
      expect(await communities.open(test.table, community.id)).toMatchObject({
        name: "Mezcal Circle",
        owner_id: next.id,
      });
    },
  );

  it.each<[string, Endpoint, (delivery: StoredDelivery) => Omit<Call, "as">]>([
    ["a ping", ping, () => ({})],
    ["a resend of one delivery", resend, ({ id }) => ({ params: { delivery_id: id } })],
    ["a resend of a list of deliveries", resendMany, ({ id }) => ({ body: { delivery_ids: [id] } })],
    ["a resend of a time span", resendMany, () => ({ body: { since: new Date(Date.now() - 60_000).toISOString() } })],
  ])(
    "after a transfer, %s by the former owner is refused without an effect, even if it was authorized before",
    async (_, endpoint, callOf) => {
      const settings = { event_destination: { url, events: ["*"] } };
      const place = { community_id: community.id };
      const created = await ask(create, { params: place, body: settings, as: community.owner });
      const destination = await destinations.find(test.table, community.id, Number(created.body?.id));
      if (!destination) throw new Error("The destination is not stored");
      const event = { id: randomUUID(), type: "member.joined", timestamp: new Date().toISOString() };
      const delivery = await deliveries.add(test.table, destination, { event, isLast: false }, new Date());
      const enqueue = vi.fn<() => Promise<void>>(async () => {});
      transferBeforeNextWrite();
      const call = callOf(delivery);
      const { status, body } = await invoke(endpoint, test.platform({ enqueue, now: () => new Date() }), {
        ...call,
        params: { id: destination.id, ...call.params },
        as: community.owner,
      });
      expect([status, body?.code]).toEqual([403, "forbidden"]);
      expect(enqueue).not.toHaveBeenCalled();
      expect(await test.table.get(keys.resend(destination.id))).toBeUndefined();
    },
  );

  it("a concurrent request of an admin succeeds during a transfer", async () => {
    transferBeforeNextWrite();
    const { status } = await ask(update, {
      params: { id: disabled.id },
      body: { event_destination: { status: "enabled" } },
      as: admin,
    });
    expect([status, await shown()]).toMatchObject([200, [{ status: "enabled", disabled_reason: null }]]);
  });

  it("a transfer disables all enabled destinations without writing them", async () => {
    const enabled = await aDestination(test.table, community);
    await transfer();
    expect(await destinations.find(test.table, community.id, enabled.id)).toMatchObject({
      status: "enabled",
      version: 1,
    });
    expect(await shown()).toMatchObject([
      { id: disabled.id, status: "disabled", disabled_reason: null },
      { id: enabled.id, status: "disabled", disabled_reason: "owner_changed" },
    ]);
  });

  it("a transfer and a transfer back do not enable a destination again", async () => {
    await aDestination(test.table, community);
    await transfer();
    await transfer(community.owner);
    expect(await shownTo(community.owner)).toMatchObject([
      { status: "disabled" },
      { disabled_reason: "owner_changed" },
    ]);
  });

  it("the first transfer does not disable destinations of earlier versions, which have no ownership number", async () => {
    const enabled = await aDestination(test.table, community);
    const { right: _, ...item } = { ...enabled, ...destinations.keyOf(enabled) };
    await test.client.send(new PutCommand({ TableName: test.name, Item: item }));
    expect((await shownTo(community.owner))[1]).toMatchObject({ status: "enabled" });
    await transfer();
    expect((await shown())[1]).toMatchObject({ status: "disabled", disabled_reason: "owner_changed" });
  });
});
