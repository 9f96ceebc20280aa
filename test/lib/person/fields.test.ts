import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { PersonalData } from "#lib/domain/personal-data.ts";
import { type Fields, storedEntries } from "#lib/fields/field.ts";
import { tables } from "#lib/fields/tables.ts";
import { exportOf } from "#lib/person/export.ts";
import { rules } from "#lib/person/kinds.ts";
import { keys } from "#lib/store/keys.ts";
import { itemOf } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity } from "../../support/given.ts";
import { placesIn, sampleOf } from "../../support/samples.ts";
import { current, itemsOf } from "../../versions/items.ts";

type Personal = "activity" | "dispute" | "member" | "operation" | "payment" | "refund" | "transaction" | "user";
type Places = Readonly<Record<string, string>>;

/** Texts in the changes that the events of a member are derived from. */
const ofChanges = (reason: string): Places =>
  Object.fromEntries(
    [
      "closed_as",
      "dispute.charge_id",
      "dispute.id",
      "dispute.status",
      "former_status",
      "payment.currency",
      "payment.id",
      "payment.invoice_id",
      "refund.charge_id",
      "refund.refund_id",
    ].map((name) => [`changed_facts.changes[].${name}`, reason]),
  );

/** Texts that an erasure keeps, with the reason. All others of these items are removed. */
const kept: Readonly<Record<Personal, Places>> = {
  activity: { request_id: "finds the log lines of the change" },
  dispute: {
    charge_id: "accounting",
    closed_as: "accounting",
    dispute_id: "accounting",
    "lost_cents_by_day{}": "a day",
    reason: "a value of a list of Stripe",
    status: "accounting",
  },
  member: {
    ...ofChanges("accounting"),
    default_card: "Stripe deletes the customer",
    "disputed_cents_by_day{}": "a day",
    first_granted_at: "a time",
    "older_refunds_cents{}": "a day",
    "paid_cents_by_day{}": "a day",
    "refunds[].charge_id": "accounting",
    "refunds[].refund_id": "accounting",
    "scheduled_change.tier.name": "the name of a tier",
    stripe_customer_id: "Stripe deletes the customer",
    stripe_subscription_id: "accounting",
  },
  operation: {
    customer_id: "Stripe deletes the customer",
    id: "finds the refund at Stripe",
    "intent.charge_id": "accounting",
    "intent.collected_invoice_ids[]": "accounting",
    "intent.feedback": "a value of a list of Stripe",
    "intent.subscription_id": "accounting",
    "dropped_prices[].stripe_price_id": "the price of a tier",
    request_id: "finds the log lines of the request",
  },
  payment: {
    "charges[].id": "accounting",
    "charges[].status": "accounting",
    currency: "accounting",
    customer_id: "Stripe deletes the customer",
    hosted_invoice_url: "never stored",
    id: "accounting",
    invoice_pdf: "never stored",
    number: "accounting",
    status: "accounting",
    subscription_id: "accounting",
  },
  refund: { charge_id: "accounting", operation_id: "finds the operation", refund_id: "accounting" },
  transaction: {
    charge_id: "accounting",
    id: "accounting",
    invoice_id: "accounting",
    reason: "a value of a list of Stripe",
    status: "accounting",
  },
  user: {},
};

/** Texts that the export of a person does not contain, with the reason. */
const notExported: Readonly<Record<Personal, Places>> = {
  activity: { request_id: "about a request to Odis" },
  dispute: {
    closed_as: "the status says how it ended",
    "lost_cents_by_day{}": "a day",
    reason: "a value of a list of Stripe",
  },
  member: {
    ...ofChanges("a copy of a payment"),
    "disputed_cents_by_day{}": "a figure of the community",
    default_card: "the id of a card at Stripe",
    first_granted_at: "a figure of the community",
    "imported.address_hashes[]": "a hash",
    "imported.fingerprint": "a hash",
    "older_refunds_cents{}": "a figure of the community",
    "paid_cents_by_day{}": "a figure of the community",
    stripe_subscription_id: "the payments are listed",
    ...Object.fromEntries(
      ["email", "first_name", "last_name", "username"].map((name) => [`user.${name}`, "a copy of the profile"]),
    ),
  },
  operation: {
    customer_id: "a copy of the member",
    "dropped_prices[].stripe_price_id": "the price of a tier",
    fingerprint: "a hash",
    id: "internal",
    "intent.charge_id": "the refund has it",
    "intent.collected_invoice_ids[]": "the payments are listed",
    "intent.note": "the refund has it",
    "intent.subscription_id": "internal",
    request_id: "about a request to Odis",
  },
  payment: { customer_id: "a copy of the member", subscription_id: "internal" },
  refund: { operation_id: "internal" },
  transaction: {
    charge_id: "a copy of a payment",
    id: "a copy of a payment, refund or dispute",
    invoice_id: "a copy of a payment",
    reason: "a copy of a refund or dispute",
    receipt_url: "expires",
    status: "a copy of a payment, refund or dispute",
  },
  user: { sub: "the account is in the user pool" },
};

