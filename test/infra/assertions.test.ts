import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { each, is, limited, named, type Of, type Stack, stackNamed, stacks } from "./stacks.ts";

/** The mappings of the table's stream: the queue of deliveries has one of another kind. */
const ofStream = (all: Stack["all"]) =>
  all("Lambda::EventSourceMapping").filter((mapping) => "StartingPosition" in mapping);

/**
 * What every stage must have. Other tests of this folder look at the details.
 */
const assertions: readonly (readonly [statement: string, assertion: (stack: Stack) => void])[] = [
  [
    "a route takes three resources, and what is left serves all of them",
    ({ count, all }) => {
      // Each is there only if a setting asks for it.
      const optional = ["ApiGatewayV2::DomainName", "ApiGatewayV2::ApiMapping", "Budgets::Budget"].flatMap(all);
      // A rule that keeps functions warm may call each of them.
      const warming = all("Events::Rule").filter((rule) => JSON.stringify(rule).includes("warm_up"));
      const permissions = warming.flatMap(({ Targets }) => Targets as unknown[]);
      const left = count - optional.length - warming.length - permissions.length;
      expect(left).toBeLessThanOrEqual(3 * routes.length + 144);
    },
  ],
  ["there are fewer than 450 resources", ({ count }) => expect(count).toBeLessThan(450)],
  [
    "each route of the contract is a route of the gateway",
    ({ all }) =>
      expect(new Set(all("ApiGatewayV2::Route").map((route) => route.RouteKey))).toEqual(
        new Set(routes.map(({ key }) => key)),
      ),
  ],
  [
    "one role lets the gateway call functions, so that no route has a permission",
    ({ all }) =>
      expect(
        new Set(all("ApiGatewayV2::Integration").map(({ CredentialsArn }) => JSON.stringify(CredentialsArn))).size,
      ).toBe(1),
  ],
  [
    "functions run on Node 24 and arm64",
    ({ all }) => each(named(all("Lambda::Function"), /^odis-/), { Runtime: "nodejs24.x", Architectures: ["arm64"] }),
  ],
  [
    "the client signs in by SRP, and sends no password",
    ({ one }) =>
      is(one("Cognito::UserPoolClient"), { ExplicitAuthFlows: ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"] }),
  ],
  [
    "the pool offers an authenticator app, which admins need",
    ({ one }) => is(one("Cognito::UserPool"), { MfaConfiguration: "OPTIONAL", EnabledMfas: ["SOFTWARE_TOKEN_MFA"] }),
  ],
  [
    "email addresses are taken in any case",
    ({ one }) =>
      is(one("Cognito::UserPool"), { UsernameAttributes: ["email"], UsernameConfiguration: { CaseSensitive: false } }),
  ],
  [
    "a user has an email address",
    ({ one }) => is(one("Cognito::UserPool"), { Schema: [{ Name: "email", Required: true }] }),
  ],
  [
    "no function reserves executions unless the settings say so",
    ({ all, variant }) => {
      const reserved = named(all("Lambda::Function"), /^odis-/).map((one) => one.ReservedConcurrentExecutions);
      const given = { sandbox: [], "sandbox with alarms": [], maintenance: [0] }[variant as string] ?? [2, 20, 100];
      expect(new Set(reserved.filter((one) => one !== undefined))).toEqual(new Set(given));
    },
  ],
  [
    "only the pool and the rules of the schedules may call functions directly, each one function",
    ({ all }) =>
      each(all("Lambda::Permission"), {
        Principal: expect.stringMatching(/^(cognito-idp|events)\.amazonaws\.com$/),
        SourceArn: expect.anything(),
      }),
  ],
  [
    "the table is billed by request, and streams what was before and after a change",
    ({ one }) =>
      is(one("DynamoDB::GlobalTable"), {
        BillingMode: "PAY_PER_REQUEST",
        StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      }),
  ],
  [
    "snapshots of the directory are objects of a bucket that expire",
    ({ all }) => expect(JSON.stringify(all("S3::Bucket"))).toContain('"ExpirationInDays":7,"Status":"Enabled"'),
  ],
  [
    "a consumer attempts a record for 23 hours at most, and events as often as it takes",
    ({ all }) => {
      each(ofStream(all), { MaximumRecordAgeInSeconds: 82_800 });
      expect(ofStream(all).map((mapping) => mapping.MaximumRetryAttempts)).toEqual([10, undefined]);
    },
  ],
  [
    "what a consumer gives up on is kept whole in a bucket",
    ({ all }) =>
      each(ofStream(all), {
        DestinationConfig: {
          OnFailure: { Destination: { "Fn::GetAtt": [expect.stringMatching(/^FailedRecordsBucket/), "Arn"] } },
        },
      }),
  ],
  [
    "a failing batch is cut, and the records done are not repeated",
    ({ all }) =>
      each(ofStream(all), {
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
      }),
  ],
  [
    "a schedule that fails is not repeated beside its next run",
    ({ all }) => each(all("Lambda::EventInvokeConfig"), { MaximumRetryAttempts: 0 }),
  ],
  [
    "the rules of the schedules repeat nothing either",
    ({ all, variant }) =>
      each(
        all("Events::Rule")
          .filter((rule) => "ScheduleExpression" in rule)
          .flatMap(({ State, Targets }) => (Targets as object[]).map((target) => ({ State, ...target }))),
        {
          State: variant === "maintenance" ? "DISABLED" : "ENABLED",
          RetryPolicy: { MaximumRetryAttempts: 0 },
        },
      ),
  ],
  [
    "every function has the table by its reference, so that another can take its place",
    ({ all, variant }) =>
      each(named(all("Lambda::Function"), /-Members/), {
        Environment: {
          Variables: {
            TABLE_NAME:
              variant === "prod on a restored table" ? "odis-restored" : { Ref: expect.stringMatching(/^Table/) },
          },
        },
      }),
  ],
  [
    "refused signatures of Stripe raise an alarm",
    ({ alarm }) => is(alarm("WebhookRefused"), { Dimensions: [{ Name: "problem", Value: "invalid_signature" }] }),
  ],
  [
    "a schedule that does not finish raises an alarm",
    ({ alarm }) => is(alarm("ReconcileNotFinished"), { TreatMissingData: "breaching" }),
  ],
  [
    "consumers that read nothing raise an alarm",
    ({ alarm }) =>
      ["ProjectionsSilent", "EventsSilent"].forEach((name) => is(alarm(name), { TreatMissingData: "breaching" })),
  ],
  [
    "a day without an event of Stripe raises an alarm",
    ({ alarm }) => is(alarm("WebhookSilent"), { EvaluationPeriods: 24, Period: 3600, TreatMissingData: "breaching" }),
  ],
  [
    "throttles of each index raise an alarm",
    ({ alarm }) =>
      ["by_status", "by_tier", "by_blocked", "by_access"].forEach((index) =>
        expect(JSON.stringify(alarm("TableThrottled"))).toContain(index),
      ),
  ],
  [
    "server errors are alarmed by rate",
    ({ alarm }) => expect(JSON.stringify(alarm("ServerErrors"))).toContain("100 * errors / requests"),
  ],
  [
    "each route that moves money is part of the metric of an alarm",
    ({ alarm, all }) => {
      is(alarm("MoneyRouteErrors"), { MetricName: "money_errors" });
      const pattern = all("Logs::MetricFilter")
        .map(({ FilterPattern }) => FilterPattern)
        .join();
      for (const { path } of limited) expect(pattern).toContain(`*${path.slice(path.lastIndexOf("/"))}"`);
    },
  ],
  [
    "saved queries follow a request",
    ({ all, stage }) =>
      expect(all("Logs::QueryDefinition").map(({ Name }) => Name)).toContain(`odis-${stage}/One request`),
  ],
  [
    "the outputs name what the commands of an operator ask for",
    ({ text }) =>
      [
        "ApiUrl",
        "TableName",
        "UserPoolId",
        "StripeSecretArn",
        "ErasuresBucketName",
        "FailedRecordsBucketName",
        "RollbackAlarmArns",
      ].forEach((output) => expect(text).toContain(`"${output}":{`)),
  ],
  [
    "no route has metrics of the gateway of its own",
    ({ one }) => expect(JSON.stringify(one("ApiGatewayV2::Stage"))).not.toContain("DetailedMetricsEnabled"),
  ],
  [
    "functions log no line about each start and end",
    ({ all }) =>
      each(named(all("Lambda::Function"), /^odis-/), {
        LoggingConfig: { LogFormat: "JSON", SystemLogLevel: "WARN", ApplicationLogLevel: "INFO" },
      }),
  ],
  [
    "pages come from a bucket that only the distribution reads",
    ({ all }) =>
      each(all("CloudFront::OriginAccessControl"), { OriginAccessControlConfig: { SigningBehavior: "always" } }),
  ],
  [
    "money routes take fewer requests at once than others",
    ({ one, variant }) => {
      const { DefaultRouteSettings: others, RouteSettings: own } = one("ApiGatewayV2::Stage") as Record<
        string,
        Record<string, Of>
      >;
      for (const { key } of limited) {
        const rate = own?.[key]?.ThrottlingRateLimit;
        if (variant === "maintenance") expect(rate).toBe(0);
        else expect(rate).toBeLessThan(Number(others?.ThrottlingRateLimit));
      }
    },
  ],
  [
    "of the API, only what says so is cached in front of it, by token and origin, and for 5 seconds at most",
    ({ one }) => {
      expect(one("CloudFront::CachePolicy").CachePolicyConfig).toMatchObject({
        MinTTL: 0,
        DefaultTTL: 0,
        MaxTTL: 5,
        ParametersInCacheKeyAndForwardedToOrigin: { HeadersConfig: { Headers: ["Authorization", "Origin"] } },
      });
      each(
        (one("CloudFront::Distribution").DistributionConfig as { CacheBehaviors: Of[] }).CacheBehaviors.filter(
          ({ PathPattern }) => /^.(odis|api|webhooks)/.test(String(PathPattern)),
        ),
        { CachePolicyId: { Ref: expect.stringContaining("ApiCache") as string }, ViewerProtocolPolicy: "https-only" },
      );
    },
  ],
  [
    "buckets are encrypted, and closed to the public",
    ({ all }) =>
      each(all("S3::Bucket"), {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      }),
  ],
  [
    "buckets are reached over TLS only",
    ({ all }) =>
      each(all("S3::BucketPolicy"), {
        PolicyDocument: {
          Statement: expect.arrayContaining([
            expect.objectContaining({
              Effect: "Deny",
              Action: "s3:*",
              Principal: { AWS: "*" },
              Condition: { Bool: { "aws:SecureTransport": "false" } },
            }),
          ]),
        },
      }),
  ],
  [
    "a new email address counts once it is verified",
    ({ one }) =>
      is(one("Cognito::UserPool"), {
        UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ["email"] },
      }),
  ],
  [
    "people can write what their profile is made of, and nothing else",
    ({ one }) =>
      is(one("Cognito::UserPoolClient"), {
        WriteAttributes: ["email", "family_name", "given_name", "preferred_username"],
        ReadAttributes: ["email", "email_verified", "family_name", "given_name", "preferred_username"],
      }),
  ],
  [
    "no role may scan the table, or has all actions on it",
    ({ text }) => expect(text).not.toMatch(/dynamodb:(Scan|\*)/),
  ],
  [
    "the access log holds no address of a caller",
    ({ one }) =>
      expect(JSON.stringify(one("ApiGatewayV2::Stage").AccessLogSettings)).not.toMatch(/sourceIp|forwarded/i),
  ],
  [
    "sign-in does not reveal who has an account",
    ({ one }) =>
      is(one("Cognito::UserPoolClient"), { PreventUserExistenceErrors: "ENABLED", EnableTokenRevocation: true }),
  ],
];

it("the list of assertions has at least 40 entries, without duplicates", () => {
  const statements = new Set(assertions.map(([statement]) => statement));
  expect(statements.size).toBe(assertions.length);
  expect(statements.size).toBeGreaterThanOrEqual(40);
});

describe.each(stacks)("the template of $variant", (stack) => {
  it.each(assertions)("the template fulfills the assertion: %s", (_, assertion) => {
    expect.hasAssertions();
    assertion(stack);
  });
});

/** The names of the properties in which two values differ. */
function differences(one: unknown, other: unknown, name = ""): string[] {
  const isObject = (value: unknown): value is Of => typeof value === "object" && value !== null;
  if (!isObject(one) || !isObject(other)) return one === other ? [] : [name];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differences(one[key], other[key], key),
  );
}

