import type { Odis } from "../odis.ts";

/** Everything that is stored about a person. */
export const exportPerson = (odis: Odis, id: number) =>
  odis.get("/odis/v1/users/{id}/data", { params: { path: { id } } });

/** Erases a person, or only says what that would do. */
export const erasePerson = (odis: Odis, id: number, dry_run: boolean) =>
  odis.post("/odis/v1/users/{id}/erase", { params: { path: { id } }, body: { dry_run } });
