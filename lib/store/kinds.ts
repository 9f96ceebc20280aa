/**
 * Kinds of items that are queried by key prefix, or distinguished in the stream. Prefixes are upper case and ids have one
 * case, because `begins_with` of the local engine ignores the case of ASCII.
 */
export const kinds = {
  community: { pk: "COMMUNITY#", sk: "COMMUNITY" },
  tier: { pk: "COMMUNITY#", sk: "TIER#" },
  benefit: { pk: "COMMUNITY#", sk: "BENEFIT#" },
  destination: { pk: "COMMUNITY#", sk: "DESTINATION#" },
  delivery: { pk: "DESTINATION#", sk: "DELIVERY#" },
  teamMember: { pk: "COMMUNITY#", sk: "TEAM#" },
  invitation: { pk: "COMMUNITY#", sk: "INVITATION#" },
  apiKey: { pk: "API_KEY#", sk: "KEY" },
  apiKeyOf: { pk: "COMMUNITY#", sk: "API_KEY#" },
  member: { pk: "COMMUNITY#", sk: "MEMBER#" },
  movement: { pk: "COMMUNITY#", sk: "MOVEMENT#" },
  barrier: { pk: "COMMUNITY#", sk: "BARRIER" },
  memberParent: { pk: "MEMBER#", sk: "COMMUNITY" },
  dispute: { pk: "MEMBER#", sk: "DISPUTE#" },
  operation: { pk: "MEMBER#", sk: "OPERATION#" },
  payment: { pk: "MEMBER#", sk: "PAYMENT#" },
  refund: { pk: "MEMBER#", sk: "REFUND#" },
  subscription: { pk: "MEMBER#", sk: "SUBSCRIPTION#" },
  activity: { pk: "", sk: "ACTIVITY#" },
  user: { pk: "USER#", sk: "USER" },
  membership: { pk: "USER#", sk: "MEMBERSHIP#" },
  customerOf: { pk: "USER#", sk: "CUSTOMER#" },
  ownedCommunity: { pk: "USER#", sk: "OWNED#" },
  teamOf: { pk: "USER#", sk: "TEAM#" },
  invitationTo: { pk: "INVITED#", sk: "INVITATION#" },
  erasure: { pk: "USER#", sk: "ERASURE" },
  brand: { pk: "BRAND#", sk: "BRAND" },
  brandOfProducer: { pk: "PRODUCER#", sk: "BRAND#" },
} as const satisfies Record<string, { readonly pk: string; readonly sk: string }>;
