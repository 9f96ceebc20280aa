import { actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";
import type { Step } from "./plan.ts";
import type { TriggerName } from "./world/causes.ts";
import type { Counted, During } from "./world/meetings.ts";

/** One side of a pair: an act, such as `support.cancel`, or a trigger, such as `webhook`. */
type Side = string;
export type Pair = readonly [Side, Side];

type Trigger = {
  /** Acts about a subject that make the trigger run. */
  readonly acts: readonly Side[];
  /** Maximum time from the act to the end of the trigger, in milliseconds. */
  readonly within: number;
};

const triggers: Readonly<Record<TriggerName, Trigger>> = {
  webhook: {
    acts: [
      "support.refund",
      "support.changePlan",
      "support.cancelAtEnd",
      "support.dispute",
      "members.completeCheckout",
    ],
    within: 1500,
  },
  projections: {
    acts: [
      "ownersOfMembers.block",
      "ownersOfMembers.unblock",
      "ownersOfCommunities.createTier",
      "support.refund",
      "accountHolders.rename",
    ],
    within: 6000,
  },
  events: { acts: ["ownersOfMembers.block", "ownersOfCommunities.updateTier", "support.changePlan"], within: 6000 },
  deliver: { acts: ["ownersOfDestinations.pingOften", "ownersOfDestinations.resendSome"], within: 1500 },
};

/** Acts that create records which other acts are about, with their weights. */
const makers: Readonly<Record<Side, number>> = {
  "members.join": 12,
  "members.openPortal": 2,
  "importers.import": 2,
  "ownersOfCommunities.createBenefit": 2,
  "ownersOfCommunities.createTier": 3,
  "ownersOfDestinations.create": 2,
  "editors.create": 2,
  "accountHolders.join": 1,
};

/**
 * Acts that must precede an act about the same subject, because it needs their records. Most people who join again have
 * canceled before.
 */
const preparations: Readonly<Record<Side, readonly Side[]>> = {
  "members.openCheckout": ["ownersOfCommunities.createTier", "support.cancel"],
  "members.join": ["ownersOfCommunities.createTier", "support.cancel"],
  "subscribers.join": ["ownersOfCommunities.createTier", "support.cancel"],
  "support.replaceCustomer": ["ownersOfCommunities.createTier"],
  "ownersOfCommunities.removeTier": ["ownersOfCommunities.createTier"],
  "admins.archiveTier": ["support.cancel"],
  "members.completeCheckout": ["support.cancel", "members.openCheckout", "members.failCheckout"],
  "members.failCheckout": ["support.cancel", "members.openCheckout", "members.failCheckout"],
  "portalUsers.portal": ["members.openPortal"],
  "members.uncancelOwn": ["members.cancelOwn"],
  "members.dropOwnChange": ["members.changeOwn", "members.changeOwn"],
  "ownersOfMembers.dropChange": ["members.changeOwn", "members.changeOwn"],
  "members.payChange": ["members.changeOwn"],
  "ownersOfMembers.activity": ["members.changeOwn"],
  "ownersOfCommunities.listBenefits": ["members.changeOwn"],
  "ownersOfMembers.uncancel": ["support.cancelAtEnd"],
  "ownersOfMembers.unblock": ["ownersOfMembers.block"],
  "ownersOfDestinations.pingOften": ["ownersOfDestinations.create"],
  "ownersOfDestinations.resendSome": ["ownersOfDestinations.create", "ownersOfDestinations.pingOften"],
  "ownersOfDestinations.resendSpan": ["ownersOfDestinations.create", "ownersOfDestinations.pingOften"],
  "ownersOfDestinations.edit": ["ownersOfDestinations.create"],
  "ownersOfDestinations.enable": ["ownersOfDestinations.create"],
  "ownersOfDestinations.look": ["ownersOfDestinations.create"],
  "ownersOfDestinations.remove": ["ownersOfDestinations.create"],
  "ownersOfDestinations.rotate": ["ownersOfDestinations.create"],
  "ownersOfCommunities.archive": ["ownersOfCommunities.createBenefit"],
  "ownersOfCommunities.assign": ["ownersOfCommunities.createBenefit"],
  "ownersOfCommunities.removeBenefit": ["ownersOfCommunities.createBenefit"],
  "ownersOfCommunities.showBenefit": ["ownersOfCommunities.createBenefit"],
  "ownersOfCommunities.updateBenefit": ["ownersOfCommunities.createBenefit"],
  "editors.read": ["editors.create"],
  "editors.remove": ["editors.create"],
  "editors.update": ["editors.create"],
  "accountHolders.join": ["teams.invite", "accountHolders.leave"],
  "support.settle": ["support.refund"],
  "subscribers.moveHere": ["subscribers.subscribeElsewhere"],
  "subscribers.resume": ["subscribers.pause"],
  "teams.accept": ["teams.invite"],
  "teams.decline": ["teams.invite"],
  "teams.changeRole": ["teams.invite", "teams.accept"],
  "teams.leave": ["teams.invite", "teams.accept"],
  "teams.edit": ["teams.invite", "teams.accept"],
  "teams.stay": ["teams.invite", "teams.accept"],
  "servers.call": ["servers.create"],
  "servers.edit": ["servers.create"],
  "servers.block": ["servers.create"],
  "servers.stay": ["servers.create"],
  "servers.revoke": ["servers.create"],
};

/** How many pairs run in a history. */
const rounds = 20;
/** Maximum time between two acts of a pair that start together, in milliseconds. */
const apart = 20;
/** The share of pairs whose second act runs in the middle of the first one, up to three times. */
const duringShare = 0.75;
/**
 * The last call of the first act at which a second one may start, if all calls count, those that write, or those about a
 * kind of items. Schedules and commands make four times as many.
 */
const [lastCall, lastWrite, lastAbout] = [40, 10, 3];
/** Maximum time until a second act starts, in milliseconds. */
const longestWait = 2 * 3_600_000;

/** Changes at Stripe of which Odis may not know yet when a pair starts, so that acts which only read also write. */
const changes: readonly (readonly Side[])[] = [
  ["ownersOfCommunities.createTier", "support.changePlan"],
  ["support.changePlan"],
  ["support.cancelAtEnd"],
  ["support.refund"],
  ["support.deleteCustomer"],
];
/** The share of pairs before which such a change is made. */
const changedShare = 0.4;

const acts: readonly Side[] = Object.entries(actors).flatMap(([actor, repertoire]) =>
  Object.keys(repertoire.acts).map((act) => `${actor}.${act}`),
);

const isTrigger = (side: Side): side is TriggerName => Object.hasOwn(triggers, side);

/** All acts and triggers. */
export const sides: readonly Side[] = [...acts, ...Object.keys(triggers)];

/** Parses two acts or triggers, separated by a comma. @throws Error for text that does not name two of them */
export function pairOf(text: string): Pair {
  const [first, second, ...more] = text.split(",");
  if (first === undefined || second === undefined || more.length > 0)
    throw new Error("A pair is two acts or triggers, such as dataSubjects.erase,webhook");
  for (const side of [first, second]) if (!sides.includes(side)) throw new Error(`There is no act ${side}`);
  return [first, second];
}

/** Draws pairs of any acts and triggers. */
export function drawPairs(seed: string): Pair[] {
  const chance = new Chance(`${seed} pairs`);
  const side = () => chance.pick(sides) ?? "webhook";
  return Array.from({ length: rounds }, () => [side(), side()]);
}

type Planned = Omit<Step, "name">;

/**
 * Creates a few records, and then runs pairs in turn, each on a subject of its own. The two sides start together, or the
 * second one starts at a call of the first one, which waits meanwhile.
 */
export function planOfPairs(seed: string, pairs: readonly Pair[]): Step[] {
  const chance = new Chance(`${seed} pair`);
  const make = () => stepOf(chance.weighted(makers) ?? "members.join", 3000);
  const steps: Planned[] = Array.from({ length: 8 }, make);
  for (let round = 0; round < rounds; round++) {
    const pair = pairs[round % pairs.length] ?? (["webhook", "webhook"] as const);
    const subject = `pair ${round}`;
    const [first, second] = inOrder(pair, chance);
    const [before, after] = [actOf(first, second, chance), actOf(second, first, chance)];
    steps.push(make());
    const isCanceled = chance.is(0.7);
    for (const preparation of [before, after].flatMap(({ act }) => preparations[act] ?? []))
      if (preparation !== "support.cancel" || isCanceled) steps.push({ ...stepOf(preparation, 8000), subject });
    const gap = 2000 + 3000 * chance.next();
    const isChanged = chance.is(changedShare);
    if (isChanged) for (const change of chance.pick(changes) ?? []) steps.push({ ...stepOf(change, gap), subject });
    steps.push({ ...stepOf(before.act, isChanged ? 100 * chance.next() : gap), subject });
    if (chance.is(duringShare) && !isTrigger(second)) {
      const of = isTrigger(first) ? first : `s${steps.length - 1}`;
      const within = isTrigger(first) ? before.within : longestWait;
      for (const [n, start] of startsIn(first, chance).entries())
        steps.push({ ...stepOf(after.act, 0), subject, during: { of, ...start, within, isOptional: n > 0 } });
    } else steps.push({ ...stepOf(after.act, before.within * chance.next()), subject });
  }
  return steps.map((step, n) => ({ name: `s${n}`, ...step }));
}

/** The sides in the order in which they start: in most cases the one that takes longer first. An act at Stripe takes no time. */
function inOrder([a, b]: Pair, chance: Chance): Pair {
  const isReversed = rank(a) === rank(b) ? chance.is(0.5) : chance.is(rank(a) > rank(b) ? 0.85 : 0.15);
  return isReversed ? [b, a] : [a, b];
}

function rank(side: Side): number {
  if (isTrigger(side)) return 0;
  if (longest.includes(side)) return 1;
  if (isAtStripe(side) || side === "operators.restart") return 4;
  return slow.test(side) ? 2 : 3;
}

/** Acts that take seconds, because they change something at Stripe or erase a person. */
const slow =
  /^(members|ownersOfMembers|subscribers)\.(\w*[cC](ancel|hange)|\w*[rR]efund|join|upgrade|thinkAgain|hurry)|[eE]rase/;

/** Acts that take minutes. */
const longest: readonly Side[] = [
  "operators.redrive",
  "operators.expire",
  "operators.rebuild",
  "operators.repair",
  "operators.reconcile",
  "admins.archiveTier",
  "admins.renameSlowly",
  "dataSubjects.leave",
];

/** Whether an act only changes something at Stripe. */
export const isAtStripe = (side: Side): boolean =>
  (/^(support|portalUsers|subscribers)\./.test(side) && !sending.includes(side)) ||
  /^members\.(complete|fail)Checkout$/.test(side);

/** Acts of people at Stripe that send requests to Odis. */
const sending: readonly Side[] = [
  "support.replaceCustomer",
  "subscribers.join",
  "subscribers.moveHere",
  "subscribers.startTrials",
];

/**
 * Draws three calls of a first side at which second acts start. Early calls are more frequent, because most acts make few.
 */
function startsIn(first: Side, chance: Chance): Pick<During, "call" | "counted">[] {
  const factor = first.startsWith("operators.") ? 4 : 1;
  return Array.from({ length: 3 }, () => {
    const counted = chance.pick(counts);
    const last = factor * (counted?.about !== undefined ? lastAbout : counted?.isWrite ? lastWrite : lastCall);
    return { counted, call: Math.floor((last + 1) ** chance.next()) };
  });
}

/** Which calls of the first side count. Most pairs have a member or a community in common. */
const counts: readonly Counted[] = [
  {},
  { isWrite: true },
  { about: "stripe" },
  { about: "stripe", isWrite: true },
  { about: "MEMBER#", isWrite: true },
  { about: "MEMBER#", isWrite: true },
  { about: "COMMUNITY", isWrite: true },
  { about: "CUSTOMER#", isWrite: true },
  { about: "MEMBER#" },
  { about: "USER" },
  { about: "TEAM#" },
];

/** The act that a side runs, and the maximum time until the other side runs. */
function actOf(side: Side, other: Side, chance: Chance): { readonly act: Side; readonly within: number } {
  if (!isTrigger(side)) return { act: side, within: apart };
  const { acts: causes, within } = triggers[side];
  // Only the copies of a changed profile reach Stripe.
  const isOfProfile = side === "projections" && isAtStripe(other);
  return { act: (isOfProfile ? "accountHolders.rename" : chance.pick(causes)) ?? "", within };
}

function stepOf(side: Side, gap: number): Planned {
  const [actor, act] = side.split(".") as [keyof typeof actors, string];
  return { actor, act, gap };
}
