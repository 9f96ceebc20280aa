import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOdis } from "../../../client/odis.ts";
import { type Gate, openGate } from "../../../examples/gate/gate.ts";
import { type Stack, startStack } from "../../../tools/local/stack.ts";
import { tokenFor } from "../../../tools/local/users.ts";
import { aCommunity, aMember } from "../../support/given.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.listen();
});
afterAll(() => stack.stop());

it("the gate of examples/gate admits exactly the members with access, while people join, are blocked and unblocked", async () => {
  const community = await aCommunity(stack.table);
  const token = await tokenFor(stack.cognito, { id: community.owner.id, groups: [], expiresIn: 3600 });
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${stack.url}/odis/v1/communities/${community.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as T;
  };

  const group = new Set<number>();
  const opened: { gate?: Gate } = {};
  // The URL of the destination needs the gate's port, and the gate needs the destination's secret.
  const server = createServer((request, response) => void opened.gate?.server.emit("request", request, response));
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { secret } = await ask<{ secret: string }>("POST", "/event_destinations", {
    event_destination: { url, events: ["access.*"] },
  });
  const groupOf = (ids: Set<number>) => ({
    add: async (id: number) => void ids.add(id),
    remove: async (id: number) => void ids.delete(id),
  });
  const odis = createOdis({ baseUrl: stack.url, token: () => token });
  opened.gate = openGate(groupOf(group), secret, odis, community.id);
  // Another gate starts beside members, without webhooks, and reads on after an absence.
  const late = new Set<number>();
  const early = await aMember(stack.table, community);
  const other = openGate(groupOf(late), secret, odis, community.id);
  const last = await other.readMembers();
  expect(late).toEqual(new Set([early.user.id]));

  const joined = await Promise.all([
    aMember(stack.table, community),
    aMember(stack.table, community, { status: "trialing" }),
    aMember(stack.table, community, { status: "past_due" }),
    aMember(stack.table, community, { status: "canceled" }),
  ]);
  const [first, second] = joined;
  await ask("POST", `/members/${first.id}/block`, {});
  await ask("POST", `/members/${second.id}/block`, {});
  await ask("DELETE", `/members/${second.id}/unblock`);
  await stack.settled();
  await stack.queues.idle();
  server.close();

  const admitted = new Set([early.user.id, joined[1].user.id, joined[2].user.id]);
  expect(group).toEqual(admitted);
  const next = await other.readOn(last);
  expect(late).toEqual(admitted);
  expect(await other.readOn(next)).toBe(next);
});

it("the gate of examples/gate applies the events of a member in order, and those of different members in parallel", async () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const calls: string[] = [];
  const removal = { begun: () => {}, end: () => {} };
  const removing = new Promise<void>((resolve) => (removal.begun = resolve));
  const { server } = openGate(
    {
      add: async (id) => void calls.push(`added ${id}`),
      remove: async (id) => {
        removal.begun();
        await new Promise<void>((resolve) => (removal.end = resolve));
        calls.push(`removed ${id}`);
      },
    },
    secret,
    createOdis({ baseUrl: "http://127.0.0.1:9" }),
    1,
  );
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const deliver = async (userId: number, sequence: number, granted: boolean): Promise<number> => {
    const body = JSON.stringify({
      type: granted ? "access.granted" : "access.revoked",
      subject: `members/${userId}`,
      sequence,
      data: { member: { user_id: userId, access: { granted } } },
    });
    const now = Math.floor(Date.now() / 1000);
    const key = Buffer.alloc(32, 1);
    const signature = createHmac("sha256", key).update(`id.${now}.${body}`).digest("base64");
    const headers = { "webhook-id": "id", "webhook-timestamp": String(now), "webhook-signature": `v1,${signature}` };
    return (await fetch(url, { method: "POST", headers, body })).status;
  };

  const revoked = deliver(7, 130_000, false);
  await removing;
  const arrived = once(server, "request");
  const granted = deliver(7, 140_000, true);
  await arrived;
  expect(await deliver(8, 10_000, true)).toBe(204);
  removal.end();
  expect([await revoked, await granted]).toEqual([204, 204]);
  expect(calls).toEqual(["added 8", "removed 7", "added 7"]);
  expect(await deliver(7, 130_000, false)).toBe(204);
  expect(calls).toHaveLength(3);
  server.close();
});

it("the gate of examples/gate removes the people whose members are not listed after a restore, except where an event has arrived meanwhile or the person has joined again", async () => {
  const group = new Set<number>();
  const memberOf = (id: number, userId: number, sequence: number) => ({
    id,
    sequence,
    user: { id: userId },
    access: { granted: true },
  });
  const api = {
    members: [memberOf(1, 10, 10_000), memberOf(2, 20, 10_000), memberOf(3, 30, 10_000), memberOf(4, 40, 10_000)],
    events: [] as object[],
    whileReading: async () => {},
  };
  const gate = openGate(
    { add: async (id) => void group.add(id), remove: async (id) => void group.delete(id) },
    `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    createOdis({
      baseUrl: "https://api.example.com",
      fetch: async (input: string | URL | Request) => {
        const isOfMembers = new URL(input instanceof Request ? input.url : input).pathname.endsWith("/members");
        if (isOfMembers) await api.whileReading();
        const data = isOfMembers ? api.members : api.events;
        return Response.json({ has_more: false, next_cursor: null, data });
      },
    }),
    1,
  );
  await gate.readMembers();
  expect(group).toEqual(new Set([10, 20, 30, 40]));

  const sequence = 1_000_000_010_000;
  api.members = [memberOf(1, 10, sequence), memberOf(5, 40, sequence)];
  const data = { member: { user_id: 30, access: { granted: true } } };
  api.events = [{ id: "event", type: "access.granted", subject: "communities/1/members/3", sequence, data }];
  api.whileReading = async () => void (await gate.readOn(undefined));
  await gate.readMembers();
  expect(group).toEqual(new Set([10, 30, 40]));
});

it("the gate of examples/gate goes on if a client closes the connection in the middle of a request", async () => {
  const group = { add: async () => {}, remove: async () => {} };
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const { server } = openGate(group, secret, createOdis({ baseUrl: "http://127.0.0.1:9" }), 1);
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const arrived = once(server, "request");
  socket.write("POST / HTTP/1.1\r\nhost: gate\r\ncontent-length: 100\r\n\r\nabc");
  const [request] = (await arrived) as [IncomingMessage];
  const closed = new Promise<void>((resolve) => void request.once("close", () => resolve()));
  socket.destroy();
  await closed;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  expect(answer.status).toBe(400);
  server.close();
});
