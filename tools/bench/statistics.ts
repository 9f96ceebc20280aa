/** The smallest sample that is not exceeded by a share of all samples. 0.5 is the median, 0.99 the p99. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** The median of each figure over all samples. */
export function medians<Figures extends Readonly<Record<keyof Figures, number>>>(samples: readonly Figures[]): Figures {
  const names = Object.keys(samples[0] ?? {}) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, median(samples.map((sample) => sample[name]))])) as Figures;
}

/** A ratio with its 95 % confidence interval. */
export type Ratio = { readonly ratio: number; readonly low: number; readonly high: number };

/**
 * Ratio of the median of `a` to the median of `b`, with a bootstrap confidence interval. Resamples whole rounds,
 * because a slow round affects both.
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

/** Exponent of the growth of `y` with `x` (least squares): 0 is constant, 1 is linear. */
export function growthExponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.filter(([, y]) => y > 0).map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  if (logs.length < points.length) return points.every(([, y]) => y === 0) ? 0 : Number.NaN;
  const mean = (of: readonly number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
  const [meanX, meanY] = [mean(logs.map(([x]) => x)), mean(logs.map(([, y]) => y))];
  const covariance = mean(logs.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(logs.map(([x]) => (x - meanX) ** 2));
}

/**
 * Samples each case once per round in random order, so that other load on the machine affects all cases alike. Omits
 * the warm-up rounds.
 *
 * @returns the samples of each case in the order of rounds
 */
export async function interleaved<Case, Sample>(
  cases: readonly Case[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  sample: (testCase: Case, round: number) => Promise<Sample>,
): Promise<{ readonly testCase: Case; readonly samples: readonly Sample[] }[]> {
  const taken = cases.map((testCase) => ({ testCase, samples: [] as Sample[] }));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { testCase, samples } of shuffled(taken)) {
      const value = await sample(testCase, round);
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
