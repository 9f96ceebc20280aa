import { sequenceIn } from "../epoch.ts";

/**
 * Number of sequence numbers that each write of a record reserves for its events
 * (`docs/decisions/041-sequence-of-a-write.md`). More than the changes of payments, refunds and disputes that fit into
 * a transaction.
 */
const sequencesPerWrite = 10_000;

/** The highest sequence number for the events of a record after this number of writes. */
export const lastSequence = (writes: number, epoch: number): number => sequenceIn(epoch, writes * sequencesPerWrite);
