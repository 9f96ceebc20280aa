import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { resources } from "#lib/billing/resources.ts";

const packages = join(import.meta.dirname, "../../node_modules");

/** Modules of the SDKs that esbuild would include although functions do not use them, and their replacements. */
const replaced: Readonly<Record<string, string>> = {
  // Creates paginators on import, which would include the complete client.
  "@aws-sdk/lib-dynamodb/dist-es/pagination/index.js": "",
  // Functions have their credentials in the environment. The other providers are half of the SDK.
  "@aws-sdk/credential-provider-node/dist-es/index.js":
    'export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";',
  // Functions have no configuration files and no instance metadata.
  "@smithy/core/dist-es/submodules/config/shared-ini-file-loader/loadSharedConfigFiles.js": `
    export const CONFIG_PREFIX_SEPARATOR = ".";
    export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  "@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js":
    "export const getInstanceMetadataRegion = async () => undefined;",
  // DynamoDB needs no endpoint discovery and no cache for it.
  "@aws-sdk/middleware-endpoint-discovery/dist-es/index.js": `
    export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
      environmentVariableSelector: () => undefined,
      configFileSelector: () => undefined,
      default: undefined,
    };
    export const resolveEndpointDiscoveryConfig = (config) => config;`,
  // Implements functions that Node.js provides.
  "@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js": "export class Sha256Js {}",
  // Computes checksums that no request of the functions uses.
  "@aws-sdk/checksums/dist-es/submodules/sha/index.js": "export class Sha1 {}",
  "@smithy/core/dist-es/submodules/checksum/md5/Md5Js.js": "export class Md5Js {}",
  // Loads Node's file streams to recognize them as bodies.
  "@smithy/core/dist-es/submodules/serde/util-body-length/calculateBodyLength.js":
    "export const calculateBodyLength = (body) => (body ? Buffer.byteLength(body) : 0);",
  // Loads the streams of the web to recognize them. Node's HTTP client has its own.
  "@smithy/core/dist-es/submodules/serde/util-stream/stream-type-check.js": `
    export const isReadableStream = () => false;
    export const isBlob = () => false;`,
  "@smithy/core/dist-es/submodules/retry/middleware-retry/isStreamingPayload/isStreamingPayload.js": `
    import { Readable } from "node:stream";
    export const isStreamingPayload = ({ body }) => body instanceof Readable;`,
  // Loads Web Crypto on import, although only the tokens of some requests need its ids.
  "@smithy/core/dist-es/submodules/serde/uuid/v4.js": "export const bindV4 = () => () => crypto.randomUUID();",
  // Formats the headers of event streams.
  "@smithy/signature-v4/dist-es/HeaderFormatter.js": "export class HeaderFormatter {}",
  // Limits the rate of a process. The functions use the standard retries.
  "@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js":
    'export { StandardRetryStrategy as AdaptiveRetryStrategy } from "./StandardRetryStrategy";',
  // Calculates with decimal amounts. Functions only convert them to numbers, so they can stay strings.
  "stripe/esm/Decimal.js": "export const Decimal = { from: (text) => text };",
};

/** Replaces event streams. The SDK imports them for commands that the functions do not use. */
const noEventStreams = `
  export const resolveEventStreamSerdeConfig = (config) => config;
  export const eventStreamSerdeProvider = () => ({});
  export class EventStreamSerde {}`;

/**
 * The files of the used resources of Stripe: `charges` is `Charges.js`, `billingPortal` is the folder `BillingPortal`.
 */
const stripeResources = resources.map((name) => name.charAt(0).toUpperCase() + name.slice(1));

/**
 * Replaces whole modules of the SDKs of AWS and Stripe that functions do not use. The build fails if a module no longer
 * exists.
 */
export const replacements: Plugin = {
  name: "replacements",
  setup(esbuild) {
    esbuild.onStart(() => ({
      errors: missingModules().map((file) => ({ text: `No longer in node_modules: ${file}` })),
    }));

    esbuild.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path }) => ({
      path,
      namespace: "no-event-streams",
      sideEffects: false,
    }));
    esbuild.onLoad({ filter: /./, namespace: "no-event-streams" }, () => ({ contents: noEventStreams }));

    const files = Object.keys(replaced).join("|").replaceAll(/[/.]/g, "\\$&");
    esbuild.onLoad({ filter: new RegExp(`/node_modules/(${files})$`) }, ({ path }) => ({
      contents: replaced[path.slice(path.lastIndexOf("/node_modules/") + "/node_modules/".length)] ?? "",
    }));

    // The clients read only their version.
    esbuild.onLoad({ filter: /\/@aws-sdk\/client-[^/]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
      return { contents: JSON.stringify({ version }), loader: "json" };
    });

    const stripe = /\/stripe\/esm\/(?:resources\/(\w+).*|StripeEventNotificationHandler)\.js$/;
    esbuild.onLoad({ filter: stripe }, async ({ path }) => {
      const [, resource = ""] = stripe.exec(path) ?? [];
      if (stripeResources.includes(resource)) return undefined;
      const classes = (await readFile(path, "utf8")).matchAll(/^export class (\w+)/gm);
      return { contents: Array.from(classes, ([, name]) => `export class ${name} {}`).join("\n") };
    });
  },
};

function missingModules(): readonly string[] {
  const isThere = (file: string) => existsSync(join(packages, file));
  const ofStripe = stripeResources
    .map((name) => `stripe/esm/resources/${name}`)
    .filter((file) => !isThere(`${file}.js`) && !isThere(`${file}/index.js`));
  const handler = "stripe/esm/StripeEventNotificationHandler.js";
  return [...ofStripe, ...[...Object.keys(replaced), handler].filter((file) => !isThere(file))];
}