describe("a variant differs from the one that the linters check only as listed", () => {
  const { resources: prod, types } = stackNamed("prod");
  const changedIn = (name: "first prod" | "maintenance") => new Set(differences(stackNamed(name).resources, prod));

  it("a first deployment of prod differs from prod only in deletion protection and in an emptied site bucket", () => {
    expect(changedIn("first prod")).toEqual(
      new Set(["DeletionProtectionEnabled", "DeletionProtection", "RetainOnDelete"]),
    );
  });

  it("maintenance differs from prod only in limits and in disabled schedules, consumers and alarms", () => {
    const limits = ["ReservedConcurrentExecutions", "ThrottlingRateLimit", "ThrottlingBurstLimit"];
    expect(changedIn("maintenance")).toEqual(new Set([...limits, "State", "Enabled", "ActionsEnabled"]));
  });

  it("a bare sandbox is a sandbox with alarms, without the alarms' recipients, the canary with its alarm, and the budget", () => {
    const { resources: withAlarms } = stackNamed("sandbox with alarms");
    const { resources: bare } = stackNamed("sandbox");
    const more = Object.entries(withAlarms).filter(([id]) => !(id in bare));
    const ofCanary = [
      "AWS::CloudWatch::Alarm",
      "AWS::Events::Rule",
      "AWS::IAM::Role",
      "AWS::Lambda::EventInvokeConfig",
      "AWS::Lambda::Function",
      "AWS::Lambda::Permission",
    ];
    expect(more.map(([, { Type }]) => Type).toSorted()).toEqual(
      ["AWS::Budgets::Budget", "AWS::SNS::Subscription", ...ofCanary].toSorted(),
    );
    // The dashboard lists the alarms.
    const dashboards = Object.entries(withAlarms).filter(([, { Type }]) => Type === "AWS::CloudWatch::Dashboard");
    expect(withAlarms).toEqual({ ...bare, ...Object.fromEntries([...more, ...dashboards]) });
  });

  it("prod with a restored table has exactly the resources of prod", () => {
    expect(stackNamed("prod on a restored table").types).toEqual(types);
  });
});

describe("protection from deletion", () => {
  const isProtected = ({ isProtected: isStackProtected, one }: Stack) => [
    isStackProtected,
    (one("DynamoDB::GlobalTable").Replicas as readonly Of[])[0]?.DeletionProtectionEnabled,
    one("Cognito::UserPool").DeletionProtection === "ACTIVE",
  ];

  it.each(["prod", "maintenance", "prod on a restored table"] as const)(
    "the options of cdk deploy protect the stack, the table and the users of %s for every caller",
    (name) => expect(isProtected(stackNamed(name))).toEqual([true, true, true]),
  );

  it.each(["first prod", "sandbox", "sandbox with alarms"] as const)(
    "%s has no deletion protection, so that a failed deployment can be deleted",
    (name) => expect(isProtected(stackNamed(name))).toEqual([false, false, false]),
  );

  it("a failed first deployment empties the bucket of the site, which CloudFormation cannot delete otherwise", () => {
    const retained = ({ custom }: Stack) => custom("CDKBucketDeployment").map(({ RetainOnDelete }) => RetainOnDelete);
    expect(retained(stackNamed("prod"))).toEqual([true, true]);
    expect(retained(stackNamed("first prod"))).toEqual([false, false]);
  });
});
