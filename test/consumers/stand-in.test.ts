import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { buildStandIn } from "../../tools/build/stand-in.ts";
import { temporaryFolder } from "../support/set-up.ts";
import { compile, run, tools } from "./project.ts";

/** An empty project outside the repository, with the packed stand-in and Stripe's client. */
const folder = temporaryFolder();
beforeAll(async () => {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const packed = await run("npm", ["pack", "--pack-destination", folder, "--silent"], buildStandIn());
  const { stripe } = packageJson.dependencies;
  const others = [`stripe@${stripe}`, `@types/node@${packageJson.devDependencies["@types/node"]}`];
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", `./${packed.trim()}`, ...others], folder);
  const readme = await readFile(join(folder, "node_modules/stripe-stand-in/README.md"), "utf8");
  const samples = Array.from(readme.matchAll(/^```ts\n(.*?)^```$/gms), ([, sample = ""]) => sample);
  await Promise.all(samples.map((sample, n) => writeFile(join(folder, `sample-${n}.ts`), sample)));
});

const compilers = [
  ["TypeScript 5", join(tools, "node_modules/typescript")],
  ["TypeScript 7", join(import.meta.dirname, "../../node_modules/typescript")],
] as const;

it.each(compilers)("the samples of the stand-in's README compile with %s", async (_, compiler) => {
  expect(await compile(compiler, ["sample-0.ts", "sample-1.ts", "sample-2.ts"], folder)).toBe("");
});

it("a completed checkout sends webhooks that Stripe's client verifies", async () => {
  const types = (await run(process.execPath, ["sample-1.js"], folder)).trim().split("\n");
  expect(types).toEqual(expect.arrayContaining(["customer.created", "invoice.paid", "customer.subscription.created"]));
  expect(types.at(-1)).toBe("checkout.session.completed");
});

it("a renewal in memory fails with an injected fault, and its retry succeeds", async () => {
  expect(await run(process.execPath, ["sample-2.js"], folder)).toBe("past_due\nactive\n1\n");
});

it("the command of the packed stand-in serves the API", async () => {
  const server = spawn(process.execPath, [join(folder, "node_modules/.bin/stripe-stand-in"), "--port", "0"]);
  const [url] = (await once(createInterface(server.stdout), "line")) as [string];
  const { status } = await fetch(`${url}/v1/customers`, { headers: { authorization: "Bearer sk_test_local" } });
  expect(status).toBe(200);
  server.kill();
  expect(await once(server, "exit")).toEqual([0, null]);
});
