import { Duration } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { EventSourceMapping, FilterCriteria, FilterRule, MetricType, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { Trigger } from "#lib/contract/time-limits.ts";
import type { Key } from "#lib/store/keys.ts";
import type { Settings } from "../settings.ts";
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

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { sources, batchSize, maxBatchingWindow, retryAttempts, failedRecords, table, settings, ...trigger } = props;
    this.function = new TriggerFunction(this, `Triggers${id}`, {
      ...trigger,
      table,
      settings,
    });
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

  /** How many records were given up on. */
  givenUp = (period: Duration): Metric => this.#count("OnFailureDestinationDeliveredEventCount", period);

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
