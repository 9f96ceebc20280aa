/**
 * The numbers that the events of one write of a record may take (`docs/decisions/041-sequence-of-a-write.md`): more than
 * the changes of payments, refunds and disputes that fit into one transaction.
 */
export const sequencesPerWrite = 10_000;
