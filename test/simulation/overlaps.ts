import { type Pair, sides } from "./pairs.ts";

/** The counts of `Touches`. */
type Counts = Readonly<Record<string, number>>;

/** How the second side of a pair touches what the first one writes. */
type How = "read" | "write";

/** The pairs of which one side writes items of a kind that the other side reads or writes. */
export function overlapping(counts: Counts, hows: readonly How[] = ["read", "write"]): Pair[] {
  const kinds = kindsIn(counts).filter(({ how }) => hows.some((one) => one === how));
  const has = (...of: readonly string[]) => counts[of.join()] !== undefined;
  return allPairs.filter(([a, b]) =>
    kinds.some(({ how, kind }) => {
      const touches = (side: string) => has(how, side, kind) || has("write", side, kind);
      return (has("write", a, kind) && touches(b)) || (has("write", b, kind) && touches(a));
    }),
  );
}

/** The kinds of which two causes have touched one item. `write`: both have written it. */
const kindsIn = (counts: Counts) =>
  Object.keys(counts).flatMap((name) => {
    const [shared, how = "", kind = ""] = name.split(",");
    return shared === "shared" ? [{ how, kind }] : [];
  });

/** Whether one side of a pair has written an item within half a second of the other side's read or write of it. */
export const hasMet = (counts: Counts, pair: Pair, hows: readonly How[] = ["read", "write"]): boolean =>
  hows.some((how) => counts[["met", how, ...pair.toSorted()].join()] !== undefined);

/** All pairs of acts and triggers, also of one with itself. */
export const allPairs: readonly Pair[] = sides.flatMap((a, n) => sides.slice(n).map((b): Pair => [a, b]));
