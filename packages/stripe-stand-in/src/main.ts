#!/usr/bin/env node
import { parseArgs } from "node:util";
import { startStripe } from "./server.ts";

const usage = `Usage: stripe-stand-in [options]

Serves a stand-in for Stripe's API on 127.0.0.1.

Options:
  --port <port>              Port of the server (0 picks a free one) (default: 12111)
  --folder <folder>          Folder to keep the state in (default: none, the state is lost at the end)
  --webhook-url <url>        Endpoint on this machine to send all events to
  --webhook-secret <secret>  Secret that signs the events (default: "whsec_local")
  -h, --help                 Show this help`;

/** A mistake in the command line. */
class UsageError extends Error {}

const options = {
  port: { type: "string", default: "12111" },
  folder: { type: "string" },
  "webhook-url": { type: "string" },
  "webhook-secret": { type: "string", default: "whsec_local" },
  help: { type: "boolean", short: "h", default: false },
} as const;

function given() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0]);
  }
}

async function main(): Promise<void> {
  const { help, port, folder, "webhook-url": url, "webhook-secret": secret } = given();
  if (help) return console.log(usage);
  if (!/^\d+$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port must be an integer from 0 to 65535, not ${port}`);
  const webhook = url === undefined ? undefined : { url, secret };
  const server = await startStripe({ port: Number(port), stateDir: folder, webhook });
  console.log(server.url);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}

await main().catch((error: NodeJS.ErrnoException & { readonly port?: number }) => {
  console.error(error.code === "EADDRINUSE" ? `Port ${error.port} is in use` : error.message);
  process.exit(error instanceof UsageError ? 2 : 1);
});
