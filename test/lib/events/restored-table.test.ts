import { expect, it } from "vitest";
import { eventsFrom } from "#lib/events/from-record.ts";
import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import * as tiers from "#lib/store/tiers.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { admin } from "../../support/api.ts";
import { allItems, restore } from "../../support/copies.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aCommunity, aMember, givenBy } from "../../support/given.ts";

const test = startTable();

const trillion = 1_000_000_000_000;

/** A receiver that keeps the event with the highest sequence of each subject (docs/api.md, "Order"). */
function aReceiver() {
  const kept = new Map<string, { readonly sequence: number; readonly data: unknown }>();
  return {
    take({ subject, sequence, data }: { subject: string; sequence: number; data: unknown }): void {
      if (sequence > (kept.get(subject)?.sequence ?? 0)) kept.set(subject, { sequence, data });
    },
    sequenceOf: (subject: string) => kept.get(subject)?.sequence,
    dataOf: (subject: string) => kept.get(subject)?.data,
  };
}

/** A table in an epoch, from which a receiver gets the events of each write. */
function telling(key: ReturnType<typeof keys.member>, receiver: ReturnType<typeof aReceiver>) {
  let before: Item | undefined;
  let told = 0;
  return {
    async tell(epoch: number): Promise<void> {
      const after = await test.table.get(key);
      const at = "2026-11-21T12:00:00.000Z";
      for (const event of eventsFrom({ eventId: `${++told}`, key, at, before, after }, epoch)) receiver.take(event);
      before = after;
    },
    /** Makes the current item the base of the next change, without events. */
    async skip(): Promise<void> {
      before = await test.table.get(key);
    },
  };
}

it("a receiver that keeps the highest sequence accepts events after a restore to an earlier time", async () => {
  const community = await aCommunity(test.table);
  const { id } = await aMember(test.table, community);
  const subject = `communities/${community.id}/members/${id}`;
  const receiver = aReceiver();
  const stream = telling(keys.member(community.id, id), receiver);
  const found = async () => (await members.find(test.table, community.id, id)) ?? expect.unreachable();
  await stream.tell(0);
  const copy = await allItems(test.client, test.name);
  for (const reason of ["first", "second", "third"]) {
    await members.block(test.table, await found(), reason, givenBy());
    await stream.tell(0);
    await members.unblock(test.table, await found(), givenBy());
    await stream.tell(0);
  }
  const sent = receiver.sequenceOf(subject) ?? 0;

  await restore(test.client, test.name, copy);
  await stream.skip();
  await members.block(test.table, await found(), null, givenBy());
  await stream.tell(0);
  expect(receiver.dataOf(subject), "ignored in the epoch of before").toMatchObject({ member: { is_blocked: false } });

  await restore(test.client, test.name, copy);
  await stream.skip();
  await members.block(test.table, await found(), null, givenBy());
  await stream.tell(1);
  expect(receiver.dataOf(subject)).toMatchObject({ member: { is_blocked: true } });
  expect(receiver.sequenceOf(subject)).toBeGreaterThan(sent);
  // The second write of the member since it was added with version 1.
  expect(receiver.sequenceOf(subject)).toBe(trillion + 2 * 10_000);

  const mount = test.platform({ epoch: 1 });
  const shown = await invoke(showMember, mount, { params: { community_id: community.id, id }, as: admin });
  expect(shown.body?.sequence, "a list that is read again is not older than an event").toBe(trillion + 2 * 10_000);
});

it("sequences of a new epoch are above all sequences of earlier epochs", async () => {
  const { id, tier } = await aCommunity(test.table);
  const receiver = aReceiver();
  const stream = telling(keys.tier(id, tier.id), receiver);
  await stream.tell(2);
  expect(receiver.sequenceOf(`tiers/${tier.id}`)).toBe(2 * trillion + 10_000);
  const stored = (await tiers.find(test.table, id, tier.id)) ?? expect.unreachable();
  await tiers.remove(test.table, stored, false, givenBy());
  await stream.tell(3);
  expect(receiver.sequenceOf(`tiers/${tier.id}`), "the deletion is one more write").toBe(3 * trillion + 2 * 10_000);
});

it("the ETag of a member does not depend on the epoch", async () => {
  const community = await aCommunity(test.table);
  const { id } = await aMember(test.table, community);
  const params = { community_id: community.id, id };
  const etagIn = async (epoch: number) =>
    (await invoke(showMember, test.platform({ epoch }), { params, as: admin })).headers.etag;
  expect(await etagIn(1)).toBe(await etagIn(0));
  expect(await etagIn(0)).toMatch(/^"/);
});

it("the highest sequence of the highest epoch is an integer that every JSON parser reads exactly", () => {
  const highest = 9000 * trillion + 100_000_000 * 10_000;
  expect(Number.isSafeInteger(highest)).toBe(true);
});
