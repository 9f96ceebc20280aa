import { isDeepStrictEqual } from "node:util";
import type { Item } from "#lib/store/expression.ts";
import { type Key, kindOf } from "#lib/store/keys.ts";
import { chargesOf, customerOf, disputeOf, refundsOf, subscriptionsOf } from "../world/dashboard.ts";
import { communitiesOf, itemsOf, membersOf, ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { erasuresOf } from "./sign-ins.ts";

type Erasure = { readonly user_id: number; readonly finished_at: string | null; readonly due_at: string | null };

const storedErasures = (world: World) => ofKind(world, "erasure") as unknown as Erasure[];

/** Every acknowledged erasure is complete, and every incomplete erasure has a reason. */
export function assertErased(world: World): void {
  const erasures = storedErasures(world);
  const finished = new Set(erasures.filter(({ finished_at }) => finished_at !== null).map(({ user_id }) => user_id));
  for (const id of world.erased)
    if (!finished.has(id)) world.violate("erasures", `user ${id} was said to be erased, and is not`);
  for (const { user_id, finished_at, due_at } of erasures) {
    if (finished_at !== null) {
      if (due_at !== null) world.violate("erasures", `the erasure of user ${user_id} is still due`);
      assertGone(world, user_id, finished_at);
    } else if (!isBlocked(world, user_id))
      world.violate("erasures", `user ${user_id} is marked, nothing stands in the way, and they are not erased`);
  }
}

const customersOf = (world: World, userId: number): string[] =>
  ofKind(world, "customerOf").flatMap(({ pk, customer_id }) =>
    Number(pk.split("#")[1]) === userId && typeof customer_id === "string" ? [customer_id] : [],
  );

/** Whether an erasure is blocked by something that appeared between the check of its preconditions and the mark. */
function isBlocked(world: World, userId: number): boolean {
  if (communitiesOf(world).some(({ owner_id }) => owner_id === userId)) return true;
  const isOpen = (status: string | null) => !["canceled", "incomplete", "incomplete_expired"].includes(status ?? "");
  return customersOf(world, userId).some(
    (customer) =>
      subscriptionsOf(world, customer).some(({ status }) => isOpen(status)) ||
      chargesOf(world, customer).some(
        ({ id, status }) =>
          status === "pending" ||
          refundsOf(world, id).some((refund) => refund.status === "pending" || refund.status === "requires_action") ||
          !["won", "lost", "warning_closed", undefined].includes(disputeOf(world, id)?.status),
      ),
  );
}

function assertGone(world: World, userId: number, finishedAt: string): void {
  const wrong = (text: string) => world.violate("erasures", `user ${userId} is erased, and ${text}`);
  const person = { id: userId, username: "erased", email: "", first_name: "", last_name: "" };
  const now = world.timeline.now / 1000;
  const items = itemsOf(world).filter(({ expires_at }) => expires_at === undefined || Number(expires_at) > now);
  const members = membersOf(world).filter(({ user }) => user.id === userId);
  for (const { id, user, status, notes, custom, shipping_address, block_reason, refunds } of members) {
    if (status !== "canceled") wrong(`member ${id} is ${status}`);
    if (!isDeepStrictEqual(user, person)) wrong(`member ${id} is ${JSON.stringify(user)}`);
    const left = [notes, shipping_address, block_reason, ...refunds.map(({ note }) => note)].filter(Boolean);
    if (left.length > 0 || Object.keys(custom).length > 0)
      wrong(`member ${id} holds ${JSON.stringify([left, custom])}`);
    const partition = `MEMBER#${String(id).padStart(16, "0")}`;
    for (const item of items.filter(({ pk }) => pk === partition)) assertEmpty(item, wrong);
    const listed = items.find(({ member_id, receipt_url }) => member_id === id && Boolean(receipt_url));
    if (listed) wrong(`${listed.sk} holds ${JSON.stringify(listed.receipt_url)}`);
    const found = items.find(({ pk, member_id }) => pk.endsWith("#SEARCH") && member_id === id);
    if (found) wrong(`member ${id} is found by ${JSON.stringify(found.sk)}`);
    if (!isKept(world, id)) wrong(`member ${id} has lost what it was paid`);
  }
  for (const customer of customersOf(world, userId))
    if (!customerOf(world, customer)?.deleted) wrong(`${customer} is a customer at Stripe`);
  for (const address of addressesOf(world, userId)) {
    // Whoever knows the address can invite it again.
    const isInvitedAgain = (item: Item & Key) => kindOf(item) === "invitation" && String(item.created_at) > finishedAt;
    const holding = items.find((item) => JSON.stringify(item).includes(address) && !isInvitedAgain(item));
    if (holding) wrong(`${holding.pk} ${holding.sk} holds ${address}`);
    if (world.bus.some((event) => JSON.stringify(event).includes(address))) wrong(`an event holds ${address}`);
  }
}

function assertEmpty(item: Item & { readonly pk: string; readonly sk: string }, wrong: (text: string) => void): void {
  const { sk, note, intent, action, before, after } = item;
  const { note: own, comment } = (intent ?? {}) as { note?: string; comment?: string };
  if (note || own || comment) wrong(`${sk} holds ${JSON.stringify([note, own, comment])}`);
  const texts = ["edited", "blocked", "unblocked"].includes(String(action)) ? [before, after] : [];
  if (kindOf(item) === "activity" && texts.some(Boolean)) wrong(`${sk} holds ${JSON.stringify(texts)}`);
}

/** Whether the sums of a member still include everything that was paid before the erasure began. */
function isKept(world: World, memberId: number): boolean {
  const paid = world.changes.flatMap(({ record: { dynamodb } }) => {
    const { OldImage, NewImage } = dynamodb;
    const isMark = NewImage?.erased_at !== undefined && OldImage?.erased_at === undefined;
    const isOurs = kindOf({ pk: NewImage?.pk?.S ?? "", sk: NewImage?.sk?.S ?? "" }) === "member";
    if (!isMark || !isOurs || Number(NewImage.id?.N) !== memberId) return [];
    return [Number(NewImage.lifetime_spend_cents?.N) + Number(NewImage.total_refunded_cents?.N)];
  });
  const { lifetime_spend_cents = 0, total_refunded_cents = 0 } =
    membersOf(world).find(({ id }) => id === memberId) ?? {};
  return paid.every((before) => lifetime_spend_cents + total_refunded_cents >= before);
}

/** How long indexes and lists may show what was before, in milliseconds. */
const late = 60_000;
/** Invitations are deleted and data is exported as it is stored, both until the erasure is complete. */
const showsStored = /invitations|\/data$|\/erase$/;

/** No response shows the address of a person whose profile and members were marked as erased before the request. */
export function assertMarkedAreHidden(world: World): void {
  const hidden = erasuresOf(world).map(({ userId, at }) => ({
    userId,
    from: Math.max(at, ...marksOf(world, userId)) + late,
    addresses: ownAddressesOf(world, userId),
  }));
  for (const { name, outcome } of world.answers.attempts) {
    if (showsStored.test(name)) continue;
    for (const { userId, from, addresses } of hidden)
      if (outcome.from > from && addresses.some((address) => outcome.text.includes(address)))
        world.violate("erased people", `user ${userId} was marked by ${from}, and ${name} shows ${outcome.text}`);
  }
}

/** When each of a person's members was marked as erased. Infinity if it was not. */
function marksOf(world: World, userId: number): number[] {
  const marks = new Map<string, number>();
  for (const { at, record } of world.changes) {
    const { Keys, NewImage } = record.dynamodb;
    const key = { pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" };
    if (kindOf(key) !== "member" || Number(NewImage?.user?.M?.id?.N) !== userId) continue;
    const before = marks.get(key.sk) ?? Number.POSITIVE_INFINITY;
    marks.set(key.sk, NewImage?.erased_at ? Math.min(before, at) : before);
  }
  return [...marks.values()];
}

/** The e-mail addresses that people had, with the id of each of these people. */
const profilesIn = (world: World): { readonly address: string; readonly id: number }[] =>
  world.changes.flatMap(({ record }) => {
    const { NewImage } = record.dynamodb;
    const key = { pk: NewImage?.pk?.S ?? "", sk: NewImage?.sk?.S ?? "" };
    const address = NewImage?.email?.S ?? "";
    return kindOf(key) === "user" && address !== "" ? [{ address, id: Number(NewImage?.id?.N) }] : [];
  });

/** The e-mail addresses that a person had and that nobody else has now. */
function addressesOf(world: World, userId: number): string[] {
  const others = new Set(ofKind(world, "user").map(({ email }) => email));
  const own = profilesIn(world).flatMap(({ address, id }) => (id === userId ? address : []));
  return [...new Set(own)].filter((address) => !others.has(address));
}

/** The e-mail addresses that only this person ever had. */
function ownAddressesOf(world: World, userId: number): string[] {
  const others = new Set(profilesIn(world).flatMap(({ address, id }) => (id === userId ? [] : address)));
  return addressesOf(world, userId).filter((address) => !others.has(address));
}
