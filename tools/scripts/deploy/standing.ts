/** What the status of a stack says about the next deployment. */
export type Standing = "new" | "deployed";

/** A deployment has completed, or has been rolled back to one that had. An import that was rolled back leaves the stack as it was. */
const deployed = [
  "CREATE_COMPLETE",
  "UPDATE_COMPLETE",
  "UPDATE_ROLLBACK_COMPLETE",
  "IMPORT_COMPLETE",
  "IMPORT_ROLLBACK_COMPLETE",
];

/** No deployment has ever completed, and CloudFormation or the CDK deletes what is left of the last attempt. */
const neverDeployed = ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_COMPLETE"];

/**
 * Whether this is the first deployment of a stack. Only a first deployment turns protection off, so that every status that
 * is not known to precede one is refused.
 *
 * @param status status in CloudFormation; undefined if there is no such stack
 * @throws Error if another deployment is running, or the last one stopped halfway
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
 */
export function standingOf(stack: string, status: string | undefined): Standing {
  if (status === undefined || neverDeployed.includes(status)) return "new";
  if (deployed.includes(status)) return "deployed";
  if (status.endsWith("_IN_PROGRESS"))
    throw new Error(`Another deployment of ${stack} is running (${status}): wait until it has ended, and deploy again`);
  throw new Error(
    `The last deployment of ${stack} stopped halfway (${status}): see "A deployment that stopped halfway" in docs/operations.md`,
  );
}
