import type { Step } from "./plan.ts";

const mostTries = 300;

/** Removes steps as long as the remaining history still fails. */
export async function shorten(
  steps: readonly Step[],
  isStillWrong: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  let kept = steps;
  let tries = 0;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < kept.length && tries < mostTries; tries++) {
      const fewer = kept.toSpliced(at, size);
      if (await isStillWrong(fewer)) kept = fewer;
      else at += size;
    }
  return kept;
}
