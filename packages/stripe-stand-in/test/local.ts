import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Stripe from "stripe";
import { afterAll, beforeAll } from "vitest";
import { type LocalStripe, startStripe } from "../src/server.ts";

/** Noon of the last day of January, which is followed by a shorter month. */
export const start = Date.UTC(2026, 0, 31, 12);

/** Stripe's own client, connected to a local stand-in. */
export function clientOf(
  url: string,
  { key = "sk_test_local", ...options }: Partial<Stripe.StripeConfig> & { readonly key?: string } = {},
): Stripe {
  const { hostname: host, port } = new URL(url);
  return new Stripe(key, {
    host,
    port,
    protocol: "http",
    telemetry: false,
    maxNetworkRetries: 0,
    ...options,
  });
}

export type Local = {
  readonly stripe: Stripe;
  readonly server: LocalStripe;
  /** Calls a control under `/_fake/`. @throws Error if the control refuses the request */
  readonly control: (path: string, body?: object) => Promise<unknown>;
};

/** Starts a local stand-in for the tests of a file. By default, its clock does not advance. */
export function useLocalStripe(options: Parameters<typeof startStripe>[0] = { now: () => start }): Local {
  let server: LocalStripe | undefined;
  beforeAll(async () => {
    server = await startStripe(options);
  });
  afterAll(() => server?.close());
  const running = () => {
    if (!server) throw new Error("Used before it was started");
    return server;
  };
  let stripe: Stripe | undefined;
  return {
    get server() {
      return running();
    },
    get stripe() {
      stripe ??= clientOf(running().url);
      return stripe;
    },
    control: (path, body = {}) => controlOf(running().url)(path, body),
  };
}

export const controlOf =
  (url: string) =>
  async (path: string, body: object = {}): Promise<unknown> => {
    const response = await fetch(`${url}/_fake/${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };

export type Received = { readonly event: Stripe.Event; readonly body: string; readonly signature: string };

/** Starts a webhook receiver that records events and responds with the given statuses. */
export async function startReceiver(): Promise<{
  readonly url: string;
  readonly received: Received[];
  /** Statuses of the next responses. 200 once the list is empty. */
  readonly answers: number[];
  readonly types: () => string[];
  readonly close: () => void;
}> {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const signature = String(request.headers["stripe-signature"]);
      const status = answers.shift() ?? 200;
      if (status === 200) received.push({ event: JSON.parse(body) as Stripe.Event, body, signature });
      return response.writeHead(status).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    answers,
    types: () => received.map(({ event }) => event.type),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
