import {
  CognitoIdentityProviderClient,
  DescribeUserPoolCommand,
  ResourceNotFoundException,
  type UserPoolType,
} from "@aws-sdk/client-cognito-identity-provider";
import { pick } from "#lib/pick.ts";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, type MaybeInMaintenance, outputOf, revertDrift } from "./stack.ts";

type StackState = Pick<CheckedStack, "stage" | "status" | "hasTerminationProtection" | "isInMaintenance"> & {
  readonly isProtected: boolean;
};

/** A stack that stopped halfway, is in maintenance, or can be deleted by mistake. */
export function stackFaults({
  stage,
  status,
  hasTerminationProtection,
  isInMaintenance,
  isProtected,
}: StackState): readonly Fault[] {
  return [
    status.endsWith("_FAILED") && {
      says: `The last deployment stopped halfway (${status}). See "A deployment that stopped halfway" in docs/operations.md.`,
      command: `npx cdk rollback odis-${stage} -c stage=${stage}`,
    },
    isInMaintenance && {
      says: "The stage is in maintenance: nothing runs, and alarms notify nobody.",
      command: `npm run deploy -- --stage ${stage}`,
    },
    isProtected &&
      !hasTerminationProtection && {
        says: "The stack has no termination protection.",
        command: `aws cloudformation update-termination-protection --stack-name odis-${stage} --enable-termination-protection`,
      },
  ].filter((fault) => fault !== false);
}

type PoolOfStage = MaybeInMaintenance & { readonly isProtected: boolean; readonly sender: string | undefined };

/** A user pool that was deleted. Its accounts are created again during maintenance. */
const lostPool = (id: string, { stage, isInMaintenance }: MaybeInMaintenance): readonly Fault[] => [
  {
    says: `The user pool ${id} was deleted, so nobody can sign in. The command is the ${isInMaintenance ? "second" : "first"} step of "After the loss of the user pool" in docs/operations.md.`,
    command: isInMaintenance
      ? revertDrift({ stage, isInMaintenance })
      : `npm run deploy -- --stage ${stage} -c maintenance=true`,
  },
];

/** A user pool that can be deleted by mistake, or whose email or triggers were changed. */
export function poolFaults(
  { DeletionProtection, EmailConfiguration, LambdaConfig }: UserPoolType,
  { isProtected, sender, ...stack }: PoolOfStage,
): readonly Fault[] {
  // `update-user-pool` would reset all settings that the call leaves out.
  const command = revertDrift(stack);
  return [
    isProtected && DeletionProtection !== "ACTIVE" && { says: "The user pool has no deletion protection.", command },
    sender !== undefined &&
      EmailConfiguration?.SourceArn !== sender && {
        says: `The user pool does not send its email with ${sender}.`,
        command,
      },
    !LambdaConfig?.PreTokenGenerationConfig &&
      !LambdaConfig?.PreTokenGeneration && {
        says: "The user pool does not call TriggersPreTokenGeneration, so nobody can use the API.",
        command,
      },
    !LambdaConfig?.PostConfirmation && {
      says: "The user pool does not call TriggersPostConfirmation, so the password of an account that somebody else created stays valid.",
      command,
    },
  ].filter((fault) => fault !== false);
}

export const protection: readonly Check[] = [
  {
    name: "stack",
    look: async (stack) => stackFaults({ ...stack, isProtected: stack.settings().isProtected }),
  },
  {
    name: "user pool",
    async look(stack) {
      const UserPoolId = outputOf(stack, "UserPoolId");
      const UserPool = await new CognitoIdentityProviderClient().send(new DescribeUserPoolCommand({ UserPoolId })).then(
        ({ UserPool: pool = {} }) => pool,
        (error: unknown) => {
          if (!(error instanceof ResourceNotFoundException)) throw error;
          return undefined;
        },
      );
      if (!UserPool) return lostPool(UserPoolId, stack);
      const { isProtected, sender } = stack.settings();
      return poolFaults(UserPool, {
        ...pick(stack, ["stage", "isInMaintenance"]),
        isProtected,
        sender: sender?.identityArn,
      });
    },
  },
];
