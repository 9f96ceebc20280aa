import { describe, expect, it } from "vitest";
import type { Odis } from "../../client/odis.ts";
import type { Transaction } from "../../client/schema.ts";
import {
  disputeText,
  isWithoutMoney,
  readOpenDisputes,
  transactionState,
} from "../../site/console/src/data/transactions.ts";

const transaction = (over: object): Transaction => ({ type: "payment", status: "succeeded", ...over }) as Transaction;

describe("the words about transactions in the console", () => {
  it.each([
    ["payment", "succeeded", "Payment", true],
    ["refund", "succeeded", "Refund", true],
    ["refund", "pending", "Refund on its way", true],
    ["refund", "requires_action", "Refund waits for the member", true],
    ["refund", "failed", "Refund failed", false],
    ["refund", "canceled", "Refund canceled", false],
    ["dispute", "needs_response", "Dispute to answer", true],
    ["dispute", "under_review", "Dispute under review", true],
    ["dispute", "appeal_needs_response", "Appeal to answer", true],
    ["dispute", "appeal_under_review", "Appeal under review", true],
    ["dispute", "lost", "Dispute lost", true],
    ["dispute", "won", "Dispute won", false],
    ["dispute", "prevented", "Dispute prevented", false],
    ["dispute", "warning_needs_response", "Inquiry to answer", false],
    ["dispute", "warning_under_review", "Inquiry under review", false],
    ["dispute", "warning_closed", "Inquiry closed", false],
  ])("a %s with the status %s is shown as %s, and moves money: %s", (type, status, text, movesMoney) => {
    expect(transactionState(transaction({ type, status })).text).toBe(text);
    expect(isWithoutMoney(transaction({ type, status }))).toBe(!movesMoney);
  });

  it.each([
    [
      "product_not_received",
      "2026-12-03T09:30:00.000Z",
      "Answer by December 3, 2026: the product did not arrive, $90.00",
    ],
    [null, null, "Answer it in Stripe: the bank gave no reason, $90.00"],
    ["not_in_the_list", null, "Answer it in Stripe: the bank gave no reason, $90.00"],
  ])("a dispute with the reason %s and the deadline %s is shown as %s", (reason, evidence_due_at, text) => {
    expect(disputeText(transaction({ type: "dispute", reason, evidence_due_at, amount_cents: 9000 }))).toBe(text);
  });
});

it("the disputes to answer have all three statuses, the most urgent first and those without a deadline last", async () => {
  const found = {
    needs_response: [
      { id: "late", evidence_due_at: "2026-12-09T00:00:00.000Z" },
      { id: "open", evidence_due_at: null },
    ],
    warning_needs_response: [{ id: "soon", evidence_due_at: "2026-12-03T00:00:00.000Z" }],
    appeal_needs_response: [{ id: "middle", evidence_due_at: "2026-12-05T00:00:00.000Z" }],
  };
  const get = async (_: string, { params }: { params: { query: { status: keyof typeof found } } }) => ({
    data: found[params.query.status],
  });
  const disputes = await readOpenDisputes({ get } as unknown as Odis, 1, new AbortController().signal);
  expect(disputes.map(({ id }) => id)).toEqual(["soon", "middle", "late", "open"]);
});
