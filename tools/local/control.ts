import * as v from "valibot";
import { type HttpAnswer, type HttpRequest, headerOf, type Serving, serve } from "./loopback.ts";
import type { Stack } from "./stack.ts";
import { addProfile, tokenFor } from "./users.ts";

const TokenRequest = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    user: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    groups: v.array(v.string()),
    expires_in: v.number(),
  }),
);

/**
 * Serves requests of scripts to a running stack. `POST /tokens` signs a token, and creates the user if they do not
 * exist.
 */
export function startControl({ table, cognito }: Stack, port: number): Promise<Serving> {
  return serve({ port, maxBodyBytes: 64 * 1024 }, async (request: HttpRequest): Promise<HttpAnswer> => {
    const { method, target, body } = request;
    // Refuses requests of web pages. Only scripts may sign tokens.
    if (headerOf(request, "origin") !== undefined) return { status: 403, headers: [], body: "" };
    const tokenRequest = v.safeParse(
      TokenRequest,
      method === "POST" && target === "/tokens" ? body?.toString() : undefined,
    );
    if (!tokenRequest.success) return { status: 400, headers: [], body: "POST /tokens {user, groups, expires_in}" };
    const { user: id, groups, expires_in: expiresIn } = tokenRequest.output;
    await addProfile(table, { id, username: `user${id}`, first_name: "User", last_name: String(id) });
    return { status: 200, headers: [], body: await tokenFor(cognito, { id, groups, expiresIn }) };
  });
}
