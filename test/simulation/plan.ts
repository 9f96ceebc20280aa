import { type ActorName, actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";

/** One act of an actor, so long after the one before. What it is about is drawn from its name. */
export type Step = { readonly name: string; readonly gap: number; readonly actor: ActorName; readonly act: string };

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** How long it is until the next act: mostly so short that acts overlap. */
const gaps = { none: 40, moment: 30, seconds: 14, minutes: 9, hours: 5, days: 2 } as const;

const gapOf = {
  none: (draw: number) => draw * 20,
  moment: (draw: number) => draw * 400,
  seconds: (draw: number) => draw * 20 * second,
  minutes: (draw: number) => draw * 90 * minute,
  hours: (draw: number) => draw * 40 * hour,
  days: (draw: number) => draw * 32 * day,
};

/** What happens in a history, decided by its seed alone. */
export function planOf(seed: string): Step[] {
  const chance = new Chance(`${seed} plan`);
  const weights = Object.fromEntries(Object.entries(actors).map(([name, { weight }]) => [name, weight]));
  return Array.from({ length: chance.integer(60, 80) }, (_, n): Step => {
    const actor = chance.weighted<ActorName>(weights) ?? "members";
    const acts = Object.entries(actors[actor].acts).map(([name, [weight]]) => [name, weight] as const);
    const act = chance.weighted(Object.fromEntries(acts)) ?? "";
    const gap = gapOf[chance.weighted(gaps) ?? "none"](chance.next());
    return { name: `s${n}`, gap, actor, act };
  });
}
