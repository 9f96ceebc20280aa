import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { sources as eventSources } from "#lib/events/sources.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import { version } from "../site/deployment-info.ts";
import { AccountExports } from "./constructs/account-exports.ts";
import { Alarms } from "./constructs/alarms.ts";
import { Api } from "./constructs/api.ts";
import { Budget } from "./constructs/budget.ts";
import { Dashboard } from "./constructs/dashboard.ts";
import { Deliveries } from "./constructs/deliveries.ts";
import { Erasures } from "./constructs/erasures.ts";
import { EventBus } from "./constructs/event-bus.ts";
import { FailedRecords } from "./constructs/failed-records.ts";
import { Front } from "./constructs/front.ts";
import { Identity } from "./constructs/identity.ts";
import { Queries } from "./constructs/queries.ts";
import { ScheduledFunction } from "./constructs/scheduled-function.ts";
import { Secrets } from "./constructs/secrets.ts";
import { Site } from "./constructs/site.ts";
import { Snapshots } from "./constructs/snapshots.ts";
import { StreamConsumer } from "./constructs/stream-consumer.ts";
import { Table } from "./constructs/table.ts";
import { TriggerFunction } from "./constructs/trigger-function.ts";
import { metricsNamespace, type Settings } from "./settings.ts";

/** The stack of one stage. */
export class OdisStack extends Stack {
  constructor(scope: Construct, settings: Settings) {
    super(scope, `odis-${settings.stage}`, {
      description: `The back end for paid communities (${settings.stage})`,
      tags: { app: "odis", stage: settings.stage },
      // `cdk deploy` copies this setting to the stack's termination protection.
      terminationProtection: settings.isProtected,
    });

    const secrets = new Secrets(this, "Secrets", settings);
    const table = new Table(this, "Table", settings);
    const preTokenGeneration = new TriggerFunction(this, "TriggersPreTokenGeneration", {
      file: "pre-token-generation",
      description: "Add the user's id to their tokens, and create their profile at the first sign-in",
      access: "write",
      reservedConcurrency: settings.reservedConcurrency.signIn,
      table,
      settings,
    });
    preTokenGeneration.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    const postConfirmation = new TriggerFunction(this, "TriggersPostConfirmation", {
      file: "post-confirmation",
      description: "Reset passwords that somebody else may have chosen, and record who has set their own",
      access: "write",
      table,
      settings,
    });
    const identity = new Identity(this, "Identity", { preTokenGeneration, postConfirmation, settings });
    const reconcile = new ScheduledFunction(this, "TriggersReconcile", {
      file: "reconcile",
      description: "Finish interrupted operations, and handle undelivered Stripe events",
      access: "write",
      table,
      settings,
    });
    secrets.openStripe(reconcile, "write");
    reconcile.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    const failedRecords = new FailedRecords(this, "FailedRecords", settings);
    const projections = new StreamConsumer(this, "Projections", {
      file: "projections",
      description: "Update the figures and the directory, and copy changed profiles",
      access: "write",
      sources: projectionSources,
      // The markers of all records and their sums are one transaction of at most 100 writes.
      batchSize: 40,
      maxBatchingWindow: Duration.seconds(5),
      // Limited, so that a bad record does not delay later ones. A rebuild corrects the missing counts.
      retryAttempts: 10,
      failedRecords,
      table,
      settings,
    });
    // The projections call Stripe, because Stripe customers also hold copies of profiles.
    secrets.openStripe(projections.function, "write");
    const bus = new EventBus(this, "Bus", settings);
    const events = new StreamConsumer(this, "Events", {
      file: "events",
      description: "Store events, and send them to the EventBridge bus",
      sources: eventSources,
      batchSize: 40,
      maxBatchingWindow: Duration.seconds(0),
      failedRecords,
      table,
      settings,
    });
    table.openEvents(events.function);
    bus.openTo(events.function);
    const deliveries = new Deliveries(this, "Deliveries", { bus: bus.bus, secrets, table, settings });
    const compactDirectory = new ScheduledFunction(this, "TriggersCompactDirectory", {
      file: "compact-directory",
      description: "Write a snapshot of the directory, which loads faster than its rows",
      access: "write",
      // Memory for sorting a million rows as objects.
      memory: 3008,
      table,
      settings,
    });
    const snapshots = new Snapshots(this, "Snapshots", settings);
    snapshots.open(compactDirectory, "write");
    const erasures = new Erasures(this, "Erasures", { identity, settings });
    erasures.open(reconcile);
    const exportAccounts = new ScheduledFunction(this, "TriggersExportAccounts", {
      file: "export-accounts",
      description: "Export the accounts of the user pool once a day",
      table,
      settings,
    });
    const accountExports = new AccountExports(this, "AccountExports", { identity, settings });
    accountExports.open(exportAccounts);
    const api = new Api(this, "Api", { table, identity, secrets, snapshots, deliveries, erasures, settings });
    const site = new Site(this, "Site", { settings });
    const front = new Front(this, "Front", { api, site, settings });
    site.deploy(front.url, identity);
    new Budget(this, "Budget", settings);
    // Without recipients of alarms, nobody would hear of a failure.
    const canary = settings.alarmsTo.length > 0 && this.#canary(front.url, { table, settings });
    const watched = {
      api,
      table,
      consumers: { Projections: projections, Events: events },
      deliveries,
      identity,
      preTokenGeneration,
      postConfirmation,
      ...(canary && { canary }),
      reconcile,
      compactDirectory,
      exportAccounts,
      settings,
    };
    const alarms = new Alarms(this, "Alarms", watched);
    new Dashboard(this, "Dashboard", alarms, watched);
    new Queries(this, "Queries", { accessLog: api.accessLog, settings });

    new CfnOutput(this, "Version", { value: version });
    new CfnOutput(this, "ApiUrl", { value: front.url });
    new CfnOutput(this, "HttpApiId", { value: api.id });
    if (api.domain) new CfnOutput(this, "ApiDomainTarget", { value: api.domain.target });
    new CfnOutput(this, "UserPoolId", { value: identity.pool.userPoolId });
    new CfnOutput(this, "EventBusName", { value: bus.name });
    new CfnOutput(this, "ErasuresBucketName", { value: erasures.bucketName });
    new CfnOutput(this, "AccountsBucketName", { value: accountExports.bucketName });
    new CfnOutput(this, "FailedRecordsBucketName", { value: failedRecords.bucketName });
    new CfnOutput(this, "ClientId", { value: identity.client.userPoolClientId });
    new CfnOutput(this, "StripeSecretArn", { value: secrets.stripeArns.write });
    new CfnOutput(this, "StripeReadingSecretArn", { value: secrets.stripeArns.read });
    new CfnOutput(this, "SealingKeyArn", { value: secrets.sealingKeyArn });
    new CfnOutput(this, "AlarmTopicArn", { value: alarms.topicArn });
    new CfnOutput(this, "RollbackAlarmArns", { value: alarms.rollbackArns.join(",") });
    new CfnOutput(this, "TableName", { value: table.name });
    new CfnOutput(this, "UsedTable", { value: table.inUse });
    new CfnOutput(this, "Epoch", { value: String(settings.epoch) });
  }
  /** The function that looks at site and API from the internet. */
  #canary(url: string, { table, settings }: { readonly table: Table; readonly settings: Settings }): ScheduledFunction {
    const canary = new ScheduledFunction(this, "TriggersCanary", {
      file: "canary",
      description: "Request a page, a read of the table and a route with an invalid token from the internet",
      everyMinutes: 5,
      table,
      settings,
    });
    canary.addEnvironment("SITE_URL", url);
    return canary;
  }
}
