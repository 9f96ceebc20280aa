import { expect, it } from "vitest";
import * as members from "#lib/contract/members.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";

const api = startApi();
const { call } = api;

it("the times and audit entries of concurrent edits are in the order of the writes", async () => {
  const community = await aCommunity(api.table);
  const { id } = await aMember(api.table, community);
  const params = { community_id: community.id, id };
  const edit = (n: number) =>
    call(members.update, { as: admin, params, body: { member: { metadata: { [`key_${n}`]: n } } } });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => edit(n)));

  // Each write adds a key, so the number of keys tells the order of the writes.
  const keysOf = ({ body }: (typeof answers)[number]) => Object.keys(body.metadata).length;
  const written = answers.filter(({ status }) => status === 200).toSorted((a, b) => keysOf(a) - keysOf(b));
  const times = written.map(({ body }) => body.updated_at);
  expect(times).toEqual([...new Set(times)].toSorted());
  const { body: activity } = await call(members.activity, { as: admin, params, query: { per: 100 } });
  const requests = written.map(({ headers }) => headers.get("x-request-id"));
  expect(activity.data.map(({ at, request_id }) => [at, request_id])).toEqual(
    times.map((at, n) => [at, requests[n]]).toReversed(),
  );
});
