import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { EventSourceMapping, FilterCriteria, FilterRule, MetricType, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { Trigger } from "#lib/contract/time-limits.ts";
import type { Key } from "#lib/store/keys.ts";
import { metricsNamespace, type Settings } from "../settings.ts";
import type { FailedRecords } from "./failed-records.ts";
import type { Table, TableAccess } from "./table.ts";
import { TriggerFunction } from "./trigger-function.ts";

type Props = {
  /** `functions/triggers/<file>.ts` */
  readonly file: Trigger;
  readonly description: string;
  readonly access?: TableAccess;
  /** The items whose changes it is called with, by how their keys start. */
  readonly sources: readonly Key[];
  readonly batchSize: number;
  readonly maxBatchingWindow: Duration;
  /** How often a record is attempted again before it is set aside. Without a number, for 23 hours. */
  readonly retryAttempts?: number;
  readonly failedRecords: FailedRecords;
  readonly table: Table;
  readonly settings: Settings;
};

/** An hour before DynamoDB deletes a record from the stream, unread or not. */
const maxRecordAge = Duration.hours(23);

/** A function that is called with what changes in the table. Records that it gives up on are kept in a bucket. */
export class StreamConsumer extends Construct {
  readonly function: TriggerFunction;
  readonly #mapping: EventSourceMapping;
  readonly #props: Props;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    this.#props = props;
    const { sources, batchSize, maxBatchingWindow, retryAttempts, failedRecords, table, settings, ...trigger } = props;
    this.function = new TriggerFunction(this, `Triggers${id}`, {
      ...trigger,
      table,
      settings,
    });
    this.function.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    this.#mapping = new EventSourceMapping(this, "Mapping", {
      target: this.function,
      eventSourceArn: table.streamTo(this.function),
      enabled: !settings.maintenance,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize,
      maxBatchingWindow,
      bisectBatchOnError: true,
      ...(retryAttempts !== undefined && { retryAttempts }),
      maxRecordAge,
      reportBatchItemFailures: true,
      onFailure: failedRecords.destinationOf(this.function),
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
      filters: filtersOf(sources),
    });
  }

  /** How many records were read from the stream, wanted or not. */
  polled = (period: Duration): Metric => this.#count("PolledEventCount", period);

  /** How many records were given up on: by Lambda, and by the function, which sets unreadable records aside. */
  givenUp(period: Duration): MathExpression {
    const { file: route, settings } = this.#props;
    const { id } = this.node;
    const dimensions = { namespace: metricsNamespace(settings), dimensionsMap: { route } };
    const setAside = new Metric({ ...dimensions, metricName: "records_set_aside", statistic: "Sum", period });
    return new MathExpression({
      // The names are unique, as graphs have both consumers.
      expression: `FILL(givenUp${id}, 0) + FILL(setAside${id}, 0)`,
      usingMetrics: {
        [`givenUp${id}`]: this.#count("OnFailureDestinationDeliveredEventCount", period),
        [`setAside${id}`]: setAside,
      },
      label: "records given up",
      period,
    });
  }

  #count(metricName: string, period: Duration): Metric {
    const dimensionsMap = { EventSourceMappingUUID: this.#mapping.eventSourceMappingId };
    return new Metric({ namespace: "AWS/Lambda", metricName, dimensionsMap, statistic: "Sum", period });
  }
}

/** One filter for each start of partition keys, as a mapping takes five of them. Audit entries are in partitions of several kinds. */
function filtersOf(sources: readonly Key[]) {
  const startsWith = (prefixes: readonly string[]) => ({
    S: prefixes.flatMap((prefix) => FilterRule.beginsWith(prefix)),
  });
  return [...Map.groupBy(sources, ({ pk }) => pk)].map(([pk, those]) =>
    FilterCriteria.filter({
      dynamodb: { Keys: { ...(pk !== "" && { pk: startsWith([pk]) }), sk: startsWith(those.map(({ sk }) => sk)) } },
    }),
  );
}
