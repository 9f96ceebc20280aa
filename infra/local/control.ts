import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import * as v from "valibot";
import type { Stack } from "./stack.ts";
import { addProfile, tokenFor } from "./users.ts";

const TokenRequest = v.object({
  user: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  groups: v.array(v.string()),
  expires_in: v.number(),
});

/** What scripts ask of a running stack: `POST /tokens` signs one, and makes the user where there is none yet. */
export async function startControl({ table, cognito }: Stack): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const body = request.method === "POST" && request.url === "/tokens" ? await json(request).catch(() => null) : null;
    const asked = v.safeParse(TokenRequest, body);
    if (!asked.success) return void response.writeHead(400).end("POST /tokens {user, groups, expires_in}");
    const { user: id, groups, expires_in: expiresIn } = asked.output;
    await addProfile(table, { id, username: `user${id}`, first_name: "User", last_name: String(id) });
    response.end(await tokenFor(cognito, { id, groups, expiresIn }));
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
