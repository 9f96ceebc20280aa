/**
 * Half-life of heat, in milliseconds. Joins make a community trend: heat(now) = Σ weight · 2^(−age / half-life).
 *
 * The stored score is log2 Σ weight · 2^(time / half-life). It does not change with time, and the order of scores is the
 * order of heat at any time. A score that is higher by 1 is twice the heat.
 */
const halfLife = 7 * 86_400_000;

/** Minimum heat to trend: that of one join three weeks ago. */
const threshold = 0.125;

/** Minimum number of joiners to trend, so that a single person cannot make a community trend. */
const leastJoiners = 3;

/** The score after another join. The order of joins does not matter. `score` is null before the first join. */
export function joined(score: number | null, at: Date, weight = 1): number {
  const joinScore = at.getTime() / halfLife + Math.log2(weight);
  if (score === null) return joinScore;
  return Math.max(score, joinScore) + Math.log2(1 + 2 ** -Math.abs(score - joinScore));
}

/** The current heat. A join has heat 1 at its time. */
export const heatOf = (score: number | null, now: Date): number =>
  score === null ? 0 : 2 ** (score - now.getTime() / halfLife);

export type Trend = {
  readonly score: number | null;
  /** Number of different people who have joined. */
  readonly joiners: number;
  /** Decision of an admin, regardless of the heat. */
  readonly pin: "on" | "off" | null;
};

export function isTrending({ score, joiners, pin }: Trend, now: Date): boolean {
  if (pin !== null) return pin === "on";
  return joiners >= leastJoiners && heatOf(score, now) >= threshold;
}
