import * as v from "valibot";
import { type Movement, type MovementQuery, StoredMovement } from "../domain/movement-list.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Item } from "./expression.ts";
import { communityOf, type Key, keys, lastIdOf, prefixOf } from "./keys.ts";
import { namesOf } from "./record-names.ts";
import type { Reader } from "./table.ts";

/** Number of rows that a request with a filter by access or kind reads. */
const filteredRows = 500;

/**
 * A page of a community's movements, newest first, with the current names of the members.
 *
 * @throws Problem `invalid_cursor`
 */
export async function list(table: Reader, communityId: number, query: MovementQuery) {
  const { access, kind, from = "", to = "", per, cursor } = query;
  const scope = ["movements", communityId, access ?? null, kind ?? null, from, to];
  const after = decodeCursor(scope, cursor);
  const { pk } = keys.listedMovement(communityId, 0, "", 0);
  const prefix = prefixOf("listedMovement").sk;
  const isWanted = ({ access: changed, monthly }: StoredMovement) =>
    (access === undefined || access === changed) && (kind === undefined || kind === monthly?.kind);
  const page = await table.query({
    pk,
    from: `${prefix}${from}`,
    // Sorts after all times of the day.
    to: `${prefix}${to}~`,
    after: after === undefined ? undefined : { pk, sk: after },
    descending: true,
    limit: access === undefined && kind === undefined ? per + 1 : filteredRows,
  });
  const rows = page.items
    .map((item) => ({ sk: String(item.sk), movement: v.parse(StoredMovement, item) }))
    .filter(({ movement }) => isWanted(movement));
  const shown = rows.slice(0, per);
  const next = shown.length < rows.length ? shown.at(-1)?.sk : page.last?.sk;
  return {
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : encodeCursor(scope, next),
    data: await withNames(
      table,
      communityId,
      shown.map(({ movement }) => movement),
    ),
  };
}

/** The movements as the API shows them. The name of an erased or deleted member is null. */
async function withNames(table: Reader, communityId: number, rows: readonly StoredMovement[]): Promise<Movement[]> {
  const keyOf = ({ member_id }: StoredMovement) => keys.member(communityId, member_id);
  const nameOf = await namesOf(table, rows.map(keyOf));
  return rows.map(({ member_id, ...movement }) => ({
    ...movement,
    monthly: movement.monthly && {
      ...movement.monthly,
      before_cents: Math.round(movement.monthly.before_cents),
      after_cents: Math.round(movement.monthly.after_cents),
    },
    member: { id: member_id, name: nameOf(keyOf({ member_id, ...movement })) },
  }));
}

/** The item in the list of the community that belongs to a stored movement. */
export function listedItemOf(item: Key & Item): Key & StoredMovement {
  const movement = v.parse(StoredMovement, item);
  const { member_id, at } = movement;
  return { ...keys.listedMovement(communityOf(item), member_id, at, lastIdOf(item)), ...movement };
}
