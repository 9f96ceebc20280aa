import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type Serving, serve } from "../../../tools/local/loopback.ts";
import { useRunningStack } from "../../../tools/scripts/running-stack.ts";
import { outputsOf, valueOr } from "../../../tools/scripts/stack-outputs.ts";

const outputs = {
  TableName: "odis-prod-Table1",
  Epoch: "2",
  UserPoolId: "eu-central-1_Prod",
  ErasuresBucketName: "erasures",
  StripeSecretArn: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Stripe",
};

/** A CloudFormation with one stack, `odis-prod`. */
let served: Serving;
beforeAll(async () => {
  served = await serve({ port: 0, maxBodyBytes: 10_000 }, async ({ body }) => {
    const headers = [["content-type", "text/xml"]] as const;
    if (new URLSearchParams(String(body)).get("StackName") !== "odis-prod")
      return {
        status: 400,
        headers,
        body: "<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack does not exist</Message></Error></ErrorResponse>",
      };
    const members = Object.entries(outputs).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    const stack = `<member><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${members.join("")}</Outputs></member>`;
    const result = `<DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult>`;
    return { status: 200, headers, body: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", served.url);
});
afterAll(() => served.close());

const names = ["TABLE_NAME", "EPOCH", "STRIPE_SECRET_ARN", "ERASURES_BUCKET", "USER_POOL_ID"] as const;
const before = names.map((name) => process.env[name]);
afterEach(() => {
  for (const [n, name] of names.entries())
    if (before[n] === undefined) delete process.env[name];
    else process.env[name] = before[n];
});
const variables = () => names.map((name) => process.env[name]);

it("outputsOf reads the outputs of a stage's stack from CloudFormation", async () => {
  expect(await outputsOf({ stage: "prod" })).toEqual(outputs);
  await expect(outputsOf({ stage: "sandbox" })).rejects.toThrow("There is no stack odis-sandbox. Deploy it first");
});

it("valueOr returns the value of an option, or else an output of the stage's stack", async () => {
  expect(await valueOr("given", "prod", "UserPoolId")).toBe("given");
  expect(await valueOr(undefined, "prod", "UserPoolId")).toBe("eu-central-1_Prod");
  await expect(valueOr(undefined, "prod", "FailedRecordsBucketName")).rejects.toThrow("has no output");
  await expect(valueOr(undefined, undefined, "UserPoolId")).rejects.toThrow("Set --stage");
});

it("a script with --stage uses the table, epoch, secret, bucket and user pool of the stage's stack", async () => {
  process.env.TABLE_NAME = "of an earlier command";
  await useRunningStack({ stage: "prod", folder: "none" });
  expect(variables()).toEqual(["odis-prod-Table1", "2", outputs.StripeSecretArn, "erasures", "eu-central-1_Prod"]);
});

it("a script with --stage and --table uses this table", async () => {
  await useRunningStack({ stage: "prod", table: "odis-restored", folder: "none" });
  expect(variables().slice(0, 2)).toEqual(["odis-restored", "2"]);
});
