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

const checkouts = ["members.completeCheckout", "members.failCheckout"];

/** Reasons why acts cannot meet others, each with these acts and the others. */
const apart: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["An address has one account", ["accountHolders.join"], ["accountHolders.join"]],
  [
    "A person who is being imported has no account, and a customer no checkout, no portal and no member",
    [
      ...checkouts,
      "members.explore",
      "portalUsers.portal",
      "support.foreignSubscription",
      "accountHolders.signIn",
      "accountHolders.setPassword",
      "accountHolders.rename",
      "accountHolders.becomeAdmin",
    ],
    ["subscribers.moveHere"],
  ],
  [
    "A plan can be changed once a payment of it is known, and then its checkout is not open",
    checkouts,
    [
      "members.changeOwn",
      "members.thinkAgain",
      "members.dropOwnChange",
      "ownersOfMembers.change",
      "ownersOfMembers.dropChange",
    ],
  ],
];
const areApart = new Set(
  apart.flatMap(([, these, others]) => these.flatMap((one) => others.map((other) => [one, other].toSorted().join()))),
);

/**
 * All pairs of acts and triggers that can race, also of one with itself. Two changes at Stripe cannot: each of them is one
 * call, and neither runs code of Odis. Nothing but rate limits expires within the time of a pair.
 */
export const allPairs: readonly Pair[] = sides
  .flatMap((a, n) => sides.slice(n).map((b): Pair => [a, b]))
  .filter(
    (pair) => !pair.every(isAtStripe) && !pair.includes("operators.expire") && !areApart.has(pair.toSorted().join()),
  );
