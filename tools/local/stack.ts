import { join } from "node:path";
import { startStripe } from "stripe-stand-in/server";
import { registerPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { routes } from "#lib/contract/index.ts";
import { sources as eventSources } from "#lib/events/sources.ts";
import { cors } from "#lib/http/cors.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import { machine } from "#lib/runtime.ts";
import { connect, documents, type Writer } from "#lib/store/table.ts";
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

type Options = {
  readonly port?: number;
  readonly folder?: string;
  readonly pages?: Pages;
  readonly throttle?: boolean;
  /** Origins of apps besides those of this machine: their pages may call the API and the pool, and checkout leads back to them. */
  readonly origins?: readonly string[];
  /** Folder of the built functions. */
  readonly dist?: string;
};

const built = join(import.meta.dirname, "../../dist");

export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * Runs the cloud in this process: the engine and its stream, sign-in, Stripe, the event bus and the gateway, which call
 * the bundles of `dist/` as they are deployed. With a folder everything is kept in it; without one it is lost at the end.
 * `STRIPE_SECRET_KEY`, a test key, replaces the stand-in by Stripe itself. Callers are limited only if `throttle` is set.
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
}: Options = {}) {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) throw new Error("The local stack must not run on AWS");
  const kept = (name: string) => (folder === undefined ? undefined : join(folder, name));
  const functions = loadFunctions({ dist });
  const allowOrigins = [...loopbackOrigins, ...origins];
  const ready = Promise.withResolvers<void>();
  const gateway = await startGateway({
    port,
    routes,
    pages,
    cors: { allowOrigins, ...cors },
    // A request that comes while the rest is starting waits for it.
    invoke: async (...call) => {
      await ready.promise;
      return functions.invoke(...call);
    },
  });

  let behindMs = 0;
  const now = () => Date.now() - behindMs;
  const engine = await startDynamoDB(folder === undefined ? {} : { file: join(folder, "table.db") });
  const stateDir = kept("stripe");
  const stripe = process.env.STRIPE_SECRET_KEY
    ? undefined
    : await startStripe({ now, ...(stateDir !== undefined && { stateDir }) });
  const secret_key = process.env.STRIPE_SECRET_KEY ?? "sk_test_local";
  const { id: portal_configuration } = await registerPortal(clientOf({ secret_key }, stripe?.url));
  const bus = await startBus(busName);
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
  // The functions run in this process and read its environment, as on Lambda. So it is set once, here: after all
  // addresses are known, and before the first function is loaded.
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
  const table: Writer = connect(documents(), tableName, { ...machine, now: () => new Date(now()) })();
  ready.resolve();

  return {
    url: gateway.url,
    /** The table as the functions see it, but for the clock that can be set. */
    table,
    /** Sets the clock of the stand-in and of `table`. It goes on from there; the functions have the machine's. */
    setClock(at: Date): void {
      behindMs = Date.now() - at.getTime();
    },
    cognito,
    /** What the functions are told. */
    environment,
    /** The stand-in; undefined where Stripe itself is used. */
    stripe,
    /** Where domain events arrive. */
    bus,
    /** Where events wait for their delivery. */
    queues,
    /** From now on the stand-in sends its events to the webhook, and ours are delivered to their destinations. */
    listen(): void {
      bus.subscribe((envelope) => queues.put(JSON.stringify(envelope)));
      stripe?.sendEventsTo({ url: `${gateway.url}/webhooks/stripe`, secret: webhookSecret });
    },
    /** Leaves the functions without a Stripe secret, as in a new deployment. */
    forgetStripe(): void {
      environment.STRIPE_SECRET = "{}";
      process.env.STRIPE_SECRET = environment.STRIPE_SECRET;
    },
    /** Waits until the projections and the bus have seen all that was written. */
    settled: streams.settled,
    /** Takes what was built anew. */
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
