import { timingSafeEqual } from "node:crypto";
import { find, type StoredApiKey } from "./api-keys.ts";
import { keys } from "./keys.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** How exact `last_used_at` is, in milliseconds. */
const noteEveryMs = 60 * 60 * 1000;

/** Time limit for storing that a key was used, in milliseconds. It is stored in parallel with the first reads. */
const timeoutMs = 500;

type PresentedKey = { readonly apiKeyId: number; readonly secretHash: string };

/**
 * The stored API key of a request: one round trip. Stores the time of use at most once an hour, in parallel. Undefined for
 * an unknown, revoked or expired key, and for another secret.
 */
export async function use(table: Writer, presented: PresentedKey): Promise<StoredApiKey | undefined> {
  const [apiKey, notedAt] = await Promise.all([find(table, presented.apiKeyId), noteUse(table, presented)]);
  if (!apiKey || !isSame(apiKey.secret_hash, presented.secretHash)) return undefined;
  table.memory.set(memoryOf(presented), Math.max(notedAt, apiKey.last_used_at ?? 0));
  return apiKey;
}

/**
 * Stores the time of use if the stored one is at least an hour old, and the hash is that of the key. Writes nothing if this
 * execution environment knows of a use within the hour. Never throws, because no request depends on it.
 *
 * @returns the time of the use that is known to be stored. 0 if none is
 */
async function noteUse(table: Writer, presented: PresentedKey): Promise<number> {
  const { apiKeyId, secretHash: secret_hash } = presented;
  const at = table.runtime.now().getTime();
  const notedAt = Number(table.memory.get(memoryOf(presented)) ?? 0);
  if (at < notedAt + noteEveryMs) return notedAt;
  const inTime = { ...table, signal: table.runtime.deadline(timeoutMs) };
  const when = {
    anyOf: [
      { is: { secret_hash, last_used_at: undefined } },
      { is: { secret_hash }, atMost: { last_used_at: at - noteEveryMs } },
    ],
  };
  return write(inTime, [{ update: keys.apiKey(apiKeyId), set: { last_used_at: at }, when }]).then(
    () => at,
    () => 0,
  );
}

const memoryOf = ({ secretHash }: PresentedKey): string => `use of api key ${secretHash}`;

const isSame = (a: string, b: string): boolean => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
};
