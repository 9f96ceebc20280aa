import * as v from "valibot";
import { expect, it } from "vitest";
import { StoredMovement } from "#lib/domain/movement-list.ts";
import { Operation } from "#lib/domain/operation.ts";
import { activityFields, brandActivityFields, communityActivityFields } from "#lib/fields/activity.ts";
import { erasedValues, storedEntries } from "#lib/fields/field.ts";
import { operationFields } from "#lib/fields/operation.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as brands from "#lib/store/brands.ts";
import * as communities from "#lib/store/communities.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { Item } from "#lib/store/expression.ts";
import { StoredDispute, StoredPayment, StoredRefund } from "#lib/store/facts.ts";
import * as members from "#lib/store/members/item.ts";
import * as tiers from "#lib/store/tiers.ts";
import { User } from "#lib/store/users.ts";
import { oldestOf } from "../../versions/items.ts";

it.each([
  ["activity", (item: Item) => v.parse(v.object(storedEntries(activityFields)), item)],
  ["benefit", benefits.fromItem],
  ["brandActivity", (item: Item) => v.parse(v.object(storedEntries(brandActivityFields)), item)],
  ["community", communities.fromItem],
  ["communityActivity", (item: Item) => v.parse(v.object(storedEntries(communityActivityFields)), item)],
  ["destination", destinations.fromItem],
  ["dispute", (item: Item) => v.parse(StoredDispute, item)],
  ["movement", (item: Item) => v.parse(StoredMovement, item)],
  ["payment", (item: Item) => v.parse(StoredPayment, item)],
  ["refund", (item: Item) => v.parse(StoredRefund, item)],
])("an item of the first version of %s is parsed unchanged", (record, fromItem) => {
  const { pk: _, sk: __, ...stored } = oldestOf(record);
  expect(fromItem(oldestOf(record))).toEqual(stored);
});

it("a user of the first release is parsed as one whose account is not known to have names", () => {
  const { pk: _, sk: __, ...stored } = oldestOf("user");
  expect(v.parse(User, oldestOf("user"))).toEqual({ ...stored, account_names: [] });
});

it("a tier of the first release is parsed without a yearly price", () => {
  const { pk: _, sk: __, ...stored } = oldestOf("tier");
  expect(tiers.fromItem(oldestOf("tier"))).toEqual({
    ...stored,
    yearly_price_dollars: null,
    yearly_stripe_price_id: null,
  });
});

it("a brand of the first release, whose ids are stored as bytes, is parsed with ids as text", () => {
  const { pk: _, sk: __, ...stored } = oldestOf("brand");
  expect(brands.fromItem(oldestOf("brand"))).toEqual({
    ...stored,
    id: "43cf73f8-c819-4be6-a94c-51915a141c28",
    producer_ids: ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0002"],
  });
});

it("a delivery of the first release that had deliveries is parsed with attempts_made", () => {
  const { pk: _, sk: __, expires_at: ___, ...stored } = oldestOf("delivery");
  expect(deliveries.fromItem(oldestOf("delivery"))).toEqual({ ...stored, attempts_made: 1, is_last: false });
});

it("an operation of the first release is parsed unchanged, and an erasure removes its note and fingerprint", () => {
  const { pk: _, sk: __, expires_at: ___, ...stored } = oldestOf("operation");
  expect(v.parse(Operation, oldestOf("operation"))).toEqual(stored);
  expect(erasedValues(operationFields, stored)).toEqual({
    intent: { ...(stored.intent as object), note: null },
    fingerprint: null,
  });
});

it("a member of the first release is parsed with default values for newer fields", () => {
  const { pk: _, sk: __, status_pk: ___, tier_pk: ____, blocked_pk: _____, user, ...stored } = oldestOf("member");
  const { id, username, email, first_name, last_name } = user as Record<string, unknown>;
  expect(members.fromItem(oldestOf("member"))).toEqual({
    ...stored,
    user: { id, username, email, first_name, last_name },
    monthly_cents: 0,
    paid_cents_by_day: {},
    disputed_cents_by_day: {},
    shipping_address: { ...(stored.shipping_address as object), phone: "" },
    requires_shipping_address: false,
    interval: null,
    price_cents: null,
    scheduled_change: null,
  });
});
