import { CloudFrontClient, ListResponseHeadersPoliciesCommand } from "@aws-sdk/client-cloudfront";
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

/** Response-headers policies that CloudFront allows an account by default. */
const maxPolicies = 20;

/** An account in which another stage cannot be deployed. @param used policies of the account */
export function policyFaults(used: number): readonly Fault[] {
  if (used < maxPolicies) return [];
  return [
    {
      says: `The account has ${used} of ${maxPolicies} response-headers policies of CloudFront, and a new stage needs one. Destroy stages that are not needed, or raise the quota.`,
      command:
        "aws service-quotas list-service-quotas --region us-east-1 --service-code cloudfront --query \"Quotas[?contains(QuotaName, 'response headers policies')]\"",
    },
  ];
}

/** Counts the response-headers policies of the account. */
async function countPolicies(): Promise<number> {
  const client = new CloudFrontClient();
  let count = 0;
  let Marker: string | undefined;
  do {
    const { ResponseHeadersPolicyList: list } = await client.send(
      new ListResponseHeadersPoliciesCommand({ Type: "custom", Marker }),
    );
    count += list?.Items?.length ?? 0;
    Marker = list?.NextMarker;
  } while (Marker !== undefined);
  return count;
}

/** Whether CloudFront allows the policies of another stage. */
export const policies: Check = {
  name: "quota of response-headers policies",
  look: async () => policyFaults(await countPolicies()),
};

export const quotas: readonly Check[] = [
  {
    name: "quota of concurrent executions",
    async look(stack) {
      const { AccountLimit } = await new LambdaClient().send(new GetAccountSettingsCommand());
      return concurrencyFaults(stack.settings(), AccountLimit?.ConcurrentExecutions ?? 0);
    },
  },
  policies,
];
