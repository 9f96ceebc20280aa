import { runInNewContext } from "node:vm";
import { App } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { OdisStack } from "../../infra/stack.ts";
import { commonHeaders, contentSecurityPolicy } from "../../site/headers.ts";
import { resources, rightsOf, template } from "./prod.ts";
import { prodFile, synthesized } from "./synthesized.ts";

type Behavior = {
  readonly PathPattern?: string;
  readonly TargetOriginId: string;
  readonly CachePolicyId: string | { readonly Ref: string };
  readonly OriginRequestPolicyId?: string;
  readonly ResponseHeadersPolicyId?: { readonly Ref: string };
  readonly ViewerProtocolPolicy: string;
  readonly Compress?: boolean;
  readonly AllowedMethods?: readonly string[];
  readonly FunctionAssociations?: readonly { readonly EventType: string }[];
};
type Distribution = {
  readonly DistributionConfig: {
    readonly CacheBehaviors: readonly Behavior[];
    readonly DefaultCacheBehavior: Behavior;
    readonly CustomErrorResponses: readonly object[];
    readonly Origins: readonly {
      readonly Id: string;
      readonly DomainName: unknown;
      readonly S3OriginConfig?: object;
    }[];
  };
};

const [{ DistributionConfig: config } = { DistributionConfig: undefined }] = Object.values(
  resources<Distribution>("AWS::CloudFront::Distribution"),
).map(({ Properties }) => Properties);
const behaviors = [config?.DefaultCacheBehavior, ...(config?.CacheBehaviors ?? [])].filter((one) => one !== undefined);
const isOfSite = ({ TargetOriginId }: Behavior) =>
  config?.Origins.find(({ Id }) => Id === TargetOriginId)?.S3OriginConfig !== undefined;
const [ofSite, ofApi] = [true, false].map((wanted) => behaviors.filter((one) => isOfSite(one) === wanted));

/** Policies that AWS has made, by the ids in its documentation. */
const cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6";
const allViewerExceptHostHeader = "b689b0a8-53d0-40ab-baf2-68738e2966ac";

