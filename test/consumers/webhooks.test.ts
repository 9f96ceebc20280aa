import { spawn, spawnSync } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { beforeAll, expect, it } from "vitest";
import { pythonEnvironment } from "../../tools/build/python.ts";
import { startStack } from "../../tools/local/stack.ts";
import { tokenFor } from "../../tools/local/users.ts";
import { aCommunity } from "../support/given.ts";

const programs = join(import.meta.dirname, "programs");

/** A delivery as it arrived, with the secret of its destination. */
type Delivery = { readonly secret: string; readonly headers: object; readonly body: string };

let delivery: Delivery;
beforeAll(async () => {
  const stack = await startStack();
  stack.listen();
  const arrived = Promise.withResolvers<Omit<Delivery, "secret">>();
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    arrived.resolve({ headers: request.headers, body: await text(request) });
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const community = await aCommunity(stack.table);
  const token = await tokenFor(stack.cognito, { id: community.owner.id, groups: [], expiresIn: 3600 });
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${stack.url}/odis/v1${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: number; secret: string };
  };
  const { secret } = await post(`/communities/${community.id}/event_destinations`, {
    event_destination: { url, events: ["benefit.created"] },
  });
  await post(`/communities/${community.id}/benefits`, { benefit: { name: "Añejo – “tasting” 🥃" } });
  delivery = { ...(await arrived.promise), secret };
  server.close();
  await stack.stop();
});

const expected = { type: "benefit.created", data: { benefit: { name: "Añejo – “tasting” 🥃" } } };

/** What a program prints that is given the delivery. */
async function verifiedBy(command: string, args: readonly string[], cwd: string): Promise<unknown> {
  const program = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  program.stdin.end(JSON.stringify(delivery));
  return JSON.parse(await text(program.stdout));
}

it("the standardwebhooks package of npm verifies a delivery", () => {
  const { secret, headers, body } = delivery;
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject(expected);
});

it("the standardwebhooks package of PyPI verifies a delivery", async ({ skip }) => {
  let python: string;
  try {
    python = join(pythonEnvironment({ standardwebhooks: "1.1.0" }), "bin/python");
  } catch (error) {
    console.warn(`NOT TESTED: webhooks in Python, which cannot be installed here (${(error as Error).message})`);
    return skip();
  }
  expect(await verifiedBy(python, ["verify.py"], programs)).toMatchObject(expected);
});

it("the standard-webhooks library of Go verifies a delivery", async ({ skip }) => {
  const folder = join(programs, "verify");
  const { status, error, stderr } = spawnSync("go", ["mod", "download"], { cwd: folder, encoding: "utf8" });
  if (status !== 0) {
    console.warn(`NOT TESTED: webhooks in Go, which cannot be installed here (${error?.message ?? stderr})`);
    return skip();
  }
  expect(await verifiedBy("go", ["run", "."], folder)).toMatchObject(expected);
});
