import { type Change, changeOf } from "../domain/figures.ts";
import type { Item } from "../store/expression.ts";
import { communityOf, kindOf } from "../store/keys.ts";
import { fromItem, revisionOf } from "../store/members/item.ts";
import type { StreamRecord } from "../store/stream-records.ts";

/** What a record of the stream means for the projections of its community. */
export type Effect = {
  readonly eventId: string;
  readonly communityId: number;
} /** `revision` rises with every write of the member. */ & (
  | { readonly kind: "member"; readonly change: Change; readonly memberId: number; readonly revision: number }
  /** What the directory shows of the community itself is another. */
  | { readonly kind: "row" }
  | { readonly kind: "barrier"; readonly nonce: string }
);

/** @throws Error for an item that does not match the kind of its key */
export function effectOf({ eventId, key, before, after }: StreamRecord): Effect | undefined {
  const of = { eventId, communityId: communityOf(key) };
  switch (kindOf(key)) {
    case "member": {
      const member = after && fromItem(after);
      const change = changeOf(before && fromItem(before), member);
      // A member who is no longer there is newer than any revision of theirs.
      const revision = member ? revisionOf(member) : Number.MAX_SAFE_INTEGER;
      return change && { ...of, kind: "member", change, memberId: member?.id ?? 0, revision };
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
    case "benefit":
    case "brand":
    case "brandOfProducer":
    case "customerOf":
    case "delivery":
    case "destination":
    case "dispute":
    case "erasure":
    case "memberParent":
    case "membership":
    case "operation":
    case "ownedCommunity":
    case "payment":
    case "refund":
    case "subscription":
    case "user":
    case undefined:
      return undefined;
  }
}

const shownOfCommunity = ["uuid", "name", "slug", "avatar_url", "status", "trending_pin"];
const shownOfTier = ["name", "badge"];

const differ = (before: Item | undefined, after: Item | undefined, names: readonly string[]): boolean =>
  names.some((name) => before?.[name] !== after?.[name]);
