import { Duration } from "aws-cdk-lib";
import { Grant } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { sources } from "#lib/projections/sources.ts";
import type { Settings } from "../settings.ts";
import type { Table } from "./table.ts";
import { TriggerFunction } from "./trigger-function.ts";

type Props = { readonly table: Table; readonly settings: Settings };

/** The figures and the directory, kept up with the table's stream. */
export class Projections extends Construct {
  constructor(scope: Construct, id: string, { table, settings }: Props) {
    super(scope, id);
    const { removalPolicy } = settings;
    // Where a record ends up that could not be counted; a rebuild puts right what it leaves behind.
    const { queueArn } = new Queue(this, "DeadLetters", {
      retentionPeriod: Duration.days(14),
      enforceSSL: true,
      removalPolicy,
    });
    const consumer = new TriggerFunction(this, "TriggersProjections", {
      file: "projections",
      description: "Count what changes in the table: figures and directory",
      access: "write",
      timeout: Duration.seconds(60),
      table,
      settings,
    });
    // CDK's own destination would also let it read the queue's attributes.
    Grant.addToPrincipal({ grantee: consumer, actions: ["sqs:SendMessage"], resourceArns: [queueArn] });

    new EventSourceMapping(this, "Mapping", {
      target: consumer,
      eventSourceArn: table.streamTo(consumer),
      startingPosition: StartingPosition.TRIM_HORIZON,
      // A marker for each record and what they add up to are one transaction of at most 100 writes.
      batchSize: 40,
      maxBatchingWindow: Duration.seconds(5),
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
