import { activityFields } from "../fields/activity.ts";
import { erasedValues } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { operationFields } from "../fields/operation.ts";
import { paymentFields } from "../fields/payment.ts";
import { refundFields } from "../fields/refund.ts";
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

/** Every kind of item has a rule: a new line in `keys` does not compile without. */
export const rules: Readonly<Record<ItemKind, Rule>> = {
  adminAccess: "deleted",
  activity: (item) => erasedValues(activityFields, item),
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
  // Its event holds ids, a status and sums, as the member that it is about does.
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
  operation: (item) => erasedValues(operationFields, item),
  ownedCommunity: "impersonal",
  payment: (item) => erasedValues(paymentFields, item),
  progress: "impersonal",
  recount: "impersonal",
  recountedChanges: "impersonal",
  refund: (item) => erasedValues(refundFields, item),
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
  user: (item) => erasedValues(userFields, item),
};
