import { join } from "node:path";
import { startStripe } from "stripe-stand-in/server";
import { registerPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { routes } from "#lib/contract/index.ts";
import { sources as eventSources } from "#lib/events/sources.ts";
import { cors } from "#lib/http/cors.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import { machine } from "#lib/runtime.ts";
import { connect, documents } from "#lib/store/table.ts";
import { deploymentInfo } from "../../site/deployment-info.ts";
import { startCognito } from "./cognito.ts";
import { createTable, startDynamoDB } from "./dynamodb.ts";
import { startBus } from "./event-bus.ts";
import { loadFunctions } from "./functions.ts";
import { startGateway } from "./gateway.ts";
import { loopbackOrigins } from "./loopback.ts";
import type { Pages } from "./pages.ts";
import { startQueues } from "./queue.ts";
import { startS3 } from "./s3.ts";
import { startStreams } from "./streams.ts";

const pool = { region: "eu-central-1", poolId: "eu-central-1_OdisLocal", clientId: "odislocalclient000000000000" };
const tableName = "odis-local";
const busName = "odis-local";
const webhookSecret = "whsec_local";

/** The ports of the API and of the stand-ins that people and scripts use. 0 stands for free ones. */
export function portsFrom(api: number) {
  const after = (offset: number) => (api === 0 ? 0 : api + offset);
  return { api, stripe: after(1), cognito: after(2), bus: after(3), control: after(4) };
}

type StackOptions = {
  readonly port?: number;
  readonly folder?: string;
  readonly pages?: Pages;
  readonly throttle?: boolean;
  /**
   * Origins of further apps, whose pages may call the API and the pool and are allowed as redirect URLs of the
   * checkout.
   */
  readonly origins?: readonly string[];
  /** Folder of the built functions. */
  readonly dist?: string;
};

const built = join(import.meta.dirname, "../../dist");

/** The file of the table in the folder of a stack. */
export const tableFile = "table.db";

export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * Runs the stack in this process: DynamoDB and its stream, the user pool, Stripe, the event bus and the gateway, which
 * call the bundles of `dist/`. Stores its data in `folder`. Without a folder, the data is lost at the end. With
 * `STRIPE_SECRET_KEY`, a test key, uses Stripe instead of the stand-in. Limits requests only if `throttle` is set.
 *
 * @throws Error with the code EADDRINUSE, before anything else has started, if the port is taken
 */
export async function startStack({
  port = 0,
  folder,
  pages,
  throttle = false,
  origins = [],
  dist = built,
}: StackOptions = {}) {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) throw new Error("The local stack must not run on AWS");
  const kept = (name: string) => (folder === undefined ? undefined : join(folder, name));
  const functions = loadFunctions({ dist });
  const ports = portsFrom(port);
  const allowOrigins = [...loopbackOrigins, ...origins];
  const ready = Promise.withResolvers<void>();
  const gateway = await startGateway({
    port,
    routes,
    pages,
    cors: { allowOrigins, ...cors },
    // Requests that arrive during the start wait until it has ended.
    invoke: async (...call) => {
      await ready.promise;
      return functions.invoke(...call);
    },
  });

  let behindMs = 0;
  const now = () => Date.now() - behindMs;
  const engine = await startDynamoDB(folder === undefined ? {} : { file: join(folder, tableFile) });
  const stateDir = kept("stripe");
  const stripe = process.env.STRIPE_SECRET_KEY
    ? undefined
    : await startStripe({ now, port: ports.stripe, ...(stateDir !== undefined && { stateDir }) });
  const secret_key = process.env.STRIPE_SECRET_KEY ?? "sk_test_local";
  const { id: portal_configuration } = await registerPortal(clientOf({ secret_key }, stripe?.url));
  const bus = await startBus(busName, ports.bus);
  const queueFile = kept("queues.json");
  const queues = await startQueues({
    names: ["fast", "slow"],
    receive: (event) => functions.call("deliver", event),
    ...(queueFile !== undefined && { stateFile: queueFile }),
  });
  const objects = kept("objects");
  const s3 = await startS3({ secretAccessKey: "local", ...(objects !== undefined && { folder: objects }) });
  const stateFile = kept("users.json");
  const cognito = await startCognito({
    ...pool,
    port: ports.cognito,
    ...(stateFile !== undefined && { stateFile }),
    allowOrigins,
    preTokenGeneration: (event) => functions.call("pre-token-generation", event),
    postConfirmation: (event) => functions.call("post-confirmation", event),
  });
  const environment = {
    AWS_REGION: pool.region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: cognito.url,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ENDPOINT_URL_SQS: queues.url,
    DELIVERY_QUEUE_URL: queues.urlOf("fast"),
    SLOW_DELIVERY_QUEUE_URL: queues.urlOf("slow"),
    LOOPBACK_DESTINATIONS: "true",
    SEALING_KEY: "local secrets of event destinations are encrypted with this",
    ACCOUNTS_BUCKET: "odis-local",
    SNAPSHOTS_BUCKET: "odis-local",
    ERASURES_BUCKET: "odis-local",
    FAILED_RECORDS_BUCKET: "odis-local",
    EVENT_BUS_NAME: busName,
    METRICS_NAMESPACE: "odis-local",
    TABLE_NAME: tableName,
    EPOCH: "0",
    CURSOR_KEY: "local cursors are signed with this",
    USER_POOL_ID: pool.poolId,
    CLIENT_ID: pool.clientId,
    THROTTLE: throttle ? "on" : "off",
    LOG_LEVEL: process.env.LOG_LEVEL ?? "error",
    STRIPE_SECRET: JSON.stringify({
      secret_key,
      webhook_secret: process.env.STRIPE_WEBHOOK_SECRET ?? webhookSecret,
      portal_configuration,
    }),
    ...(stripe && { STRIPE_API_BASE: stripe.url }),
    JWKS: JSON.stringify(cognito.jwks),
    REDIRECT_ORIGINS: allowOrigins.join(","),
    SITE_URL: gateway.url,
  };
  // The functions run in this process and read its environment. It is set once, when all addresses are known and before
  // the first function is imported.
  Object.assign(process.env, environment);

  await createTable(engine.endpoint, tableName);
  const streams = await startStreams({
    endpoint: engine.endpoint,
    tableName,
    consumers: [
      { sources: projectionSources, invoke: (event) => functions.call("projections", event) },
      { sources: eventSources, invoke: (event) => functions.call("events", event) },
    ],
    ...(folder !== undefined && { checkpointFile: join(folder, "stream.json") }),
  });
  const table = connect(documents(), tableName, { ...machine, now: () => new Date(now()) })();
  ready.resolve();

  return {
    url: gateway.url,
    /** The functions' table, with a clock that can be set. */
    table,
    /** Sets the clock of the stand-in and of `table`, which then continues. The functions use the machine's clock. */
    setClock(at: Date): void {
      behindMs = Date.now() - at.getTime();
    },
    cognito,
    /** The contents of `/.well-known/odis.json`. */
    // People join in the example front end (`npm run example`).
    info: deploymentInfo({
      join_url: "http://localhost:5173/club.html?c={slug}#tier-{tier_id}",
      api_url: gateway.url,
      region: pool.region,
      user_pool_id: pool.poolId,
      client_id: pool.clientId,
      sign_in_url: cognito.url,
      stage: "local",
    }),
    /** The functions' environment variables. */
    environment,
    /** The stand-in for Stripe. Undefined if Stripe itself is used. */
    stripe,
    /** The bus of domain events. */
    bus,
    /** The queues of event deliveries. */
    queues,
    /** Starts sending the stand-in's events to the webhook and domain events to their destinations. */
    listen(): void {
      bus.subscribe((envelope) => queues.put(JSON.stringify(envelope)));
      stripe?.sendEventsTo({ url: `${gateway.url}/webhooks/stripe`, secret: webhookSecret });
    },
    /** Removes the functions' Stripe secret, as in a new deployment. */
    forgetStripe(): void {
      environment.STRIPE_SECRET = "{}";
      process.env.STRIPE_SECRET = environment.STRIPE_SECRET;
    },
    /** Waits until the projections and the bus have handled all writes. */
    settled: streams.settled,
    /** Makes the functions use their newest builds. */
    reload: functions.reload,
    async stop(): Promise<void> {
      await gateway.close();
      await cognito.close();
      await stripe?.close();
      await streams.stop();
      await queues.close();
      await bus.close();
      await s3.close();
      table.client.destroy();
      await engine.stop();
    },
  };
}
