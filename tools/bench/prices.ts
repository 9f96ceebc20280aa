/**
 * What AWS asks for in us-east-1, in dollars, on demand, without free tiers, volume discounts and data transfer. As of
 * 2026-11-21, by what others quote of AWS's pages in 2025 and 2026; DynamoDB's are those since November 2024.
 *
 * @see https://aws.amazon.com/api-gateway/pricing, https://aws.amazon.com/lambda/pricing,
 * https://aws.amazon.com/dynamodb/pricing/on-demand
 */
const prices = {
  /** An HTTP API's request, of the first 300 million a month. */
  apiRequest: 1 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** Of arm64, of the first 7.5 billion a month. */
  lambdaGbSecond: 0.000_013_333_4,
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
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

/** What a million of such requests cost, in dollars. */
export function dollarsPerMillion(taken: Taken): number {
  const { apiRequest, lambdaRequest, lambdaGbSecond, readUnit, writeUnit } = prices;
  const gbSeconds = (memoryMb / 1024) * (billedMs(taken) / 1000);
  const table = taken.readUnits * readUnit + taken.writeUnits * writeUnit;
  return 1e6 * (apiRequest + lambdaRequest + gbSeconds * lambdaGbSecond + table);
}

export const assumptions = `Lambda at ${memoryMb} MB (${mbOfOneCpu} MB have one CPU), ${assumed.tableRoundTripMs} ms a round trip to the table, ${assumed.stripeRoundTripMs} ms one to Stripe`;
