import * as v from "valibot";
import { apiKeyFields } from "../fields/api-key.ts";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { Problem, validationFailed } from "../problem.ts";
import { clockMargin } from "../values/clock-margin.ts";
import { Instant } from "../values/scalars.ts";
import { Name } from "../values/shown.ts";
import { TeamRole } from "../values/team-role.ts";
import { PageQuery, Total } from "./page.ts";

const maxKeys = 20;

/** An API key of a community, without its secret. */
export const ApiKey = v.object(shownEntries(apiKeyFields, "api"));
export type ApiKey = v.InferOutput<typeof ApiKey>;

/** The only response that contains the key itself. */
export const ApiKeyWithKey = v.object({ ...ApiKey.entries, key: v.string() });

export const ApiKeyListQuery = v.object({ ...PageQuery.entries });

export const ApiKeyPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(ApiKey),
});

export const ApiKeyCreate = v.strictObject({
  api_key: v.strictObject({
    name: Name,
    role: v.optional(TeamRole, "viewer"),
    expires_at: v.optional(
      v.pipe(
        Instant,
        v.transform((at) => Math.floor(Date.parse(at) / 1000)),
      ),
    ),
  } satisfies EntriesSetBy<typeof apiKeyFields, "post">),
});
export type ApiKeyCreate = v.InferOutput<typeof ApiKeyCreate>;

/** @throws Problem `limit_reached` if the community has 20 valid keys */
export function assertRoomForKey(keys: readonly unknown[]): void {
  if (keys.length >= maxKeys)
    throw new Problem("limit_reached", { detail: `A community has at most ${maxKeys} valid API keys` });
}

/**
 * When a new key expires, in seconds since 1970: after a year by default, and at most.
 *
 * @throws Problem `validation_failed`
 */
export function expiryOf({ expires_at }: ApiKeyCreate["api_key"], now: Date): number {
  const inAYear = new Date(now);
  inAYear.setUTCFullYear(now.getUTCFullYear() + 1);
  const latest = Math.floor(inAYear.getTime() / 1000);
  const expiry = expires_at ?? latest;
  if (expiry * 1000 <= now.getTime()) throw refused("must be in the future");
  if (expiry > latest + clockMargin / 1000) throw refused("must be within a year");
  return expiry;
}

const refused = (message: string): Problem =>
  validationFailed([{ pointer: "/api_key/expires_at", code: "not_allowed", message }]);
