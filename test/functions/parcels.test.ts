import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { startApi } from "../support/api.ts";
import { aCommunity, aMember, anAddress, aTier } from "../support/given.ts";
import { shellBlocks } from "../support/guide.ts";

const api = startApi();

/** The queries of the two calls in the guide. */
const queries = shellBlocks().flatMap(
  (block) => /members(\?access=true&requires_shipping_address=[^"]*)/.exec(block)?.[1] ?? [],
);

it("the two calls of the guide list who gets a parcel but has no address, and the labels of all others", async () => {
  const community = await aCommunity(api.table);
  const ships = { requires_shipping_address: true };
  const [bottle, box] = [
    await aTier(api.table, community.id, { ...ships, name: "Bottle" }),
    await aTier(api.table, community.id, { ...ships, name: "Box" }),
  ];
  const shipping_address = anAddress();
  const add = (over: Partial<Omit<StoredMember, "user">>) =>
    aMember(api.table, community, { tier_id: bottle.id, shipping_address, ...over });
  const ready = [
    await add({}),
    await add({ status: "trialing", tier_id: box.id }),
    await add({ status: "past_due" }),
    await add({ cancel_at: "2027-01-01T00:00:00.000Z" }),
  ];
  const missing = [await add({ shipping_address: null }), await add({ shipping_address: null, tier_id: box.id })];
  for (const address of [shipping_address, null]) {
    await add({ shipping_address: address, is_blocked: true });
    await add({ shipping_address: address, status: "canceled" });
    await add({ shipping_address: address, status: "unpaid" });
    await add({ shipping_address: address, status: "incomplete" });
    await add({ shipping_address: address, erased_at: "2026-11-01T00:00:00.000Z" });
    await add({ shipping_address: address, tier_id: community.tier.id });
  }

  const [first, second] = queries;
  expect(queries).toHaveLength(2);
  const call = async (query: string | undefined, accept: string) => {
    const headers = { authorization: `Bearer ${await api.tokenOf(community.owner)}`, accept };
    return (await api.send(`/odis/v1/communities/${community.id}/members${query}`, { headers })).text();
  };
  const { data, has_more } = JSON.parse(await call(first, "application/json")) as {
    data: { id: number }[];
    has_more: boolean;
  };
  expect({ ids: data.map(({ id }) => id).toSorted((a, b) => a - b), has_more }).toEqual({
    ids: missing.map(({ id }) => id),
    has_more: false,
  });
  const labels = parse<Record<string, string>>(await call(second, "text/csv"), { columns: true });
  // Newest first, as the list.
  expect(labels.toReversed().map((label) => [Number(label["Order Number"]), label["Item Name"]])).toEqual(
    ready.map(({ id, tier_id }) => [id, tier_id === box.id ? "Box" : "Bottle"]),
  );
});
