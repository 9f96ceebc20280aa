import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { noFigures } from "#lib/domain/figures.ts";
import { moveRowOf, readState, rowIsStill, rowOf } from "#lib/projections/community-state.ts";
import { isStillNoted, startNoting } from "#lib/projections/recount.ts";
import { appendAuditEntry, bySystem } from "#lib/store/activity.ts";
import { appSeenAt, invite } from "#lib/store/admin-access.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as brands from "#lib/store/brands.ts";
import * as communities from "#lib/store/communities.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import { disable, noteFailure, noteSuccess } from "#lib/store/destination-state.ts";
import * as destinations from "#lib/store/destinations.ts";
import * as idempotency from "#lib/store/idempotency.ts";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import * as resends from "#lib/store/resends.ts";
import { putStats, statsFrom } from "#lib/store/stats.ts";
import { markSeen } from "#lib/store/stream-records.ts";
import { beginTurn, endTurn, syncTurnsOf } from "#lib/store/sync-turns.ts";
import * as tiers from "#lib/store/tiers.ts";
import { write } from "#lib/store/write.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { startTable } from "../../support/direct.ts";
import { aBenefit, aCommunity, aDestination, aMember, givenBy } from "../../support/given.ts";
import { itLoses, type LostRace, repeating, twice, whileSetIn } from "./races.ts";

const test = startTable();
const by = givenBy();
const { now } = by;
const at = now.toISOString();
const later = new Date(now.getTime() + 1000);

const community = async () => communities.open(test.table, (await aCommunity(test.table)).id);

async function aStoredTier(): Promise<tiers.StoredTier> {
  const { id, tier } = await aCommunity(test.table);
  const stored = await tiers.find(test.table, id, tier.id);
  if (!stored) throw new Error("There is no tier");
  return stored;
}

const benefit = async () => aBenefit(test.table, await aCommunity(test.table));

async function destination() {
  const parent = await aCommunity(test.table);
  return { stored: await aDestination(test.table, parent), parent: await communities.open(test.table, parent.id) };
}

const brand = () => brands.add(test.table, { name: "Brand", producer_ids: [randomUUID()] }, by);

const whileSet = whileSetIn(test);

const newCommunity = (slug = randomUUID()) => ({
  name: "Mezcal",
  slug,
  owner_id: 1,
  avatar_url: null,
  trending_pin: null,
});

async function transferToBlocked() {
  const { owner } = await aCommunity(test.table);
  const other = await aCommunity(test.table);
  const member = await aMember(test.table, other, { user: { id: owner.id } });
  const parent = await communities.open(test.table, other.id);
  return {
    work: () => communities.update(test.table, parent, { owner_id: owner.id }, by),
    meanwhile: () => members.block(test.table, member, null, by),
  };
}

const delivered = { id: randomUUID(), type: "member.created", timestamp: at };
const attempt = (over: { at?: string } = {}) => ({ at, status_code: 500, duration_ms: 1, error: null, ...over });

async function delivery() {
  const { stored } = await destination();
  return deliveries.add(test.table, stored, { event: { ...delivered, id: randomUUID() }, isLast: false }, now);
}

const claimOf = (operationId: string) => ({
  operationId,
  attemptId: randomUUID(),
  fingerprint: "body",
  begunAt: now,
});

const claim = (claimed: idempotency.Claim, leasedUntil: Date) =>
  idempotency.claim(test.table, claimed, { now, leasedUntil, otherwise: idempotency.inProgress() });

const span = { since: new Date(0).toISOString(), until: at, status: null };

async function resend() {
  const { stored } = await destination();
  await resends.begin(test.table, stored.id, span, now);
  const begun = await resends.find(test.table, stored.id, at);
  if (!begun) throw new Error("There is no resend");
  return { id: stored.id, begun };
}

const figures = (joiners: number) => ({ ...noFigures, joiners, changes: 0, barrier: null });

async function stats() {
  const { id } = await community();
  await write(test.table, [putStats(id, undefined, figures(1))]);
  const { figures_version } = await communities.open(test.table, id);
  return { id, before: statsFrom({ ...figures(1), version: figures_version }) };
}

const moved = async () => {
  const { id } = await community();
  const state = await readState(test.table, id);
  const row = rowOf(state);
  if (!row) throw new Error("There is no row");
  return { id, state, move: () => write(test.table, moveRowOf(state, row, new Date())) };
};

const appInput = { isNewSession: true, now: () => now, hasApp: async () => true, endSessions: async () => {} };

const races: readonly LostRace[] = [
  [
    "a community whose id is taken meanwhile",
    async () => {
      const { owner } = await aCommunity(test.table);
      const add = () => communities.create(repeating(test), { ...newCommunity(), owner_id: owner.id }, by);
      return twice(add);
    },
  ],
  [
    "a community whose slug is taken meanwhile",
    async () => {
      const { owner } = await aCommunity(test.table);
      const input = { ...newCommunity(), owner_id: owner.id };
      return twice(() => communities.create(test.table, input, by));
    },
    { code: "slug_taken" },
  ],
  [
    "a new slug of a community that is taken meanwhile",
    async () => {
      const [parent, slug] = [await community(), randomUUID()];
      return {
        work: () => communities.update(test.table, parent, { slug }, by),
        meanwhile: () => aCommunity(test.table, { slug }),
      };
    },
    { code: "slug_taken" },
  ],
  [
    "an edit of a community whose directory row moves meanwhile",
    async () => {
      const { id, move } = await moved();
      const parent = await communities.open(test.table, id);
      return { work: () => communities.update(test.table, parent, { name: "Renamed" }, by), meanwhile: move };
    },
  ],
  ["a transfer of a community to a member who is blocked meanwhile", transferToBlocked, { code: "validation_failed" }],
  [
    "restoring a community to the directory whose figures change meanwhile",
    async () => {
      const { id } = await community();
      await communities.update(test.table, await communities.open(test.table, id), { status: "archived" }, by);
      const archived = await communities.open(test.table, id);
      return {
        work: () => communities.update(test.table, archived, { status: "active" }, by),
        meanwhile: () => write(test.table, [putStats(id, undefined, figures(1))]),
      };
    },
  ],
  [
    "moving a directory row that moves meanwhile",
    async () => {
      const { move } = await moved();
      return twice(move);
    },
  ],
  [
    "a change that leaves a directory row which moves meanwhile",
    async () => {
      const { id, state, move } = await moved();
      const change = { put: { ...keys.slug(`change-${id}`) } };
      return { work: () => write(test.table, [change, rowIsStill(state)]), meanwhile: move };
    },
  ],
  [
    "a rebuild's batch after another rebuild has begun",
    async () => {
      const { id } = await community();
      const rebuild = await startNoting(test.table, id, now);
      const batch = { put: { ...keys.slug(`batch-${id}`) } };
      return {
        work: () => write(test.table, [batch, isStillNoted(id, rebuild)]),
        meanwhile: () => startNoting(test.table, id, now),
      };
    },
    { name: "Overtaken" },
  ],
  [
    "first figures of a community that are written meanwhile",
    async () => {
      const { id } = await community();
      const put = (joiners: number) => () => write(test.table, [putStats(id, undefined, figures(joiners))]);
      return { work: put(1), meanwhile: put(2) };
    },
  ],
  [
    "figures of a community that change meanwhile",
    async () => {
      const { id, before } = await stats();
      const put = (joiners: number) => () => write(test.table, [putStats(id, before, figures(joiners))]);
      return { work: put(2), meanwhile: put(3) };
    },
  ],
  [
    "counting a record of the stream that is counted meanwhile",
    async () => {
      const eventId = randomUUID();
      const seen = (otherwise: Error) => () =>
        write(test.table, [markSeen(eventId, { now, isRedriven: false, otherwise })]);
      return { work: seen(new Error("counted")), meanwhile: seen(new Error("free")) };
    },
    { name: "Error" },
  ],
  [
    "adding a tier while another is added",
    async () => {
      const parent = await community();
      const { id: _, ...fields } = await aStoredTier();
      const add = (n: number) => () => tiers.add(test.table, parent, { ...fields, id: parent.id + n }, by);
      return { work: add(1), meanwhile: add(2) };
    },
  ],
  [
    "a tier whose id another community takes meanwhile",
    async () => {
      const [parent, other] = [await community(), await community()];
      const { id: _, ...fields } = await aStoredTier();
      const add = (to: typeof parent) => () => tiers.add(test.table, to, { ...fields, id: parent.id }, by);
      return { work: add(parent), meanwhile: add(other) };
    },
  ],
  [
    "an edit of a tier that changes meanwhile",
    async () => {
      const stored = await aStoredTier();
      const work = () => tiers.update(test.table, stored, { name: "Renamed" }, by);
      return whileSet(work, keys.tier(stored.community_id, stored.id), { version: 99 });
    },
  ],
  ...(
    [
      ["changes", { version: 99 }],
      ["is assigned", { assignments: 99 }],
      ["is used", { in_use: true }],
    ] as const
  ).map(
    ([what, attributes]): LostRace => [
      `deleting a tier that ${what} meanwhile`,
      async () => {
        const stored = await aStoredTier();
        const work = () => tiers.remove(test.table, stored, false, by);
        return whileSet(work, keys.tier(stored.community_id, stored.id), attributes);
      },
    ],
  ),
  [
    "using a tier that is deleted meanwhile",
    async () => {
      const stored = await aStoredTier();
      return {
        work: () => write(test.table, [tiers.use(stored.community_id, stored.id)]),
        meanwhile: () => tiers.remove(test.table, stored, false, by),
      };
    },
  ],
  [
    "a benefit for a tier that is deleted meanwhile",
    async () => {
      const stored = await aStoredTier();
      const parent = await benefits.open(test.table, stored.community_id);
      const input = { name: "Tasting", description: "", position: 1, tier_ids: [stored.id] };
      return {
        work: () => benefits.add(test.table, parent, input, by),
        meanwhile: () => tiers.remove(test.table, stored, false, by),
      };
    },
    { code: "unknown_tier" },
  ],
  [
    "adding a benefit while another is added",
    async () => {
      const parent = await benefits.open(test.table, (await community()).id);
      return twice(() =>
        benefits.add(test.table, parent, { name: "A", description: "", position: 1, tier_ids: [] }, by),
      );
    },
  ],
  [
    "a benefit whose id another community takes meanwhile",
    async () => {
      const [parent, other] = [await community(), await community()];
      const input = { name: "A", description: "", position: 1, tier_ids: [] };
      const add = (id: number) => async () =>
        benefits.add(repeating(test), await benefits.open(test.table, id), input, by);
      return { work: add(parent.id), meanwhile: add(other.id) };
    },
  ],
  [
    "an edit of a benefit that changes meanwhile",
    async () => {
      const stored = await benefit();
      const work = () => benefits.update(test.table, stored, { name: "Renamed" }, by);
      return whileSet(work, keys.benefit(stored.community_id, stored.id), { version: 99 });
    },
  ],
  [
    "deleting a benefit that changes meanwhile",
    async () => {
      const stored = await benefit();
      const work = () => benefits.remove(test.table, stored, by);
      return whileSet(work, keys.benefit(stored.community_id, stored.id), { version: 99 });
    },
  ],
  [
    "an edit of a brand that changes meanwhile",
    async () => {
      const stored = await brand();
      const work = () => brands.update(test.table, stored, { ...stored, name: "Renamed" }, by);
      return whileSet(work, keys.brand(stored.id), { version: 99 });
    },
  ],
  [
    "deleting a brand that changes meanwhile",
    async () => {
      const stored = await brand();
      return whileSet(() => brands.remove(test.table, stored, by), keys.brand(stored.id), { version: 99 });
    },
  ],
  ...(
    [
      ["another is added", { destinations_added: 99 }],
      ["the community gets another owner", { ownership: 99 }],
    ] as const
  ).map(
    ([what, attributes]): LostRace => [
      `adding an event destination while ${what}`,
      async () => {
        const { stored, parent } = await destination();
        const input = { ...stored, id: stored.id + 1 };
        const work = () => destinations.add(test.table, parent, [], input, by);
        return whileSet(work, keys.community(parent.id), attributes);
      },
    ],
  ),
  [
    "an event destination whose id another community takes meanwhile",
    async () => {
      const { stored } = await destination();
      const [parent, other] = [await community(), await community()];
      const input = { ...stored, id: parent.id };
      const add = (to: typeof parent) => () => destinations.add(test.table, to, [], input, by);
      return { work: add(parent), meanwhile: add(other) };
    },
  ],
  [
    "an edit of an event destination that changes meanwhile",
    async () => {
      const { stored, parent } = await destination();
      const work = () => destinations.update(test.table, parent, stored, { description: "Edited" }, by);
      return whileSet(work, destinations.keyOf(stored), { version: 99 });
    },
  ],
  [
    "an edit of an event destination whose community gets another owner meanwhile",
    async () => {
      const { stored, parent } = await destination();
      const work = () => destinations.update(test.table, parent, stored, { description: "Edited" }, by);
      return whileSet(work, keys.community(parent.id), { ownership: 99 });
    },
  ],
  [
    "deleting an event destination that changes meanwhile",
    async () => {
      const { stored } = await destination();
      const work = () => destinations.remove(test.table, stored, by);
      return whileSet(work, destinations.keyOf(stored), { version: 99 });
    },
  ],
  [
    "disabling an event destination that is edited meanwhile",
    async () => {
      const { stored } = await destination();
      const work = () => disable(test.table, stored, { reason: "failing", now });
      return whileSet(work, destinations.keyOf(stored), { version: 99 });
    },
    null,
  ],
  [
    "disabling an event destination as failing after a success meanwhile",
    async () => {
      const { stored } = await destination();
      return {
        work: () => disable(test.table, stored, { reason: "failing", now }),
        meanwhile: () => noteSuccess(test.table, stored, now),
      };
    },
    null,
  ],
  [
    "noting a success of an event destination that is enabled again meanwhile",
    async () => {
      const { stored } = await destination();
      const work = () => noteSuccess(test.table, stored, now);
      return whileSet(work, destinations.keyOf(stored), { enabled_at: later.toISOString() });
    },
    null,
  ],
  [
    "noting a failure of an event destination after a success meanwhile",
    async () => {
      const { stored } = await destination();
      const failures = { attempts: 1, delivery_id: 1, of_several: false };
      return {
        work: () => noteFailure(test.table, stored, { failing_since: at, failures }),
        meanwhile: () => noteSuccess(test.table, stored, now),
      };
    },
    null,
  ],
  [
    "adding the delivery of an event that is added meanwhile",
    async () => {
      const { stored } = await destination();
      const event = { ...delivered, id: randomUUID() };
      const add = (time: Date) => () => deliveries.add(test.table, stored, { event, isLast: false }, time);
      return { work: add(later), meanwhile: add(now) };
    },
    null,
  ],
  [
    "dropping a delivery that succeeds meanwhile",
    async () => {
      const stored = await delivery();
      return {
        work: () => deliveries.drop(test.table, stored),
        meanwhile: () => deliveries.addAttempt(test.table, stored, attempt(), () => "delivered"),
      };
    },
    null,
  ],
  [
    "an audit entry whose id is taken meanwhile",
    async () => {
      const { id } = await community();
      const append = (action: "blocked" | "edited") => () =>
        write(test.table, [
          appendAuditEntry(repeating(test), { id, community_id: 1 }, { action, actor: bySystem }, now),
        ]);
      return { work: append("blocked"), meanwhile: append("edited") };
    },
  ],
  [
    "a new attempt at a request that another attempt claims meanwhile",
    async () => {
      const id = randomUUID();
      return { work: () => claim(claimOf(id), later), meanwhile: () => claim(claimOf(id), later) };
    },
    { code: "request_in_progress" },
  ],
  [
    "a request with another body after a claim that has ended",
    async () => {
      const id = randomUUID();
      const other = { ...claimOf(id), fingerprint: "another body" };
      return { work: () => claim(other, later), meanwhile: () => claim(claimOf(id), now) };
    },
    { code: "request_in_progress" },
  ],
  [
    "the release of a claim that another attempt has taken over",
    async () => {
      const first = claimOf(randomUUID());
      await claim(first, now);
      return {
        work: () => idempotency.release(test.table, first, true),
        meanwhile: () => claim(claimOf(first.operationId), later),
      };
    },
  ],
  [
    "a resend of a time span while another one begins",
    async () => {
      const { stored } = await destination();
      const begin = (time: Date) => () => resends.begin(test.table, stored.id, span, time);
      return { work: begin(later), meanwhile: begin(now) };
    },
    { code: "too_many_requests" },
  ],
  [
    "a lease of a page of a resend that is leased meanwhile",
    async () => {
      const { id, begun } = await resend();
      const lease = (ms: number) => () => resends.lease(test.table, id, begun, ms);
      return { work: lease(1000), meanwhile: lease(2000) };
    },
    null,
  ],
  [
    "the release of a page of a resend that is leased again meanwhile",
    async () => {
      const { id, begun } = await resend();
      const expired = await resends.lease(test.table, id, begun, -1000);
      if (!expired) throw new Error("There is no lease");
      return {
        work: () => resends.release(test.table, id, expired, 7),
        meanwhile: () => resends.lease(test.table, id, expired, 60_000),
      };
    },
    null,
  ],
  [
    "the end of a resend after which another one begins meanwhile",
    async () => {
      const { id, begun } = await resend();
      return {
        work: () => resends.end(test.table, id, begun),
        meanwhile: async () => {
          await resends.end(test.table, id, begun);
          await resends.begin(test.table, id, span, later);
        },
      };
    },
    null,
  ],
  [
    "the first turn of a synchronization that begins meanwhile",
    async () => {
      const customer = `cus_${randomUUID()}`;
      const turns = await syncTurnsOf(test.table, customer);
      return twice(() => beginTurn(test.table, customer, turns));
    },
    null,
  ],
  [
    "the end of a turn after which another one begins meanwhile",
    async () => {
      const customer = `cus_${randomUUID()}`;
      const turn = await beginTurn(test.table, customer, await syncTurnsOf(test.table, customer));
      if (!turn) throw new Error("There is no turn");
      return {
        work: () => endTurn(test.table, turn, { hasSucceeded: true }),
        meanwhile: async () => beginTurn(test.table, customer, await syncTurnsOf(test.table, customer)),
      };
    },
    null,
  ],
  [
    "noting an authenticator app of an account that is invited again meanwhile",
    async () => {
      const sub = randomUUID();
      await invite(test.table, sub, now);
      return {
        work: () => appSeenAt(test.table, sub, appInput),
        meanwhile: () => invite(test.table, sub, later),
      };
    },
    null,
  ],
  [
    "noting an authenticator app that is noted meanwhile",
    async () => {
      const sub = randomUUID();
      await invite(test.table, sub, now);
      const seen = (time: Date) => () => appSeenAt(test.table, sub, { ...appInput, now: () => time });
      return { work: seen(later), meanwhile: seen(now) };
    },
    null,
  ],
];
itLoses(test, races);

it("an attempt and the end of a delivery at the same time are both stored", async () => {
  const stored = await delivery();
  await beforeWrite(
    test.client,
    () => deliveries.drop(test.table, stored),
    () => deliveries.addAttempt(test.table, stored, attempt(), ({ status }) => status),
  );
  const after = await deliveries.find(test.table, stored.destination_id, stored.id);
  expect(after).toMatchObject({ status: "failed", attempts: [attempt()] });
});

it("two attempts at a delivery at the same time are both stored", async () => {
  const stored = await delivery();
  const add = (time: string) => () => deliveries.addAttempt(test.table, stored, attempt({ at: time }), () => "pending");
  await beforeWrite(test.client, add(at), add(later.toISOString()));
  const after = await deliveries.find(test.table, stored.destination_id, stored.id);
  expect(after?.attempts.map((one) => one.at)).toEqual([at, later.toISOString()]);
});
