import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { resources } from "#lib/billing/resources.ts";

const packages = join(import.meta.dirname, "../../node_modules");

/** The files of Stripe's used resources: `charges` is `Charges.js`, `billingPortal` is the folder `BillingPortal`. */
const stripeResources = resources.map((name) => name.charAt(0).toUpperCase() + name.slice(1));

/**
 * Replaces whole modules of Stripe's SDK that functions do not use. No text of a module is edited.
 * The build fails where a module is no longer in its place.
 */
export const replacements: Plugin = {
  name: "replacements",
  setup(esbuild) {
    esbuild.onStart(() => ({
      errors: missingModules().map((file) => ({ text: `No longer in node_modules: ${file}` })),
    }));

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
  return [...ofStripe, ...[handler].filter((file) => !isThere(file))];
}