const variants = [0, 1, 2, 3];
const samplesOf = (kind: Personal) =>
  variants.map((variant) => sampleOf(v.object(storedEntries(tables[kind] as Fields)), { variant }) as Item);
type Item = Record<string, unknown>;

describe.each(Object.keys(kept) as Personal[])("%s", (kind) => {
  it(`after an erasure, each text of a stored ${kind} is removed unless it is listed with a reason`, () => {
    const left = samplesOf(kind).map((item) => {
      const rule = rules[kind];
      if (typeof rule === "function") return { ...item, ...rule(item) };
      return rule === "deleted" ? {} : item;
    });
    expect(placesIn(left)).toEqual(Object.keys(kept[kind]).toSorted());
  });
});

/** The attributes with texts of items that an erasure leaves as they are. Items with a table are above. */
const unchanged: Readonly<Record<string, readonly string[]>> = {
  customer: ["customer_id"],
  customerOf: ["customer_id", "reserved_at"],
  erasure: ["account_address_hash", "address_hash", "begun_at", "due_at", "finished_at", "request_id"],
  listedMovement: ["access", "at", "kind"],
  memberParent: [],
  membership: ["current_period_end", "erased_at", "interval", "status"],
  movement: ["access", "at", "kind"],
  subscription: ["standing", "subscription_id"],
};

it("items that an erasure keeps contain only the listed texts", () => {
  const keptKinds = Object.entries(rules).flatMap(([kind, rule]) =>
    rule === "kept" && kind !== "dispute" ? kind : [],
  );
  const found = keptKinds.map((kind) => {
    const names = new Set<string>();
    const visit = (value: unknown, name: string) => {
      if (typeof value === "string") names.add(name);
      else if (typeof value === "object" && value !== null)
        for (const [inner, part] of Object.entries(value)) visit(part, inner);
    };
    for (const { pk: _, sk: __, ...item } of itemsOf(current)[kind] ?? []) visit(item, "");
    return [kind, [...names].toSorted()];
  });
  expect(Object.fromEntries(found)).toEqual(unchanged);
});

describe("the export of a person", () => {
  const test = startTable();

  it("the export contains each text that is stored about a person, unless it is listed with a reason", async () => {
    const community = await aCommunity(test.table);
    const place = { community_id: community.id, tier_id: community.tier.id, erased_at: undefined };
    const marked = (kind: Personal, item: Item) =>
      JSON.parse(JSON.stringify(item).replaceAll("«", `«${kind}.`)) as Item;
    const one = (kind: Personal) => marked(kind, samplesOf(kind)[0] ?? {});
    const members = samplesOf("member").map((item, n) => ({ ...marked("member", item), ...place, id: 100 + n }));
    const user = { ...one("user"), erased_at: undefined };
    for (const member of members) {
      const { id } = member;
      const intents = samplesOf("operation").map((item, n) => ({
        ...keys.operation(id, `op_${n}`),
        ...marked("operation", item),
      }));
      await write(test.table, [
        { put: itemOf(member as never) },
        { put: { ...keys.payment(id, "2026", "in"), ...one("payment") } },
        { put: { ...keys.refund(id, "2026", "re"), ...one("refund") } },
        { put: { ...keys.dispute(id, "dp"), ...one("dispute") } },
        { put: { ...keys.activity(id, 7), ...one("activity") } },
        ...intents.map((put) => ({ put })),
      ] as never);
    }
    const memberships = members.map(({ id }) => ({ community_id: community.id, member_id: id }));
    const exported = placesIn(v.parse(PersonalData, await exportOf(test.table, user as never, memberships as never)));
    for (const kind of Object.keys(kept) as Personal[]) {
      const stored = placesIn(samplesOf(kind));
      const missing = stored.filter((at) => !exported.includes(`${kind}.${at}`));
      expect({ kind, missing }).toEqual({ kind, missing: Object.keys(notExported[kind]).toSorted() });
    }
  });
});
