import { type ActorName, actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";

/** One act of an actor, so long after the one before. What it is about is drawn from its name. */
export type Step = {
  readonly name: string;
  readonly gap: number;
  readonly actor: ActorName;
  readonly act: string;
  /** Whether the figures are checked before it. */
  readonly isAfterCheck?: true;
};

/** How fast time passes: acts overlap and are over within days, or they are spread over up to two years. */
export const paces = ["days", "months"] as const;
export type Pace = (typeof paces)[number];

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

const rules: Readonly<Record<Pace, Rules>> = {
  days: { gaps: { none: 40, moment: 30, seconds: 14, minutes: 9, hours: 5, days: 2 }, weights: {} },
  months: {
    gaps: { none: 16, moment: 14, seconds: 8, minutes: 8, hours: 12, days: 42 },
    weights: { subscribers: 34, support: 18, members: 26, ownersOfCommunities: 8, editors: 1, admins: 4, importers: 4 },
  },
};

/** What happens in a history, decided by its seed and its pace alone. */
export function planOf(seed: string, pace: Pace = "days"): Step[] {
  const { gaps, weights: others } = rules[pace];
  const chance = new Chance(`${seed} plan`);
  const weights = Object.fromEntries(Object.entries(actors).map(([name, { weight }]) => [name, weight]));
  const steps = Array.from({ length: chance.integer(60, 80) }, (_, n): Step => {
    const actor = chance.weighted<ActorName>({ ...weights, ...others }) ?? "members";
    const acts = Object.entries(actors[actor].acts).map(([name, [weight]]) => [name, weight] as const);
    const act = chance.weighted(Object.fromEntries(acts)) ?? "";
    const gap = gapOf[chance.weighted(gaps) ?? "none"](chance.next());
    return { name: `s${n}`, gap, actor, act };
  });
  return pace === "months" ? spread(steps, chance) : steps;
}

/** The longer gaps, made longer or shorter so that all take between six months and two years; figures are checked after some. */
function spread(steps: readonly Step[], chance: Chance): Step[] {
  const isLong = ({ gap }: Step) => gap > day;
  const span = chance.integer(183, 730) * day;
  const sum = steps.filter(isLong).reduce((total, { gap }) => total + gap, 0);
  return steps.map((step) => {
    if (!isLong(step)) return step;
    return { ...step, gap: (step.gap * span) / sum, ...(chance.is(0.3) && { isAfterCheck: true }) };
  });
}
