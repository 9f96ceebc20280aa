import { machine } from "#lib/runtime.ts";
import { attempt } from "#lib/store/failure.ts";
import type { Objects } from "#lib/store/objects.ts";

/** A bucket in memory that streams objects in pieces of a given size. */
export function memoryBucket({ pieceBytes = 64 * 1024 } = {}) {
  const stored = new Map<string, Uint8Array>();
  const objects: Objects = {
    async read(key, from, take, signal) {
      const object = stored.get(key);
      if (!object) throw new Error(`There is no object ${key}`);
      const pieces = async () => {
        for (let at = from; at < object.length; at += pieceBytes) {
          signal?.throwIfAborted();
          take(object.subarray(at, at + pieceBytes));
        }
      };
      // Like at S3, errors of the consumer during a read also go through `attempt`.
      await attempt(pieces, { runtime: machine, signal });
    },
    async put(key, body) {
      stored.set(key, body);
    },
    async delete(key) {
      stored.delete(key);
    },
  };
  return { ...objects, stored };
}
