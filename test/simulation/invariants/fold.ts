import { isDeepStrictEqual } from "node:util";
import type { EventMember } from "#lib/contract/event-data.ts";
import type { DomainEvent } from "#lib/contract/events.ts";
import { handler as showCommunity } from "../../../functions/communities/show.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { admin, Scene } from "../actors/scene.ts";
import { Chance } from "../chance.ts";
import { benefitsOf, communitiesOf, membersOf, ofKind, tiersOf } from "../world/records.ts";
import type { Outcome } from "../world/requests.ts";
import type { World } from "../world/world.ts";

/** The events as an unreliable subscriber receives them: some late, some twice, and in another order. */
function received(world: World): DomainEvent[] {
  const chance = new Chance(`${world.seed} subscriber at ${world.timeline.now}`);
  const [lost, arrived] = [[] as DomainEvent[], [] as DomainEvent[]];
  for (const event of world.bus) {
    (chance.is(0.2) ? lost : arrived).push(event);
    if (chance.is(0.2)) arrived.push(event);
  }
  return [...chance.shuffle(arrived), ...chance.shuffle(lost)];
}

/** Keeps the event with the highest sequence of each key (docs/api.md, section 10). */
function newest(events: readonly DomainEvent[], keyOf: (event: DomainEvent) => string | undefined) {
  const kept = new Map<string, DomainEvent>();
  for (const event of events) {
    const key = keyOf(event);
    if (key !== undefined && event.sequence > (kept.get(key)?.sequence ?? 0)) kept.set(key, event);
  }
  return kept;
}

const memberOf = ({ data }: DomainEvent): EventMember | undefined => ("member" in data ? data.member : undefined);

/** A subscriber that only receives events ends up with the state that the API returns. */
export async function assertFold(world: World): Promise<void> {
  const events = received(world);
  const scene = new Scene(world, `fold at ${world.timeline.now}`);
  assertSequences(world);
  assertNamed(world);
  assertOnce(world);
  assertRevocations(world);
  assertTrials(world);
  await assertMembers(scene, events);
  await assertGate(scene, events);
  await assertRecords(scene, events);
  assertFacts(world, events);
}

/** Access is revoked only from members to whom it was granted. */
function assertRevocations(world: World): void {
  const ofAccess = world.bus.filter(({ type }) => type.startsWith("access."));
  for (const [subject, events] of Map.groupBy(ofAccess, (event) => event.subject)) {
    const inOrder = [...new Map(events.map((event) => [event.sequence, event])).values()].toSorted(
      (a, b) => a.sequence - b.sequence,
    );
    for (const [n, { id, type }] of inOrder.entries())
      if (type === "access.revoked" && inOrder[n - 1]?.type === type)
        world.violate("fold", `${id} revokes the access of ${subject} again`);
  }
}

/** The sequences of one subject increase in the order of the stream, and no two events have the same sequence. */
function assertSequences(world: World): void {
  const last = new Map<string, number>();
  const seen = new Set<string>();
  for (const { id, subject, sequence } of world.bus.toSorted((a, b) => positionOf(a) - positionOf(b))) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (sequence <= (last.get(subject) ?? 0))
      world.violate("fold", `${id} of ${subject} has sequence ${sequence} again`);
    last.set(subject, sequence);
  }
}

/** A status on which others must act has its own event, and a requested pause is not reported as a failed payment. */
function assertNamed(world: World): void {
  const records = world.storage.stream.records.filter(({ dynamodb }) => dynamodb.NewImage?.is_paused?.BOOL === true);
  const paused = new Set(records.map(({ eventID }) => eventID));
  const status = new Map<string, string>();
  const unique = [...new Map(world.bus.map((event) => [event.id, event])).values()];
  const ofWrites = Map.groupBy(
    unique.toSorted((a, b) => positionOf(a) - positionOf(b)),
    ({ id }) => id.replace(/-\d+$/, ""),
  );
  for (const [write, [first, ...others]] of ofWrites) {
    const member = first && memberOf(first);
    if (!member) continue;
    const types: readonly string[] = [first, ...others].map(({ type }) => type);
    const isNew = status.get(first.subject) !== member.status;
    const isPaused = member.status === "unpaid" && paused.has(write);
    const isNamed = isPaused || types.includes(`member.${member.status}`) || types.includes("member.imported");
    if (isPaused && types.includes("member.unpaid"))
      world.violate("fold", `${write} pauses ${first.subject}, and is told as ${types.join()}`);
    if (isNew && ["past_due", "unpaid", "canceled"].includes(member.status) && !isNamed)
      world.violate("fold", `${write} makes ${first.subject} ${member.status}, and is told as ${types.join()}`);
    status.set(first.subject, member.status);
  }
}

/** Event ids are derived from the numbered records of the stream. */
const positionOf = ({ id }: DomainEvent): number => {
  const [, record = "", n = ""] = /(\d+)-(\d+)$/.exec(id) ?? [];
  return Number(record) * 10_000 + Number(n);
};

const copied = [
  "id",
  "status",
  "is_blocked",
  "current_period_end",
  "cancel_at_period_end",
  "cancel_at",
  "interval",
  "price_cents",
  "scheduled_change",
  "canceled_at",
  "ended_at",
  "lifetime_spend_cents",
  "total_refunded_cents",
  "access",
  "joined_at",
  "has_shipping_address",
] as const;

async function assertMembers(scene: Scene, events: readonly DomainEvent[]): Promise<void> {
  const { world } = scene;
  const known = newest(events, (event) => memberOf(event) && event.subject);
  for (const { id, community_id, requires_shipping_address } of membersOf(world)) {
    const { body } = await scene.send(showMember, { as: admin, params: { community_id, id } });
    const event = known.get(`communities/${community_id}/members/${id}`);
    const member = event && memberOf(event);
    const shown = body as Record<string, unknown> & {
      readonly user: { readonly id: number };
      readonly membership_tier: { readonly id: number };
    };
    const expected = {
      ...Object.fromEntries(copied.map((name) => [name, shown[name]])),
      user_id: shown.user.id,
      tier_id: shown.membership_tier.id,
      // As of the last synchronization. The API has the current value of the tier, which an event of the tier reports.
      requires_shipping_address,
    };
    const told = member ?? {};
    if (!isDeepStrictEqual(withoutTierName(told), withoutTierName(expected)))
      world.violate("fold", `events say of member ${id} ${JSON.stringify(told)}, the API ${JSON.stringify(expected)}`);
    if ((event?.sequence ?? 0) > Number(shown.sequence))
      world.violate(
        "fold",
        `member ${id} has sequence ${String(shown.sequence)}, an event of theirs ${event?.sequence}`,
      );
  }
}

/** Events have the name of a scheduled tier as of the write, and the API its current name. */
const withoutTierName = ({ scheduled_change, ...rest }: Record<string, unknown>) => {
  const change = scheduled_change as { readonly tier: { readonly id: number } } | null | undefined;
  return { ...rest, scheduled_change: change && { ...change, tier: change.tier.id } };
};

/** A gate that receives only access.granted and access.revoked admits the members whom the API admits. */
async function assertGate(scene: Scene, events: readonly DomainEvent[]): Promise<void> {
  const { world } = scene;
  const doors = newest(events, ({ type, subject }) => (type.startsWith("access.") ? subject : undefined));
  const owners = new Map(communitiesOf(world).map((community) => [community.id, community.owner_id]));
  const erased = new Set(ofKind(world, "erasure").map(({ user_id }) => user_id));
  for (const { id, community_id, user } of membersOf(world)) {
    if (owners.get(community_id) === user.id || erased.has(user.id)) continue;
    const door = doors.get(`communities/${community_id}/members/${id}`);
    const { body } = await scene.send(showMembership, { as: { id: user.id }, params: { community_id } });
    const { access } = body as unknown as { readonly access: EventMember["access"] };
    const isOpen = door?.type === "access.granted";
    const until = door && memberOf(door)?.access;
    if (isOpen !== access.granted || (isOpen && !isDeepStrictEqual(until, access)))
      world.violate(
        "gate",
        `the gate of member ${id} is ${JSON.stringify(until)}, the API says ${JSON.stringify(access)}`,
      );
  }
}

async function assertRecords(scene: Scene, events: readonly DomainEvent[]): Promise<void> {
  const { world } = scene;
  const known = newest(events, ({ subject }) => subject);
  const differ = (subject: string, shown: Record<string, unknown>) => {
    const { data } = known.get(subject) ?? { data: {} };
    const [record = {}] = Object.values<Record<string, unknown>>(data);
    const expected = Object.fromEntries(Object.keys(record).map((field) => [field, shown[field]]));
    if (Object.keys(record).length === 0 || !isDeepStrictEqual(record, expected))
      world.violate(
        "fold",
        `events say of ${subject} ${JSON.stringify(record)}, the table ${JSON.stringify(expected)}`,
      );
  };
  for (const tier of tiersOf(world)) differ(`tiers/${tier.id}`, tier);
  for (const benefit of benefitsOf(world)) differ(`benefits/${benefit.id}`, benefit);
  for (const { id } of communitiesOf(world)) {
    const { body }: Outcome = await scene.send(showCommunity, { as: admin, params: { id } });
    differ(`communities/${id}`, body);
    const event = known.get(`communities/${id}`);
    if ((event?.sequence ?? 0) > Number(body.sequence))
      world.violate("fold", `community ${id} has sequence ${String(body.sequence)}, an event of it ${event?.sequence}`);
  }
  const there = new Set([
    ...tiersOf(world).map(({ id }) => `tiers/${id}`),
    ...benefitsOf(world).map(({ id }) => `benefits/${id}`),
  ]);
  for (const { type, subject } of known.values())
    if (/^(tiers|benefits)/.test(subject) && there.has(subject) === type.endsWith(".deleted"))
      world.violate("fold", `${subject} was told ${type}`);
}

