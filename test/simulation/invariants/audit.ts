import { isDeepStrictEqual } from "node:util";
import type { Activity } from "#lib/domain/activity.ts";
import type { Item } from "#lib/store/expression.ts";
import { type Key, keys, kindOf } from "#lib/store/keys.ts";
import { itemFromWire } from "../table/native.ts";
import type { StreamRecord } from "../table/stream.ts";
import { ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";

type Action = Activity["action"];
type Image = StreamRecord["dynamodb"]["NewImage"];

/** Every change of a member in the stream has exactly one audit entry. */
export function assertAudit(world: World): void {
  const expected = new Map<string, number>();
  for (const { dynamodb } of world.storage.stream.records) {
    const [before, after] = [native(dynamodb.OldImage), native(dynamodb.NewImage)];
    const key = (after ?? before) as Key & Item;
    const kind = kindOf(key);
    const actions =
      kind === "member" ? ofMember(before, after) : kind === "refund" && key.sk ? ofRefund(before, after) : [];
    const member = kind === "member" ? Number(key.id) : Number(key.pk.split("#")[1]);
    for (const action of actions) add(expected, `${member} ${action}`);
  }
  const written = new Map<string, number>();
  for (const { pk, action } of ofKind(world, "activity").filter(isOfMember))
    add(written, `${Number(pk.split("#")[1])} ${String(action)}`);
  for (const name of new Set([...expected.keys(), ...written.keys()])) {
    const [is, must] = [written.get(name) ?? 0, expected.get(name) ?? 0];
    if (is === must) continue;
    const judged = is < must ? "too few" : "too many";
    world.violate("audit entries", `member ${name} happened ${must} times and has ${is} entries, ${judged}`);
  }
}

/** Whether an activity item belongs to the activity of a member. */
export const isOfMember = ({ pk }: Key): boolean => pk === keys.activity(Number(pk.split("#")[1]), 0).pk;

const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

const native = (image: Image): Item | undefined => image && itemFromWire(image, (list) => list);

function ofMember(before: Item | undefined, after: Item | undefined): Action[] {
  if (!after) return [];
  // The migration fills in past movements, which is not a change of the member.
  if (before && before.recorded_since === undefined && after.recorded_since !== undefined) return [];
  // An erasure also empties the fingerprint of an import, and copying a profile increases its version.
  const importedNow = before?.erased_at === undefined && !isDeepStrictEqual(importOf(before), importOf(after));
  if (importedNow) return ["imported"];
  if (!before) return ["joined"];
  const isEnded = after.status === "canceled" && before.status !== "canceled";
  if (before.erased_at === undefined && after.erased_at !== undefined)
    return [...(isEnded ? ["canceled" as const] : []), "erased"];
  const actions: Action[] = [];
  if (before.is_blocked !== after.is_blocked) actions.push(after.is_blocked ? "blocked" : "unblocked");
  if (before.sync_version === after.sync_version && before.erased_at === undefined) {
    const isEdited = ["notes", "custom", "shipping_address"].some(
      (name) => !isDeepStrictEqual(before[name], after[name]),
    );
    if (isEdited) return [...actions, "edited"];
  }
  if (isEnded) actions.push("canceled");
  else {
    if (before.status !== after.status) actions.push("status_changed");
    const [was, is] = [before.cancel_at ?? null, after.cancel_at ?? null];
    const isSooner = is !== was && after.cancel_at_period_end && !before.cancel_at_period_end;
    if (is === null && was !== null) actions.push("uncanceled");
    else if (is !== null && (was === null || isSooner)) actions.push("cancel_scheduled");
  }
  if (before.tier_id !== after.tier_id) actions.push("tier_changed");
  if (before.interval && after.interval && before.interval !== after.interval) actions.push("interval_changed");
  actions.push(...ofScheduledChange(before, after));
  return actions;
}

type Change = { readonly tier: { readonly id: number }; readonly interval: string; readonly price_cents: number };

function ofScheduledChange(before: Item, after: Item): Action[] {
  const [was, is] = [before, after].map(({ scheduled_change }) => (scheduled_change ?? null) as Change | null);
  const plain = (change: Change | null | undefined) => change && { ...change, tier: change.tier.id };
  if (isDeepStrictEqual(plain(was), plain(is))) return [];
  if (is) return ["change_scheduled"];
  const isOf = ({ tier_id, interval }: Item) => was?.tier.id === tier_id && was?.interval === interval;
  // A change of the price alone, which was not made within the period.
  const isSamePeriod = before.current_period_end === after.current_period_end;
  const isDropped = isOf(before) && isSamePeriod && was?.price_cents !== after.price_cents;
  return isOf(after) && !isDropped ? [] : ["change_canceled"];
}

function importOf(item: Item | undefined): object {
  const { version: _, ...rest } = (item?.imported ?? {}) as { readonly version?: number };
  return rest;
}

function ofRefund(before: Item | undefined, after: Item | undefined): Action[] {
  if (!after) return [];
  if (!before) return ["refunded"];
  return before.status === after.status ? [] : ["refund_changed"];
}
