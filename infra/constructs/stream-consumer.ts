import { Duration } from "aws-cdk-lib";
import { Grant } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Key } from "#lib/store/keys.ts";
import type { Settings } from "../settings.ts";
import type { Table, TableAccess } from "./table.ts";
import { TriggerFunction } from "./trigger-function.ts";

type Props = {
  /** `functions/triggers/<file>.ts` */
  readonly file: string;
  readonly description: string;
  readonly access?: TableAccess;
  /** The items whose changes it is called with, by how their keys start. */
  readonly sources: readonly Key[];
  readonly batchSize: number;
  readonly maxBatchingWindow: Duration;
  readonly table: Table;
  readonly settings: Settings;
};

/** A function that is called with what changes in the table, and a queue for the records that it had to give up on. */
export class StreamConsumer extends Construct {
  readonly function: TriggerFunction;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { sources, batchSize, maxBatchingWindow, table, settings, ...trigger } = props;
    this.deadLetters = new Queue(this, "DeadLetters", {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: settings.removalPolicy,
    });
    const { queueArn } = this.deadLetters;
    this.function = new TriggerFunction(this, `Triggers${id}`, {
      ...trigger,
      timeout: Duration.seconds(60),
      table,
      settings,
    });
    // CDK's own destination would also let it read the queue's attributes.
    Grant.addToPrincipal({ grantee: this.function, actions: ["sqs:SendMessage"], resourceArns: [queueArn] });

    new EventSourceMapping(this, "Mapping", {
      target: this.function,
      eventSourceArn: table.streamTo(this.function),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize,
      maxBatchingWindow,
      bisectBatchOnError: true,
      retryAttempts: 10,
      reportBatchItemFailures: true,
      onFailure: { bind: () => ({ destination: queueArn }) },
      filters: sources.map(({ pk, sk }) => {
        const startsWith = (prefix: string) => ({ S: FilterRule.beginsWith(prefix) });
        return FilterCriteria.filter({ dynamodb: { Keys: { pk: startsWith(pk), sk: startsWith(sk) } } });
      }),
    });
  }
}
