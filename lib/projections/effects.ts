import * as v from "valibot";
import { type Change, changeOf, changeOfDays } from "../domain/figures.ts";
import { StoredMovement } from "../domain/movement-list.ts";
import { addDays, type SumsByDay, sumsOfMovement } from "../domain/series.ts";
import { communityFields } from "../fields/community.ts";
import { shownIn } from "../fields/field.ts";
import type { Item } from "../store/expression.ts";
import { communityOf, kindOf } from "../store/keys.ts";
import { fromItem, revisionOf } from "../store/members/item.ts";
import type { StreamRecord } from "../store/stream-records.ts";

/** The effect of a stream record on the projections of its community. */
export type Effect = {
  readonly eventId: string;
  readonly communityId: number;
  /** Time of the change, in whole seconds. */
  readonly at: string;
} & (
  | Counted
  /** A change of community fields that the directory shows. */
  | { readonly kind: "row" }
  | { readonly kind: "barrier"; readonly nonce: string }
);

/** A change of a member, or a movement. `revision` is incremented by every write of the item. */
type Counted = { readonly kind: "counted"; readonly change: Change; readonly sk: string; readonly revision: number };

/** Maximum number of days in an effect, so that it fits into a transaction. */
const mostDays = 20;

/**
 * The effects of a record: one, or several for a member who has paid on many days.
 *
 * @throws Error for an item that does not match the kind of its key
 */
export function effectsOf(record: StreamRecord): Effect[] {
  const effect = effectOf(record);
  if (effect?.kind !== "counted") return effect ? [effect] : [];
  const days = Object.entries(effect.change.days);
  const first = { ...effect, change: { ...effect.change, days: Object.fromEntries(days.slice(0, mostDays)) } };
  const others = Array.from({ length: Math.ceil(days.length / mostDays) - 1 }, (_, n): Effect => {
    const some = Object.fromEntries(days.slice((n + 1) * mostDays, (n + 2) * mostDays));
    return { ...effect, eventId: `${effect.eventId}/${n + 2}`, change: changeOfDays(some) };
  });
  return [first, ...others];
}

function effectOf({ eventId, key, at, before, after }: StreamRecord): Effect | undefined {
  const of = { eventId, communityId: communityOf(key), at };
  switch (kindOf(key)) {
    case "member": {
      const member = after && fromItem(after);
      const change = changeOf(before && fromItem(before), member);
      // A deletion counts as newer than every revision of the member.
      const revision = member ? revisionOf(member) : Number.MAX_SAFE_INTEGER;
      return change && { ...of, kind: "counted", change, sk: key.sk, revision };
    }
    case "movement": {
      const days = addDays(daysOfMovement(after), daysOfMovement(before), -1);
      return { ...of, kind: "counted", change: changeOfDays(days), sk: key.sk, revision: 1 };
    }
    case "barrier":
      return after && { ...of, kind: "barrier", nonce: String(after.nonce) };
    case "community":
      return differ(before, after, shownOfCommunity) && before?.directory_key === after?.directory_key
        ? { ...of, kind: "row" }
        : undefined;
    case "tier":
      return differ(before, after, shownOfTier) ? { ...of, kind: "row" } : undefined;
    case "activity":
    case "apiKey":
    case "apiKeyOf":
    case "benefit":
    case "brand":
    case "brandOfProducer":
    case "customerOf":
    case "delivery":
    case "destination":
    case "dispute":
    case "erasure":
    case "invitation":
    case "invitationTo":
    case "listedEvent":
    case "listedMovement":
    case "memberParent":
    case "membership":
    case "operation":
    case "ownedCommunity":
    case "payment":
    case "refund":
    case "subscription":
    case "teamMember":
    case "teamOf":
    case "transaction":
    case "user":
    case undefined:
      return undefined;
  }
}

/** The sums that a movement's item adds to its day. */
export function daysOfMovement(item: Item | undefined): SumsByDay {
  if (!item) return {};
  const movement = v.parse(StoredMovement, item);
  return { [movement.at.slice(0, 10)]: sumsOfMovement(movement) };
}

const shownOfCommunity = shownIn(communityFields, "directory");
const shownOfTier = ["name", "badge"];

const differ = (before: Item | undefined, after: Item | undefined, names: readonly string[]): boolean =>
  names.some((name) => before?.[name] !== after?.[name]);
