/**
 * Number of sequence numbers that each write of a record reserves for its events
 * (`docs/decisions/041-sequence-of-a-write.md`). More than the changes of payments, refunds and disputes that fit into
 * a transaction.
 */
export const sequencesPerWrite = 10_000;
