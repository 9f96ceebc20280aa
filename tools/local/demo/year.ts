/** An event some days after a person first joined. The customer is synchronized after each. */
export type Happening = { readonly after: number } & (
  | { readonly does: "join"; readonly tier: number; readonly isDeclined?: true }
  | { readonly does: "nothing" }
  /** Replaces the card by one that pays or that fails. */
  | { readonly does: "change card"; readonly pays: boolean }
  /** Moves the subscription to the current price of a tier, which can be the same tier. */
  | { readonly does: "change price"; readonly tier: number }
  /** Schedules a change to another tier for the end of the period. */
  | { readonly does: "change later"; readonly tier: number }
  | {
      readonly does: "cancel";
      readonly mode: "at_period_end" | "immediately";
      readonly feedback: "too_expensive" | "unused" | "other";
    }
  | { readonly does: "refund"; readonly amount_cents: number; readonly note: string }
  | { readonly does: "block"; readonly reason: string }
);

/** A person who joined some days ago, and their later events. */
export type Life = { readonly community: number; readonly joined: number; readonly happens: readonly Happening[] };

/** When the price of tier 11 was raised, and when the owner moved some members to the new price, in days ago. */
export const repriced = { tier: 11, from: 8, to: 10, ago: 170, membersMoved: 139 } as const;

/**
 * Number of days ago at which the account's setting changed. Since then, a subscription with failed payments becomes
 * unpaid. Before, it was canceled.
 */
export const unpaidSince = 60;

/** The longest month in days. A renewal is due by then. */
const month = 31;

const joins = (tier: number): Happening => ({ after: 0, does: "join", tier });

/** Returns the events that end a membership, from a given month on. */
type Fate = (from: number) => readonly Happening[];

const stays: Fate = () => [];
const leaves: Fate = (from) => [
  { after: from * month + 10, does: "cancel", mode: "at_period_end", feedback: from % 2 === 0 ? "unused" : "other" },
  { after: (from + 1) * month + 1, does: "nothing" },
];
const leavesAtOnce: Fate = (from) => [
  { after: from * month + 3, does: "cancel", mode: "immediately", feedback: "too_expensive" },
];
const comesBack: Fate = (from) => [...leaves(from), { after: (from + 3) * month, does: "join", tier: 11 }];
const paysLate: Fate = (from) => [
  { after: from * month - 20, does: "change card", pays: false },
  { after: from * month + 1, does: "nothing" },
  { after: from * month + 2, does: "change card", pays: true },
  { after: from * month + 9, does: "nothing" },
];
const paysNoMore: Fate = (from) => [
  { after: from * month - 20, does: "change card", pays: false },
  { after: from * month + 1, does: "nothing" },
  { after: from * month + 16, does: "nothing" },
];
const movesUp: Fate = (from) => [{ after: from * month + 5, does: "change price", tier: 13 }];
const movesDown: Fate = (from) => [{ after: from * month + 7, does: "change price", tier: 11 }];
const isRefunded: Fate = (from) => [
  { after: from * month + 4, does: "refund", amount_cents: 500, note: "The tasting was canceled" },
];

/** Number of people who joined in each month. The latest month is last. */
const joinedByMonth = [2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8];
const tiers = [11, 13, 12, 11, 11, 12, 13];
const fates = [
  stays,
  leaves,
  stays,
  movesUp,
  stays,
  paysLate,
  leavesAtOnce,
  stays,
  comesBack,
  isRefunded,
  paysNoMore,
  stays,
  movesDown,
];

/** The histories of ordinary members, who joined within the last year. */
function ordinaryLives(): Life[] {
  const lives: Life[] = [];
  for (const [n, count] of joinedByMonth.entries())
    for (let place = 0; place < count; place++) {
      const joined = (joinedByMonth.length - n) * 30 - Math.floor((place * 30) / count) - 1;
      lives.push(ordinaryLife(lives.length, joined));
    }
  return lives;
}

function ordinaryLife(n: number, joined: number): Life {
  const tier = tiers[n % tiers.length] ?? 11;
  const fate = fates[n % fates.length] ?? stays;
  const isMoved = tier === repriced.tier && joined > repriced.ago && fate === stays;
  // Events are counted from the first payment, which follows the trial.
  const trial = tier === 12 ? 14 : 0;
  const happens = [
    joins(tier),
    ...(trial > 0 ? [{ after: trial + 1, does: "nothing" } as const] : []),
    ...fate(1 + (n % 4)).map((happening) => ({ ...happening, after: happening.after + trial })),
    ...(isMoved ? [{ after: joined - repriced.membersMoved, does: "change price", tier } as const] : []),
  ];
  return { community: 1, joined, happens };
}

/** One member of every kind, some with actions of their owner today. The first is the person whose token is printed. */
const specialLives: readonly Life[] = [
  { community: 1, joined: 130, happens: [joins(12), { after: 15, does: "nothing" }] },
  { community: 1, joined: 5, happens: [joins(12)] },
  { community: 1, joined: 33, happens: [joins(11), { after: 1, does: "change card", pays: false }] },
  { community: 1, joined: 55, happens: [joins(11), { after: 1, does: "change card", pays: false }] },
  {
    community: 1,
    joined: 70,
    happens: [joins(13), { after: 69.8, does: "cancel", mode: "immediately", feedback: "too_expensive" }],
  },
  { community: 1, joined: 0, happens: [{ after: -0.1, does: "join", tier: 11, isDeclined: true }] },
  { community: 1, joined: 95, happens: [joins(11), { after: 94.9, does: "block", reason: "Resold member bottles" }] },
  {
    community: 1,
    joined: 100,
    happens: [joins(13), { after: 99.9, does: "refund", amount_cents: 4500, note: "The bottle arrived broken" }],
  },
  {
    community: 1,
    joined: 40,
    happens: [joins(11), { after: 39.9, does: "cancel", mode: "at_period_end", feedback: "unused" }],
  },
  { community: 1, joined: 100, happens: [joins(11), ...leavesAtOnce(1), { after: 91, does: "join", tier: 11 }] },
  { community: 1, joined: 80, happens: [joins(11), { after: 68, does: "change price", tier: 13 }] },
  { community: 1, joined: 110, happens: [joins(13), { after: 91, does: "change price", tier: 11 }] },
  ...[90, 70, 50].map((joined, n) => ({ community: 2, joined, happens: [joins(21 + (n % 2))] })),
];

/** All people of the demo. */
export const lives: readonly Life[] = [...specialLives, ...ordinaryLives()];
