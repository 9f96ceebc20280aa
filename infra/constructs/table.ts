import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { AttributeType, Billing, StreamViewType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Route } from "#lib/contract/route.ts";
import { keys, tableSchema } from "#lib/store/keys.ts";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";

export type TableAccess = NonNullable<Route["table"]>;

const reads = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"];
const writes = ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"];

/** What `table: "read"` and `table: "write"` of a route mean. Nothing may scan, and nothing may read the stream. */
const actions: Record<TableAccess, string[]> = { read: reads, write: [...reads, ...writes] };

/** The one table, as `lib/store/keys.ts` describes it. */
export class Table extends Construct {
  readonly name: string;
  readonly #table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy, isProtected, tableCeiling }: Settings) {
    super(scope, id);
    const { partitionKey, sortKey, indexes, ttl } = tableSchema;
    const ceiling = tableCeiling && {
      maxReadRequestUnits: tableCeiling.readUnits,
      maxWriteRequestUnits: tableCeiling.writeUnits,
    };
    this.#table = new TableV2(this, "Table", {
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
    this.name = this.#table.tableName;
  }

  /** Lets a function use the table, and tells it the table's name. */
  open(lambda: NodeFunction, access: TableAccess): void {
    lambda.addEnvironment("TABLE_NAME", this.name);
    this.#allow(lambda, actions[access], [""]);
  }

  openIndexes(lambda: NodeFunction): void {
    const places = Object.keys(tableSchema.indexes).map((index) => `/index/${index}`);
    this.#allow(lambda, ["dynamodb:Query"], places);
  }

  /** Lets a function be called with the table's stream, and tells where that is. */
  streamTo(lambda: NodeFunction): string {
    const { tableArn, tableStreamArn } = this.#table;
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    const grant = (allowed: string[], resourceArn: string) =>
      Grant.addToPrincipal({ grantee: lambda, actions: allowed, resourceArns: [resourceArn] });
    grant(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], tableStreamArn);
    grant(["dynamodb:ListStreams"], `${tableArn}/stream/*`);
    return tableStreamArn;
  }

  /** Lets a function count what callers ask for, and write nothing else. */
  openUsage(lambda: NodeFunction): void {
    Grant.addToPrincipal({
      grantee: lambda,
      actions: ["dynamodb:UpdateItem"],
      resourceArns: [this.#table.tableArn],
      conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${keys.usage("", "").pk}*`] } },
    });
  }

  /** How often it refused to read or to write. */
  throttled(period: Duration): IMetric {
    const sum = (name: string) => this.#table.metric(name, { statistic: "Sum", period });
    return new MathExpression({
      expression: "FILL(reads, 0) + FILL(writes, 0)",
      usingMetrics: { reads: sum("ReadThrottleEvents"), writes: sum("WriteThrottleEvents") },
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
  #allow(grantee: IGrantable, allowed: string[], places: readonly string[]): void {
    const resourceArns = places.map((place) => `${this.#table.tableArn}${place}`);
    Grant.addToPrincipal({ grantee, actions: allowed, resourceArns });
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });
