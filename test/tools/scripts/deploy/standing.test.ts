import { describe, expect, it } from "vitest";
import { standingOf } from "../../../../tools/scripts/deploy/standing.ts";

// All values of `StackStatus` in https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Stack.html
const underWay = [
  "CREATE_IN_PROGRESS",
  "DELETE_IN_PROGRESS",
  "IMPORT_IN_PROGRESS",
  "IMPORT_ROLLBACK_IN_PROGRESS",
  "ROLLBACK_IN_PROGRESS",
  "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
  "UPDATE_IN_PROGRESS",
  "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
  "UPDATE_ROLLBACK_IN_PROGRESS",
];
const halfway = [
  "CREATE_FAILED",
  "DELETE_FAILED",
  "IMPORT_ROLLBACK_FAILED",
  "ROLLBACK_FAILED",
  "UPDATE_FAILED",
  "UPDATE_ROLLBACK_FAILED",
];
const complete = [
  "CREATE_COMPLETE",
  "IMPORT_COMPLETE",
  "IMPORT_ROLLBACK_COMPLETE",
  "UPDATE_COMPLETE",
  "UPDATE_ROLLBACK_COMPLETE",
];

describe("the status of a stack", () => {
  it.each([undefined, "REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_COMPLETE"])(
    "a stack with the status %s has not been deployed, so that its first deployment turns protection off",
    (status) => expect(standingOf("odis-prod", status)).toBe("new"),
  );

  it.each(complete)("a stack with the status %s has been deployed and stays protected", (status) =>
    expect(standingOf("odis-prod", status)).toBe("deployed"),
  );

  it.each(underWay)("a deployment is refused while a stack has the status %s", (status) =>
    expect(() => standingOf("odis-prod", status)).toThrow(
      `Another deployment of odis-prod is running (${status}): wait until it has ended, and deploy again`,
    ),
  );

  it.each([...halfway, "SOMETHING_NEW"])(
    "a deployment is refused with a reference to the documentation if a stack has the status %s",
    (status) =>
      expect(() => standingOf("odis-prod", status)).toThrow(
        `The last deployment of odis-prod stopped halfway (${status}): see "A deployment that stopped halfway" in docs/operations.md`,
      ),
  );
});
