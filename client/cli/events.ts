import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Command } from "commander";
import { type Odis, OdisProblem } from "../odis.ts";
import { verifyWebhook, WebhookVerificationError } from "../webhooks.ts";
import { beforeWrite, type Context } from "./context.ts";
import { causeOf, UsageError } from "./failures.ts";
import { integer } from "./options.ts";
import { stopSignal } from "./stop-signal.ts";

type Listen = { readonly community: number; readonly events: readonly string[]; readonly forwardTo?: string };

/** `events listen`: receives the events of a community on this machine, verifies and prints them. */
export function addListen(group: Command, contextOf: () => Context): void {
  group
    .command("listen")
    .summary("Print the events of a community as they arrive")
    .description(
      "Creates an event destination with a URL on this machine, verifies and prints the events that arrive, and deletes the destination when you stop it (Ctrl-C). Works with the local stack only, because no other stack can reach this machine.",
    )
    .requiredOption("--community <id>", "Id of the community. Required.", integer)
    .option("--events <types...>", "Types of events, such as access.* or payment.succeeded", ["*"])
    .option("--forward-to <url>", "Also send each verified event to this URL, with its headers and body")
    .action(async (options: Listen) => {
      const context = contextOf();
      const opened = await context.open();
      await beforeWrite(opened, context);
      await listen(opened.odis, options, context);
    });
}

/** Listens until the process receives a signal to end. */
async function listen({ post, delete: remove }: Odis, options: Listen, { json, note, print }: Context): Promise<void> {
  const { community: community_id, events, forwardTo } = options;
  let secret = "";
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const body = await bodyOf(request);
      const event = await verifyWebhook(body, request.headers, secret);
      const { timestamp, type, subject, sequence, id } = event;
      if (json) print(event);
      else console.log(`${timestamp}  ${type}  ${subject}  ${sequence}  ${id}`);
      response.writeHead(forwardTo === undefined ? 204 : await forward(forwardTo, request, body, note)).end();
    } catch (error) {
      const isUnverified = error instanceof WebhookVerificationError;
      note(`${isUnverified ? "Not verified" : "Not received"}: ${(error as Error).message}`);
      response.writeHead(isUnverified ? 400 : 500).end();
    }
  };
  const server = createServer((request, response) => void receive(request, response));
  const port = await portOf(server);
  try {
    const created = await post("/odis/v1/communities/{community_id}/event_destinations", {
      params: { path: { community_id } },
      body: {
        event_destination: {
          url: `http://127.0.0.1:${port}/`,
          events: [...events],
          description: "odis events listen",
        },
      },
    });
    secret = created.secret;
    note(
      `Listening to ${events.join(", ")} of community ${community_id}. The secret is ${secret}. Press Ctrl-C to stop`,
    );
    await stopSignal();
    await remove("/odis/v1/event_destinations/{id}", { params: { path: { id: created.id } } });
  } catch (error) {
    if (error instanceof OdisProblem && error.errors.some(({ pointer }) => pointer === "/event_destination/url"))
      throw new UsageError(
        "Only the local stack can reach this machine. Create a destination with a public URL instead",
      );
    throw error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const portOf = async (server: Server): Promise<number> => {
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  return (server.address() as AddressInfo).port;
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/**
 * Forwards an event, and says if it was not accepted. Follows no redirects, as Odis.
 *
 * @returns the status of the response; 502 if there is none, so that the event is sent again
 */
async function forward(
  url: string,
  { headers }: IncomingMessage,
  body: string,
  note: Context["note"],
): Promise<number> {
  const names = ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"];
  const sent = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  try {
    const { ok, status } = await fetch(url, { method: "POST", headers: sent, body, redirect: "manual" });
    if (!ok) note(`Not accepted: ${url} responded with ${status}`);
    return status;
  } catch (error) {
    note(`Not forwarded: ${url} cannot be reached: ${causeOf(error as Error)}`);
    return 502;
  }
}
