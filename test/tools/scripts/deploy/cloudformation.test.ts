import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type HttpRequest, headerOf, type Serving, serve } from "../../../../tools/local/loopback.ts";
import { cloudFormation } from "../../../../tools/scripts/deploy/cloudformation.ts";

let served: Serving;
let answer: readonly [status: number, xml: string] = [200, ""];
let request: HttpRequest | undefined;
beforeAll(async () => {
  served = await serve({ port: 0, maxBodyBytes: 10_000 }, async (received) => {
    request = received;
    return { status: answer[0], headers: [["content-type", "text/xml"]], body: answer[1] };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", served.url);
});
afterAll(() => served.close());
afterEach(() => {
  request = undefined;
});

const asked = () => Object.fromEntries(new URLSearchParams(request?.body?.toString()));

/** Responses in the form of the examples in AWS's API reference. */
const described = `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
  <DescribeStacksResult>
    <Stacks>
      <member>
        <StackName>odis-prod</StackName>
        <Capabilities><member>CAPABILITY_IAM</member></Capabilities>
        <StackStatus>UPDATE_COMPLETE</StackStatus>
        <Outputs>
          <member>
            <Description>Where it is</Description>
            <OutputKey>ApiUrl</OutputKey>
            <OutputValue>https://odis.example.com?a=1&amp;b=2</OutputValue>
          </member>
          <member>
            <OutputKey>RollbackAlarmArns</OutputKey>
            <OutputValue>arn:a,arn:b</OutputValue>
          </member>
        </Outputs>
      </member>
    </Stacks>
  </DescribeStacksResult>
</DescribeStacksResponse>`;

const failed = (code: string, message: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

it("describe returns status and outputs of a stack with a signed request", async () => {
  answer = [200, described];
  expect(await cloudFormation().describe("odis-prod")).toEqual({
    status: "UPDATE_COMPLETE",
    outputs: { ApiUrl: "https://odis.example.com?a=1&b=2", RollbackAlarmArns: "arn:a,arn:b" },
  });
  expect(asked()).toEqual({ Action: "DescribeStacks", Version: "2010-05-15", StackName: "odis-prod" });
  expect(headerOf(request ?? { headers: [] }, "authorization")).toMatch(
    /^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/eu-central-1\/cloudformation\/aws4_request/,
  );
});

it("describe distinguishes a missing stack from a failure", async () => {
  answer = [400, failed("ValidationError", "Stack with id odis-prod does not exist")];
  expect(await cloudFormation().describe("odis-prod")).toBeUndefined();
  answer = [403, failed("AccessDenied", "User: nobody is not authorized")];
  await expect(cloudFormation().describe("odis-prod")).rejects.toThrow("User: nobody is not authorized");
});

it("template returns the template as it was submitted", async () => {
  const template = JSON.stringify({ Resources: { "a<b>&amp;": "ü\n'" } });
  const escaped = template
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&#62;")
    .replaceAll("ü", "&#xFC;");
  answer = [
    200,
    `<GetTemplateResponse><GetTemplateResult><TemplateBody>${escaped}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
  ];
  expect(await cloudFormation().template("odis-prod")).toBe(template);
  expect(asked()).toMatchObject({ Action: "GetTemplate", TemplateStage: "Original" });
});

it("protect turns on the protection of a stack", async () => {
  answer = [200, "<UpdateTerminationProtectionResponse/>"];
  await cloudFormation().protect("odis-prod");
  expect(asked()).toMatchObject({
    Action: "UpdateTerminationProtection",
    StackName: "odis-prod",
    EnableTerminationProtection: "true",
  });
});
