import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { gate } from "../../../examples/gate/gate.ts";
import { type Stack, startStack } from "../../../tools/local/stack.ts";
import { tokenFor } from "../../../tools/local/users.ts";
import { aCommunity, aMember } from "../../support/given.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.listen();
});
afterAll(() => stack.stop());

it("the gate of examples/gate lets in exactly those who may enter, while people join, are blocked and unblocked", async () => {
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
  const opened: { gate?: ReturnType<typeof gate> } = {};
  // The port is needed for the URL, and the secret of the destination for the gate.
  const server = createServer((request, response) => void opened.gate?.emit("request", request, response));
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { secret } = await ask<{ secret: string }>("POST", "/event_destinations", {
    event_destination: { url, events: ["access.*"] },
  });
  opened.gate = gate({ add: async (id) => void group.add(id), remove: async (id) => void group.delete(id) }, secret);

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

  expect([...group].toSorted((a, b) => a - b)).toEqual(
    [joined[1].user.id, joined[2].user.id].toSorted((a, b) => a - b),
  );
});
