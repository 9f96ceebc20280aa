import type { Account } from "./account.ts";
import { noSuch, notFound } from "./failure.ts";
import type { Kind, Tables } from "./state.ts";

/** @throws ApiFailure 404 if the object in the path does not exist */
export function find<K extends Kind>(account: Account, kind: K, id: string, param?: string): Tables[K] {
  const object = account.get(kind, id);
  if (!object) throw notFound(kind, id, param);
  return object;
}

/** @throws ApiFailure 400 if the object in a parameter does not exist */
export function named<K extends Kind>(account: Account, kind: K, id: string, param: string): Tables[K] {
  const object = account.get(kind, id);
  if (!object) throw noSuch(kind, id, param);
  return object;
}
