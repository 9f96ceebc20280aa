import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Item } from "#lib/store/expression.ts";
import { type ItemKind, type Key, keys } from "#lib/store/keys.ts";

/** Items that a release of Odis stored, by kind. */
export type Items = Readonly<Record<string, readonly (Key & Item)[]>>;

/**
 * SHA-256 of each release's recorded items. The items of a release must not change, because they represent stored data.
 */
export const released: Readonly<Record<string, string>> = {
  "1.0.0": "c09c19c7367674ee0bffaa5b84c294ae5c75d779dff2db6ca1b85b09afd8ffba",
  f2c66f8: "d0b185507546d3f7d2ccb21b65a463daf5795403435cb26502346acf0baafdc7",
};

/** Name of the version under development. Its items are recorded again when it stores different ones. */
export const current = "unreleased";

export const fileOf = (release: string): string => join(import.meta.dirname, "items", `${release}.json`);

export const itemsOf = (release: string): Items => JSON.parse(readFileSync(fileOf(release), "utf8"), revive) as Items;

/** Returns a time at which none of the items has expired. */
export const timeOf = (items: readonly Item[]): Date =>
  new Date(
    (Math.min(...items.flatMap(({ expires_at }) => (expires_at === undefined ? [] : Number(expires_at)))) - 1) * 1000,
  );

/**
 * Reads the oldest form of a record's item: from the first release that stored the record, with the fewest attributes.
 */
export const oldestOf = (record: string): Item =>
  JSON.parse(readFileSync(join(oldest, `${record}.json`), "utf8"), revive) as Item;
export const oldest = join(import.meta.dirname, "../../lib/fields/oldest");

/** Encodes bytes and sets, which JSON does not support. */
const replace = (_: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  return value instanceof Set ? { $set: [...value] } : value;
};
const revive = (_: string, value: unknown): unknown => {
  const { $bytes, $set } = Object(value) as { readonly $bytes?: string; readonly $set?: unknown[] };
  if ($bytes !== undefined) return new Uint8Array(Buffer.from($bytes, "base64"));
  return $set ? new Set($set) : value;
};

/** Formats one item per line, so that a diff shows the items that differ. */
export const textOf = (items: Items): string => {
  const kinds = Object.entries(items).map(
    ([kind, stored]) => `"${kind}": [\n${stored.map((item) => JSON.stringify(item, replace)).join(",\n")}\n]`,
  );
  return `{\n${kinds.join(",\n")}\n}\n`;
};

const at = "2026-11-03T00:00:00.000Z";

const examples: Readonly<Record<ItemKind, readonly Key[]>> = {
  activity: [keys.activity(1, 2)],
  adminAccess: [keys.adminAccess("a-1")],
  apiKey: [keys.apiKey(1)],
  apiKeyOf: [keys.apiKeyOf(1, 2)],
  barrier: [keys.barrier(1)],
  benefit: [keys.benefit(1, 2)],
  benefitParent: [keys.benefitParent(2)],
  brand: [keys.brand("b-1")],
  brandActivity: [keys.brandActivity("b-1", 2)],
  brandOfProducer: [keys.brandOfProducer("p-1", "b-1")],
  chargeLock: [keys.chargeLock("ch_1")],
  community: [keys.community(1)],
  communityActivity: [keys.communityActivity(1, 2)],
  customer: [keys.customer("cus_1")],
  customerOf: [keys.customerOf(1, 2)],
  delivery: [keys.delivery(1, 2)],
  destination: [keys.destination(1, 2)],
  destinationParent: [keys.destinationParent(1)],
  directoryRow: [keys.directoryRow(1, 2)],
  dispute: [keys.dispute(1, "dp_1")],
  due: [keys.due(at, 1, 2)],
  email: [keys.email("ana@example.com")],
  erasure: [keys.erasure(1)],
  event: [keys.event("a-1")],
  eventCount: [keys.eventCount(1)],
  failed: [keys.failed(at, "a")],
  importedAs: [keys.importedAs("a-1", 2)],
  invitation: [keys.invitation(1, 2)],
  invitationParent: [keys.invitationParent(2)],
  invitationTo: [keys.invitationTo("a-1", 2)],
  lease: [keys.lease("a")],
  listedCommunity: [keys.listedCommunity("active", 1), keys.listedCommunity("archived", 1)],
  listedEvent: [keys.listedEvent(1, 2)],
  listedMovement: [keys.listedMovement(1, 2, at, 3)],
  mailboxProof: [keys.mailboxProof("a-1")],
  member: [keys.member(1, 2)],
  memberParent: [keys.memberParent(2)],
  memberSearch: [keys.memberSearch(1, "ana", 2)],
  membership: [keys.membership(1, 2)],
  movement: [keys.movement(1, 2, at, 3)],
  openErasure: [keys.openErasure(at, 1)],
  openOperation: [keys.openOperation(at, "op_1")],
  operation: [keys.operation(1, "op_1")],
  ownedCommunity: [keys.ownedCommunity(1, 2)],
  payment: [keys.payment(1, at, "in_1")],
  progress: [keys.progress("members")],
  recount: [keys.recount(1)],
  recountedChanges: [keys.recountedChanges(1, 2)],
  refund: [keys.refund(1, at, "re_1")],
  replay: [keys.replay("op_1")],
  reservedMember: [keys.reservedMember(2)],
  resend: [keys.resend(1)],
  slug: [keys.slug("a-1")],
  snapshot: [keys.snapshot()],
  stats: [keys.stats(1)],
  streamRecord: [keys.streamRecord("a-1")],
  stripeEvent: [keys.stripeEvent("evt_1")],
  subject: [keys.subject("a-1")],
  subscription: [keys.subscription(1, "sub_1")],
  sums: [keys.sums(1, "2026-11-03"), keys.sums(1, "2026-11")],
  syncTurns: [keys.syncTurns("cus_1")],
  teamMember: [keys.teamMember(1, 2)],
  teamOf: [keys.teamOf(1, 2)],
  tier: [keys.tier(1, 2)],
  tierParent: [keys.tierParent(2)],
  transaction: [
    keys.transaction(1, "payment", `${at}#in_1`),
    keys.transaction(1, "refund", `${at}#re_1`),
    keys.transaction(1, "dispute", `${at}#du_1`),
  ],
  usage: [keys.usage("a-1", "b-1")],
  user: [keys.user(1)],
};

const partsOf = ({ pk, sk }: Key): string[] => `${pk}#|#${sk}`.split("#");
const words = new Set(
  Object.values(examples)
    .flat()
    .flatMap(partsOf)
    .filter((part) => /^[A-Z|]+$/.test(part)),
);

/** The constant words of a key. Each run of ids and texts becomes one `*`. */
const shapeOf = (key: Key): string =>
  partsOf(key)
    .map((part) => (words.has(part) ? part : "*"))
    .filter((part, n, parts) => part !== "*" || parts[n - 1] !== "*")
    .join("#");

const kinds = new Map(
  Object.entries(examples).flatMap(([kind, found]) => found.map((key) => [shapeOf(key), kind as ItemKind])),
);

/** Returns the kind of an item by its keys. @throws Error for an item that matches no entry of `keys` */
export function kindOf(key: Key): ItemKind {
  const kind = kinds.get(shapeOf(key));
  if (!kind) throw new Error(`No kind of item has a key like ${shapeOf(key)}`);
  return kind;
}
