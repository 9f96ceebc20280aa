/** The smallest sample that a share of all samples does not exceed: 0.5 is the median, 0.99 the p99. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** The median of each figure of some samples. */
export function medians<Figures extends Readonly<Record<keyof Figures, number>>>(samples: readonly Figures[]): Figures {
  const names = Object.keys(samples[0] ?? {}) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, median(samples.map((sample) => sample[name]))])) as Figures;
}

/** A ratio, and between which two it was in 95 of 100 resamplings. */
export type Ratio = { readonly ratio: number; readonly low: number; readonly high: number };

/**
 * How many times the median of `b` the median of `a` is, and how sure that is: a bootstrap that draws whole rounds, as
 * what slowed one round down slowed both.
 */
export function ratioOf(a: readonly number[], b: readonly number[]): Ratio {
  const rounds = Array.from(a.keys());
  const ratioIn = (chosen: readonly number[]) =>
    median(chosen.map((n) => a[n] ?? 0)) / median(chosen.map((n) => b[n] ?? 0));
  const resampled = Array.from({ length: 1000 }, () =>
    ratioIn(rounds.map(() => Math.floor(Math.random() * rounds.length))),
  );
  return { ratio: ratioIn(rounds), low: percentile(resampled, 0.025), high: percentile(resampled, 0.975) };
}

/** The power of `x` that `y` grows with: 0 where it does not, 1 where twice as many cost twice as much (least squares). */
export function growthExponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.filter(([, y]) => y > 0).map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  if (logs.length < points.length) return points.every(([, y]) => y === 0) ? 0 : Number.NaN;
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [meanX, meanY] = [mean(logs.map(([x]) => x)), mean(logs.map(([, y]) => y))];
  const covariance = mean(logs.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(logs.map(([x]) => (x - meanX) ** 2));
}

/**
 * Samples every case once a round, in a new order each time, so that whatever else the machine does meets all cases
 * alike. The samples of each case are in the order of rounds, without those that only warmed up.
 */
export async function interleaved<Case, Sample>(
  cases: readonly Case[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  sample: (one: Case, round: number) => Promise<Sample>,
): Promise<{ readonly one: Case; readonly samples: readonly Sample[] }[]> {
  const taken = cases.map((one) => ({ one, samples: [] as Sample[] }));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { one, samples } of shuffled(taken)) {
      const value = await sample(one, round);
      if (round >= warmUp) samples.push(value);
    }
  }
  return taken;
}

const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
