import { expect, it } from "vitest";
import * as members from "#lib/contract/members.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";

const api = startApi();
const { call } = api;

it("the times and audit entries of concurrent edits stand in the order of the writes", async () => {
  const community = await aCommunity(api.table);
  const { id } = await aMember(api.table, community);
  const params = { community_id: community.id, id };
  const edit = (n: number) =>
    call(members.update, { as: admin, params, body: { member: { metadata: { notes: `Note ${n}` } } } });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => edit(n)));

  const times = answers.filter(({ status }) => status === 200).map(({ body }) => body.updated_at);
  expect(new Set(times).size).toBe(times.length);
  const { body: activity } = await call(members.activity, { as: admin, params, query: { per: 100 } });
  const notes = activity.data.map(({ before, after }) => [before?.notes, after?.notes]);
  // Newest first: each entry begins where the one before it ended.
  for (const [n, [before]] of notes.entries()) expect(before).toBe(notes[n + 1]?.[1] ?? "");
  expect(activity.data.map(({ at }) => at)).toEqual(times.toSorted().toReversed());
});
