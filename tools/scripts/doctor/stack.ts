import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { readStageFile, type Settings, settingsFor } from "../../../infra/settings.ts";
import { silencesAlarms } from "../deploy/alarms.ts";
import { cloudFormation } from "../deploy/cloudformation.ts";
import { clearTriggers } from "../deploy/triggers.ts";
import type { Outputs } from "../stack-outputs.ts";

/** The stack of a stage, as CloudFormation describes it. */
export type CheckedStack = {
  /** `prod`, `sandbox`, `sandbox-<name>` or `local` */
  readonly stage: string;
  readonly region: string;
  /** Status in CloudFormation. */
  readonly status: string;
  readonly createdAt?: Date | undefined;
  readonly hasTerminationProtection: boolean;
  readonly outputs: Outputs & Readonly<Record<string, string>>;
  readonly resources: readonly StackResourceSummary[];
  /** Whether the stage was deployed with `maintenance`, which stops everything. */
  readonly isInMaintenance: boolean;
  /** The settings of the stage. @throws Error if its file has mistakes */
  readonly settings: () => Settings;
  readonly now: Date;
};

/** Resources of a type: their ids in the template, and in AWS. */
export const resourcesOf = ({ resources }: Pick<CheckedStack, "resources">, type: string) =>
  resources
    .filter(({ ResourceType }) => ResourceType === type)
    .map(({ LogicalResourceId: id = "", PhysicalResourceId: name = "" }) => ({ id, name }));

/**
 * Returns the output of a stack.
 *
 * @throws Error if the deployed version has no such output
 */
export function outputOf({ outputs }: CheckedStack, name: string): string {
  const value = outputs[name];
  if (!value) throw new Error(`the stack has no output ${name}`);
  return value;
}

export type MaybeInMaintenance = Pick<CheckedStack, "stage"> & { readonly isInMaintenance?: boolean | undefined };

/**
 * Command that creates or corrects resources which differ from the template, even while alarms fire because of them. A stage in
 * maintenance stays in it.
 */
export const revertDrift = ({ stage, isInMaintenance = false }: MaybeInMaintenance): string => {
  const maintenance = isInMaintenance ? " -c maintenance=true" : "";
  return `npx cdk deploy odis-${stage} -c stage=${stage}${maintenance} --revert-drift ${clearTriggers.join(" ")}`;
};

/**
 * Reads the stack of a stage.
 *
 * @throws Error if there is none, or CloudFormation cannot be asked
 */
export async function readStack(stage: string, now: Date): Promise<CheckedStack> {
  const client = new CloudFormationClient();
  const StackName = `odis-${stage}`;
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const resources: StackResourceSummary[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    resources.push(...StackResourceSummaries);
  return {
    stage,
    region: await client.config.region(),
    status: stack?.StackStatus ?? "",
    createdAt: stack?.CreationTime,
    hasTerminationProtection: stack?.EnableTerminationProtection ?? false,
    outputs: Object.fromEntries(
      (stack?.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]),
    ),
    resources,
    // A function that somebody stopped is a fault, so that Lambda is not asked.
    isInMaintenance: silencesAlarms(await cloudFormation().template(StackName)),
    settings: () => settingsFor(stage, readStageFile(stage)),
    now,
  };
}
