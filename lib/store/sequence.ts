/**
 * How many sequence numbers each write of a record reserves for its events (`docs/decisions/041-sequence-of-a-write.md`).
 * One transaction cannot hold that many changes of payments, refunds and disputes.
 */
export const sequencesPerWrite = 10_000;
