/** Number of sequences in an epoch, enough for 100 million writes of a record. */
const sequencesPerEpoch = 1_000_000_000_000;

/** The highest epoch. All sequences up to its end are below 2^53, so that JSON parsers of all languages read them exactly. */
export const maxEpoch = 9000;

/**
 * The sequence of an event for a stored number. A restore raises the epoch of the stage, so that the sequences of restored
 * records are above all that were sent before.
 */
export const sequenceIn = (epoch: number, stored: number): number => epoch * sequencesPerEpoch + stored;

/** The epoch of a sequence. */
export const epochOf = (sequence: number): number => Math.floor(sequence / sequencesPerEpoch);
