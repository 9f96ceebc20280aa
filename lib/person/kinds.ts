import { activityFields } from "../fields/activity.ts";
import { erasedValues, type Fields, type PersonalIn } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { operationFields } from "../fields/operation.ts";
import { paymentFields } from "../fields/payment.ts";
import { refundFields } from "../fields/refund.ts";
import type { tables } from "../fields/tables.ts";
import { transactionFields } from "../fields/transaction.ts";
import { userFields } from "../fields/user.ts";
import type { Item } from "../store/expression.ts";
import type { ItemKind } from "../store/keys.ts";
import { fromItem } from "../store/members/item.ts";

/**
 * How an erasure treats items of a kind.
 * - `impersonal`: not changed, because the item contains no personal data except ids.
 * - `kept`: not changed, because accounting needs the item. It contains no name.
 * - `lapses`: not changed, because the item expires. Items with personal data expire within two days and are not returned.
 * - `deleted`: deleted.
 * - A function returns the attributes to set.
 */
type Rule = "impersonal" | "kept" | "lapses" | "deleted" | ((item: Item) => Item);

/** An item of a kind whose table has a personal field is changed or deleted. */
type RuleOf<Kind extends ItemKind> = Kind extends keyof typeof tables
  ? PersonalIn<(typeof tables)[Kind]> extends never
    ? Rule
    : Exclude<Rule, "impersonal" | "kept" | "lapses">
  : Rule;

const erasedBy =
  (fields: Fields) =>
  (item: Item): Item =>
    erasedValues(fields, item);

/** The rule of each kind of item. The compiler requires one for each entry of `keys`. */
export const rules: { readonly [Kind in ItemKind]: RuleOf<Kind> } = {
  adminAccess: "deleted",
  // Belongs to the community, also if the person who created it is erased.
  apiKey: "impersonal",
  apiKeyOf: "impersonal",
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
  // Not personal: the event contains only ids, a status and amounts.
  delivery: "lapses",
  destination: "impersonal",
  destinationParent: "impersonal",
  directoryRow: "impersonal",
  dispute: "kept",
  due: "impersonal",
  email: "deleted",
  erasure: "kept",
  // Not personal: contains only ids, a status and amounts.
  event: "lapses",
  eventCount: "impersonal",
  failed: "impersonal",
  importedAs: "deleted",
  invitation: "deleted",
  invitationParent: "deleted",
  invitationTo: "deleted",
  listedCommunity: "impersonal",
  listedEvent: "lapses",
  // Counted in figures for years. Contains ids, amounts and times only; the member's name is looked up.
  listedMovement: "kept",
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
  reservedMember: "impersonal",
  refund: erasedBy(refundFields),
  replay: "lapses",
  resend: "lapses",

  slug: "impersonal",
  snapshot: "impersonal",
  stats: "impersonal",
  streamRecord: "impersonal",
  stripeEvent: "impersonal",
  // Marked as erased together with the profile, so that the person's tokens are refused until they expire.
  subject: "lapses",
  subscription: "kept",
  sums: "impersonal",
  syncTurns: "impersonal",
  teamMember: "deleted",
  teamOf: "deleted",
  tier: "impersonal",
  tierParent: "impersonal",
  transaction: erasedBy(transactionFields),
  usage: "lapses",
  user: erasedBy(userFields),
};
