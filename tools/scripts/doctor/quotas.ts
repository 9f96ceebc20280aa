import {
  CloudFrontClient,
  ListCachePoliciesCommand,
  ListResponseHeadersPoliciesCommand,
} from "@aws-sdk/client-cloudfront";
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import type { Settings } from "../../../infra/settings.ts";
import { concurrencyFor } from "../deploy/refusals.ts";
import type { Check, Fault } from "./check.ts";

/** A quota of Lambda that is lower than what a stage needs. @param allowed concurrent executions */
export function concurrencyFaults(settings: Settings, allowed: number): readonly Fault[] {
  const needed = concurrencyFor(settings);
  if (allowed >= needed) return [];
  return [
    {
      says: `Lambda allows ${allowed} concurrent executions, but ${settings.stage} needs ${needed}.`,
      command: `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${Math.max(1000, needed)}`,
    },
  ];
}

/** Policies of each kind that CloudFront allows an account by default. */
const maxPolicies = 20;

/** The quota of each kind in Service Quotas. */
const quotaCodes = { "response-headers": "L-CF0D4FC5", cache: "L-7D134442" } as const;

type PolicyKind = keyof typeof quotaCodes;

/** An account in which another stage cannot be deployed. @param used custom policies of the account */
export function policyFaults(kind: PolicyKind, used: number): readonly Fault[] {
  if (used < maxPolicies) return [];
  return [
    {
      says: `The account has ${used} of ${maxPolicies} ${kind} policies of CloudFront, and a new stage needs one. Destroy stages that are not needed, or raise the quota.`,
      command: `aws service-quotas get-service-quota --region us-east-1 --service-code cloudfront --quota-code ${quotaCodes[kind]}`,
    },
  ];
}

/** A page of a list of policies. */
type PolicyPage = {
  readonly Items?: readonly unknown[] | undefined;
  readonly NextMarker?: string | undefined;
};

/** Counts the policies of all pages. */
async function countPolicies(read: (marker: string | undefined) => Promise<PolicyPage | undefined>): Promise<number> {
  let count = 0;
  let marker: string | undefined;
  do {
    const page = await read(marker);
    count += page?.Items?.length ?? 0;
    marker = page?.NextMarker;
  } while (marker !== undefined);
  return count;
}

/** Whether CloudFront allows the policies of another stage. */
export const policies: readonly Check[] = [
  {
    name: "quota of response-headers policies",
    async look() {
      const client = new CloudFrontClient();
      const read = async (Marker: string | undefined) =>
        (await client.send(new ListResponseHeadersPoliciesCommand({ Type: "custom", Marker })))
          .ResponseHeadersPolicyList;
      return policyFaults("response-headers", await countPolicies(read));
    },
  },
  {
    name: "quota of cache policies",
    async look() {
      const client = new CloudFrontClient();
      const read = async (Marker: string | undefined) =>
        (await client.send(new ListCachePoliciesCommand({ Type: "custom", Marker }))).CachePolicyList;
      return policyFaults("cache", await countPolicies(read));
    },
  },
];

export const quotas: readonly Check[] = [
  {
    name: "quota of concurrent executions",
    async look(stack) {
      const { AccountLimit } = await new LambdaClient().send(new GetAccountSettingsCommand());
      return concurrencyFaults(stack.settings(), AccountLimit?.ConcurrentExecutions ?? 0);
    },
  },
  ...policies,
];
