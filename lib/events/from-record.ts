import type { Change, DomainEvent } from "../contract/events.ts";
import * as benefits from "../store/benefits.ts";
import * as brands from "../store/brands.ts";
import type { Item } from "../store/expression.ts";
import { kindOf } from "../store/keys.ts";
import { fromItem as memberFrom } from "../store/members/item.ts";
import type { StreamRecord } from "../store/stream-records.ts";
import { benefitChanges, brandChanges, memberChanges } from "./changes.ts";

/**
 * What a record of the table's stream means to others. Ids and sequences follow from the record alone, so that it gives
 * the same events whenever it is delivered.
 *
 * @throws Error for an item that is not what its key says
 */
export function eventsFrom({ eventId, key, at, before, after }: StreamRecord): DomainEvent[] {
  const read = <T>(item: Item | undefined, from: (item: Item) => T) => item && from(item);
  switch (kindOf(key)) {
    case "member": {
      const member = read(after, memberFrom);
      return member ? eventsOf(member, memberChanges(read(before, memberFrom), member)) : [];
    }
    case "benefit": {
      const [was, is] = [read(before, benefits.fromItem), read(after, benefits.fromItem)];
      return eventsOf(is ?? gone(was), benefitChanges(was, is));
    }
    case "brand": {
      const [was, is] = [read(before, brands.fromItem), read(after, brands.fromItem)];
      return eventsOf(is ?? gone(was), brandChanges(was, is));
    }
    case "activity":
    case "barrier":
    case "brandOfProducer":
    case "community":
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
    case "tier":
    case "user":
    case undefined:
      return [];
  }

  function eventsOf({ version, updated_at }: Versioned, changes: readonly Change[]): DomainEvent[] {
    return changes.map((change, n) => ({
      id: `${eventId}-${n}`,
      at: updated_at,
      sequence: version * eventsOfVersion + n,
      ...change,
    }));
  }

  /** The change that deletes a record is one more. */
  function gone(record: Versioned | undefined): Versioned {
    return { version: (record?.version ?? 0) + 1, updated_at: at };
  }
}

type Versioned = { readonly version: number; readonly updated_at: string };

/** More than one change can ever mean: all of the hundred refunds that a member's record shows, twice, and its own. */
const eventsOfVersion = 1000;
