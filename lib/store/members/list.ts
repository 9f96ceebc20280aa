import type { MemberListQuery } from "../../domain/member-list.ts";
import { decodeCursor, encodeCursor, type Scope } from "../cursor.ts";
import type { Item } from "../expression.ts";
import { keys, prefixOf } from "../keys.ts";
import { pageEnd } from "../page-end.ts";
import type { Reader } from "../table.ts";
import type { IndexName } from "../table-schema.ts";
import { memberIndex } from "./index-keys.ts";
import { fromItem, type StoredMember, searchRow, searchToken } from "./item.ts";

/** Maximum number of index rows read for one page (`docs/api.md`, section 1, "Cursor lists"). */
const maxRows = 1000;

/** A member with its position in the list, which a cursor encodes. */
type Row = { readonly position: string; readonly member: StoredMember };

/** Reads up to `limit` index rows after a position. `missing` is the number of members that the page still needs. */
type Step = (
  after: string | undefined,
  limit: number,
  missing: number,
) => Promise<{ rows: Row[]; read: number; last: string | undefined }>;

/**
 * One page of a community's members: newest first, or with `query` in the order of the matched text.
 *
 * @throws Problem `invalid_cursor`
 */
export async function list(
  table: Reader,
  communityId: number,
  query: MemberListQuery,
): Promise<{ members: StoredMember[]; next_cursor: string | null }> {
  const { cursor, per, sort, status, tier_id, is_blocked, query: text } = query;
  const scope: Scope = [
    "members",
    communityId,
    sort ?? null,
    status ?? null,
    tier_id ?? null,
    is_blocked ?? null,
    text ?? null,
  ];
  const start = decodeCursor(scope, cursor);
  const step = text === undefined ? filtered(table, communityId, query) : searched(table, communityId, query, text);
  const { rows, next } = await collect(step, start, per);
  return {
    members: rows.map(({ member }) => member),
    next_cursor: next === undefined ? null : encodeCursor(scope, next),
  };
}

/** Reads until it has one member more than the page holds, the list ends, or `maxRows` have been read. */
async function collect(step: Step, start: string | undefined, per: number): Promise<{ rows: Row[]; next?: string }> {
  const rows: Row[] = [];
  let after = start;
  let read = 0;
  for (let limit = per + 1; ; limit *= 4) {
    const page = await step(after, Math.min(limit, maxRows - read), per + 1 - rows.length);
    rows.push(...page.rows);
    read += page.read;
    after = page.last;
    const shown = rows.slice(0, pageEnd(rows, per));
    const last = shown.at(-1);
    if (shown.length < rows.length && last) return { rows: shown, next: last.position };
    if (after === undefined) return { rows };
    if (read >= maxRows) return { rows, next: after };
  }
}

/** Reads the index of the most selective filter, or the table. The other filters apply to the rows read. */
function filtered(table: Reader, communityId: number, { status, tier_id, is_blocked, sort }: MemberListQuery): Step {
  const base = keys.member(communityId, 0).pk;
  const candidates: [IndexName, string, Item][] = [];
  const blocked: typeof candidates =
    is_blocked === undefined ? [] : [["by_blocked", memberIndex.blocked(communityId, is_blocked), { is_blocked }]];
  if (is_blocked) candidates.push(...blocked);
  if (tier_id !== undefined) candidates.push(["by_tier", memberIndex.tier(communityId, tier_id), { tier_id }]);
  if (status !== undefined) candidates.push(["by_status", memberIndex.status(communityId, status), { status }]);
  if (!is_blocked) candidates.push(...blocked);

  const [first, ...others] = candidates;
  const filter = Object.assign({}, ...others.map(([, , attributes]) => attributes)) as Item;
  return async (after, limit) => {
    const { items, read, last } = await table.query({
      pk: first?.[1] ?? base,
      index: first?.[0],
      prefix: prefixOf("member").sk,
      after: after === undefined ? undefined : { pk: base, sk: after },
      descending: sort !== "created_at",
      limit,
      filter,
    });
    const rows = items.map((item) => ({ position: String(item.sk), member: fromItem(item) }));
    return { rows, read, last: last?.sk };
  };
}

/** Reads the tokens that start with the text. Returns a member only at the smallest of its matching tokens. */
function searched(table: Reader, communityId: number, query: MemberListQuery, text: string): Step {
  const prefix = searchToken(text);
  if (prefix === "") return async () => ({ rows: [], read: 0, last: undefined });
  const { pk } = keys.memberSearch(communityId, prefix, 0);
  const { status, tier_id, is_blocked } = query;
  const isFiltered = status !== undefined || tier_id !== undefined || is_blocked !== undefined;
  const matches = (member: StoredMember) =>
    (status === undefined || member.status === status) &&
    (tier_id === undefined || member.tier_id === tier_id) &&
    (is_blocked === undefined || member.is_blocked === is_blocked);

  return async (after, limit, missing) => {
    const { items, read, last } = await table.query({
      pk,
      prefix,
      after: after === undefined ? undefined : { pk, sk: after },
      limit,
    });
    const smallest = items
      .map(searchRow)
      .filter(({ token, tokens }) => token === tokens.find((t) => t.startsWith(prefix)));
    const hits = isFiltered ? smallest : smallest.slice(0, missing);
    const found = await table.getAll(hits.map(({ member_id }) => keys.member(communityId, member_id)));
    const byId = new Map(found.map(fromItem).map((member) => [member.id, member]));
    const rows = hits.flatMap(({ sk, member_id }) => {
      const member = byId.get(member_id);
      return member && matches(member) ? [{ position: sk, member }] : [];
    });
    const isCut = hits.length < smallest.length;
    return { rows, read, last: isCut ? hits.at(-1)?.sk : last?.sk };
  };
}
