import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import * as v from "valibot";
import { isLoopback } from "./loopback.ts";
import type { Stack } from "./stack.ts";
import { addProfile, tokenFor } from "./users.ts";

const TokenRequest = v.object({
  user: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  groups: v.array(v.string()),
  expires_in: v.number(),
});

/** What scripts ask of a running stack: `POST /tokens` signs one, and makes the user where there is none yet. */
export async function startControl({ table, cognito }: Stack): Promise<{ url: string; close(): Promise<void> }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { host, origin } = request.headers;
    if (!isLoopback(host) || origin !== undefined) {
      response.writeHead(isLoopback(host) ? 403 : 421).end();
      return;
    }
    const body = request.method === "POST" && request.url === "/tokens" ? await json(request).catch(() => null) : null;
    const asked = v.safeParse(TokenRequest, body);
    if (!asked.success) {
      response.writeHead(400).end("POST /tokens {user, groups, expires_in}");
      return;
    }
    const { user: id, groups, expires_in: expiresIn } = asked.output;
    await addProfile(table, { id, username: `user${id}`, first_name: "User", last_name: String(id) });
    response.end(await tokenFor(cognito, { id, groups, expiresIn }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
