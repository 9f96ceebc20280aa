import { type ActorName, actors } from "./actors/actors.ts";
import { Chance } from "./chance.ts";
import type { Step } from "./plan.ts";

/** An act by its actor and name, such as `support.cancel`. */
type ActName = { readonly actor: ActorName; readonly act: string };
export type Pair = readonly [ActName, ActName];

/** Acts that create the subjects of pairs, with their weights. */
const makers = { "members.join": 6, "importers.import": 3, "ownersOfCommunities.createBenefit": 1 };

/** How often the pair runs in a history. */
const rounds = 20;
/** Maximum time between the two acts of a pair, in milliseconds. */
const apart = 20;

/** Parses two acts, separated by a comma. @throws Error for text that does not name two acts */
export function pairOf(text: string): Pair {
  const [first, second, ...more] = text.split(",").map(actOf);
  if (!first || !second || more.length > 0)
    throw new Error("A pair is two acts, such as dataSubjects.erase,support.cancel");
  return [first, second];
}

function actOf(text: string): ActName {
  const [actor = "", act = ""] = text.split(".");
  const repertoire = Object.entries(actors).find(([name]) => name === actor);
  if (!repertoire || !Object.hasOwn(repertoire[1].acts, act)) throw new Error(`There is no act ${text}`);
  return { actor: repertoire[0] as ActorName, act };
}

/** Creates a few records, and repeatedly runs the two acts of a pair on one of them at almost the same time. */
export function planOfPair(seed: string, [first, second]: Pair): Step[] {
  const chance = new Chance(`${seed} pair`);
  const make = (): ActName => actOf(chance.weighted(makers) ?? "members.join");
  const steps = Array.from({ length: 8 }, (): Omit<Step, "name"> => ({ ...make(), gap: 3000 }));
  for (let round = 0; round < rounds; round++) {
    const subject = `pair ${round}`;
    const isReversed = chance.is(0.5);
    const [before, after] = isReversed ? [second, first] : [first, second];
    steps.push({ ...make(), gap: 2000 }, { ...before, subject, gap: 3000 * chance.next() });
    steps.push({ ...after, subject, gap: apart * chance.next() });
  }
  return steps.map((step, n) => ({ name: `s${n}`, ...step }));
}
