import type { Odis } from "../odis.ts";

/** Returns all data stored about a person. */
export const exportPerson = (odis: Odis, id: number) =>
  odis.get("/odis/v1/users/{id}/data", { params: { path: { id } } });

/** Erases a person, or with `dry_run` only returns what would be erased. */
export const erasePerson = (odis: Odis, id: number, dry_run: boolean) =>
  odis.post("/odis/v1/users/{id}/erase", { params: { path: { id } }, body: { dry_run } });
