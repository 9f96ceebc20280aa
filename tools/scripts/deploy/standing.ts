/** Whether a stack has been deployed before. */
export type Standing = "new" | "deployed";

/**
 * Statuses after a successful deployment or a rollback to one. An import that was rolled back leaves the stack
 * unchanged.
 */
const deployed = [
  "CREATE_COMPLETE",
  "UPDATE_COMPLETE",
  "UPDATE_ROLLBACK_COMPLETE",
  "IMPORT_COMPLETE",
  "IMPORT_ROLLBACK_COMPLETE",
];

/** Statuses without any successful deployment. CloudFormation or the CDK deletes the remains of the last attempt. */
const neverDeployed = ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_COMPLETE"];

/**
 * Returns whether a stack has been deployed before. Only a first deployment turns protection off, so unknown statuses
 * are refused.
 *
 * @param status status in CloudFormation; undefined if there is no such stack
 * @throws Error if another deployment is running or the last one stopped halfway
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
