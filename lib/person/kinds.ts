import { activityFields } from "../fields/activity.ts";
import { erasedValues, type Fields, type PersonalIn } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { operationFields } from "../fields/operation.ts";
import { paymentFields } from "../fields/payment.ts";
import { refundFields } from "../fields/refund.ts";
import type { tables } from "../fields/tables.ts";
import { userFields } from "../fields/user.ts";
import type { Item } from "../store/expression.ts";
import type { ItemKind } from "../store/keys.ts";
import { fromItem } from "../store/members/item.ts";

/**
 * What an erasure does with an item of a kind.
 * - `impersonal`: it is about no person, or holds nothing of one but ids.
 * - `kept`: it is about the person and holds what accounting needs, without a name.
 * - `lapses`: it expires by itself. What holds personal data does so within two days and is given to nobody meanwhile.
 * - `deleted`.
 * - A function: the attributes to set.
 */
type Rule = "impersonal" | "kept" | "lapses" | "deleted" | ((item: Item) => Item);

/** A kind with a personal field in its table is changed or deleted. */
type RuleOf<Kind extends ItemKind> = Kind extends keyof typeof tables
  ? PersonalIn<(typeof tables)[Kind]> extends never
    ? Rule
    : Exclude<Rule, "impersonal" | "kept" | "lapses">
  : Rule;

const erasedBy =
  (fields: Fields) =>
  (item: Item): Item =>
    erasedValues(fields, item);

/** Every kind of item has a rule: a new line in `keys` does not compile without. */
export const rules: { readonly [Kind in ItemKind]: RuleOf<Kind> } = {
  adminAccess: "deleted",
  activity: erasedBy(activityFields),
  barrier: "impersonal",
  benefit: "impersonal",
  benefitParent: "impersonal",
  brand: "impersonal",
  brandActivity: "impersonal",
  brandOfProducer: "impersonal",
  chargeLock: "impersonal",
  community: "impersonal",
  communityActivity: "impersonal",
  customer: "kept",
  customerOf: "kept",
  delivery: "lapses",
  destination: "impersonal",
  destinationParent: "impersonal",
  directoryRow: "impersonal",
  dispute: "kept",
  due: "impersonal",
  email: "deleted",
  erasure: "kept",
  failed: "impersonal",
  listedCommunity: "impersonal",
  lease: "impersonal",
  mailboxProof: "deleted",
  movement: "kept",
  member: (item) => erasedValues(memberFields, fromItem(item)),
  memberParent: "kept",
  memberSearch: "deleted",
  membership: "kept",
  openErasure: "impersonal",
  openOperation: "impersonal",
  operation: erasedBy(operationFields),
  ownedCommunity: "impersonal",
  payment: erasedBy(paymentFields),
  progress: "impersonal",
  recount: "impersonal",
  recountedChanges: "impersonal",
  refund: erasedBy(refundFields),
  replay: "lapses",
  resend: "lapses",

  slug: "impersonal",
  snapshot: "impersonal",
  stats: "impersonal",
  streamRecord: "impersonal",
  stripeEvent: "impersonal",
  // Marked with the profile: it refuses the person's tokens until they have expired.
  subject: "lapses",
  subscription: "kept",
  sums: "impersonal",
  syncTurns: "impersonal",
  tier: "impersonal",
  tierParent: "impersonal",
  usage: "lapses",
  user: erasedBy(userFields),
};
