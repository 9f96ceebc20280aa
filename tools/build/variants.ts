import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { createApp } from "../../infra/app.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** A variant of the deployment: the `-c` options, and the contents of the stage's file. */
type Variant = {
  readonly context: Readonly<Record<string, string>>;
  readonly file: unknown;
};

/** The complete example of `stages/prod.json` in docs/operations.md. */
export function exampleOfProd(): object {
  const [, example] = /\n## Settings of a stage\n.*?```json\n(.*?)```/s.exec(read("docs/operations.md")) ?? [];
  if (example === undefined) throw new Error("docs/operations.md has no example of stages/prod.json");
  return JSON.parse(example) as object;
}

const prod = exampleOfProd();
const table = {
  name: "odis-restored",
  streamArn: "arn:aws:dynamodb:eu-central-1:123456789012:table/odis-restored/stream/2026-11-22T12:00:00.000",
};

/** All variants of the deployment. Tests that apply to every deployment run with each variant. */
const variants = {
  sandbox: { context: {}, file: {} },
  "sandbox with alarms": { context: {}, file: { alarmsTo: ["developer@example.com"], monthlyBudgetDollars: 20 } },
  prod: { context: { stage: "prod" }, file: prod },
  "first prod": { context: { stage: "prod", first: "true" }, file: prod },
  maintenance: { context: { stage: "prod", maintenance: "true" }, file: prod },
  "prod on a restored table": { context: { stage: "prod" }, file: { ...prod, table, epoch: 1 } },
} satisfies Record<string, Variant>;
export type VariantName = keyof typeof variants;
export const variantNames = Object.keys(variants) as readonly VariantName[];

const CdkJson = v.object({ context: v.record(v.string(), v.unknown()) });

/**
 * Creates the CDK app of a variant, as `cdk synth` does. Bundles are hashed in place and not copied.
 *
 * @param outdir folder of the assembly. Default: a temporary folder
 */
export function createVariant(name: VariantName, outdir?: string) {
  const { context, file }: Variant = variants[name];
  const { context: ofProject } = v.parse(CdkJson, JSON.parse(read("cdk.json")));
  const fullContext = { ...ofProject, "aws:cdk:disable-asset-staging": true, ...context };
  return createApp({ context: fullContext, ...(outdir !== undefined && { outdir }) }, () => file);
}
