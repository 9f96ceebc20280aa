import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand, PutRolePolicyCommand } from "@aws-sdk/client-iam";
import { type FunctionConfiguration, LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import { DescribeSecretCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { account, region, runPython } from "./ministack.ts";
import { adaptTemplate, type Template } from "./template.ts";

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
  await adaptTemplate(join(assembly, `${stack}.template.json`), { adding, variables: variablesOf(folder) });
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

const variablesFile = (folder: string) => join(folder, "variables.json");

/** Stores variables that all functions get in each deployment from a folder. */
export const writeVariables = (folder: string, variables: Readonly<Record<string, string>>): void =>
  writeFileSync(variablesFile(folder), JSON.stringify(variables));

/** The variables that `writeVariables` has stored. */
export const variablesOf = (folder: string): unknown =>
  existsSync(variablesFile(folder)) ? JSON.parse(readFileSync(variablesFile(folder), "utf8")) : {};

export async function destroy(folder: string): Promise<void> {
  await cdk(project, "destroy", "--force", "--app", join(folder, "cdk.out"));
}

/** The functions of a stack by their logical ids: `MembersList`. */
export async function deployedFunctions(name: string = stack): Promise<ReadonlyMap<string, FunctionConfiguration>> {
  const functions = new Map<string, FunctionConfiguration>();
  for await (const { Functions = [] } of paginateListFunctions({ client: new LambdaClient() }, {}))
    for (const one of Functions) {
      const [, id] = new RegExp(`^${name}-(\\w+)$`).exec(one.FunctionName ?? "") ?? [];
      if (id !== undefined) functions.set(id, one);
    }
  return functions;
}

type SecretArns = Pick<Outputs, "StripeSecretArn" | "StripeReadingSecretArn" | "SealingKeyArn">;

/** Adapts a deployment to ministack. Must be repeated after each deployment. */
export const adapt = (outputs: SecretArns, name: string = stack): Promise<void> =>
  allowSecrets([outputs.StripeSecretArn, outputs.StripeReadingSecretArn, outputs.SealingKeyArn], name);

export async function putSecret(SecretId: string, value: object): Promise<void> {
  await new SecretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(value) }));
}

/** Corrects the policies of functions, in which ministack replaces references to secrets with their names. */
async function allowSecrets(secretIds: readonly string[], name: string): Promise<void> {
  const client = new SecretsManagerClient();
  const arns = await Promise.all(
    secretIds.map(async (SecretId) => (await client.send(new DescribeSecretCommand({ SecretId }))).ARN ?? ""),
  );
  const correct = (policy: string) =>
    secretIds.reduce((text, id, n) => (arns[n] === id ? text : text.replaceAll(`"${id}"`, `"${arns[n]}"`)), policy);
  const roles = new Set([...(await deployedFunctions(name)).values()].map(({ Role = "" }) => Role));
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
