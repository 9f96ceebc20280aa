import { actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";
import type { Step } from "./plan.ts";
import type { TriggerName } from "./world/causes.ts";

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
    acts: ["ownersOfMembers.block", "ownersOfMembers.unblock", "ownersOfCommunities.createTier", "support.refund"],
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
  "ownersOfCommunities.createTier": 1,
  "ownersOfDestinations.create": 2,
  "editors.create": 2,
  "accountHolders.join": 1,
};

/** Acts that must precede an act about the same subject, because it needs their records. */
const preparations: Readonly<Record<Side, readonly Side[]>> = {
  "members.openCheckout": ["support.cancel"],
  "members.join": ["support.cancel"],
  "subscribers.join": ["support.cancel"],
  "members.completeCheckout": ["support.cancel", "members.openCheckout"],
  "portalUsers.portal": ["members.openPortal"],
  "members.uncancelOwn": ["members.cancelOwn"],
  "ownersOfMembers.uncancel": ["support.cancelAtEnd"],
  "ownersOfMembers.unblock": ["ownersOfMembers.block"],
  "ownersOfDestinations.resendSome": ["ownersOfDestinations.pingOften"],
  "ownersOfDestinations.resendSpan": ["ownersOfDestinations.pingOften"],
  "support.settle": ["support.refund"],
  "subscribers.moveHere": ["subscribers.subscribeElsewhere"],
  "subscribers.resume": ["subscribers.pause"],
};

/** How many pairs run in a history. */
const rounds = 20;
/** Maximum time between two acts of a pair, in milliseconds. */
const apart = 20;

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
 * Creates a few records, and then runs pairs in turn, each on a subject of its own and with almost no time between its
 * two sides.
 */
export function planOfPairs(seed: string, pairs: readonly Pair[]): Step[] {
  const chance = new Chance(`${seed} pair`);
  const make = () => stepOf(chance.weighted(makers) ?? "members.join", 3000);
  const steps: Planned[] = Array.from({ length: 8 }, make);
  for (let round = 0; round < rounds; round++) {
    const pair = pairs[round % pairs.length] ?? (["webhook", "webhook"] as const);
    const subject = `pair ${round}`;
    const [first, second] = chance.is(0.5) ? pair : pair.toReversed();
    const [before, after] = [actOf(first ?? "", chance), actOf(second ?? "", chance)];
    steps.push(make());
    for (const { act } of [before, after])
      steps.push(...(preparations[act] ?? []).map((preparation) => ({ ...stepOf(preparation, 2000), subject })));
    steps.push({ ...stepOf(before.act, 2000 + 3000 * chance.next()), subject });
    steps.push({ ...stepOf(after.act, before.within * chance.next()), subject });
  }
  return steps.map((step, n) => ({ name: `s${n}`, ...step }));
}

/** The act that a side runs, and the maximum time until the other side runs. */
function actOf(side: Side, chance: Chance): { readonly act: Side; readonly within: number } {
  if (!isTrigger(side)) return { act: side, within: apart };
  const { acts: causes, within } = triggers[side];
  return { act: chance.pick(causes) ?? "", within };
}

function stepOf(side: Side, gap: number): Planned {
  const [actor, act] = side.split(".") as [keyof typeof actors, string];
  return { actor, act, gap };
}
