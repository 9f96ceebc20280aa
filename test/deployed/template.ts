import { readFile, writeFile } from "node:fs/promises";
import * as v from "valibot";

type Adaptation = {
  /** Resources to add. */
  readonly adding?: Template["Resources"];
  /** Variables that all functions get. */
  readonly variables?: unknown;
  /** URL of API and site, instead of that of the distribution. */
  readonly apiUrl?: string | undefined;
};

/** Removes from a synthesised template what ministack cannot deploy. @param file the template, which is overwritten */
export async function adaptTemplate(file: string, { adding = {}, variables = {}, apiUrl }: Adaptation): Promise<void> {
  const template = v.parse(Template, JSON.parse(await readFile(file, "utf8")));
  Object.assign(template.Resources, adding);
  leaveOutMetricMath(template);
  leaveOutSiteFiles(template);
  leaveOutUnknown(template);
  leaveOutEndpoint(template);
  leaveOutTls(template);
  setVariables(template, variables);
  if (apiUrl !== undefined) Object.assign(template.Outputs ?? {}, { ApiUrl: { Value: apiUrl } });
  await writeFile(file, JSON.stringify(template));
}

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
  Outputs: v.optional(v.record(v.string(), v.unknown())),
});
export type Template = v.InferOutput<typeof Template>;
const WithStatements = v.object({ Statement: v.array(v.looseObject({ Effect: v.string() })) });
const WithVariables = v.object({ Variables: v.record(v.string(), v.unknown()) });
const MetricMath = v.array(
  v.object({
    MetricStat: v.optional(
      v.object({ Metric: v.record(v.string(), v.unknown()), Stat: v.string(), Period: v.number() }),
    ),
  }),
);