describe("CloudFront sends to the API", () => {
  it("CloudFront sends exactly the paths of the contract to the API", () => {
    const patterns = ofApi?.map(({ PathPattern = "" }) => PathPattern) ?? [];
    expect(patterns.toSorted()).toEqual(["/api/*", "/health", "/odis/*", "/webhooks/*"]);
    const matches = (path: string) =>
      patterns.some((pattern) => (pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern));
    expect(routes.map(({ path }) => path).filter((path) => path !== "$default" && !matches(path))).toEqual([]);
  });

  it("CloudFront keeps responses of the API for 5 seconds if they say so, by token, origin and query, and no errors", () => {
    const [[id, policy] = [], ...others] = Object.entries(resources<object>("AWS::CloudFront::CachePolicy"));
    expect(others).toEqual([]);
    for (const { CachePolicyId } of ofApi ?? []) expect(CachePolicyId).toEqual({ Ref: id });
    expect(policy).toMatchObject({
      Properties: {
        CachePolicyConfig: {
          MinTTL: 0,
          DefaultTTL: 0,
          MaxTTL: 5,
          ParametersInCacheKeyAndForwardedToOrigin: {
            HeadersConfig: { HeaderBehavior: "whitelist", Headers: ["Authorization", "Origin"] },
            QueryStringsConfig: { QueryStringBehavior: "all" },
            CookiesConfig: { CookieBehavior: "none" },
          },
        },
      },
    });
    // Every status for which the documentation of CloudFront names a time.
    expect(config?.CustomErrorResponses).toEqual(
      [400, 403, 404, 405, 414, 500, 501, 502, 503, 504].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });

  it("CloudFront forwards API requests of any method over TLS, without the host header", () => {
    for (const behavior of ofApi ?? []) {
      expect(behavior).toMatchObject({
        OriginRequestPolicyId: allViewerExceptHostHeader,
        ViewerProtocolPolicy: "https-only",
      });
      expect(behavior.AllowedMethods).toEqual(expect.arrayContaining(["GET", "POST", "PATCH", "DELETE", "OPTIONS"]));
      expect(behavior.FunctionAssociations ?? []).toEqual([]);
    }
  });
});

describe("CloudFront serves the site", () => {
  it("CloudFront serves the site compressed, and caches files according to their Cache-Control", () => {
    expect(ofSite?.map(({ PathPattern }) => PathPattern)).toEqual([undefined]);
    for (const behavior of ofSite ?? []) {
      expect(behavior).toMatchObject({ CachePolicyId: cachingOptimized, Compress: true });
      expect(behavior.FunctionAssociations?.map(({ EventType }) => EventType)).toEqual([
        "viewer-request",
        "viewer-response",
      ]);
    }
    const caching = Object.values(
      resources<{ SystemMetadata: Record<string, string>; Include?: string[]; Exclude: string[]; Prune: boolean }>(
        "Custom::CDKBucketDeployment",
      ),
    ).map(({ Properties: { SystemMetadata, Include, Exclude, Prune } }) => [
      SystemMetadata["cache-control"],
      Include ?? Exclude,
      Prune,
    ]);
    expect(caching).toEqual([
      ["public, max-age=31536000, immutable", ["assets/*"], false],
      ["no-cache", ["assets/*"], false],
    ]);
  });

  it("CloudFront answers GET and HEAD requests for files, and no others", () => {
    for (const { AllowedMethods } of ofSite ?? []) expect(AllowedMethods).toEqual(["GET", "HEAD"]);
  });

  const signIn = "https://cognito-idp.eu-central-1.amazonaws.com";

  /** The function that CloudFront calls, from the template. */
  function deployedViewer() {
    const [{ FunctionCode } = { FunctionCode: {} }] = Object.values(
      resources<{ FunctionCode: { "Fn::Join"?: [string, unknown[]] } }>("AWS::CloudFront::Function"),
    ).map(({ Properties }) => Properties);
    const [separator, parts] = FunctionCode["Fn::Join"] ?? ["", []];
    const code = parts.map((part) => (typeof part === "string" ? part : "eu-central-1")).join(separator);
    // CloudFront allows 10 KB.
    expect(code.length).toBeLessThan(10_000);
    return runInNewContext(`${code}; handler`) as (event: object) => { readonly headers: Record<string, object> };
  }

  it.each([
    ["/docs", "/docs"],
    ["/explore", "/explore"],
    ["/console", "/console"],
    // CloudFront does not document whether the function sees the path before or after it changed it.
    ["/console/index.html", "/console"],
    ["/docs/guide", undefined],
    ["/assets/console.js", undefined],
  ])("CloudFront serves %s with the Content-Security-Policy of the local stack for %s", (uri, page) => {
    const { headers } = deployedViewer()({ request: { uri }, response: { headers: {} } });
    expect(headers["content-security-policy"]).toEqual({ value: contentSecurityPolicy(page, signIn) });
  });

  it("a stage can be deployed in two regions of an account, because each name in CloudFront has the region", () => {
    const names = ["CachePolicy", "Function", "OriginAccessControl", "ResponseHeadersPolicy"].flatMap((type) =>
      Object.values(resources<object>(`AWS::CloudFront::${type}`)).map(({ Properties }) => {
        const own = Properties as Readonly<Record<string, unknown>>;
        const { Name } = (own[`${type}Config`] ?? own) as { readonly Name?: unknown };
        return JSON.stringify(own.Name ?? Name);
      }),
    );
    expect(names).toHaveLength(4);
    for (const name of names) expect(name).toMatch(/AWS::Region|eu-central-1/);
  });

  it("CloudFront serves the site with the headers of the local stack, by one policy", () => {
    const policies = Object.entries(
      resources<{ ResponseHeadersPolicyConfig: object }>("AWS::CloudFront::ResponseHeadersPolicy"),
    );
    expect(policies).toHaveLength(1);
    for (const { ResponseHeadersPolicyId } of ofSite ?? []) {
      const [[id, { Properties }] = ["", { Properties: undefined }]] = policies;
      expect(ResponseHeadersPolicyId).toEqual({ Ref: id });
      const found = Properties?.ResponseHeadersPolicyConfig;
      // The function sets it.
      expect(found).not.toHaveProperty("SecurityHeadersConfig.ContentSecurityPolicy");
      expect(found).toMatchObject({
        CorsConfig: {
          AccessControlAllowOrigins: { Items: [commonHeaders["access-control-allow-origin"]] },
          AccessControlAllowCredentials: false,
          OriginOverride: true,
        },
        SecurityHeadersConfig: {
          ContentTypeOptions: { Override: true },
          FrameOptions: { FrameOption: commonHeaders["x-frame-options"] },
          ReferrerPolicy: { ReferrerPolicy: commonHeaders["referrer-policy"] },
          StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000 },
        },
        CustomHeadersConfig: {
          Items: [
            {
              Header: "cross-origin-opener-policy",
              Value: commonHeaders["cross-origin-opener-policy"],
              Override: true,
            },
          ],
        },
      });
    }
  });

  it("besides the API, only the console may connect to the user pool, and no script or style is inline", () => {
    const connections = (path?: string) => /connect-src ([^;]+)/.exec(contentSecurityPolicy(path, signIn))?.[1];
    expect(connections("/console")).toBe(`'self' ${signIn}`);
    expect([undefined, "/docs", "/explore"].map(connections)).toEqual(["'self'", "'self'", "'self'"]);
    expect(contentSecurityPolicy("/console", signIn)).not.toContain("unsafe");
  });

  it("CloudFront serves /.well-known/odis.json with the URL of the API, the user pool and its client", () => {
    const deployments = resources<{ SourceMarkers?: Record<string, unknown>[]; Include?: string[] }>(
      "Custom::CDKBucketDeployment",
    );
    const markers = Object.values(deployments).map(({ Properties }) => JSON.stringify(Properties.SourceMarkers ?? []));
    const types = ["AWS::CloudFront::Distribution", "AWS::Cognito::UserPool", "AWS::Cognito::UserPoolClient"];
    const [front = "", pool = "", client = ""] = types.map((type) => Object.keys(resources(type))[0]);
    expect(markers.map((text) => [front, pool, client].every((id) => text.includes(id)))).toEqual([false, true]);
  });

  it("CloudFront serves the site from a bucket without public access", () => {
    const [distributionId = ""] = Object.keys(resources("AWS::CloudFront::Distribution"));
    template.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            // It may list the bucket, so that a file that does not exist is a 404.
            Action: ["s3:GetObject", "s3:ListBucket"],
            Effect: "Allow",
            Principal: { Service: "cloudfront.amazonaws.com" },
            Condition: {
              StringEquals: {
                "AWS:SourceArn": {
                  "Fn::Join": [
                    "",
                    Match.arrayWith([Match.stringLikeRegexp("distribution/$"), { Ref: distributionId }]),
                  ],
                },
              },
            },
          }),
        ]),
      },
    });
    template.hasResourceProperties("AWS::CloudFront::OriginAccessControl", {
      OriginAccessControlConfig: { SigningBehavior: "always", SigningProtocol: "sigv4" },
    });
  });

  it("the function that copies the files may read assets, write the bucket of the site and its log, and nothing else", () => {
    const [role = ""] = Object.keys(resources("AWS::IAM::Role")).filter((id) => id.startsWith("SiteWriter"));
    const [bucket = ""] = Object.keys(resources("AWS::S3::Bucket")).filter((id) => id.startsWith("Site"));
    const [log = ""] = Object.keys(resources("AWS::Logs::LogGroup")).filter((id) => id.startsWith("SiteLogs"));
    const rights = rightsOf(role).map((right) => right.replace(/ arn.*cdk-hnb659fds-assets-.*\/\*/, " assets"));
    expect(rights.toSorted()).toEqual([
      `logs:CreateLogStream ${log}`,
      `logs:PutLogEvents ${log}`,
      `s3:DeleteObject ${bucket}/*`,
      `s3:GetBucketTagging ${bucket}`,
      "s3:GetObject assets",
      `s3:ListBucket ${bucket}`,
      `s3:PutObject ${bucket}/*`,
    ]);
  });
});

