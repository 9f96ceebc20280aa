/** Tables of fields that must not compile. `tsc` fails if any of them compiles. */
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
  // @ts-expect-error a field that the oldest item lacks must define a value for older items, or that they have none
  define({ seat: { stored: Text, set: ["patch"], shown: ["api"], personal: false } }),
  // @ts-expect-error the value for older items must have the field's stored type
  define({ seat: { ...impersonal, before: 12 } }),
  // @ts-expect-error a field must declare whether it is personal
  define({ seat: { stored: Text, before: "", set: ["patch"], shown: ["api"] } }),
  // @ts-expect-error a personal field must declare the value that remains after an erasure
  define({ seat: { ...impersonal, personal: true } }),
  // @ts-expect-error the value that remains after an erasure must have the field's stored type
  define({ seat: { ...impersonal, personal: { erased: null } } }),
  // @ts-expect-error an event must not contain a personal field
  define({ seat: { ...impersonal, shown: ["api", "event"], personal: { erased: "" } } }),
  // @ts-expect-error an event must not contain a field with a personal part
  define({ seat: { ...impersonal, shown: ["event"], personal: { reduced: (seat: string) => seat } } }),
  // @ts-expect-error a field must declare which writes may set it
  define({ seat: { stored: Text, before: "", shown: ["api"], personal: false } }),
  // @ts-expect-error a field may name only writes that its record has
  define({ seat: { ...impersonal, set: ["put"] } }),
  // @ts-expect-error a field may name only places in which its record is shown
  define({ seat: { ...impersonal, shown: ["csv"] } }),
];

const patch = { name: v.optional(Text), seat: v.optional(Text), nickname: v.optional(Text) };
export const body = patch satisfies EntriesSetBy<typeof guest, "patch">;
// @ts-expect-error a PATCH must not set a field that the owner may not set
export const widened = { ...patch, spent: v.optional(Text) } satisfies EntriesSetBy<typeof guest, "patch">;
// @ts-expect-error a PATCH must accept each field that the owner may set
export const narrowed = { name: patch.name, seat: patch.seat } satisfies EntriesSetBy<typeof guest, "patch">;
// @ts-expect-error a PATCH must set values of the field's stored type
export const mistyped = { ...patch, seat: v.optional(v.number()) } satisfies EntriesSetBy<typeof guest, "patch">;

declare const member: StoredMember;
const index = {
  status_pk: memberIndex.status(1, member.status),
  tier_pk: memberIndex.tier(1, member.tier_id),
  access_pk: memberIndex.access(1, member.tier_id, true, false),
};
export const synced = syncedAttributes({ ...index, ...stripeOwned(member), sync_version: 2 });
// @ts-expect-error a synchronization must not write a field that people edit
export const blocking = syncedAttributes({ ...index, ...stripeOwned(member), is_blocked: false });
// @ts-expect-error a synchronization must not write a whole member
export const replacing = syncedAttributes({ ...index, ...member });

export const erasing = { ...rules, delivery: "kept" } satisfies typeof rules;
// @ts-expect-error an erasure must not keep an item with a personal field
export const keeping = { ...rules, payment: "kept" } satisfies typeof rules;
// @ts-expect-error an item with a personal field must not be declared as impersonal
export const overlooking = { ...rules, operation: "impersonal" } satisfies typeof rules;
// @ts-expect-error an item with a personal field must be erased, even if it expires
export const waiting = { ...rules, activity: "lapses" } satisfies typeof rules;
