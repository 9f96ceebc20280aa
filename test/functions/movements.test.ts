import { expect, it } from "vitest";
import { movements, series } from "#lib/contract/communities.ts";
import { block, unblock } from "#lib/contract/members.ts";
import { startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();

const community = setUp(() => aCommunity(api.table));
const inCommunity = () => ({ as: community.owner, params: { community_id: community.id } });
const today = () => new Date().toISOString().slice(0, 10);

/** Two members join. One of them is blocked, unblocked and blocked again. */
const joined = setUp(async () => {
  const member = await aMember(api.table, community, { monthly_cents: 2_500 });
  const blocked = await aMember(api.table, community);
  const call = { as: community.owner, params: { community_id: community.id, id: blocked.id } };
  await api.call(block, { ...call, body: { reason: "spam" } });
  await api.call(unblock, call);
  await api.call(block, { ...call, body: { reason: "spam again" } });
  await api.settled(community.id);
  return { member, blocked };
});

it("the movements of a community are listed newest first, as many as the series count", async () => {
  const { member, blocked } = joined;
  const listed = async (query: Record<string, string>) =>
    (await api.call(movements, { ...inCommunity(), query })).body.data;
  const all = await listed({});
  expect(all.map(({ access, member: { id } }) => [access, id])).toEqual([
    ["ended", blocked.id],
    ["begun", blocked.id],
    ["ended", blocked.id],
    ["begun", blocked.id],
    ["begun", member.id],
  ]);
  expect(all.at(-1)).toEqual({
    at: expect.stringContaining(today()) as unknown,
    access: "begun",
    monthly: { before_cents: 0, after_cents: 2_500, kind: "new" },
    member: { id: member.id, name: `${member.user.first_name} ${member.user.last_name}` },
  });
  for (const [metric, access] of [
    ["joined", "begun"],
    ["left", "ended"],
  ] as const) {
    const { body } = await api.call(series, { ...inCommunity(), query: { metric, interval: "month" } });
    const month = body.points.at(-1);
    expect(await listed({ access, from: month?.at ?? "" })).toHaveLength(month?.value ?? 0);
  }
  expect(await listed({ kind: "new" })).toHaveLength(1);
});

it("a page of movements as CSV has a column for each part of the monthly amount, which is empty where it did not change", async () => {
  const headers = { authorization: `Bearer ${await api.tokenOf(community.owner)}`, accept: "text/csv" };
  const response = await api.send(`/odis/v1/communities/${community.id}/movements`, { headers });
  expect(response.headers.get("x-total-count")).toBeNull();
  const [head, newest, ...others] = (await response.text()).trimEnd().split("\r\n");
  expect(head).toBe("at,access,monthly_before_cents,monthly_after_cents,monthly_kind,member_id,member_name");
  expect(newest).toMatch(/^".*","ended",,,,\d+,".+"$/);
  expect(others.at(-1)).toMatch(/^".*","begun",0,2500,"new",\d+,".+"$/);
});

it("a last day before the first one is refused, with the name of the parameter", async () => {
  const { status, body } = await api.call(movements, {
    ...inCommunity(),
    query: { from: "2026-11-02", to: "2026-11-01" },
  });
  expect({ status, body }).toMatchObject({
    status: 422,
    body: { code: "validation_failed", errors: [{ parameter: "to", code: "conflicts" }] },
  });
});
