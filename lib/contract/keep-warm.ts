/** Ids of the routes that people call when they open an app. Their functions are kept warm. */
export const keptWarm: readonly string[] = [
  "CommunitiesShow",
  "TiersList",
  "MembershipShow",
  "BenefitsList",
  "DiscoveryExplore",
];

/** The event that keeps a function warm. A request never has this attribute. */
export const warmUp = { warm_up: true } as const;

export const isWarmUp = (event: object): boolean => "warm_up" in event;
