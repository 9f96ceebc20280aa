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
  /** Key prefixes of the items whose changes the function receives. */
  readonly sources: readonly Key[];
  readonly batchSize: number;
  readonly maxBatchingWindow: Duration;
  /** Number of retries before a record is set aside. Without a number, a record is retried for 23 hours. */
  readonly retryAttempts?: number;
  readonly failedRecords: FailedRecords;
  readonly table: Table;
  readonly settings: Settings;
};

/** Maximum age of a record, one hour less than DynamoDB keeps records in the stream. */
const maxRecordAge = Duration.hours(23);

/** A function that receives changes of the table. Records that it fails to handle are stored in a bucket. */
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

  /** Number of records read from the stream, before the filter. */
  polled = (period: Duration): Metric => this.#count("PolledEventCount", period);

  /** Number of failed records: those that Lambda gave up on, and unreadable ones that the function set aside. */
  givenUp(period: Duration): MathExpression {
    const { file: route, settings } = this.#props;
    const { id } = this.node;
    const dimensions = { namespace: metricsNamespace(settings), dimensionsMap: { route } };
    const setAside = new Metric({ ...dimensions, metricName: "records_set_aside", statistic: "Sum", period });
    return new MathExpression({
      // The labels of the metrics must be unique in graphs that show both consumers.
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

/** One filter per partition key prefix, because a mapping accepts five. Audit entries have no common prefix. */
function filtersOf(sources: readonly Key[]) {
  const startsWith = (prefixes: readonly string[]) => ({
    S: prefixes.flatMap((prefix) => FilterRule.beginsWith(prefix)),
  });
  return [...Map.groupBy(sources, ({ pk }) => pk)].map(([pk, prefixes]) =>
    FilterCriteria.filter({
      dynamodb: { Keys: { ...(pk !== "" && { pk: startsWith([pk]) }), sk: startsWith(prefixes.map(({ sk }) => sk)) } },
    }),
  );
}
