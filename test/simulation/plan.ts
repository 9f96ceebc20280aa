import { type ActorName, actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";
import { type Pair, planOfPair } from "./pairs.ts";

/** One act of an actor, so long after the one before. What it is about is drawn from its name. */
export type Step = {
  readonly name: string;
  readonly gap: number;
  readonly actor: ActorName;
  readonly act: string;
  /** Acts with the same subject are about the same member and their community; an act without one draws them. */
  readonly subject?: string;
  /** What is done before it to the whole: the figures are checked, or the data becomes that of an earlier version, or is migrated. */
  readonly before?: "check" | "downgrade" | "migrate";
};

/**
 * Acts overlap and are over within days, or they are spread over up to two years, or that and meanwhile the data becomes what
 * an earlier version has stored, and is migrated later.
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
  /** How long it is until the next act: mostly so short that acts overlap. */
  readonly gaps: Readonly<Record<Gap, number>>;
  /** How often each actor acts, where it is not as often as their repertoire says. */
  readonly weights: Readonly<Partial<Record<ActorName, number>>>;
};

const ofDays: Rules = { gaps: { none: 40, moment: 30, seconds: 14, minutes: 9, hours: 5, days: 2 }, weights: {} };
const ofMonths: Rules = {
  gaps: { none: 16, moment: 14, seconds: 8, minutes: 8, hours: 12, days: 42 },
  weights: { subscribers: 34, support: 18, members: 26, ownersOfCommunities: 8, editors: 1, admins: 4, importers: 4 },
};

export type PlanOptions = {
  /** `days` by default. */
  readonly kind?: Kind | undefined;
  /** Two acts that meet again and again, in the place of acts of everybody. */
  readonly pair?: Pair | undefined;
};

/** The share of the histories of days in which writes are held, and the probability that one of these writes is. */
const [heldShare, holdProbability] = [0.25, 0.3];

/** The probability that a write of a history is held until another invocation writes what it is based on. */
export function holdsOf(seed: string, { kind = "days", pair }: PlanOptions = {}): number {
  const isDrawn = kind === "days" && !pair;
  return isDrawn && new Chance(`${seed} share of holds`).is(heldShare) ? holdProbability : 0;
}

/** What happens in a history, decided by its seed and its options alone. */
export function planOf(seed: string, { kind = "days", pair }: PlanOptions = {}): Step[] {
  if (pair) return planOfPair(seed, pair);
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

/** The longer gaps, made longer or shorter so that all take between six months and two years; figures are checked after some. */
function spread(steps: readonly Step[], chance: Chance): Step[] {
  const isLong = ({ gap }: Step) => gap > day;
  const span = chance.integer(183, 730) * day;
  const sum = steps.filter(isLong).reduce((total, { gap }) => total + gap, 0);
  return steps.map((step) => {
    if (!isLong(step)) return step;
    return { ...step, gap: (step.gap * span) / sum, ...(chance.is(0.3) && { before: "check" }) };
  });
}

/** The same with a downgrade in the first two thirds, and a migration up to ten steps later. */
function upgraded(steps: readonly Step[], chance: Chance): Step[] {
  const from = chance.integer(5, Math.floor(steps.length / 1.5));
  const to = from + chance.integer(1, 10);
  return steps.map(({ before, ...step }, n): Step => {
    if (n === from) return { ...step, before: "downgrade" };
    return n === to ? { ...step, before: "migrate" } : { ...step, ...(before && { before }) };
  });
}
