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

/** What scripts ask of a running stack: `POST /tokens` signs one, and makes the user where there is none yet. */
export function startControl({ table, cognito }: Stack): Promise<Serving> {
  return serve({ port: 0, maxBodyBytes: 64 * 1024 }, async (request: HttpRequest): Promise<HttpAnswer> => {
    const { method, target, body } = request;
    // Scripts ask, and no page of whatever origin.
    if (headerOf(request, "origin") !== undefined) return { status: 403, headers: [], body: "" };
    const asked = v.safeParse(TokenRequest, method === "POST" && target === "/tokens" ? body?.toString() : undefined);
    if (!asked.success) return { status: 400, headers: [], body: "POST /tokens {user, groups, expires_in}" };
    const { user: id, groups, expires_in: expiresIn } = asked.output;
    await addProfile(table, { id, username: `user${id}`, first_name: "User", last_name: String(id) });
    return { status: 200, headers: [], body: await tokenFor(cognito, { id, groups, expiresIn }) };
  });
}
