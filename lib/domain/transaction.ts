import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { transactionFields, transactionTypes } from "../fields/transaction.ts";
import { oneOf } from "../values/scalars.ts";
import { Cursor, Day, daysInOrder, Per } from "./page.ts";

/** A payment, refund or dispute of a member. */
export const Transaction = v.object(shownEntries(transactionFields, "api"));
export type Transaction = v.InferOutput<typeof Transaction>;

export type TransactionType = Transaction["type"];

const refundStatuses = ["succeeded", "pending", "failed", "canceled", "requires_action"] as const;

const disputeStatuses = [
  "needs_response",
  "under_review",
  "won",
  "lost",
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
  "prevented",
  "appeal_needs_response",
  "appeal_under_review",
] as const;

const statuses: Readonly<Record<TransactionType, readonly string[]>> = {
  payment: ["succeeded"],
  refund: refundStatuses,
  dispute: disputeStatuses,
};

export const TransactionQuery = v.pipe(
  v.object({
    type: v.optional(oneOf(transactionTypes)),
    status: v.optional(oneOf([...refundStatuses, ...disputeStatuses])),
    from: v.optional(Day),
    to: v.optional(Day),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(daysInOrder(), ["to"]),
);
export type TransactionQuery = v.InferOutput<typeof TransactionQuery>;

/** The types whose transactions can match. */
export const typesOf = ({ type, status }: Pick<TransactionQuery, "type" | "status">): TransactionType[] =>
  transactionTypes.filter(
    (one) => (type === undefined || one === type) && (status === undefined || statuses[one].includes(status)),
  );

export const TransactionPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Transaction),
});
