import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type HttpAnswer, type HttpRequest, headerOf, serve } from "../../../tools/local/loopback.ts";
import { protectStack } from "../../../tools/scripts/protect-stack.ts";

const asked: HttpRequest[] = [];
let answer: HttpAnswer;
let close: () => Promise<void>;
beforeEach(async () => {
  asked.length = 0;
  answer = { status: 200, headers: [], body: "<UpdateTerminationProtectionResponse/>" };
  const server = await serve({ port: 0, maxBodyBytes: 10_000 }, async (request) => {
    asked.push(request);
    return answer;
  });
  ({ close } = server);
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", server.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
});

it.each([true, false])("asks CloudFormation with a signed request to set the protection to %j", async (isProtected) => {
  await protectStack("odis-prod", isProtected);
  const [request] = asked;
  expect(Object.fromEntries(new URLSearchParams(request?.body?.toString()))).toEqual({
    Action: "UpdateTerminationProtection",
    Version: "2010-05-15",
    StackName: "odis-prod",
    EnableTerminationProtection: String(isProtected),
  });
  expect(headerOf(request ?? { headers: [] }, "authorization")).toMatch(
    /^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/eu-central-1\/cloudformation\/aws4_request, SignedHeaders=/,
  );
});

it("fails with what CloudFormation says", async () => {
  const error = "<Error><Code>ValidationError</Code><Message>Stack [odis-prod] does not exist</Message></Error>";
  answer = { status: 400, headers: [], body: `<ErrorResponse>${error}</ErrorResponse>` };
  await expect(protectStack("odis-prod")).rejects.toThrow(
    "CloudFormation answered ValidationError: Stack [odis-prod] does not exist",
  );
});
