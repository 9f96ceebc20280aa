/**
 * Prices of AWS in us-east-1 in US dollars, on demand, without volume discounts, data transfer and free tiers unless
 * stated. As of 2026-11-21, from secondary sources of 2025 and 2026. DynamoDB's prices are those since November 2024.
 *
 * @see https://aws.amazon.com/api-gateway/pricing, https://aws.amazon.com/lambda/pricing,
 * https://aws.amazon.com/dynamodb/pricing/on-demand, https://aws.amazon.com/cloudwatch/pricing,
 * https://aws.amazon.com/cognito/pricing, https://aws.amazon.com/cloudfront/pricing,
 * https://aws.amazon.com/ses/pricing, https://aws.amazon.com/secrets-manager/pricing
 */
export const prices = {
  /** Request to an HTTP API, within the first 300 million per month. */
  apiRequest: 1 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** arm64, within the first 7.5 billion per month. */
  lambdaGbSecond: 0.000_013_333_4,
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  tableGbMonth: 0.25,
  /** Point-in-time recovery. */
  backupGbMonth: 0.2,
  /** Ingested logs. */
  logGb: 0.5,
  /** Custom metric per month, within the first 10,000, if it is sent in every hour. */
  metric: 0.3,
  /** Metric of an alarm with a period of at least a minute. */
  alarm: 0.1,
  dashboard: 3,
  /** Monthly active user on the Essentials plan, which custom claims in access tokens require. */
  user: 0.015,
  /** Monthly active user on the Lite plan. */
  liteUser: 0.0055,
  /** Free users of either plan. */
  freeUsers: 10_000,
  /** CloudFront: price per HTTPS request, and per gigabyte of response data. */
  edgeRequest: 1 / 1e6,
  edgeGb: 0.085,
  email: 0.1 / 1000,
  secret: 0.4,
} as const;

/** Memory of a function in MB. 1,769 MB come with one CPU. */
const memoryMb = 512;
const mbOfOneCpu = 1769;

/** Assumed durations, which AWS and Stripe do not publish. Lambda bills the waiting time. */
const assumed = { tableRoundTripMs: 4, stripeRoundTripMs: 250 } as const;

type Taken = {
  readonly cpuMs: number;
  readonly roundTrips: number;
  readonly stripeRoundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
};

/** Billed duration on Lambda in milliseconds: CPU time on the share of a CPU, and the waiting time. */
export const billedMs = ({ cpuMs, roundTrips, stripeRoundTrips }: Taken): number =>
  Math.ceil(
    (cpuMs * mbOfOneCpu) / memoryMb +
      roundTrips * assumed.tableRoundTripMs +
      stripeRoundTrips * assumed.stripeRoundTripMs,
  );

/** Cost of a request in US dollars: function and table. */
export const requestDollars = {
  lambda: (taken: Taken): number =>
    prices.lambdaRequest + (memoryMb / 1024) * (billedMs(taken) / 1000) * prices.lambdaGbSecond,
  table: ({ readUnits, writeUnits }: Taken): number => readUnits * prices.readUnit + writeUnits * prices.writeUnit,
};

/** Cost of a million requests in US dollars. */
export const dollarsPerMillion = (taken: Taken): number =>
  1e6 * (prices.apiRequest + requestDollars.lambda(taken) + requestDollars.table(taken));

export const assumptions = `Lambda at ${memoryMb} MB (${mbOfOneCpu} MB is one CPU), ${assumed.tableRoundTripMs} ms per round trip to the table and ${assumed.stripeRoundTripMs} ms per round trip to Stripe`;
