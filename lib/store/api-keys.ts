import * as v from "valibot";
import { type ApiKey, type ApiKeyCreate, assertRoomForKey, expiryOf } from "../domain/api-key.ts";
import { apiKeyFields } from "../fields/api-key.ts";
import { shownIn, storedEntries } from "../fields/field.ts";
import { pick } from "../pick.ts";
import { rightIn } from "../values/lasting-right.ts";
import { Id } from "../values/scalars.ts";
import { appendCommunityEntry, type UserActor } from "./activity.ts";
import type { StoredCommunity } from "./communities.ts";
import type { Item } from "./expression.ts";
import { keys, ofKind } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { isInForce } from "./team-places.ts";
import { write } from "./write.ts";

const StoredApiKey = v.object(storedEntries(apiKeyFields));
export type StoredApiKey = v.InferOutput<typeof StoredApiKey>;

export const fromItem = (item: Item): StoredApiKey => v.parse(StoredApiKey, item);

/** An API key, even if its right has ended. Undefined once it has expired or was revoked. */
export async function find(table: Reader, apiKeyId: number): Promise<StoredApiKey | undefined> {
  const item = await table.get(keys.apiKey(apiKeyId));
  return item && fromItem(item);
}

/** The valid API keys of a community, oldest first: two strongly consistent round trips. */
export async function listOf(table: Reader, community: StoredCommunity): Promise<StoredApiKey[]> {
  const found = ofKind(await queryAll(table, { pk: keys.apiKeyOf(community.id, 0).pk }), "apiKeyOf");
  const ids = found.map((item) => v.parse(v.object({ api_key_id: Id }), item).api_key_id);
  const items = await table.getAll(ids.map(keys.apiKey));
  return items
    .map(fromItem)
    .filter((apiKey) => isInForce(community, apiKey, table))
    .toSorted((a, b) => a.id - b.id);
}

/** API keys as the API returns them. The creator of a key is null if the person was erased: one round trip. */
export async function toResponses(table: Reader, apiKeys: readonly StoredApiKey[]): Promise<ApiKey[]> {
  const items = await table.getAll(apiKeys.map(({ created_by }) => keys.erasure(created_by)));
  const erased = new Set(items.map((item) => v.parse(v.object({ user_id: Id }), item).user_id));
  return apiKeys.map((apiKey) => ({
    ...toResponse(apiKey),
    created_by: erased.has(apiKey.created_by) ? null : apiKey.created_by,
  }));
}

/** An API key as the API returns it. */
export const toResponse = ({ expires_at, last_used_at, ...apiKey }: StoredApiKey): ApiKey => ({
  ...apiKey,
  expires_at: new Date(expires_at * 1000).toISOString(),
  last_used_at: last_used_at === undefined ? null : new Date(last_used_at).toISOString(),
});

type NewKey = ApiKeyCreate["api_key"] & Pick<StoredApiKey, "id" | "hint" | "secret_hash">;

/**
 * Adds an API key to a community. Of two concurrent additions, the later throws a `Conflict`, so that the limit holds.
 * Throws a `Conflict` if the community has been transferred since it was read.
 *
 * @param valid the valid keys of the community
 * @throws Problem `limit_reached`, `validation_failed`
 */
export async function add(
  table: Writer,
  community: StoredCommunity,
  valid: readonly StoredApiKey[],
  input: NewKey,
  by: UserActor,
): Promise<StoredApiKey> {
  assertRoomForKey(valid);
  const { id: community_id, ownership, api_keys_added } = community;
  const { id } = input;
  const expires_at = expiryOf(input, by.now);
  const apiKey: StoredApiKey = {
    ...input,
    community_id,
    expires_at,
    created_by: by.id,
    right: rightIn(community, table.runtime.epoch),
    created_at: by.now.toISOString(),
  };
  await write(table, [
    { put: { ...keys.apiKey(id), ...apiKey }, when: "absent" },
    { put: { ...keys.apiKeyOf(community_id, id), api_key_id: id, expires_at } },
    {
      update: keys.community(community_id),
      set: { api_keys_added: (api_keys_added ?? 0) + 1 },
      when: { is: { api_keys_added, ownership } },
    },
    entryOf(table, apiKey, { action: "api_key_created", before: null, after: pick(apiKey, auditedFields) }, by),
  ]);
  return apiKey;
}

/** Deletes an API key. Throws a `Conflict` if it has been deleted since it was read. */
export async function remove(table: Writer, apiKey: StoredApiKey, by: UserActor): Promise<void> {
  await write(table, [
    { delete: keys.apiKey(apiKey.id), when: "exists" },
    { delete: keys.apiKeyOf(apiKey.community_id, apiKey.id) },
    entryOf(table, apiKey, { action: "api_key_revoked", before: pick(apiKey, auditedFields), after: null }, by),
  ]);
}

/** Fields of an API key that the activity shows. */
const auditedFields = shownIn(apiKeyFields, "activity");

type Entry = Omit<Parameters<typeof appendCommunityEntry>[2], "record">;

const entryOf = (table: Reader, { id, community_id }: StoredApiKey, entry: Entry, by: UserActor): Write =>
  appendCommunityEntry(table, community_id, { record: { type: "api_key", id }, ...entry }, by);
