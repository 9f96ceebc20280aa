import { isAtStripe, type Pair, sides } from "./pairs.ts";

/** The counts of `Touches`. */
type Counts = Readonly<Record<string, number>>;

/** How the second side of a pair touches what the first one writes. */
type How = "read" | "write";

/** The share of the histories with an act below which what it touches is an accident, such as a conflict with a rename. */
const accidents = 0.02;

/** The pairs of which one side writes items of a kind that the other side reads or writes. */
export function overlapping(counts: Counts, hows: readonly How[] = ["read", "write"]): Pair[] {
  const written = Object.keys(counts).filter((name) => name.startsWith("write,"));
  const kinds = [...new Set(written.map((name) => name.split(",")[2] ?? ""))];
  const does = (how: How, side: string, kind: string) =>
    (counts[[how, side, kind].join()] ?? 0) > accidents * (counts[["ran", side].join()] ?? 0);
  const isRelated = (a: string, b: string) =>
    kinds.some((kind) => does("write", a, kind) && hows.some((how) => does(how, b, kind)));
  return allPairs.filter(([a, b]) => isRelated(a, b) || isRelated(b, a));
}

/** Whether one side of a pair has written an item within half a second of the other side's read or write of it. */
export const hasMet = (counts: Counts, pair: Pair, hows: readonly How[] = ["read", "write"]): boolean =>
  hows.some((how) => counts[["met", how, ...pair.toSorted()].join()] !== undefined);

/** Acts that change the plan of a subscription. They are refused before its first payment is known. */
const plans = [
  "members.changeOwn",
  "members.thinkAgain",
  "members.dropOwnChange",
  "ownersOfMembers.change",
  "ownersOfMembers.dropChange",
];

/** Reasons why pairs cannot meet, each with the pairs. */
const apart: readonly (readonly [string, readonly Pair[]])[] = [
  ["An address has one account", [["accountHolders.join", "accountHolders.join"]]],
  [
    "A person who is being imported has no account",
    ["members.explore", ...["signIn", "setPassword", "rename", "becomeAdmin"].map((act) => `accountHolders.${act}`)].map(
      (act): Pair => [act, "subscribers.moveHere"],
    ),
  ],
  [
    "A customer who is being imported has no checkout and no portal, and is no member",
    ["members.completeCheckout", "members.failCheckout", "portalUsers.portal", "support.foreignSubscription"].map(
      (act): Pair => [act, "subscribers.moveHere"],
    ),
  ],
  [
    "A subscription whose checkout is open cannot change",
    ["members.completeCheckout", "members.failCheckout"].flatMap((checkout) => plans.map((plan): Pair => [checkout, plan])),
  ],
];
const areApart = new Set(apart.flatMap(([, pairs]) => pairs.map((pair) => pair.toSorted().join())));

/**
 * All pairs of acts and triggers that can race, also of one with itself. Two changes at Stripe cannot: each of them is one
 * call, and neither runs code of Odis. Nothing but rate limits expires within the time of a pair.
 */
export const allPairs: readonly Pair[] = sides
  .flatMap((a, n) => sides.slice(n).map((b): Pair => [a, b]))
  .filter((pair) => !pair.every(isAtStripe) && !pair.includes("operators.expire") && !areApart.has(pair.toSorted().join()));
