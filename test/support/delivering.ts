import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import type { ResendTask, Task } from "#lib/delivery/queue.ts";
import { sealingWith } from "#lib/delivery/sealing.ts";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import { workOn } from "#lib/delivery/work.ts";
import * as communities from "#lib/store/communities.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { Writer } from "#lib/store/table.ts";
import { startTable } from "./direct.ts";
import { aCommunity, type GivenCommunity, givenBy } from "./given.ts";

/** Start time of each test. */
export const start = Date.parse("2026-11-21T12:00:00.000Z");
export const [minute, hour] = [60_000, 3_600_000];
export const sealing = sealingWith("a key");

export type Received = { readonly headers: Record<string, string>; readonly body: string };

type Queued = Task | ResendTask;

type State = {
  /** The current time, which advances only to the next due task. */
  now: number;
  queue: Queued[];
  /** The open time limits of responses. They never expire by themselves. */
  deadlines: AbortController[];
  table: Writer;
  community: GivenCommunity;
};

/** Deliveries to receivers on this machine, for the tests of a file. */
export function startDelivering() {
  const test = startTable();
  const servers: Server[] = [];
  const state = {} as State;
  let [destinationsMade, eventsMade, numbersDrawn] = [0, 0, 0];

  beforeAll(() => {
    vi.stubEnv("LOOPBACK_DESTINATIONS", "true");
  });
  beforeEach(async () => {
    const runtime = {
      ...test.table.runtime,
      now: () => new Date(state.now),
      random,
      deadline,
    };
    const table = { ...test.table, runtime };
    Object.assign(state, { now: start, queue: [], deadlines: [], table, community: await aCommunity(test.table) });
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  /** About a half, and never the same number twice, so that random ids differ. */
  const random = (): number => 0.5 + ++numbersDrawn / 2 ** 32;

  /** A deadline that ends only by {@link expire}. */
  function deadline(): AbortSignal {
    const controller = new AbortController();
    state.deadlines.push(controller);
    return controller.signal;
  }

  /** Makes the time limits of all pending requests expire. */
  function expire(): void {
    for (const controller of state.deadlines.splice(0)) controller.abort();
  }

  /** A receiver on this machine with the given response. */
  async function aReceiver(answer: RequestListener) {
    const received: Received[] = [];
    const server: Server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
        answer(request, response);
      });
    });
    await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
    servers.push(server);
    const close = () => new Promise((closed) => void server.close(closed));
    return { received, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  async function aDestination(url: string, events: string[] = ["*"]) {
    // Ids of the same millisecond may collide.
    const id = destinations.newDestinationId(test.table, new Date(start + ++destinationsMade));
    const secret = newSecret(test.table.runtime);
    const parent = await communities.open(test.table, state.community.id);
    const others = await destinations.listOf(test.table, state.community.id);
    const given = { id, url, events, description: "", ...storedSecret(secret, id, sealing) };
    const stored = await destinations.add(test.table, parent, others, given, givenBy(new Date(state.now)));
    return { ...stored, plain: secret };
  }

  const again = ({ id }: { id: number }) => destinations.find(state.table, state.community.id, id);

  /** Changes the current version of a destination. */
  async function change(
    destination: destinations.StoredDestination,
    changes: Parameters<typeof destinations.update>[3],
    table = state.table,
  ) {
    const parent = await communities.open(table, state.community.id);
    const stored = (await again(destination)) ?? destination;
    return destinations.update(table, parent, stored, changes, givenBy(new Date(state.now)));
  }

  const anEvent = (type = "member.joined") => ({
    id: `event-${++eventsMade}`,
    type,
    timestamp: new Date(state.now).toISOString(),
    sequence: eventsMade,
    subject: `communities/${state.community.id}/members/1`,
    community_id: state.community.id as number | null,
    data: { member: { id: 1 } },
    previous: {},
  });

  const world = () => ({
    table: state.table,
    sealing: async () => sealing,
    enqueue: async (tasks: readonly Queued[]) => void state.queue.push(...tasks),
  });

  const dueAt = (task: Queued): number => ("due_at" in task ? task.due_at : state.now);

  /** Handles tasks in the order in which they are due, until none is due before `until`. */
  async function work(until = Number.POSITIVE_INFINITY): Promise<number[]> {
    const times: number[] = [];
    for (;;) {
      const [next, ...rest] = state.queue.toSorted((a, b) => dueAt(a) - dueAt(b));
      if (!next || dueAt(next) > until) return times;
      state.queue = rest;
      state.now = Math.max(state.now, dueAt(next));
      times.push(state.now - start);
      await workOn(JSON.stringify(next), world());
    }
  }

  return {
    test,
    state,
    world,
    aReceiver,
    expire,
    /** A receiver that never responds, so that the time limit expires. */
    aSilentReceiver: () => aReceiver(expire),
    answering: (status: number, headers: Record<string, string> = {}) =>
      aReceiver((_, response) => void response.writeHead(status, headers).end("x")),
    aDestination,
    again,
    change,
    anEvent,
    tell: (event: object) => workOn(JSON.stringify({ detail: event }), world()),
    work,
    deliveriesTo: async ({ id }: { id: number }) => (await deliveries.list(state.table, id, { per: 100 })).data,
  };
}
