import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { PlacedRoute } from "#lib/contract/index.ts";
import { timeLimitOf } from "#lib/contract/time-limits.ts";
import { metricsNamespace, type Settings } from "../settings.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Erasures } from "./erasures.ts";
import type { Identity } from "./identity.ts";
import { NodeFunction } from "./node-function.ts";
import type { Secrets } from "./secrets.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Table } from "./table.ts";

export type Resources = {
  readonly table: Table;
  readonly identity: Identity;
  readonly secrets: Secrets;
  readonly snapshots: Snapshots;
  readonly deliveries: Deliveries;
  readonly erasures: Erasures;
  readonly settings: Settings;
};

/** The function behind one route. It is given what its route asks for, and nothing else. */
export class RouteFunction extends NodeFunction {
  constructor(scope: Construct, route: PlacedRoute, resources: Resources) {
    const { table, identity, secrets, snapshots, deliveries, erasures, settings } = resources;
    super(scope, route.id, {
      bundle: `${route.area}/${route.file}`,
      description: route.summary,
      timeout: Duration.seconds(timeLimitOf(route)),
      ...(route.area === "webhooks" && { reservedConcurrency: settings.reservedConcurrency.webhook }),
      settings,
    });

    this.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    // CloudFront's own domain name is not known here: the distribution needs the API, and the API its functions.
    this.addEnvironment("SITE_URL", settings.domain ? `https://${settings.domain.name}` : "");
    if (route.table) table.open(this, route.table, route.partitions);
    if (route.limited && route.table === "read") table.openUsage(this);
    if (route.indexes) table.openIndexes(this);
    if (route.cursor) this.addEnvironment("CURSOR_KEY", secrets.cursorKey);
    if (route.snapshots) snapshots.open(this, "read");
    if (route.erases) erasures.open(this);
    if (route.seals) secrets.openSealing(this);
    if (route.queues) deliveries.open(this);
    if (route.billing) secrets.openStripe(this, route.billing);
    if (route.redirects) this.addEnvironment("REDIRECT_ORIGINS", settings.allowOrigins.join(","));
    if (route.access !== "public") {
      this.addEnvironment("USER_POOL_ID", identity.pool.userPoolId);
      this.addEnvironment("CLIENT_ID", identity.client.userPoolClientId);
    }
  }
}
