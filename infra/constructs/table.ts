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

/** What `table: "read"` and `table: "write"` of a route mean. Nothing may scan, and nothing may read the stream. */
const actions: Record<TableAccess, string[]> = { read: reads, write: [...reads, ...writes] };

/**
 * The one table, as `lib/store/keys.ts` describes it; or one that was restored, which the stack uses and does not manage.
 * The stack's own table stays beside that, so that the next deployment can return to it.
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
   * Has CloudFormation refuse a deployment that changes the table of a running stack, before anything has changed. `cdk
   * deploy` keeps the values of a stack's parameters unless it is given others, and only the table of the template is
   * allowed. So the table changes only if both the settings and `--parameters TableInUse=<name>` name it.
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

  /** Lets a function use the table, or only these partitions of it, and tells it the table's name and epoch. */
  open(lambda: NodeFunction, access: TableAccess, within?: readonly Partition[]): void {
    lambda.addEnvironment("TABLE_NAME", this.name);
    lambda.addEnvironment("EPOCH", this.#epoch);
    this.#allow(lambda, actions[access], [""], within);
  }

  openIndexes(lambda: NodeFunction): void {
    const places = Object.keys(tableSchema.indexes).map((index) => `/index/${index}`);
    this.#allow(lambda, ["dynamodb:Query"], places);
  }

  /** Lets a function be called with the table's stream, tells it the epoch, and returns where the stream is. */
  streamTo(lambda: NodeFunction): string {
    const { tableArn, tableStreamArn } = this.#table;
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    lambda.addEnvironment("EPOCH", this.#epoch);
    const grant = (allowed: string[], resourceArn: string) =>
      Grant.addToPrincipal({ grantee: lambda, actions: allowed, resourceArns: [resourceArn] });
    grant(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], tableStreamArn);
    grant(["dynamodb:ListStreams"], `${tableArn}/stream/*`);
    // The stack's own table is among all that is acknowledged; the name of this one is new.
    const place = `arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/${this.name}/stream/*`;
    if (this.#table.node.id === "Restored" && lambda.role)
      Validations.of(lambda.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${place}]`,
        reason: "Streams of one table are listed by a pattern, as each has the time it was made in its name",
      });
    return tableStreamArn;
  }

  /** Lets a function count what callers ask for, and write nothing else. */
  openUsage(lambda: NodeFunction): void {
    this.#allow(lambda, ["dynamodb:UpdateItem"], [""], ["usage"]);
  }

  /** How often it refused to read or to write, and how often its indexes did: DynamoDB counts each apart. */
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

  /** What it charges for. */
  consumed(period: Duration): IMetric[] {
    const of = { statistic: "Sum", period };
    return [
      this.#table.metricConsumedReadCapacityUnits({ ...of, label: "read units" }),
      this.#table.metricConsumedWriteCapacityUnits({ ...of, label: "write units" }),
    ];
  }

  /** Each resource by its name: the table's own `grant` would end in `/index/*`. */
  #allow(grantee: IGrantable, allowed: string[], places: readonly string[], within?: readonly Partition[]): void {
    const resourceArns = places.map((place) => `${this.#table.tableArn}${place}`);
    const keys = within?.map((name) => partitions[name]);
    const conditions = keys && { conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } } };
    Grant.addToPrincipal({ grantee, actions: allowed, resourceArns, ...conditions });
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });
