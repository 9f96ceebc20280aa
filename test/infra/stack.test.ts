import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { stackVariables } from "#lib/env.ts";
import { partitions } from "#lib/store/partitions.ts";
import { tableSchema } from "#lib/store/table-schema.ts";
import { acknowledged } from "../../infra/acknowledged.ts";
import {
  allowedTo,
  erasesPeople,
  functions,
  type Joined,
  logs,
  type Reference,
  readingSecret,
  reads,
  readsAddresses,
  readsOfIndexes,
  readsOfSnapshots,
  resources,
  rightsOf,
  sealingKey,
  secret,
  sendsToQueues,
  statementsOf,
  tableStatementsOf,
  template,
  writes,
} from "./prod.ts";

type GatewayRoute = { readonly RouteKey: string; readonly Target: Joined };

const roleOf = (construct: string) =>
  Object.keys(resources("AWS::IAM::Role")).find((id) => id.startsWith(construct)) ?? "";
const invoker = roleOf("ApiInvoker");
const siteWriter = roleOf("SiteWriter");

describe.each(routes)("$area $name", (route) => {
  const {
    id,
    key,
    area,
    file,
    access,
    table,
    indexes,
    cursor,
    previews,
    snapshots,
    erases,
    billing,
    redirects,
    limited,
  } = route;
  const partitionNames = route.partitions ?? [];
  const environment = Object.keys(functions[id]?.Properties.Environment?.Variables ?? {});

  it("the route is connected to its function", () => {
    const [routed] = Object.values(resources<GatewayRoute>("AWS::ApiGatewayV2::Route")).filter(
      ({ Properties: { RouteKey } }) => RouteKey === key,
    );
    const integration = routed?.Properties.Target["Fn::Join"][1][1] as unknown as Reference;
    expect(resources("AWS::ApiGatewayV2::Integration")[integration.Ref]?.Properties).toMatchObject({
      IntegrationUri: { "Fn::GetAtt": [id, "Arn"] },
      PayloadFormatVersion: "2.0",
    });
  });

  it("the role allows what the route declares and writing its log, and nothing else", () => {
    const declared = [
      ...logs(id),
      ...(table ? reads : []),
      ...(indexes ? readsOfIndexes : []),
      ...(table === "write" ? writes : []),
      ...(table === "read" && route.right ? writes.filter((one) => one.includes("UpdateItem")) : []),
      ...(table === "read" && limited ? writes.filter((one) => one.includes("UpdateItem")) : []),
      ...(snapshots ? readsOfSnapshots : []),
      ...(erases ? erasesPeople : []),
      ...(route.readsAddress ? readsAddresses : []),
      ...(route.seals ? sealingKey : []),
      ...(route.queues ? sendsToQueues : []),
      ...(billing === "write" ? secret : []),
      ...(billing === "read" ? readingSecret : []),
    ];
    expect(allowedTo(id).toSorted()).toEqual(declared.toSorted());
  });

  it("the function has access only to the partitions that its route declares", () => {
    const named = partitionNames.toSorted().map((name) => partitions[name]);
    const conditions = tableStatementsOf(id)
      .filter(({ Action }) => Action !== "dynamodb:UpdateItem")
      .map(({ Condition }) => Condition);
    const confined = partitionNames.length > 0 && { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": named } };
    for (const condition of conditions) expect(condition).toEqual(confined || undefined);
  });

  it("the function declares only the environment variables that its route needs", () => {
    const declared = [
      "METRICS_NAMESPACE",
      "SITE_URL",
      ...(table ? ["TABLE_NAME", "EPOCH"] : []),
      ...(cursor || previews ? ["CURSOR_KEY"] : []),
      ...(snapshots ? ["SNAPSHOTS_BUCKET"] : []),
      ...(erases ? ["ERASURES_BUCKET"] : []),
      ...(access === "public" ? [] : ["CLIENT_ID", "USER_POOL_ID"]),
      ...(route.seals ? ["SEALING_KEY_ARN"] : []),
      ...(route.queues ? ["DELIVERY_QUEUE_URL", "SLOW_DELIVERY_QUEUE_URL"] : []),
      ...(billing ? ["STRIPE_SECRET_ARN"] : []),
      ...(redirects ? ["REDIRECT_ORIGINS"] : []),
    ];
    expect(environment.toSorted()).toEqual(declared.toSorted());
  });

  it("the function reads every environment variable that it declares, and no other", () => {
    const bundle = readFileSync(`dist/${area}/${file}/index.mjs`, "utf8");
    // The schema has every name as a key; a name in quotes is one that is read. All platforms can open a table, know
    // the epoch, and verify a token, whether or not the route lets them.
    const ofPlatform = ["TABLE_NAME", "EPOCH", "USER_POOL_ID", "CLIENT_ID"];
    const names = Object.keys(stackVariables).filter((name) => !ofPlatform.includes(name));
    expect(names.filter((name) => bundle.includes(`"${name}"`))).toEqual(
      names.filter((name) => environment.includes(name)),
    );
  });

  it("the function has access to the table if its route has a caller, whose profile may have to be read", () => {
    expect(access === "public" || table !== undefined).toBe(true);
  });
});

it("only the payment histories and subscription_details use the read-only Stripe key, and none of them has the other key", () => {
  const reading = Object.keys(functions).filter((id) => allowedTo(id).some((right) => readingSecret.includes(right)));
  expect(reading.toSorted()).toEqual([
    "MembersPaymentHistory",
    "MembersSubscriptionDetails",
    "MembershipPaymentHistory",
  ]);
  for (const id of reading) expect(allowedTo(id)).not.toContain(secret[0]);
});

describe("every function", () => {
  const ids = Object.keys(functions);
  const triggers = [
    "TriggersCanary",
    "TriggersCompactDirectory",
    "TriggersDeliver",
    "TriggersEvents",
    "TriggersExportAccounts",
    "TriggersPostConfirmation",
    "TriggersPreTokenGeneration",
    "TriggersProjections",
    "TriggersReconcile",
  ];

  it("every function belongs to a route or is a trigger", () => {
    expect(ids.toSorted()).toEqual([...routes.map(({ id }) => id), ...triggers].toSorted());
  });

  it("every function runs on Node 24 and arm64 with a timeout", () => {
    for (const { Properties } of Object.values(functions))
      expect(Properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
    for (const { id, billing } of routes)
      expect(functions[id]?.Properties).toMatchObject({ Timeout: billing ? 25 : 10, MemorySize: 512 });
  });

  it("the functions set exactly the variables that lib/env.ts expects of the stack", () => {
    const set = ids.flatMap((id) => Object.keys(functions[id]?.Properties.Environment?.Variables ?? {}));
    expect([...new Set(set)].toSorted()).toEqual(Object.keys(stackVariables).toSorted());
  });

  it("every role is used, and functions with the same trust and rights share one role", () => {
    const used = ids.map((id) => functions[id]?.Properties.Role["Fn::GetAtt"][0] ?? "");
    const all = resources<{ AssumeRolePolicyDocument: unknown }>("AWS::IAM::Role");
    expect(Object.keys(all).toSorted()).toEqual([...new Set([invoker, siteWriter, ...used])].toSorted());
    const rights = Object.entries(all).map(([id, { Properties }]) =>
      JSON.stringify([
        Properties.AssumeRolePolicyDocument,
        statementsOf(id)
          .map((one) => JSON.stringify(one))
          .toSorted(),
      ]),
    );
    expect(new Set(rights).size).toBe(rights.length);
  });

  it("every trigger has its own role", () => {
    const users = Map.groupBy(ids, (id) => functions[id]?.Properties.Role["Fn::GetAtt"][0]);
    const alone = [...users.values()].filter(({ length }) => length === 1).flat();
    expect(triggers.filter((id) => !alone.includes(id))).toEqual([]);
  });

  it("the policies of a role fit into the 10,240 characters that IAM allows", () => {
    // The longest ARN that a reference may become: a bucket's name has 63 characters, and the name of a secret a suffix.
    const arn = "a".repeat(150);
    const resolved = (_: string, value: unknown) =>
      typeof value === "object" && value !== null && ("Ref" in value || "Fn::GetAtt" in value) ? arn : value;
    for (const id of Object.keys(resources("AWS::IAM::Role")))
      expect(JSON.stringify(statementsOf(id), resolved).length).toBeLessThan(10_240);
  });

  it("the functions of routes share a log group, and those of triggers another", () => {
    const groupsOf = (of: readonly string[]) => [
      ...new Set(of.map((id) => functions[id]?.Properties.LoggingConfig.LogGroup.Ref)),
    ];
    expect(groupsOf(routes.map(({ id }) => id))).toEqual([expect.stringMatching(/^Logsroutes/)]);
    expect(groupsOf(triggers)).toEqual([expect.stringMatching(/^Logstriggers/)]);
    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 90 });
  });

  it("the name of every function contains the stage and the operation", () => {
    for (const id of ids) expect(functions[id]?.Properties.FunctionName).toBe(`odis-prod-${id}`);
  });

  it("no function may scan the table or has an AWS managed policy", () => {
    expect(ids.flatMap(allowedTo).filter((allowed) => allowed.includes("Scan"))).toEqual([]);
    expect(JSON.stringify(resources("AWS::IAM::Role"))).not.toContain("ManagedPolicyArns");
    // The pool needs its triggers, so what they may do to the pool cannot be part of their roles.
    expect(Object.keys(resources("AWS::IAM::Policy")).toSorted()).toEqual([
      expect.stringMatching(/^IdentityTriggersPostConfirmationPool/),
      expect.stringMatching(/^IdentityTriggersPreTokenGenerationPool/),
    ]);
  });

  it("no policy has an action with a wildcard, and wildcards in resources are acknowledged with a reason", () => {
    const [wildcards, others] = [true, false].map((has) =>
      ids.flatMap(allowedTo).filter((allowed) => allowed.includes("*") === has),
    );
    expect(others?.length).toBeGreaterThan(ids.length);
    const found = new Set(wildcards);
    expect([...found].map((allowed) => allowed.split(" ")[0]).filter((action) => action?.includes("*"))).toEqual([]);
    const resourcesOf = acknowledged.flatMap(({ id, reason }) => {
      const [, resource] = /^AwsSolutions-IAM5\[Resource::(.*)\]$/.exec(id) ?? [];
      return resource !== undefined && reason.length > 40 ? [resource.replace(/<(\w+)\.Arn>/, "$1")] : [];
    });
    expect(new Set([...found].map((allowed) => allowed.split(" ")[1]))).toEqual(new Set(resourcesOf));
  });
});

