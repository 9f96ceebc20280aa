/** The table as it is created, on AWS and locally: all keys are strings, all indexes hold whole items. */
export const tableSchema = {
  partitionKey: "pk",
  sortKey: "sk",
  indexes: {
    by_status: { partitionKey: "status_pk", sortKey: "sk" },
    by_tier: { partitionKey: "tier_pk", sortKey: "sk" },
    by_blocked: { partitionKey: "blocked_pk", sortKey: "sk" },
  },
  ttl: "expires_at",
} as const;

export type IndexName = keyof typeof tableSchema.indexes;
