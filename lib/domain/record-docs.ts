/** What the documents say of the times that every record carries. */
export const timeDocs = {
  created_at: ["Time at which the record was created.", "2026-08-03T09:30:00.000Z"],
  updated_at: ["Time of the last change.", "2026-11-03T09:30:12.000Z"],
} as const;

/** What the documents say of the sequence of a record. */
export const sequenceDocs = (record: string) =>
  [
    `Sequence of the last event that this record includes. Events of the ${record} with a higher \`sequence\` are newer. The ETag does not cover it.`,
    70000,
  ] as const;