describe("without a domain for the API", () => {
  const stackOf = (contents: object) => {
    const app = new App({ context: { "aws:cdk:disable-asset-staging": true } });
    return new OdisStack(app, settingsFor("prod", { ...prodFile, ...contents }));
  };
  const warning = Match.stringLikeRegexp("its own address, where the web ACL and its rate rule do not apply");

  it("without a domain for the API, synth warns that the web ACL can be bypassed", () => {
    expect(Annotations.fromStack(stackOf({})).findWarning("*", warning)).toHaveLength(1);
  });

  it.each([
    [undefined, 1],
    ["origin", 1],
    ["exclusive", 0],
  ])("with a domain for the API whose use is %s, synth warns about the web ACL %i times", (use, times) => {
    const stack = stackOf({ apiDomain: { ...apiDomain, ...(use !== undefined && { use }) } });
    expect(Annotations.fromStack(stack).findWarning("*", warning)).toHaveLength(times);
  });
});

const apiDomain = {
  name: "origin-k3v9.example.com",
  certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/abc",
};

type Whole = {
  readonly Resources: Readonly<
    Record<
      string,
      { readonly Type: string; readonly DependsOn?: readonly string[]; readonly Properties: Record<string, unknown> }
    >
  >;
};

/** What CloudFormation updates before a resource: those that it refers to or depends on, directly or not. */
function updatedBefore(whole: Whole, id: string, found = new Set<string>()): Set<string> {
  const { DependsOn = [], Properties } = whole.Resources[id] ?? { Properties: {} };
  const references = JSON.stringify(Properties).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g);
  for (const other of [...DependsOn, ...Array.from(references, ([, reference = ""]) => reference)])
    if (other in whole.Resources && !found.has(other)) updatedBefore(whole, other, found.add(other));
  return found;
}

describe("a domain for the API", () => {
  const stackWith = (use?: string) => {
    const file = { ...prodFile, apiDomain: { ...apiDomain, ...(use !== undefined && { use }) } };
    const stack = synthesized(settingsFor("prod", file));
    const idOf = (type: string) => Object.keys(stack.resources(type))[0] ?? "";
    const [api] = Object.values(stack.resources<Record<string, unknown>>("AWS::ApiGatewayV2::Api"));
    const [distribution] = Object.values(stack.resources<Distribution>("AWS::CloudFront::Distribution"));
    const origins = distribution?.Properties.DistributionConfig.Origins ?? [];
    return {
      template: stack.template,
      isMappedBefore: updatedBefore(stack.template.toJSON() as Whole, idOf("AWS::CloudFront::Distribution")).has(
        idOf("AWS::ApiGatewayV2::ApiMapping"),
      ),
      isDefaultEndpointDisabled: api?.Properties.DisableExecuteApiEndpoint === true,
      isOrigin: origins.some(({ DomainName }) => DomainName === apiDomain.name),
    };
  };

  it("a new domain for the API is mapped, and CloudFront still calls the API at the address that AWS assigned", () => {
    const { template: created, ...state } = stackWith();
    created.hasResourceProperties("AWS::ApiGatewayV2::DomainName", { DomainName: apiDomain.name });
    created.hasResourceProperties("AWS::ApiGatewayV2::ApiMapping", { DomainName: Match.anyValue() });
    expect(state).toMatchObject({ isDefaultEndpointDisabled: false, isOrigin: false });
  });

  it("an output has the name to which the DNS record of the API's domain must point", () => {
    const { template: created } = stackWith();
    const [domain = ""] = Object.keys(created.findResources("AWS::ApiGatewayV2::DomainName"));
    const { ApiDomainTarget } = created.findOutputs("ApiDomainTarget");
    expect(ApiDomainTarget).toMatchObject({ Value: { "Fn::GetAtt": [domain, "RegionalDomainName"] } });
  });

  it("CloudFront calls the API at its domain only after API Gateway has mapped it, while the default endpoint stays enabled", () => {
    expect(stackWith("origin")).toMatchObject({
      isMappedBefore: true,
      isDefaultEndpointDisabled: false,
      isOrigin: true,
    });
  });

  it("the default endpoint of the API is disabled only if the use of its domain is exclusive", () => {
    expect(stackWith("exclusive")).toMatchObject({
      isMappedBefore: true,
      isDefaultEndpointDisabled: true,
      isOrigin: true,
    });
  });
});

const distributionOf = (contents: object) =>
  Object.values(
    synthesized(settingsFor("sandbox", contents)).resources<Distribution>("AWS::CloudFront::Distribution"),
  ).map(({ Properties }) => Properties.DistributionConfig)[0];

it("a web ACL with a rate limit per IP address is attached if its ARN is given", () => {
  const webAclArn = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/odis/abc";
  expect(distributionOf({ webAclArn })).toMatchObject({ WebACLId: webAclArn });
});

it("a domain has its certificate and requires at least TLS 1.2", () => {
  const domain = { name: "odis.example.com", certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/abc" };
  expect(distributionOf({ domain })).toMatchObject({
    Aliases: [domain.name],
    ViewerCertificate: { AcmCertificateArn: domain.certificateArn, MinimumProtocolVersion: "TLSv1.2_2021" },
  });
});

it("the outputs of the stack are its URL and the settings for sign-in", () => {
  expect(Object.keys(template.findOutputs("*")).toSorted()).toEqual([
    "AccountsBucketName",
    "AlarmTopicArn",
    "ApiUrl",
    "ClientId",
    "Epoch",
    "ErasuresBucketName",
    "EventBusName",
    "FailedRecordsBucketName",
    "HttpApiId",
    "RollbackAlarmArns",
    "SealingKeyArn",
    "StripeReadingSecretArn",
    "StripeSecretArn",
    "TableName",
    "UsedTable",
    "UserPoolId",
    "Version",
  ]);
});
