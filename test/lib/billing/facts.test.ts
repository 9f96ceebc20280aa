import { expect, it } from "vitest";
import { announcedSince, isPendingChange, paymentWrites } from "#lib/billing/facts.ts";
import type { Payment } from "#lib/store/facts.ts";
import type { StoredMember } from "#lib/store/members/item.ts";

type Charge = Payment["charges"][number];

const at = "2026-01-05T09:03:29.000Z";

const charge = (over: Partial<Charge> = {}): Charge => ({
  id: "ch_1",
  status: "succeeded",
  amount_cents: 900,
  amount_refunded_cents: 0,
  refundable_cents: 900,
  disputed: false,
  failure_message: null,
  payment_method: null,
  receipt_url: null,
  created_at: at,
  paid_cents: 900,
  ...over,
});
const failed = charge({ id: "ch_0", status: "failed", paid_cents: 0, refundable_cents: 0 });

const invoice = (status: Payment["status"], charges: readonly Charge[], paid_off_stripe_cents = 0): Payment => ({
  id: "in_1",
  customer_id: "cus_1",
  subscription_id: "sub_1",
  number: "1",
  status,
  currency: "usd",
  total_cents: 900,
  amount_paid_cents: status === "paid" ? 900 : 0,
  amount_due_cents: 900,
  paid_off_stripe_cents,
  period_start: at,
  period_end: at,
  created_at: at,
  paid_at: status === "paid" ? at : null,
  hosted_invoice_url: null,
  invoice_pdf: null,
  charges: [...charges],
});

/** The payment events of an invoice that is read from Stripe, with the stored state before. */
function paymentEvents(stored: Payment | undefined, now: Payment, isChange = false) {
  const ledger = {
    payments: stored ? [{ ...stored, revision: 1 }] : [],
    refunds: [],
    disputes: [],
    subscriptions: [],
    operations: [],
  };
  const facts = paymentWrites(7, [now], [], { ledger, since: undefined, isChange: () => isChange, tierOf: () => 11 });
  return facts
    .flatMap(({ changes = [] }) => changes)
    .flatMap((change) => (change.kind === "payment" ? [change.payment] : []));
}

/** The id, status and amount of each payment event. */
const summarized = (...of: Parameters<typeof paymentEvents>) =>
  paymentEvents(...of).map(({ id, status, amount_cents }) => [id, status, amount_cents]);

it.each([
  ["an open invoice", undefined, invoice("open", []), []],
  ["an invoice that is paid immediately", undefined, invoice("paid", [charge()]), [["ch_1", "succeeded", 900]]],
  ["an invoice that is paid later", invoice("open", []), invoice("paid", [charge()]), [["ch_1", "succeeded", 900]]],
  ["a paid invoice whose charge is not listed yet", undefined, invoice("paid", []), []],
  [
    "a paid invoice whose charge is listed now",
    invoice("paid", []),
    invoice("paid", [charge()]),
    [["ch_1", "succeeded", 900]],
  ],
  ["an invoice that was already paid", invoice("paid", [charge()]), invoice("paid", [charge({ disputed: true })]), []],
  [
    "an invoice that is paid outside Stripe",
    invoice("open", []),
    invoice("paid", [], 900),
    [["in_1", "succeeded", 900]],
  ],
  ["an invoice with a failed payment", invoice("open", []), invoice("open", [failed]), [["ch_0", "failed", 900]]],
  [
    "an invoice that is paid after a failed payment",
    invoice("open", [failed]),
    invoice("paid", [failed, charge()]),
    [["ch_1", "succeeded", 900]],
  ],
])("%s has the expected payment events", (_, stored, now, expected) => {
  expect(summarized(stored, now)).toEqual(expected);
});

it("the failed charge of a change has no event, and its payment has one", () => {
  expect(summarized(undefined, invoice("open", [failed]), true)).toEqual([]);
  expect(summarized(invoice("open", [failed]), invoice("paid", [failed, charge()]), true)).toEqual([
    ["ch_1", "succeeded", 900],
  ]);
});

