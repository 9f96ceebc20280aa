import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { headerOf, type Serving, serve } from "../../../../tools/local/loopback.ts";
import { accountRefusalsOf, verificationHintOf } from "../../../../tools/scripts/deploy/account-refusals.ts";
import { resources } from "../../../infra/prod.ts";
import { prodFile } from "../../../infra/synthesized.ts";

it("a check that is not possible does not hide the refusals of the others", async () => {
  const refused = await accountRefusalsOf(settingsFor("sandbox"), "eu-central-1", [
    { name: "email", look: async ({ stage, region }) => [{ says: `${stage} in ${region}.`, command: "aws ses" }] },
    {
      name: "certificates",
      look: async () => {
        throw new Error("AccessDenied");
      },
    },
  ]);
  expect(refused).toEqual(["sandbox in eu-central-1. Run: aws ses"]);
});

it.each(["ResponseHeadersPolicy", "CachePolicy"])(
  "a stage has one %s of CloudFront, of which an account can have 20",
  (type) => {
    expect(Object.keys(resources(`AWS::CloudFront::${type}`))).toHaveLength(1);
  },
);

/** What an account has, as AWS describes it. */
const ready = {
  identity: { VerifiedForSendingStatus: true, VerificationStatus: "SUCCESS" },
  email: { ProductionAccessEnabled: true, SendingEnabled: true },
  certificate: { Status: "ISSUED", Type: "AMAZON_ISSUED" },
  policies: 19,
  cachePolicies: 19,
  distributions: 1,
};

describe("the account before the first deployment", () => {
  let account: typeof ready;
  let aws: Serving;
  beforeAll(async () => {
    aws = await serve({ port: 0, maxBodyBytes: 10_000 }, async (request) => {
      const [status, body] = answerTo(request.target, headerOf(request, "x-amz-target"));
      return { status, headers: [], body };
    });
  });
  afterAll(() => aws.close());
  beforeEach(() => {
    account = ready;
    vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  function answerTo(target: string, operation: string | undefined): [status: number, body: string] {
    if (operation === "CertificateManager.DescribeCertificate")
      return [200, JSON.stringify({ Certificate: account.certificate })];
    if (target.startsWith("/v2/email/identities/")) return [200, JSON.stringify(account.identity)];
    if (target.startsWith("/v2/email/account")) return [200, JSON.stringify(account.email)];
    if (target.includes("/distribution")) {
      const { distributions } = account;
      return [200, `<DistributionList><Quantity>${distributions}</Quantity></DistributionList>`];
    }
    const cached = "<CachePolicySummary><Type>custom</Type></CachePolicySummary>".repeat(account.cachePolicies);
    if (target.includes("/cache-policy")) return [200, `<CachePolicyList><Items>${cached}</Items></CachePolicyList>`];
    const items = "<ResponseHeadersPolicySummary><Type>custom</Type></ResponseHeadersPolicySummary>";
    const list = `<ResponseHeadersPolicyList><Items>${items.repeat(account.policies)}</Items></ResponseHeadersPolicyList>`;
    return target.includes("/response-headers-policy") ? [200, list] : [404, "{}"];
  }

  const arnIn = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/1`;
  const refusals = (change: Partial<typeof ready>, certificateRegion = "eu-central-1") => {
    account = { ...ready, ...change };
    // The stage file refuses a certificate of `domain` that is not in us-east-1.
    const apiDomain = { name: "origin-k3v9.example.com", certificateArn: arnIn(certificateRegion) };
    return accountRefusalsOf(settingsFor("prod", { ...prodFile, apiDomain }), "eu-central-1");
  };

  it("an account that is ready is not refused", async () => {
    expect(await refusals({})).toEqual([]);
  });

  it.each([
    [
      "an identity that is not verified",
      { identity: { VerifiedForSendingStatus: false, VerificationStatus: "PENDING" } },
      undefined,
      /^The identity example\.com of SES is not verified \(PENDING\).* Run: aws sesv2 get-email-identity/,
    ],
    [
      "an account in the sandbox of SES",
      { email: { ProductionAccessEnabled: false, SendingEnabled: true } },
      undefined,
      /^SES in eu-central-1 is in its sandbox: .* Run: aws sesv2 put-account-details/,
    ],
    [
      "a certificate that is not issued",
      { certificate: { Status: "PENDING_VALIDATION", Type: "AMAZON_ISSUED" } },
      undefined,
      /^The certificate of apiDomain is not issued \(PENDING_VALIDATION\).* Run: aws acm describe-certificate/,
    ],
    [
      "a certificate in the wrong region",
      {},
      "us-east-1",
      /^The certificate of apiDomain is in us-east-1, but must be in eu-central-1\..* Run: aws acm request-certificate/,
    ],
    [
      "a quota of response-headers policies that is too low",
      { policies: 20 },
      undefined,
      /^The account has 20 of 20 response-headers policies of CloudFront, and a new stage needs one\..* Run: aws service-quotas/,
    ],
    [
      "a quota of cache policies that is too low",
      { cachePolicies: 20 },
      undefined,
      /^The account has 20 of 20 cache policies of CloudFront, and a new stage needs one\..* Run: aws service-quotas/,
    ],
  ])("%s refuses the deployment in one line with the command that mends it", async (_, change, region, line) => {
    expect(await refusals(change, region)).toEqual([expect.stringMatching(line)]);
  });

  it("an account without a distribution gets a hint that CloudFront may have to be verified", async () => {
    expect(await verificationHintOf()).toBeUndefined();
    account = { ...ready, distributions: 0 };
    expect(await verificationHintOf()).toMatch(
      /^The account has no CloudFront distribution yet\. [^\n]*ask AWS Support/,
    );
  });

  it("an account whose distributions cannot be listed gets no hint", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    expect(await verificationHintOf()).toBeUndefined();
  });
});
