import { type Change, type DomainEvent, subjectOf, subjectOfMember } from "../contract/events.ts";
import * as benefits from "../store/benefits.ts";
import * as brands from "../store/brands.ts";
import * as communities from "../store/communities.ts";
import * as destinations from "../store/destinations.ts";
import type { Item } from "../store/expression.ts";
import { communityOf, kindOf } from "../store/keys.ts";
import { fromItem as memberFrom, sequenceOf } from "../store/members/item.ts";
import { lastSequence } from "../store/sequence.ts";
import type { StreamRecord } from "../store/stream-records.ts";
import * as tiers from "../store/tiers.ts";
import { memberChanges } from "./member-changes.ts";
import { type RecordKind, type RecordState, recordChanges } from "./record-changes.ts";

type Versioned = { readonly id: number | string; readonly version: number; readonly updated_at: string };

/**
 * The events of a record of the table's stream. Ids and sequences depend only on the record and the epoch, so that repeated
 * deliveries of a record give the same events.
 *
 * @throws Error for an item that does not match the kind of its key
 */
export function eventsFrom(record: StreamRecord, epoch: number): DomainEvent[] {
  const kind = kindOf(record.key);
  switch (kind) {
    case "member":
      return eventsOfMember(record, epoch);
    case "community":
      return eventsOfRecord(kind, communities.fromItem, record, epoch);
    case "tier":
      return eventsOfRecord(kind, tiers.fromItem, record, epoch);
    case "benefit":
      return eventsOfRecord(kind, benefits.fromItem, record, epoch);
    case "destination":
      return eventsOfRecord("event_destination", destinations.fromItem, record, epoch);
    case "brand":
      return eventsOfRecord(kind, brands.fromItem, record, epoch);
    case "activity":
    case "apiKey":
    case "apiKeyOf":
    case "barrier":
    case "brandOfProducer":
    case "customerOf":
    case "delivery":
    case "dispute":
    case "erasure":
    case "invitation":
    case "invitationTo":
    case "listedEvent":
    case "listedMovement":
    case "memberParent":
    case "membership":
    case "movement":
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
      return [];
  }
}

function eventsOfMember({ eventId, at, before, after }: StreamRecord, epoch: number): DomainEvent[] {
  if (!after) return [];
  const [was, is] = [before && memberFrom(before), memberFrom(after)];
  const { community_id, changed_facts } = is;
  // A synchronization that changes nothing visible does not change `updated_at`.
  const timestamp = is.updated_at === was?.updated_at ? (changed_facts?.at ?? at) : is.updated_at;
  const subject = subjectOfMember(is);
  return numbered(eventId, memberChanges(was, is), { timestamp, subject, community_id, last: sequenceOf(is, epoch) });
}

function eventsOfRecord<K extends RecordKind>(
  kind: K,
  from: (item: Item) => RecordState<K> & Versioned,
  { eventId, key, at, before, after }: StreamRecord,
  epoch: number,
): DomainEvent[] {
  const [was, is] = [before && from(before), after && from(after)];
  const record = is ?? was;
  if (!record) return [];
  // The deletion counts as a version after the last one.
  const [version, timestamp] = is ? [is.version, is.updated_at] : [record.version + 1, at];
  return numbered(eventId, recordChanges(kind, was, is), {
    timestamp,
    subject: subjectOf(kind, record.id),
    community_id: kind === "brand" ? null : communityOf(key),
    last: lastSequence(version, epoch),
  });
}

/** Numbers the events of a write. The last event has the sequence of the write. */
const numbered = (
  eventId: string,
  changes: readonly Change[],
  { last, ...of }: Pick<DomainEvent, "timestamp" | "subject" | "community_id"> & { readonly last: number },
): DomainEvent[] =>
  changes.map((change, n) => ({ id: `${eventId}-${n}`, ...of, sequence: last - changes.length + 1 + n, ...change }));