it("a payment event has the currency, the period of the invoice and its tier", () => {
  const [payment] = paymentEvents(undefined, {
    ...invoice("paid", [charge()]),
    period_end: "2026-02-05T09:03:29.000Z",
  });
  expect(payment).toMatchObject({
    currency: "usd",
    tier_id: 11,
    period_start: at,
    period_end: "2026-02-05T09:03:29.000Z",
  });
});

it("the failed payments of an invoice have their events in the order of the attempts, and its payment comes last", () => {
  const attempts = [3, 1, 2].map((n) =>
    charge({ id: `ch_${n}`, status: "failed", paid_cents: 0, created_at: `2026-01-0${5 + n}T09:03:29.000Z` }),
  );
  const paid = charge({ id: "ch_4", created_at: "2026-01-09T09:03:29.000Z" });
  expect(summarized(invoice("open", []), invoice("paid", [paid, ...attempts])).map(([id]) => id)).toEqual([
    "ch_1",
    "ch_2",
    "ch_3",
    "ch_4",
  ]);
});

const imported = { fingerprint: "f", version: 1, at: "2026-02-01T00:00:00.000Z", address_hashes: [] };

it.each<[string, Partial<StoredMember> | undefined, number, string | undefined]>([
  ["a new member: all", undefined, 0, undefined],
  ["the first synchronization after an import: those since the import", { sync_version: 0, imported }, 0, imported.at],
  ["a later synchronization of an imported member: all", { sync_version: 1, imported }, 1, undefined],
  ["a member whose payments Odis did not store before: those since the last change", { sync_version: 4 }, 0, at],
  ["a member whose payments Odis stores: all", { sync_version: 4 }, 1, undefined],
])("the payments that have events, in a synchronization of %s", (_, member, count, since) => {
  const subscriptions = Array.from({ length: count }, () => ({
    subscription_id: "sub_1",
    standing: "accepted" as const,
  }));
  const before = member && ({ updated_at: at, ...member } as StoredMember);
  expect(announcedSince(before, { subscriptions })).toBe(since);
});

/** A subscription whose change waits until its latest invoice is paid. */
const waiting = { id: "sub_1", pending_update: { expires_at: 1 }, latest_invoice: "in_1" };
const operationOf = (intent: object, minutesBefore = 0) => ({
  intent: { kind: "change", subscription_id: "sub_1", charge: { cents: 900 }, ...intent },
  created_at: new Date(Date.parse(at) - minutesBefore * 60_000).toISOString(),
});

it.each<[string, object, object[], object[], boolean]>([
  ["a renewal", { billing_reason: "subscription_cycle" }, [waiting], [operationOf({})], false],
  ["a change by a schedule", {}, [{ ...waiting, pending_update: null }], [], false],
  ["a change that waits", {}, [waiting], [], true],
  ["another invoice of a subscription whose change waits", {}, [{ ...waiting, latest_invoice: "in_2" }], [], false],
  ["a change that was requested a minute ago", {}, [], [operationOf({}, 1)], true],
  ["a change that was requested a minute later, by the clock of a function", {}, [], [operationOf({}, -1)], true],
  ["the subscription of a change from hours ago", {}, [], [operationOf({}, 121)], false],
  ["a change of another subscription", {}, [], [operationOf({ subscription_id: "sub_2" })], false],
  ["a change that charges nothing", {}, [], [operationOf({ charge: null })], false],
  ["a cancellation", {}, [], [operationOf({ kind: "cancel" })], false],
  ["a change that was dropped", { status: "void" }, [], [], true],
  ["a change that was paid", { status: "paid" }, [], [], true],
  ["a renewal that was voided", { status: "void", billing_reason: "subscription_cycle" }, [], [], false],
])(
  "whether an unpaid invoice is no failed renewal, as that of a change: %s",
  (_, over, subscriptions, operations, isChange) => {
    const own = {
      id: "in_1",
      status: "open",
      billing_reason: "subscription_update",
      created: Date.parse(at) / 1000,
      parent: { subscription_details: { subscription: "sub_1" } },
      ...over,
    };
    expect(isPendingChange({ invoices: [own], subscriptions } as never, { operations } as never)("in_1")).toBe(
      isChange,
    );
  },
);
