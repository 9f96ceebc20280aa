import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand, PutRolePolicyCommand } from "@aws-sdk/client-iam";
import { type FunctionConfiguration, LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import { DescribeSecretCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { account, region, runPython } from "./ministack.ts";

/** Root of this working copy. */
export const project = join(import.meta.dirname, "../..");
export const stack = "odis-sandbox";

const Outputs = v.object({
  [stack]: v.object({
    HttpApiId: v.string(),
    UserPoolId: v.string(),
    ClientId: v.string(),
    StripeSecretArn: v.string(),
    StripeReadingSecretArn: v.string(),
    SealingKeyArn: v.string(),
    TableName: v.string(),
    ErasuresBucketName: v.string(),
    FailedRecordsBucketName: v.string(),
  }),
});
export type Outputs = v.InferOutput<typeof Outputs>[typeof stack];

/** Runs the CDK's own command line. */
async function cdk(cwd: string, ...words: readonly string[]): Promise<void> {
  await promisify(execFile)(join(project, "node_modules/.bin/cdk"), words, {
    cwd,
    env: {
      ...process.env,
      CDK_DEFAULT_ACCOUNT: account,
      CDK_DEFAULT_REGION: region,
      CDK_DISABLE_CLI_TELEMETRY: "1",
      CDK_VALIDATION: "false",
    },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Bootstraps the account for the CDK. */
export async function bootstrap(): Promise<void> {
  await cdk(project, "bootstrap", `aws://${account}/${region}`);
  // The bucket's policy requires TLS, which ministack does not support here.
  const bucket = `cdk-hnb659fds-assets-${account}-${region}`;
  runPython(
    `from botocore.session import Session; Session().create_client("s3").delete_bucket_policy(Bucket="${bucket}")`,
  );
}

type Change = {
  /** Folder of another working copy to deploy from. */
  readonly from?: string;
  /** Resources to add to the template. */
  readonly adding?: Template["Resources"];
  /** Context that an operator passes with `-c`. */
  readonly context?: Readonly<Record<string, string>>;
  /** The table that the stack switches to. */
  readonly table?: string;
};

/** Creates another working copy, in which sources and the stage file can be changed. @returns its folder */
export function copyProject(stageFile: object): string {
  const copy = mkdtempSync(join(tmpdir(), "odis-change-"));
  const files = ["cdk.json", "package.json", "tsconfig.json", "openapi.json"];
  for (const part of [...files, "client", "docs", "functions", "infra", "lib", "packages", "site", "tools"])
    cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));
  mkdirSync(join(copy, "stages"));
  writeStageFile(copy, stageFile);
  return copy;
}

export const writeStageFile = (copy: string, contents: object): void =>
  writeFileSync(join(copy, "stages/sandbox.json"), JSON.stringify(contents));

/** Builds and synthesises the sandbox, without what ministack cannot deploy. @returns the folder of the assembly */
export async function synthesize(
  folder: string,
  { from = project, adding = {}, context = {} }: Change = {},
): Promise<string> {
  const assembly = join(folder, "cdk.out");
  const said = Object.entries(context).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  await cdk(from, "synth", "--quiet", "--output", assembly, ...said);
  const file = join(assembly, `${stack}.template.json`);
  const template = v.parse(Template, JSON.parse(await readFile(file, "utf8")));
  Object.assign(template.Resources, adding);
  leaveOutMetricMath(template);
  leaveOutSiteFiles(template);
  leaveOutUnknown(template);
  leaveOutEndpoint(template);
  leaveOutTls(template);
  setVariables(template, variablesOf(folder));
  await writeFile(file, JSON.stringify(template));
  return assembly;
}

/** Builds, synthesises and deploys the sandbox. */
export async function deploy(folder: string, change: Change = {}): Promise<Outputs> {
  const assembly = await synthesize(folder, change);
  const { from = project, table } = change;
  const parameters = table === undefined ? [] : ["--parameters", `TableInUse=${table}`];
  const words = ["--require-approval", "never", "--outputs-file", outputsFile(folder), ...parameters];
  await cdk(from, "deploy", "--app", assembly, ...words);
  return outputsOf(folder);
}

const outputsFile = (folder: string) => join(folder, "outputs.json");

/** The outputs of the last deployment from a folder. */
export const outputsOf = async (folder: string): Promise<Outputs> =>
  v.parse(Outputs, JSON.parse(await readFile(outputsFile(folder), "utf8")))[stack];

/** Reduces each alarm to a single metric, because ministack does not support metric math. */
function leaveOutMetricMath({ Resources }: Template): void {
  for (const { Type, Properties = {} } of Object.values(Resources)) {
    if (Type !== "AWS::CloudWatch::Alarm" || !v.is(MetricMath, Properties.Metrics)) continue;
    const { Metric = {}, Stat, Period } = Properties.Metrics.find(({ MetricStat }) => MetricStat)?.MetricStat ?? {};
    delete Properties.Metrics;
    Object.assign(Properties, Metric, { Statistic: Stat, Period });
  }
}

/**
 * Removes saved queries, which ministack does not support, and bucket policies that require TLS, which it does not support
 * here.
 */
function leaveOutUnknown({ Resources }: Template): void {
  const unknown = ["AWS::S3::BucketPolicy", "AWS::Logs::QueryDefinition"];
  for (const [id, { Type }] of Object.entries(Resources)) if (unknown.includes(Type)) delete Resources[id];
}

/** Removes the empty variable for the URL of a stand-in, so that ministack sets its own. */
function leaveOutEndpoint({ Resources }: Template): void {
  for (const { Properties = {} } of Object.values(Resources))
    if (v.is(WithVariables, Properties.Environment)) delete Properties.Environment.Variables.AWS_ENDPOINT_URL;
}

/** Removes statements of queues' policies that require TLS, which ministack does not support here. */
function leaveOutTls({ Resources }: Template): void {
  for (const [id, { Type, Properties = {} }] of Object.entries(Resources)) {
    if (Type !== "AWS::SQS::QueuePolicy" || !v.is(WithStatements, Properties.PolicyDocument)) continue;
    const statements = Properties.PolicyDocument.Statement.filter(({ Effect }) => Effect !== "Deny");
    Properties.PolicyDocument.Statement = statements;
    if (statements.length === 0) delete Resources[id];
  }
}

const variablesFile = (folder: string) => join(folder, "variables.json");

/** Stores variables that all functions get in each deployment from a folder. */
export const writeVariables = (folder: string, variables: Readonly<Record<string, string>>): void =>
  writeFileSync(variablesFile(folder), JSON.stringify(variables));

const variablesOf = (folder: string): unknown =>
  existsSync(variablesFile(folder)) ? JSON.parse(readFileSync(variablesFile(folder), "utf8")) : {};

/** Sets variables of functions, and a timeout that is enough on a busy machine. */
function setVariables({ Resources }: Template, variables: unknown): void {
  for (const { Type, Properties = {} } of Object.values(Resources)) {
    if (Type !== "AWS::Lambda::Function") continue;
    Properties.Timeout = 300;
    if (v.is(WithVariables, Properties.Environment)) Object.assign(Properties.Environment.Variables, variables);
  }
}

/** Removes the resources that copy the site: a Python function with the AWS CLI as a layer. */
function leaveOutSiteFiles({ Resources }: Template): void {
  for (const [id, { Type }] of Object.entries(Resources))
    if (Type === "Custom::CDKBucketDeployment" || Type === "AWS::Lambda::LayerVersion") delete Resources[id];
    else if (id.startsWith("CustomCDKBucketDeployment")) delete Resources[id];
}

const Template = v.looseObject({
  Resources: v.record(
    v.string(),
    v.looseObject({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown())) }),
  ),
});
type Template = v.InferOutput<typeof Template>;
const WithStatements = v.object({ Statement: v.array(v.looseObject({ Effect: v.string() })) });
const WithVariables = v.object({ Variables: v.record(v.string(), v.unknown()) });
const MetricMath = v.array(
  v.object({
    MetricStat: v.optional(
      v.object({ Metric: v.record(v.string(), v.unknown()), Stat: v.string(), Period: v.number() }),
    ),
  }),
);

export async function destroy(folder: string): Promise<void> {
  await cdk(project, "destroy", "--force", "--app", join(folder, "cdk.out"));
}

/** The functions of the stack by their logical ids: `MembersList`. */
export async function deployedFunctions(): Promise<ReadonlyMap<string, FunctionConfiguration>> {
  const functions = new Map<string, FunctionConfiguration>();
  for await (const { Functions = [] } of paginateListFunctions({ client: new LambdaClient() }, {}))
    for (const one of Functions) {
      const [, id] = /^odis-sandbox-(\w+)$/.exec(one.FunctionName ?? "") ?? [];
      if (id !== undefined) functions.set(id, one);
    }
  return functions;
}

/** Adapts a deployment to ministack. Must be repeated after each deployment. */
export const adapt = (outputs: Outputs): Promise<void> =>
  allowSecrets([outputs.StripeSecretArn, outputs.StripeReadingSecretArn, outputs.SealingKeyArn]);

export async function putSecret(SecretId: string, value: object): Promise<void> {
  await new SecretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(value) }));
}

