/** What a table of fields must not be able to say. Each is a compile error, and `tsc` fails where one stops being so. */
import * as v from "valibot";
import { defineFields, type EntriesSetBy } from "#lib/fields/field.ts";
import { rules } from "#lib/person/kinds.ts";
import { memberIndex } from "#lib/store/members/index-keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { stripeOwned, syncedAttributes } from "#lib/store/members/sync.ts";

type Terms = {
  readonly oldest: "id" | "name";
  readonly set: "post" | "patch" | "sync";
  readonly shown: "api" | "event";
};
const define = defineFields<Terms>();

const Text = v.string();
const impersonal = { stored: Text, before: "", set: ["patch"], shown: ["api"], personal: false } as const;

const guest = define({
  name: { stored: Text, set: ["post", "patch"], shown: ["api"], personal: { erased: "" } },
  seat: { ...impersonal, shown: ["api", "event"] },
  nickname: { ...impersonal, before: undefined, personal: { erased: (name: string) => name.slice(0, 1) } },
  spent: { ...impersonal, set: ["sync"] },
});

export const impossible = [
  // @ts-expect-error a field that the oldest item lacks has a value for older items, or says that they have none
  define({ seat: { stored: Text, set: ["patch"], shown: ["api"], personal: false } }),
  // @ts-expect-error the value for older items is one that can be stored
  define({ seat: { ...impersonal, before: 12 } }),
  // @ts-expect-error a field says whether it is personal
  define({ seat: { stored: Text, before: "", set: ["patch"], shown: ["api"] } }),
  // @ts-expect-error a personal field says what an erasure leaves of it
  define({ seat: { ...impersonal, personal: true } }),
  // @ts-expect-error an erasure leaves a value that can be stored
  define({ seat: { ...impersonal, personal: { erased: null } } }),
  // @ts-expect-error an event shows no personal field
  define({ seat: { ...impersonal, shown: ["api", "event"], personal: { erased: "" } } }),
  // @ts-expect-error an event shows no field with a personal part
  define({ seat: { ...impersonal, shown: ["event"], personal: { reduced: (seat: string) => seat } } }),
  // @ts-expect-error a field says which writes may set it
  define({ seat: { stored: Text, before: "", shown: ["api"], personal: false } }),
  // @ts-expect-error only the writes of the record set fields
  define({ seat: { ...impersonal, set: ["put"] } }),
  // @ts-expect-error only the places of the record show fields
  define({ seat: { ...impersonal, shown: ["csv"] } }),
];

const patch = { name: v.optional(Text), seat: v.optional(Text), nickname: v.optional(Text) };
export const body = patch satisfies EntriesSetBy<typeof guest, "patch">;
// @ts-expect-error a PATCH sets no field that its owner may not set
export const widened = { ...patch, spent: v.optional(Text) } satisfies EntriesSetBy<typeof guest, "patch">;
// @ts-expect-error a PATCH offers each field that it may set
export const narrowed = { name: patch.name, seat: patch.seat } satisfies EntriesSetBy<typeof guest, "patch">;
// @ts-expect-error a PATCH sets values that can be stored
export const mistyped = { ...patch, seat: v.optional(v.number()) } satisfies EntriesSetBy<typeof guest, "patch">;

declare const member: StoredMember;
const index = { status_pk: memberIndex.status(1, member.status), tier_pk: memberIndex.tier(1, member.tier_id) };
export const synced = syncedAttributes({ ...index, ...stripeOwned(member), sync_version: 2 });
// @ts-expect-error a synchronization writes no field that people own
export const blocking = syncedAttributes({ ...index, ...stripeOwned(member), is_blocked: false });
// @ts-expect-error a synchronization writes no whole member
export const replacing = syncedAttributes({ ...index, ...member });

export const erasing = { ...rules, delivery: "kept" } satisfies typeof rules;
// @ts-expect-error an erasure does not keep an item with a personal field
export const keeping = { ...rules, payment: "kept" } satisfies typeof rules;
// @ts-expect-error an item with a personal field does not count as impersonal
export const overlooking = { ...rules, operation: "impersonal" } satisfies typeof rules;
// @ts-expect-error an item with a personal field does not only expire
export const waiting = { ...rules, activity: "lapses" } satisfies typeof rules;