it("the gateway may call the functions of routes, and no trigger", () => {
  const prefixes = rightsOf(invoker).map((right) => {
    const [, prefix = ""] = /^lambda:InvokeFunction arn:.*:function:(odis-prod-[A-Z][a-z]+)\*$/.exec(right) ?? [];
    return prefix;
  });
  expect(prefixes).not.toContain("");
  const allowed = Object.entries(functions).filter(([, { Properties }]) =>
    prefixes.some((prefix) => Properties.FunctionName.startsWith(prefix)),
  );
  expect(allowed.map(([id]) => id).toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
  const integrations = Object.values(resources<{ CredentialsArn: object }>("AWS::ApiGatewayV2::Integration"));
  for (const { Properties } of integrations)
    expect(Properties.CredentialsArn).toEqual({ "Fn::GetAtt": [invoker, "Arn"] });
});

describe("retained resources", () => {
  it("the table has deletion protection and point-in-time recovery", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", { DeletionProtection: "ACTIVE" });
    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      Replicas: [
        { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
      ],
    });
  });

  it("the table is billed per request, expires items by TTL and has a stream", () => {
    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      BillingMode: "PAY_PER_REQUEST",
      TimeToLiveSpecification: { AttributeName: tableSchema.ttl, Enabled: true },
      StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      KeySchema: [
        { AttributeName: tableSchema.partitionKey, KeyType: "HASH" },
        { AttributeName: tableSchema.sortKey, KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: Object.entries(tableSchema.indexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: [
          { AttributeName: partitionKey, KeyType: "HASH" },
          { AttributeName: sortKey, KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      })),
    });
  });
});

describe("sign-in", () => {
  it("sign-in accepts passwords and refresh tokens, and does not reveal who has an account", () => {
    template.hasResourceProperties("AWS::Cognito::UserPoolClient", {
      AllowedOAuthFlowsUserPoolClient: false,
      PreventUserExistenceErrors: "ENABLED",
      AccessTokenValidity: 60,
      RefreshTokenValidity: 30 * 24 * 60,
      TokenValidityUnits: { AccessToken: "minutes", RefreshToken: "minutes" },
    });
  });

  it("passwords have at least 12 characters, and a second factor is optional", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      Policies: { PasswordPolicy: { MinimumLength: 12, RequireLowercase: true, RequireUppercase: true } },
      MfaConfiguration: "OPTIONAL",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
    });
  });

  it.each(["admin", "editor"])("the user pool has the group %s", (GroupName) => {
    template.hasResourceProperties("AWS::Cognito::UserPoolGroup", { GroupName });
  });
});
