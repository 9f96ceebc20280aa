/** The numbers of one epoch: those of 100 million writes of a record. */
const sequencesPerEpoch = 1_000_000_000_000;

/** The highest epoch. All sequences up to its end are below 2^53, so that JSON parsers of all languages read them exactly. */
export const maxEpoch = 9000;

/**
 * The sequence that is sent for a stored number. A restore raises the epoch of the stage, so that records whose stored
 * numbers have gone back continue above every sequence that was ever sent.
 */
export const sequenceIn = (epoch: number, stored: number): number => epoch * sequencesPerEpoch + stored;