/**
 * Each change of a payment, refund or dispute has one event, however often Stripe's event was delivered. The status of a
 * refund or dispute may return to a former one.
 */
function assertOnce(world: World): void {
  const ids = new Map<string, string>();
  for (const { id, type, data } of world.bus) {
    if (type.endsWith(".updated")) continue;
    const fact =
      "payment" in data
        ? data.payment.id
        : "refund" in data
          ? data.refund.refund_id
          : // An appeal can change how a dispute ended.
            "dispute" in data && `${data.dispute.id} ${data.dispute.status}`;
    if (!fact) continue;
    const first = ids.get(`${type} ${fact}`) ?? id;
    if (first !== id) world.violate("fold", `${type} of ${fact} is told as ${first} and as ${id}`);
    ids.set(`${type} ${fact}`, first);
  }
}

/**
 * The end of each trial is announced once, if Odis learns of the trial in time: webhooks can be late by a day. If the schedule
 * fails for a member, its next attempt may be after the end of the trial, because the schedule runs every eight hours in a
 * simulation instead of every 15 minutes.
 */
function assertTrials(world: World): void {
  const told = new Map(
    world.bus.flatMap(({ id, type, subject }) => (type === "member.trial_ending" ? [[id, subject] as const] : [])),
  );
  const now = new Date(world.timeline.now).toISOString();
  const known = trialsKnownInTime(world);
  for (const { id, community_id, trial_end, ended_at, imported, is_paused } of membersOf(world)) {
    if (imported) continue;
    const subject = `communities/${community_id}/members/${id}`;
    const times = [...told.values()].filter((one) => one === subject).length;
    // A person gets at most one trial.
    if (times > 1) world.violate("fold", `the end of the trial of member ${id} is told ${times} times`);
    // The end of a trial is not announced while the subscription is paused.
    const wasPaused = is_paused !== undefined;
    const isOver = known.has(id) && trial_end !== null && trial_end < now && (ended_at ?? now) >= trial_end;
    if (isOver && !wasPaused && !world.setBack.has(String(id)) && times === 0)
      world.violate("fold", `the end of the trial of member ${id} is not told`);
  }
}

/** The members who were stored during their trial, long enough before its end for the schedule to run again. */
function trialsKnownInTime(world: World): Set<number> {
  const inTime = world.changes.flatMap(({ at, record: { dynamodb } }) => {
    const { id, status, trial_end } = dynamodb.NewImage ?? {};
    if (status?.S !== "trialing" || !id?.N || Date.parse(trial_end?.S ?? "") - at < 9 * 3_600_000) return [];
    return [Number(id.N)];
  });
  return new Set(inTime);
}

/** Every payment, refund and dispute of a member who was not imported has an event with its last state. */
function assertFacts(world: World, events: readonly DomainEvent[]): void {
  const payments = newest(events, ({ data }) => ("payment" in data ? data.payment.id : undefined));
  const refunds = newest(events, ({ data }) => ("refund" in data ? data.refund.refund_id : undefined));
  const disputes = newest(events, ({ data }) => ("dispute" in data ? data.dispute.id : undefined));
  for (const { id, imported } of membersOf(world)) {
    if (imported) continue;
    const own = (kind: "payment" | "refund" | "dispute") =>
      ofKind(world, kind).filter(({ pk }) => pk === partitionOf(id));
    for (const { refund_id, status } of own("refund")) {
      const { data } = refunds.get(String(refund_id)) ?? {};
      const told = data && "refund" in data ? data.refund.status : undefined;
      if (told !== status) world.violate("fold", `${String(refund_id)} is ${String(status)}, and events say ${told}`);
    }
    for (const { dispute_id, status } of own("dispute")) {
      const { data } = disputes.get(String(dispute_id)) ?? {};
      const told = data && "dispute" in data ? data.dispute.status : undefined;
      if (told !== status) world.violate("fold", `${String(dispute_id)} is ${String(status)}, and events say ${told}`);
    }
    const paid = own("payment").filter(({ status }) => status === "paid");
    for (const { id: invoice, charges, paid_off_stripe_cents } of paid) {
      const collected = (charges as readonly { readonly id: string; readonly paid_cents: number }[]).filter(
        ({ paid_cents }) => paid_cents > 0,
      );
      const sum = collected.reduce((total, { paid_cents }) => total + paid_cents, Number(paid_off_stripe_cents));
      const told = [...collected.map((charge) => charge.id), String(invoice)].flatMap((one) => payments.get(one) ?? []);
      const amounts = told.flatMap(({ data }) => ("payment" in data ? data.payment.amount_cents : []));
      if (sum > 0 && !isDeepStrictEqual(amounts, [sum]))
        world.violate("fold", `${String(invoice)} was paid ${sum}, and events say ${amounts.join()}`);
    }
  }
}

const partitionOf = (memberId: number): string => `MEMBER#${String(memberId).padStart(16, "0")}`;
