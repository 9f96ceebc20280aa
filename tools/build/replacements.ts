import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { resources } from "#lib/billing/resources.ts";

const packages = join(import.meta.dirname, "../../node_modules");

/** Modules of the AWS SDK that esbuild would keep although functions do not use them, and what bundles hold instead. */
const replaced: Readonly<Record<string, string>> = {
  // Makes paginators when it loads, of a client that would bring everything which lib/aws.ts leaves out.
  "@aws-sdk/lib-dynamodb/dist-es/pagination/index.js": "",
  // Imports ways to credentials when they are needed. For that, esbuild would put half of the SDK into functions that run
  // later, and keep more of it. lib/aws.ts takes credentials from the environment.
  "@aws-sdk/credential-provider-node/dist-es/index.js": "export const defaultProvider = () => {};",
  // Loads Web Crypto when it is loaded itself, although ids are for tokens of requests that need one.
  "@smithy/core/dist-es/submodules/serde/uuid/v4.js": "export const bindV4 = () => () => crypto.randomUUID();",
  // Registers functions for endpoint rules, and would bring their interpreter. lib/aws.ts has no rules.
  "@aws-sdk/core/dist-es/submodules/client/util-endpoints/aws.js": "export const awsEndpointFunctions = {};",
};

/** Every command adds this plugin, which evaluates endpoint rules. Clients of lib/aws.ts know their endpoint. */
const noEndpointRules = "export const getEndpointPlugin = () => ({ applyToStack() {} });";

/** The files of Stripe's used resources: `charges` is `Charges.js`, `billingPortal` is the folder `BillingPortal`. */
const stripeResources = resources.map((name) => name.charAt(0).toUpperCase() + name.slice(1));

/**
 * Replaces whole modules of the SDKs of AWS and Stripe that functions do not use. No text of a module is edited.
 * The build fails where a module is no longer in its place.
 */
export const replacements: Plugin = {
  name: "replacements",
  setup(esbuild) {
    esbuild.onStart(() => ({
      errors: missingModules().map((file) => ({ text: `No longer in node_modules: ${file}` })),
    }));

    const files = Object.keys(replaced).join("|").replaceAll(/[/.]/g, "\\$&");
    esbuild.onLoad({ filter: new RegExp(`/node_modules/(${files})$`) }, ({ path }) => ({
      contents: replaced[path.slice(path.lastIndexOf("/node_modules/") + "/node_modules/".length)] ?? "",
    }));

    esbuild.onResolve({ filter: /^@smithy\/core\/endpoints$/ }, ({ path, importer }) =>
      importer.endsWith("/dist-es/commandBuilder.js") ? { path, namespace: "no-endpoint-rules" } : undefined,
    );
    esbuild.onLoad({ filter: /./, namespace: "no-endpoint-rules" }, () => ({ contents: noEndpointRules }));

    const stripe = /\/stripe\/esm\/(?:resources\/(\w+).*|StripeEventNotificationHandler)\.js$/;
    esbuild.onLoad({ filter: stripe }, async ({ path }) => {
      const [, resource = ""] = stripe.exec(path) ?? [];
      if (stripeResources.includes(resource)) return undefined;
      const classes = (await readFile(path, "utf8")).matchAll(/^export class (\w+)/gm);
      return { contents: Array.from(classes, ([, name]) => `export class ${name} {}`).join("\n") };
    });
  },
};

/** Puts the SDK's own clients in the place of those that `lib/aws.ts` composes. */
export const stockClients: Plugin = {
  name: "stock-clients",
  setup(esbuild) {
    const path = join(import.meta.dirname, "stock-clients.ts");
    esbuild.onResolve({ filter: /\/aws\.ts$/ }, () => ({ path, sideEffects: false }));
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