/** Corrects the policies of functions, in which ministack replaces references to secrets with their names. */
async function allowSecrets(secretIds: readonly string[]): Promise<void> {
  const client = new SecretsManagerClient();
  const arns = await Promise.all(
    secretIds.map(async (SecretId) => (await client.send(new DescribeSecretCommand({ SecretId }))).ARN ?? ""),
  );
  const correct = (policy: string) =>
    secretIds.reduce((text, id, n) => (arns[n] === id ? text : text.replaceAll(`"${id}"`, `"${arns[n]}"`)), policy);
  const roles = new Set([...(await deployedFunctions()).values()].map(({ Role = "" }) => Role));
  for (const role of roles) await changePolicy(role, correct);
}

/** Changes the policy of a role. @returns a function that restores it */
export async function changePolicy(
  roleArn: string,
  change: (policy: string) => string,
): Promise<() => Promise<unknown>> {
  const client = new IAMClient();
  const RoleName = roleArn.split("/").at(-1);
  const { PolicyNames = [] } = await client.send(new ListRolePoliciesCommand({ RoleName }));
  const restore: (() => Promise<unknown>)[] = [];
  for (const PolicyName of PolicyNames) {
    const { PolicyDocument = "" } = await client.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    const before = decodeURIComponent(PolicyDocument);
    const put = (document: string) =>
      client.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument: document }));
    const after = change(before);
    if (after === before) continue;
    await put(after);
    restore.push(() => put(before));
  }
  return () => Promise.all(restore.map((one) => one()));
}
