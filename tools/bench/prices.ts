/**
 * What AWS asks for in us-east-1, in dollars, on demand, without volume discounts, data transfer and free tiers, except
 * where one is named. As of 2026-11-21, by what others quote of AWS's pages in 2025 and 2026; DynamoDB's are those since
 * November 2024.
 *
 * @see https://aws.amazon.com/api-gateway/pricing, https://aws.amazon.com/lambda/pricing,
 * https://aws.amazon.com/dynamodb/pricing/on-demand, https://aws.amazon.com/cloudwatch/pricing,
 * https://aws.amazon.com/cognito/pricing, https://aws.amazon.com/cloudfront/pricing, https://aws.amazon.com/ses/pricing,
 * https://aws.amazon.com/secrets-manager/pricing
 */
export const prices = {
  /** An HTTP API's request, of the first 300 million a month. */
  apiRequest: 1 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** Of arm64, of the first 7.5 billion a month. */
  lambdaGbSecond: 0.000_013_333_4,
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  tableGbMonth: 0.25,
  /** Point-in-time recovery. */
  backupGbMonth: 0.2,
  /** Of logs that are ingested. */
  logGb: 0.5,
  /** A custom metric for a month. */
  metric: 0.3,
  alarm: 0.1,
  dashboard: 3,
  /** A user who signs in within a month, with the plan Essentials, which access tokens with claims of ours need … */
  user: 0.015,
  /** … and with the plan Lite. */
  liteUser: 0.0055,
  /** So many users are free with either plan. */
  freeUsers: 10_000,
  /** An HTTPS request to CloudFront, and a gigabyte that it sends. */
  edgeRequest: 1 / 1e6,
  edgeGb: 0.085,
  email: 0.1 / 1000,
  secret: 0.4,
} as const;

/** What a function is given, of which 1,769 MB come with one CPU. */
const memoryMb = 512;
const mbOfOneCpu = 1769;

/** What nobody publishes as a number, and a function is billed for waiting for. */
const assumed = { tableRoundTripMs: 4, stripeRoundTripMs: 250 } as const;

type Taken = {
  readonly cpuMs: number;
  readonly roundTrips: number;
  readonly stripeRoundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
};

/** For how long Lambda bills a request: its computing on a part of a CPU, then what it waits for. */
export const billedMs = ({ cpuMs, roundTrips, stripeRoundTrips }: Taken): number =>
  Math.ceil(
    (cpuMs * mbOfOneCpu) / memoryMb +
      roundTrips * assumed.tableRoundTripMs +
      stripeRoundTrips * assumed.stripeRoundTripMs,
  );

/** What one such request costs, in dollars: the function, and the table. */
export const requestDollars = {
  lambda: (taken: Taken): number =>
    prices.lambdaRequest + (memoryMb / 1024) * (billedMs(taken) / 1000) * prices.lambdaGbSecond,
  table: ({ readUnits, writeUnits }: Taken): number => readUnits * prices.readUnit + writeUnits * prices.writeUnit,
};

/** What a million of such requests cost, in dollars. */
export const dollarsPerMillion = (taken: Taken): number =>
  1e6 * (prices.apiRequest + requestDollars.lambda(taken) + requestDollars.table(taken));

export const assumptions = `Lambda at ${memoryMb} MB (${mbOfOneCpu} MB is one CPU), ${assumed.tableRoundTripMs} ms per round trip to the table and ${assumed.stripeRoundTripMs} ms per round trip to Stripe`;
