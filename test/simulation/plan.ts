import { type ActorName, actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";
import { drawPairs, type Pair, planOfPairs } from "./pairs.ts";
import type { During } from "./world/meetings.ts";

/**
 * One act of an actor. `gap` is the time since the previous act, in milliseconds. The random choices of an act depend
 * on its name.
 */
export type Step = {
  readonly name: string;
  readonly gap: number;
  readonly actor: ActorName;
  readonly act: string;
  /** Acts with the same subject are about the same member. An act without a subject picks a member at random. */
  readonly subject?: string;
  /** When the act starts, if it is the second one of a pair. By default, it starts after its gap. */
  readonly during?: During;
  /**
   * An action on the whole system before the act: checking the invariants, downgrading the data to an earlier version,
   * or migrating.
   */
  readonly before?: "check" | "downgrade" | "migrate";
};

/**
 * The pace of a history. `days`: acts overlap and take days. `months`: acts are spread over up to two years, and in
 * some histories over ten. `upgrade`: like `months`, but the data is downgraded to an earlier version and later migrated.
 */
export type Kind = "days" | "months" | "upgrade";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

const gapOf = {
  none: (draw: number) => draw * 20,
  moment: (draw: number) => draw * 400,
  seconds: (draw: number) => draw * 20 * second,
  minutes: (draw: number) => draw * 90 * minute,
  hours: (draw: number) => draw * 40 * hour,
  days: (draw: number) => draw * 32 * day,
};
type Gap = keyof typeof gapOf;

type Rules = {
  /** Weights of the time until the next act. Most gaps are so short that acts overlap. */
  readonly gaps: Readonly<Record<Gap, number>>;
  /** Weights of actors that differ from their default. */
  readonly weights: Readonly<Partial<Record<ActorName, number>>>;
};

const ofDays: Rules = { gaps: { none: 40, moment: 30, seconds: 14, minutes: 9, hours: 5, days: 2 }, weights: {} };
const ofMonths: Rules = {
  gaps: { none: 16, moment: 14, seconds: 8, minutes: 8, hours: 12, days: 42 },
  weights: { subscribers: 34, support: 18, members: 26, ownersOfCommunities: 8, editors: 1, admins: 4, importers: 4 },
};

export type PlanOptions = {
  /** Default: `days`. */
  readonly kind?: Kind | undefined;
  /** Pairs of acts that meet, instead of acts at random. By default, one of six histories of days consists of pairs. */
  readonly pairs?: readonly Pair[] | undefined;
};

/** The share of histories of days that consist of pairs. */
const pairShare = 1 / 6;

/**
 * The share of other histories of days in which writes are held, and the probability that a write is held in them and in
 * histories of pairs.
 */
const [heldShare, holdProbability] = [0.25, 0.3];

/** The pairs of a history. They are drawn from all acts if they are not given. */
export function pairsOf(seed: string, { kind = "days", pairs }: PlanOptions = {}): readonly Pair[] | undefined {
  const isDrawn = kind === "days" && !pairs && new Chance(`${seed} share of pairs`).is(pairShare);
  return isDrawn ? drawPairs(seed) : pairs;
}

/**
 * The probability that a write of a history waits until another invocation writes an item that the write depends on.
 */
export function holdsOf(seed: string, options: PlanOptions = {}): number {
  const { kind = "days" } = options;
  if (pairsOf(seed, options)) return holdProbability;
  return kind === "days" && new Chance(`${seed} share of holds`).is(heldShare) ? holdProbability : 0;
}

/** The steps of a history. They depend only on the seed and the options. */
export function planOf(seed: string, options: PlanOptions = {}): Step[] {
  const { kind = "days" } = options;
  const pairs = pairsOf(seed, options);
  if (pairs) return planOfPairs(seed, pairs);
  const { gaps, weights: others } = kind === "days" ? ofDays : ofMonths;
  const chance = new Chance(`${seed} plan`);
  const weights = Object.fromEntries(Object.entries(actors).map(([name, { weight }]) => [name, weight]));
  const steps = Array.from({ length: chance.integer(60, 80) }, (_, n): Step => {
    const actor = chance.weighted<ActorName>({ ...weights, ...others }) ?? "members";
    const acts = Object.entries(actors[actor].acts).map(([name, [weight]]) => [name, weight] as const);
    const act = chance.weighted(Object.fromEntries(acts)) ?? "";
    const gap = gapOf[chance.weighted(gaps) ?? "none"](chance.next());
    return { name: `s${n}`, gap, actor, act };
  });
  if (kind === "days") return steps;
  const all = spread(steps, chance);
  return kind === "months" ? all : upgraded(all, chance);
}

/** The share of histories of months that take ten years. */
const longShare = 0.02;

/**
 * Scales the long gaps so that a history takes between six months and two years, or ten years, and adds checks before
 * some steps.
 */
function spread(steps: readonly Step[], chance: Chance): Step[] {
  const isLong = ({ gap }: Step) => gap > day;
  const span = (chance.is(longShare) ? 3650 : chance.integer(183, 730)) * day;
  const sum = steps.filter(isLong).reduce((total, { gap }) => total + gap, 0);
  return steps.map((step) => {
    if (!isLong(step)) return step;
    return { ...step, gap: (step.gap * span) / sum, ...(chance.is(0.3) && { before: "check" }) };
  });
}

/** Adds a downgrade in the first two thirds of the steps, and a migration up to ten steps later. */
function upgraded(steps: readonly Step[], chance: Chance): Step[] {
  const from = chance.integer(5, Math.floor(steps.length / 1.5));
  const to = from + chance.integer(1, 10);
  return steps.map(({ before, ...step }, n): Step => {
    if (n === from) return { ...step, before: "downgrade" };
    return n === to ? { ...step, before: "migrate" } : { ...step, ...(before && { before }) };
  });
}
