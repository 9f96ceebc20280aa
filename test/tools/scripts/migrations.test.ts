import { expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { migrate } from "../../../tools/scripts/migrations.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember } from "../../support/given.ts";

const test = startTable();
const run = (isDryRun = false) => migrate(test.table, { isDryRun, onProgress: () => {} });

it("removes what was edited from activity and notes owners, once, and changes nothing in a dry run", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community);
  const owned = keys.ownedCommunity(community.owner.id, community.id);
  const entry = { id: 7, at: "2026-01-01T00:00:00.000Z", actor: { type: "user", id: 1 }, request_id: null };
  const edited = {
    action: "edited",
    before: { notes: "", custom: {} },
    after: { notes: "hidden", custom: { ssn: "1" } },
  };
  const blocked = { action: "blocked", before: { is_blocked: false }, after: { is_blocked: true } };
  await write(test.table, [
    { delete: owned },
    { put: { ...keys.activity(member.id, 7), ...entry, ...edited } },
    { put: { ...keys.activity(member.id, 8), ...entry, id: 8, ...blocked } },
  ]);
  const found = { "activity that holds what was edited": 1, "owners of communities": 1 };

  expect((await run(true)).changed).toEqual(found);
  expect(await test.table.get(owned)).toBeUndefined();
  expect((await run()).changed).toEqual(found);
  expect(await test.table.get(keys.activity(member.id, 7))).toMatchObject({
    ...entry,
    action: "edited",
    before: null,
    after: { changed: expect.arrayContaining(["notes", "metadata"]) as unknown },
  });
  expect(await test.table.get(keys.activity(member.id, 8))).toMatchObject(blocked);
  expect(await test.table.get(owned)).toMatchObject({ community_id: community.id });
  expect((await run()).changed).toEqual({ "activity that holds what was edited": 0, "owners of communities": 0 });
});
