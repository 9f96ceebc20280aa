import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Benefit, Destination, DestinationPage } from "../../client/schema.ts";
import { ask, dialog, local } from "./console.ts";

const api = "/odis/v1/communities/1/event_destinations";
/** The page of the event destinations. */
export const path = "#/communities/1/event-destinations";

/** A receiver of events on this machine, which answers with a status code that the test chooses. */
function createReceiver() {
  const requests: { readonly headers: Record<string, string>; readonly body: string }[] = [];
  const receiver = { answer: 500, requests, url: "" };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(receiver.answer).end();
  };
  const server = createServer((request, response) => void receive(request, response));
  const start = async (): Promise<void> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  };
  const stop = (): void => void server.close();
  return Object.assign(receiver, { start, stop });
}

/** All event destinations of the first community. */
export const destinations = async (): Promise<readonly Destination[]> =>
  (await ask<DestinationPage>("owner", "GET", `${api}?per=100`)).data;

/** Adds an event destination. */
export const create = (event_destination: {
  readonly url: string;
  readonly events: string[];
  readonly description: string;
}) => ask<Destination>("owner", "POST", api, { event_destination });

/** Deletes the matching destinations. */
export async function removeAll(found: (destination: Destination) => boolean): Promise<void> {
  const { api_url, tokens } = local();
  const headers = { authorization: `Bearer ${tokens.owner}` };
  for (const { id } of (await destinations()).filter(found))
    await fetch(`${api_url}/odis/v1/event_destinations/${id}`, { method: "DELETE", headers });
}

/** A change in the community, which has the event `benefit.created`. */
export const change = (): Promise<Benefit> =>
  ask("owner", "POST", "/odis/v1/communities/1/benefits", { benefit: { name: "Barrel tasting" } });

/** The secret in the dialog. */
export const secretIn = (page: Page): Promise<string> => dialog(page).locator(".secret code").innerText();

/** A receiver that runs while the tests of a file do. Destinations that a test has added are deleted after it. */
export function useReceiver() {
  const receiver = createReceiver();
  const others = new Set<number>();
  beforeAll(async () => {
    await receiver.start();
    for (const { id } of await destinations()) others.add(id);
  });
  // Later tests, also those of other files, have no receiver for the destinations of earlier ones.
  afterEach(() => removeAll(({ id }) => !others.has(id)));
  afterAll(() => receiver.stop());
  return receiver;
}
