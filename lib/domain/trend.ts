/**
 * Which communities trend. A join adds heat that halves every seven days: heat(now) = Σ weight · 2^(−age / half-life).
 *
 * What is kept is log2 Σ weight · 2^(time / half-life). As all heat fades alike, the order of these scores is the order
 * of heat at any moment: no score is ever written again because time has passed. One more of score is twice the heat.
 */
const halfLife = 7 * 86_400_000;

/** The heat of one join three weeks ago. */
const threshold = 0.125;

/** So that nobody trends by themselves. */
const leastJoiners = 3;

/** The score after one more join; null before the first one. In any order, the same joins give the same score. */
export function joined(score: number | null, at: Date, weight = 1): number {
  const one = at.getTime() / halfLife + Math.log2(weight);
  if (score === null) return one;
  return Math.max(score, one) + Math.log2(1 + 2 ** -Math.abs(score - one));
}

/** How much heat is left: 1 is one join this moment. */
export const heatOf = (score: number | null, now: Date): number =>
  score === null ? 0 : 2 ** (score - now.getTime() / halfLife);

export type Trend = {
  readonly score: number | null;
  /** How many different people have joined. */
  readonly joiners: number;
  /** What an admin has decided, whatever the heat. */
  readonly pin: "on" | "off" | null;
};

export function isTrending({ score, joiners, pin }: Trend, now: Date): boolean {
  if (pin !== null) return pin === "on";
  return joiners >= leastJoiners && heatOf(score, now) >= threshold;
}
