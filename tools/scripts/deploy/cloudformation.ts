import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from "@aws-sdk/client-cloudformation";

/** How long the deletion of a stack may take. Most of it is the distribution's. */
const maxDeletionSeconds = 60 * 60;

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

    /** Returns the names of the buckets of a stack that still exist. */
    async buckets(stack: string): Promise<string[]> {
      const names: string[] = [];
      for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName: stack }))
        for (const { ResourceType, ResourceStatus, PhysicalResourceId } of StackResourceSummaries)
          if (ResourceType === "AWS::S3::Bucket" && ResourceStatus !== "DELETE_COMPLETE" && PhysicalResourceId)
            names.push(PhysicalResourceId);
      return names;
    },

    /**
     * Deletes a stack, and waits until it is gone.
     *
     * @throws Error if CloudFormation could not delete a resource
     */
    async delete(stack: string): Promise<void> {
      await client.send(new DeleteStackCommand({ StackName: stack }));
      await waitUntilStackDeleteComplete({ client, maxWaitTime: maxDeletionSeconds }, { StackName: stack });
    },
  };
}
