/** Schema of the table, on AWS and locally. All keys are strings, all indexes project all attributes. */
export const tableSchema = {
  partitionKey: "pk",
  sortKey: "sk",
  indexes: {
    by_status: { partitionKey: "status_pk", sortKey: "sk" },
    by_tier: { partitionKey: "tier_pk", sortKey: "sk" },
    by_blocked: { partitionKey: "blocked_pk", sortKey: "sk" },
    by_access: { partitionKey: "access_pk", sortKey: "sk" },
  },
  ttl: "expires_at",
} as const;

export type IndexName = keyof typeof tableSchema.indexes;
