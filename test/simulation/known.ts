import type { Violation } from "./world/violation.ts";

type Sign = { readonly invariant: string; readonly text?: RegExp };

/**
 * Defects that are known and not mended yet, by what they show as, and what else is wrong in a history that shows them.
 * A run counts them and goes on. Whoever mends one takes it out of this list.
 */
const known: readonly {
  readonly defect: string;
  readonly shows: readonly Sign[];
  readonly entails?: readonly string[];
}[] = [
  {
    defect: "15.2: a tier can be deleted under its members",
    shows: [
      { invariant: "no 500", text: /has a tier that does not exist/ },
      { invariant: "references", text: /^member/ },
    ],
    entails: ["lists", "access", "directory", "audit entries", "tags"],
  },
  { defect: "15.3: tags follow the order of maps", shows: [{ invariant: "tags" }] },
  {
    defect: "15.4: metadata keys that are names of JavaScript",
    shows: [
      { invariant: "forbidden keys" },
      {
        invariant: "acknowledged writes",
        text: /metadata\S* (prototype|constructor|__proto__) |metadata\.(proto|constr)/,
      },
      { invariant: "no 500", text: /Empty attribute name|Unsupported type passed/ },
    ],
  },
  {
    defect: "15.5: a synchronization undoes an address that was edited here",
    shows: [{ invariant: "acknowledged writes", text: /shipping_address/ }],
  },
  {
    defect: "15.6: a synchronization of many refunds",
    shows: [
      { invariant: "no 500", text: /Value at 'transactItems'/ },
      { invariant: "audit entries", text: /refund.*too few/ },
    ],
    entails: ["sums", "as at Stripe", "leftovers", "projections", "audit entries", "directory"],
  },
  {
    defect: "15.7: ids of audit entries collide",
    shows: [
      { invariant: "no 500", text: /multiple operations on one item/ },
      { invariant: "audit entries", text: /too few/ },
    ],
  },
  { defect: "15.7: 50 tiers are no limit under races", shows: [{ invariant: "limits", text: /tiers$/ }] },
  { defect: "15.7: many writers on one record give way", shows: [{ invariant: "parallel writers" }] },
  { defect: "15.8: races on rows of the directory", shows: [{ invariant: "directory" }] },
  {
    defect: "15.9: operations that can never end hide all later ones",
    shows: [{ invariant: "leftovers", text: /hidden/ }],
  },
];

const isSign =
  ({ invariant, text }: Violation) =>
  (sign: Sign): boolean =>
    sign.invariant === invariant && (sign.text === undefined || sign.text.test(text));

/** What of a history is known, and what is not. */
export function sorted(violations: readonly Violation[]) {
  const found = known.filter(({ shows }) => violations.some((one) => shows.some(isSign(one))));
  const isKnown = (one: Violation): boolean =>
    found.some(({ shows, entails = [] }) => shows.some(isSign(one)) || entails.includes(one.invariant));
  return { defects: found.map(({ defect }) => defect), unknown: violations.filter((one) => !isKnown(one)) };
}
