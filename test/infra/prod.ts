import { tableSchema } from "#lib/store/table-schema.ts";
import { settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

type Attribute = { readonly "Fn::GetAtt": readonly [id: string, attribute: string] };
export type Joined = { readonly "Fn::Join": readonly [separator: string, parts: readonly (string | Attribute)[]] };
export type Reference = { readonly Ref: string };
type Substitution = { readonly "Fn::Sub": string };

type LambdaFunction = {
  readonly FunctionName: string;
  readonly Role: Attribute;
  readonly Timeout: number;
  readonly LoggingConfig: { readonly LogGroup: Reference };
  readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> };
};
type Statement = {
  readonly Action: string | readonly string[];
  readonly Condition?: Readonly<Record<string, unknown>>;
  readonly Resource: (Attribute | Joined | Reference) | readonly (Attribute | Joined | Reference)[];
};
type Role = { readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[] };

/** What is deployed to prod. */
export const { template, resources } = synthesized(settingsFor("prod", prodFile));

const isOurs = ([id]: readonly [string, unknown]) => !id.startsWith("CustomCDKBucketDeployment");

/** The functions of this repository: CDK has one that copies the site. */
export const functions = Object.fromEntries(
  Object.entries(resources<LambdaFunction>("AWS::Lambda::Function")).filter(isOurs),
);
const roles = resources<Role>("AWS::IAM::Role");
export const [tableId = ""] = Object.keys(resources("AWS::DynamoDB::GlobalTable"));

const listed = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

/** `{ GetAtt: [Table, Arn] }` + `/index/by_tier` → `Table/index/by_tier` */
function nameOf(part: string | Attribute | Joined | Reference | Substitution): string {
  if (typeof part === "string") return part;
  if ("Fn::Sub" in part) return part["Fn::Sub"];
  if ("Ref" in part) return part.Ref;
  return "Fn::Join" in part ? part["Fn::Join"][1].map(nameOf).join("") : part["Fn::GetAtt"][0];
}

type AttachedPolicy = {
  readonly Roles: readonly Reference[];
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
};
const attached = Object.values(resources<AttachedPolicy>("AWS::IAM::Policy"));

/** The statements of the policies that are part of a role, and of those that are attached to it. */
export const statementsOf = (role: string): Statement[] =>
  [
    ...(roles[role]?.Properties.Policies ?? []),
    ...attached
      .filter(({ Properties }) => Properties.Roles.some(({ Ref }) => Ref === role))
      .map(({ Properties }) => Properties),
  ].flatMap(({ PolicyDocument }) => [...PolicyDocument.Statement]);

/** What the role of a function allows of the table. */
export const tableStatementsOf = (id: string): Statement[] =>
  statementsOf(functions[id]?.Properties.Role["Fn::GetAtt"][0] ?? "").filter(({ Action }) =>
    listed(Action).some((action) => action.startsWith("dynamodb:")),
  );

/** All that a role allows: `dynamodb:GetItem Table`. */
export const rightsOf = (role: string): string[] =>
  statementsOf(role).flatMap(({ Action, Resource }) =>
    listed(Action).flatMap((action) => listed(Resource).map((resource) => `${action} ${nameOf(resource)}`)),
  );

/** All that the role of a function allows. */
export const allowedTo = (id: string): string[] => rightsOf(functions[id]?.Properties.Role["Fn::GetAtt"][0] ?? "");

export const logs = (id: string) => {
  const logGroup = functions[id]?.Properties.LoggingConfig.LogGroup.Ref;
  return [`logs:CreateLogStream ${logGroup}`, `logs:PutLogEvents ${logGroup}`];
};

export const reads = ["GetItem", "BatchGetItem", "Query"].map((action) => `dynamodb:${action} ${tableId}`);
export const readsOfIndexes = Object.keys(tableSchema.indexes).map(
  (index) => `dynamodb:Query ${tableId}/index/${index}`,
);
export const writes = ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"].map(
  (action) => `dynamodb:${action} ${tableId}`,
);

const bucketOf = (construct: string) =>
  Object.keys(resources("AWS::S3::Bucket")).find((id) => id.startsWith(construct)) ?? "";
const bucketId = bucketOf("Snapshots");
export const readsOfSnapshots = [`s3:GetObject ${bucketId}/directory/*`];
export const writesOfSnapshots = ["PutObject", "DeleteObject"].map((action) => `s3:${action} ${bucketId}/directory/*`);

const [poolId = ""] = Object.keys(resources("AWS::Cognito::UserPool"));
export const erasesPeople = [
  `s3:PutObject ${bucketOf("Erasures")}/erasures/*`,
  `cognito-idp:AdminGetUser ${poolId}`,
  `cognito-idp:AdminDeleteUser ${poolId}`,
];
export const readsAddresses = [`cognito-idp:AdminGetUser ${poolId}`];

export const listStreams = `dynamodb:ListStreams ${tableId}/stream/*`;

const secretsOf = Object.entries(resources<{ Description: string }>("AWS::SecretsManager::Secret"));
const secretWith = (description: string) => {
  const [id = ""] = secretsOf.find(([, { Properties }]) => Properties.Description.includes(description)) ?? [];
  return [`secretsmanager:GetSecretValue ${id}`];
};
export const secret = secretWith("Stripe's secret key");
export const readingSecret = secretWith("can only read");
export const sealingKey = secretWith("secrets of event destinations");

/** The queues that the delivery function reads. */
export const queueIds = Object.keys(resources("AWS::SQS::Queue")).filter((name) => name.includes("Queue"));
export const sendsToQueues = queueIds.flatMap((queue) =>
  ["GetQueueAttributes", "GetQueueUrl", "SendMessage"].map((action) => `sqs:${action} ${queue}`),
);
