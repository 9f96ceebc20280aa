import { CfnParameter, type Duration, Validations } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { AttributeType, Billing, type ITableV2, StreamViewType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Route } from "#lib/contract/route.ts";
import { type Partition, partitions } from "#lib/store/partitions.ts";
import { tableSchema } from "#lib/store/table-schema.ts";
import { type Settings, tableInUse } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";

export type TableAccess = NonNullable<Route["table"]>;

const reads = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"];
const writes = ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"];

/** The actions of routes with `table: "read"` and `table: "write"`. They include neither scans nor the stream. */
const actions: Record<TableAccess, string[]> = { read: reads, write: [...reads, ...writes] };

/**
 * The table (`lib/store/keys.ts`), or a restored table, which the stack uses without managing it. The stack keeps its own
 * table in that case, so that a deployment can return to it.
 */
export class Table extends Construct {
  readonly name: string;
  /** The name of a restored table, or `own`. */
  readonly inUse: string;
  readonly #table: ITableV2;
  readonly #epoch: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { removalPolicy, isProtected, tableCeiling, table: restored, epoch } = settings;
    this.#epoch = String(epoch);
    const { partitionKey, sortKey, indexes, ttl } = tableSchema;
    const ceiling = tableCeiling && {
      maxReadRequestUnits: tableCeiling.readUnits,
      maxWriteRequestUnits: tableCeiling.writeUnits,
    };
    const own = new TableV2(this, "Table", {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      globalSecondaryIndexes: Object.entries(indexes).map(([indexName, index]) => ({
        indexName,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        ...ceiling,
      })),
      timeToLiveAttribute: ttl,
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      billing: Billing.onDemand(ceiling),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isProtected,
      removalPolicy,
    });
    this.#table = restored
      ? TableV2.fromTableAttributes(this, "Restored", {
          tableName: restored.name,
          tableStreamArn: restored.streamArn,
        })
      : own;
    this.name = this.#table.tableName;
    this.inUse = this.#holdFast(tableInUse(settings));
  }

  /**
   * Makes CloudFormation refuse an accidental change of the table before anything changes. `cdk deploy` keeps the current
   * value of the parameter, but the template allows only the table in the settings. So the table changes only if both the
   * settings and `--parameters TableInUse=<name>` name it.
   */
  #holdFast(inUse: string): string {
    const parameter = new CfnParameter(this, "InUse", {
      description: "The table that the stack uses: the name of a restored one, or own",
      type: "String",
      default: inUse,
      allowedValues: [inUse],
    });
    parameter.overrideLogicalId("TableInUse");
    return parameter.valueAsString;
  }

  /** Allows a function to use the table or some partitions of it, and sets the table's name and epoch in the environment. */
  open(lambda: NodeFunction, access: TableAccess, within?: readonly Partition[]): void {
    lambda.addEnvironment("TABLE_NAME", this.name);
    lambda.addEnvironment("EPOCH", this.#epoch);
    this.#allow(lambda, actions[access], [""], within);
  }

  openIndexes(lambda: NodeFunction): void {
    const places = Object.keys(tableSchema.indexes).map((index) => `/index/${index}`);
    this.#allow(lambda, ["dynamodb:Query"], places);
  }

  /** Allows a function to read the table's stream, and sets the epoch in the environment. @returns the ARN of the stream */
  streamTo(lambda: NodeFunction): string {
    const { tableArn, tableStreamArn } = this.#table;
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    lambda.addEnvironment("EPOCH", this.#epoch);
    const grant = (allowed: string[], resourceArn: string) =>
      Grant.addToPrincipal({ grantee: lambda, actions: allowed, resourceArns: [resourceArn] });
    grant(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], tableStreamArn);
    grant(["dynamodb:ListStreams"], `${tableArn}/stream/*`);
    // The acknowledged findings cover only the stack's own table. They do not contain the name of a restored table.
    const place = `arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/${this.name}/stream/*`;
    if (this.#table.node.id === "Restored" && lambda.role)
      Validations.of(lambda.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${place}]`,
        reason: "Streams of one table are listed by a pattern, as each has the time it was made in its name",
      });
    return tableStreamArn;
  }

  /** Allows a function to store events, and sets the table's name in the environment. */
  openEvents(lambda: NodeFunction): void {
    lambda.addEnvironment("TABLE_NAME", this.name);
    const allowed = ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"].map((action) => `dynamodb:${action}`);
    this.#allow(lambda, allowed, [""], ["eventLists", "events"]);
  }

  /** Allows a function to write the counters of rate limits, and nothing else. */
  openUsage(lambda: NodeFunction): void {
    this.#allow(lambda, ["dynamodb:UpdateItem"], [""], ["usage"]);
  }

  /** Allows a function that reads the table to store when an API key was used, and to write nothing else. */
  openApiKeys(lambda: NodeFunction): void {
    this.#allow(lambda, ["dynamodb:UpdateItem"], [""], ["apiKeys"]);
  }

  /** Number of throttled reads and writes of the table and its indexes. DynamoDB has separate metrics for each. */
  throttled(period: Duration): IMetric {
    const places = [
      {},
      ...Object.keys(tableSchema.indexes).map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName })),
    ];
    const counts = places.flatMap((place) =>
      ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) =>
        this.#table.metric(name, { dimensionsMap: { TableName: this.name, ...place }, statistic: "Sum", period }),
      ),
    );
    const usingMetrics = Object.fromEntries(counts.map((count, n) => [`m${n}`, count]));
    return new MathExpression({
      expression: Object.keys(usingMetrics)
        .map((name) => `FILL(${name}, 0)`)
        .join(" + "),
      usingMetrics,
      label: "refused",
      period,
    });
  }

  /** Consumed capacity units, which are billed. */
  consumed(period: Duration): IMetric[] {
    const of = { statistic: "Sum", period };
    return [
      this.#table.metricConsumedReadCapacityUnits({ ...of, label: "read units" }),
      this.#table.metricConsumedWriteCapacityUnits({ ...of, label: "write units" }),
    ];
  }

  /** Grants actions on named resources. The table's own `grant` would include `/index/*`. */
  #allow(grantee: IGrantable, allowed: string[], places: readonly string[], within?: readonly Partition[]): void {
    const resourceArns = places.map((place) => `${this.#table.tableArn}${place}`);
    const keys = within?.map((name) => partitions[name]);
    const conditions = keys && { conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } } };
    Grant.addToPrincipal({ grantee, actions: allowed, resourceArns, ...conditions });
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });
