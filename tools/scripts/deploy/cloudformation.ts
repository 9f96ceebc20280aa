import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";

/** A stack in CloudFormation. */
export type DescribedStack = {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
};

/** Returns functions that call CloudFormation with the region and credentials that the AWS CLI would use. */
export function cloudFormation() {
  const client = new CloudFormationClient();

  return {
    /** @returns undefined if there is no stack of this name */
    async describe(stack: string): Promise<DescribedStack | undefined> {
      try {
        const { Stacks: [description] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
        const outputs = (description?.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [
          OutputKey,
          OutputValue,
        ]);
        return {
          status: description?.StackStatus ?? "",
          outputs: Object.fromEntries(outputs) as Record<string, string>,
        };
      } catch (error) {
        if (error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist"))
          return undefined;
        throw error;
      }
    },

    /** Returns the deployed template as it was submitted. */
    async template(stack: string): Promise<string> {
      const { TemplateBody = "" } = await client.send(
        new GetTemplateCommand({ StackName: stack, TemplateStage: "Original" }),
      );
      return TemplateBody;
    },

    /** Sets the termination protection of a stack. CloudFormation refuses to delete a protected stack. */
    async protect(stack: string, isProtected = true): Promise<void> {
      await client.send(
        new UpdateTerminationProtectionCommand({ StackName: stack, EnableTerminationProtection: isProtected }),
      );
    },
  };
}
