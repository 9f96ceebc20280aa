import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";

/** A stack as CloudFormation describes it. */
export type DescribedStack = {
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
};

/** CloudFormation in the region and with the credentials that the AWS CLI would use. */
export function cloudFormation() {
  const client = new CloudFormationClient();

  return {
    /** @returns undefined where there is no stack of this name */
    async describe(stack: string): Promise<DescribedStack | undefined> {
      try {
        const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
        const outputs = (found?.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]);
        return { status: found?.StackStatus ?? "", outputs: Object.fromEntries(outputs) as Record<string, string> };
      } catch (error) {
        if (error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist"))
          return undefined;
        throw error;
      }
    },

    /** The template that was deployed last, as it was given to CloudFormation. */
    async template(stack: string): Promise<string> {
      const { TemplateBody = "" } = await client.send(
        new GetTemplateCommand({ StackName: stack, TemplateStage: "Original" }),
      );
      return TemplateBody;
    },

    /** Turns the termination protection of a stack on or off: CloudFormation refuses to delete a protected stack. */
    async protect(stack: string, isProtected = true): Promise<void> {
      await client.send(
        new UpdateTerminationProtectionCommand({ StackName: stack, EnableTerminationProtection: isProtected }),
      );
    },
  };
}
