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

/** A right that a route declares: its part of the role's name, and a function that grants it. */
type Right = readonly [name: string, give: (grantee: NodeFunction) => void];

/** The function of a route. It has only the rights that its route declares. */
export class RouteFunction extends NodeFunction {
  constructor(scope: Construct, route: PlacedRoute, resources: Resources) {
    const { identity, secrets, settings } = resources;
    const rights = rightsOf(route, resources);
    super(scope, route.id, {
      bundle: `${route.area}/${route.file}`,
      description: route.summary,
      logs: "routes",
      rights: rights.map(([name]) => name).join("") || "Log",
      timeout: Duration.seconds(timeLimitOf(route)),
      ...(route.area === "webhooks" && { reservedConcurrency: settings.reservedConcurrency.webhook }),
      settings,
    });

    for (const [, give] of rights) give(this);
    this.addEnvironment("METRICS_NAMESPACE", metricsNamespace(settings));
    // Without a custom domain, the domain name is unknown: the distribution depends on the API, and the API on its functions.
    this.addEnvironment("SITE_URL", settings.domain ? `https://${settings.domain.name}` : "");
    if (route.cursor || route.previews) this.addEnvironment("CURSOR_KEY", secrets.cursorKey);
    if (route.redirects) this.addEnvironment("REDIRECT_ORIGINS", settings.allowOrigins.join(","));
    if (route.access !== "public") {
      this.addEnvironment("USER_POOL_ID", identity.pool.userPoolId);
      this.addEnvironment("CLIENT_ID", identity.client.userPoolClientId);
    }
  }
}

function rightsOf(
  route: PlacedRoute,
  { table, identity, secrets, snapshots, deliveries, erasures }: Resources,
): Right[] {
  const { table: access, billing, limited } = route;
  const partitions = route.partitions?.toSorted();
  const rights: Right[] = [];
  if (access)
    rights.push([
      ["Table", access, ...(partitions ?? [])].map(capitalized).join(""),
      (grantee) => table.open(grantee, access, partitions),
    ]);
  if (route.right && access === "read") rights.push(["ApiKeys", (grantee) => table.openApiKeys(grantee)]);
  if (limited && access === "read") rights.push(["Usage", (grantee) => table.openUsage(grantee)]);
  if (route.indexes) rights.push(["Indexes", (grantee) => table.openIndexes(grantee)]);
  if (route.snapshots) rights.push(["Snapshots", (grantee) => snapshots.open(grantee, "read")]);
  if (route.readsAddress) rights.push(["Addresses", (grantee) => identity.openAddresses(grantee)]);
  if (route.erases) rights.push(["Erasures", (grantee) => erasures.open(grantee)]);
  if (route.seals) rights.push(["Sealing", (grantee) => secrets.openSealing(grantee)]);
  if (route.queues) rights.push(["Queues", (grantee) => deliveries.open(grantee)]);
  if (billing) rights.push([`Stripe${capitalized(billing)}`, (grantee) => secrets.openStripe(grantee, billing)]);
  return rights;
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
