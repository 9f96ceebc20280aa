import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { sources as eventSources } from "#lib/events/sources.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import { Alarms } from "./constructs/alarms.ts";
import { Api } from "./constructs/api.ts";
import { Dashboard } from "./constructs/dashboard.ts";
import { Erasures } from "./constructs/erasures.ts";
import { EventBus } from "./constructs/event-bus.ts";
import { Identity } from "./constructs/identity.ts";
import { ScheduledFunction } from "./constructs/scheduled-function.ts";
import { Secrets } from "./constructs/secrets.ts";
import { Snapshots } from "./constructs/snapshots.ts";
import { StreamConsumer } from "./constructs/stream-consumer.ts";
import { Table } from "./constructs/table.ts";
import { TriggerFunction } from "./constructs/trigger-function.ts";
import { metricsNamespace, type Settings } from "./settings.ts";

/** Odis in one stage. */
export class OdisStack extends Stack {
  constructor(scope: Construct, settings: Settings) {
    super(scope, `odis-${settings.stage}`, {
      description: `The back-end of paid communities (${settings.stage})`,
      tags: { app: "odis", stage: settings.stage },
    });

    const secrets = new Secrets(this, "Secrets", settings);
    const table = new Table(this, "Table", settings);
    const preTokenGeneration = new TriggerFunction(this, "TriggersPreTokenGeneration", {
      file: "pre-token-generation",
      description: "Put the user's id into their tokens, and make their profile at the first sign-in",
      access: "write",
      table,
      settings,
    });
    const postConfirmation = new TriggerFunction(this, "TriggersPostConfirmation", {
      file: "post-confirmation",
      description: "Reset passwords that somebody else may have chosen, and note who has set theirs",
      access: "write",
      table,
      settings,
    });
    const identity = new Identity(this, "Identity", { preTokenGeneration, postConfirmation, settings });
    const reconcile = new ScheduledFunction(this, "TriggersReconcile", {
      file: "reconcile",
      description: "Finish what crashes and lost events have left",
      access: "write",
      table,
      settings,
    });
    secrets.openStripe(reconcile);
    reconcile.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    // What it gives up on, a rebuild puts right.
    const projections = new StreamConsumer(this, "Projections", {
      file: "projections",
      description: "Count what changes in the table, and copy what changes in profiles",
      access: "write",
      sources: projectionSources,
      // A marker for each record and what they add up to are one transaction of at most 100 writes.
      batchSize: 40,
      maxBatchingWindow: Duration.seconds(5),
      table,
      settings,
    });
    // Customers at Stripe are copies of profiles too.
    secrets.openStripe(projections.function);
    const bus = new EventBus(this, "Bus", settings);
    const events = new StreamConsumer(this, "Events", {
      file: "events",
      description: "Tell other systems what has changed",
      sources: eventSources,
      batchSize: 40,
      maxBatchingWindow: Duration.seconds(0),
      table,
      settings,
    });
    bus.openTo(events.function);
    const compactDirectory = new ScheduledFunction(this, "TriggersCompactDirectory", {
      file: "compact-directory",
      description: "Write the directory's rows as a snapshot that loads fast",
      access: "write",
      // A million rows as objects, to be sorted.
      memory: 3008,
      table,
      settings,
    });
    const snapshots = new Snapshots(this, "Snapshots", settings);
    snapshots.open(compactDirectory, "write");
    const erasures = new Erasures(this, "Erasures", { identity, settings });
    erasures.open(reconcile);
    const api = new Api(this, "Api", { table, identity, secrets, snapshots, erasures, settings });
    const watched = {
      api,
      table,
      consumers: { Projections: projections, Events: events },
      preTokenGeneration,
      reconcile,
      compactDirectory,
      settings,
    };
    const alarms = new Alarms(this, "Alarms", watched);
    new Dashboard(this, "Dashboard", alarms, watched);

    new CfnOutput(this, "ApiUrl", { value: api.url });
    new CfnOutput(this, "UserPoolId", { value: identity.pool.userPoolId });
    new CfnOutput(this, "EventBusName", { value: bus.name });
    new CfnOutput(this, "ErasuresBucketName", { value: erasures.bucketName });
    new CfnOutput(this, "ClientId", { value: identity.client.userPoolClientId });
    new CfnOutput(this, "StripeSecretArn", { value: secrets.stripeArn });
    new CfnOutput(this, "AlarmTopicArn", { value: alarms.topicArn });
    new CfnOutput(this, "TableName", { value: table.name });
  }
}
