import { readFileSync } from "node:fs";
import { build, type Metafile } from "esbuild";
import Stripe from "stripe";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Resource, resources } from "#lib/billing/resources.ts";
import { imported } from "../../support/bundling.ts";

/** The paths of the files that contribute more than an empty class to a bundle. */
const inputsOf = ({ inputs }: Metafile["outputs"][string]): string[] =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 100 ? [path] : []));

/** The methods of a resource by their paths: `retrieve`, `sessions.create`. */
function methodsOf(resource: object): string[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter((name) => name !== "constructor");
  const nested = Object.entries(resource).flatMap(([name, value]) =>
    value instanceof Object && /^[a-rt-z]|^s(?!tripe$)/.test(name)
      ? methodsOf(value as object).map((method) => `${name}.${method}`)
      : [],
  );
  return [...own, ...nested].toSorted();
}

describe("Stripe's client in a bundle", async () => {
  const { default: Bundled } = await imported<{ default: typeof Stripe }>('export { default } from "stripe"');
  const [bundled, whole] = [new Bundled("sk_test_1"), new Stripe("sk_test_1")];

  it.each(resources)("Stripe's client in a bundle has every method of %s", (name) => {
    expect(methodsOf(bundled[name])).toEqual(methodsOf(whole[name]));
    expect(methodsOf(bundled[name]).length).toBeGreaterThan(0);
  });

  it("Stripe's client in a bundle has no resource that is not in lib/billing/resources.ts", () => {
    const others = Object.entries(whole).flatMap(([name, value]) =>
      value instanceof Stripe.StripeResource && !resources.includes(name as Resource) ? [name as "accounts"] : [],
    );
    expect(others.length).toBeGreaterThan(40);
    expect(others.flatMap((name) => methodsOf(bundled[name]))).toEqual([]);
  });
});

describe("A decimal amount of a price", async () => {
  const { default: Bundled } = await imported<{ default: typeof Stripe }>('export { default } from "stripe"');
  const answer = async () => Response.json({ id: "price_1", object: "price", unit_amount_decimal: "0.125" });

  it.each([
    ["in a bundle", Bundled],
    ["otherwise", Stripe],
  ])("a decimal amount of a price is converted to the number %s", async (_, Client) => {
    const client = new Client("sk_test_1", { httpClient: Client.createFetchHttpClient(answer) });
    const { unit_amount_decimal } = await client.prices.retrieve("price_1");
    expect(Number(String(unit_amount_decimal))).toBe(0.125);
  });
});

describe("Bundles of functions", () => {
  const { outputs } = JSON.parse(readFileSync("dist/meta.json", "utf8")) as Metafile;
  const bundles = Object.entries(outputs).filter(([path]) => path.endsWith("/index.mjs"));

  it.each([
    [
      "credential providers besides the environment",
      /\/@aws-sdk\/(credential-provider-(?!env)|nested-clients|token-providers)/,
    ],
    ["configuration files", /\/shared-ini-file-loader\/parseIni/],
    ["event streams", /\/event-streams\//],
    ["the SDK's CommonJS files", /\/@(aws-sdk|smithy)\/[^/]+\/dist-cjs\//],
    ["Stripe's arithmetic of decimals", /\/stripe\/esm\/Decimal\.js$/],
    ["Stripe's event notifications", /\/StripeEventNotificationHandler\.js$/],
  ])("no bundle contains %s", (_, unwanted) => {
    const holding = bundles.flatMap(([path, output]) => {
      const found = inputsOf(output).filter((input) => unwanted.test(input));
      return found.length > 0 ? [{ path, found }] : [];
    });
    expect(holding).toEqual([]);
  });
});

describe("A build", () => {
  afterEach(() => {
    vi.doUnmock("#lib/billing/resources.ts");
    vi.resetModules();
  });

  it("the build fails if a used resource of Stripe no longer exists", async () => {
    vi.doMock("#lib/billing/resources.ts", () => ({ resources: ["charges", "movedThings"] }));
    vi.resetModules();
    const { replacements } = await import("../../../tools/build/replacements.ts");
    const stdin = { contents: "" };
    await expect(build({ stdin, write: false, logLevel: "silent", plugins: [replacements] })).rejects.toThrow(
      "No longer in node_modules: stripe/esm/resources/MovedThings",
    );
  });
});
