import * as v from "valibot";
import { maxLabels } from "../../domain/member-label.ts";
import type { MemberListQuery } from "../../domain/member-list.ts";
import { pick } from "../../pick.ts";
import { Id } from "../../values/scalars.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { Item } from "../expression.ts";
import { keys, prefixOf } from "../keys.ts";
import { pageEnd } from "../page-end.ts";
import type { IndexReader } from "../table.ts";
import { type Filters, filtersOf, isFiltered, listsOf, matches, scopeOf, storedFilters } from "./filters.ts";
import { asShown, fromItem, readable, type StoredMember, searchRow, searchToken } from "./item.ts";
import * as memberships from "./memberships.ts";

/** Maximum number of index rows read for one page (`docs/api.md`, section 1, "Cursor lists"). */
const maxRows = 1000;

/** A member with its position in the list, which a cursor encodes. */
type Row<Member = StoredMember> = { readonly position: string; readonly member: Member };

/** Reads up to `limit` index rows after a position. `missing` is the number of members that the page still needs. */
type Step = (
  after: string | undefined,
  limit: number,
  missing: number,
) => Promise<{ rows: Row[]; read: number; last: string | undefined }>;

/** Converts items to members. Either leaves out items that cannot be read, or throws. */
type Read = (items: readonly Item[]) => StoredMember[];

/** A page of a list, with the position after it. */
type Page<Member> = { readonly members: Member[]; readonly next_cursor: string | null };

/**
 * One page of a community's members: newest first, or with `query` in the order of the matched text. A member that cannot be
 * read is logged and left out, so that the others can be listed.
 *
 * @throws Problem `invalid_cursor`
 */
export const list = (table: IndexReader, communityId: number, query: MemberListQuery): Promise<Page<StoredMember>> =>
  pageOf(table, communityId, query, { per: query.per, maxRows, read: readable, partOf: (member) => member });

const labelNames = ["id", "tier_id", "user", "shipping_address"] as const;

/**
 * The members on a page of shipping labels, with what labels show of them. Throws like `list`, and if a member cannot be read:
 * nobody would miss their parcel's label.
 */
export const listForLabels = (
  table: IndexReader,
  communityId: number,
  query: MemberListQuery,
): Promise<Page<Pick<StoredMember, (typeof labelNames)[number]>>> => {
  const partOf = (member: StoredMember) => pick(asShown(member), labelNames);
  const read: Read = (items) => items.map(fromItem);
  return pageOf(table, communityId, query, { per: maxLabels, maxRows: maxLabels + 1, read, partOf });
};

/** The size of a page, the number of rows that may be read for it, and the part of each member that it keeps. */
type PageOptions<Part> = {
  readonly per: number;
  readonly maxRows: number;
  readonly read: Read;
  readonly partOf: (member: StoredMember) => Part;
};

async function pageOf<Part>(
  table: IndexReader,
  communityId: number,
  query: MemberListQuery,
  options: PageOptions<Part>,
): Promise<Page<Part>> {
  const scope = scopeOf(communityId, query);
  const start = decodeCursor(scope, query.cursor);
  const filters = await filtersOf(table, communityId, query);
  const { query: text, sort } = query;
  const source = { table, communityId, filters, read: options.read };
  const step = text === undefined ? filtered(source, sort) : searched(source, text);
  const { rows, next } = await collect(step, start, options);
  return {
    members: rows.map(({ member }) => member),
    next_cursor: next === undefined ? null : encodeCursor(scope, next),
  };
}

/** Reads until it has one member more than the page holds, the list ends, or `maxRows` have been read. */
async function collect<Part>(
  step: Step,
  start: string | undefined,
  { per, maxRows: most, partOf }: PageOptions<Part>,
): Promise<{ rows: Row<Part>[]; next?: string }> {
  const rows: Row<Part>[] = [];
  let after = start;
  let read = 0;
  for (let limit = per + 1; ; limit *= 4) {
    const page = await step(after, Math.min(limit, most - read), per + 1 - rows.length);
    rows.push(...page.rows.map(({ position, member }) => ({ position, member: partOf(member) })));
    read += page.read;
    after = page.last;
    const shown = rows.slice(0, pageEnd(rows, per));
    const last = shown.at(-1);
    if (shown.length < rows.length && last) return { rows: shown, next: last.position };
    if (after === undefined) return { rows };
    if (read >= most) return { rows, next: after };
  }
}

/** The members among which a step finds those of a page. */
type Source = {
  readonly table: IndexReader;
  readonly communityId: number;
  readonly filters: Filters;
  readonly read: Read;
};

/** Merges the lists that contain the matching members, by their ids. */
function filtered({ table, communityId, filters, read }: Source, sort: MemberListQuery["sort"]): Step {
  const base = keys.member(communityId, 0).pk;
  const lists = listsOf(communityId, filters);
  const filter = storedFilters(filters);
  const descending = sort !== "created_at";
  const inOrder = (a: string, b: string) => (a < b ? -1 : Number(a > b)) * (descending ? -1 : 1);
  return async (after, limit) => {
    const pages = await Promise.all(
      lists.map(({ index, pk = base }) =>
        table.query({
          pk,
          index,
          prefix: prefixOf("member").sk,
          after: after === undefined ? undefined : { pk: base, sk: after },
          descending,
          limit,
          filter,
        }),
      ),
    );
    // Where the first list ends early, the others may have members that have not been read.
    const [last] = pages.flatMap((page) => page.last?.sk ?? []).toSorted(inOrder);
    const rows = pages
      .flatMap(({ items }) => items.map((item) => ({ position: String(item.sk), item })))
      .filter(({ position }) => last === undefined || inOrder(position, last) <= 0)
      .flatMap(({ position, item }) => read([item]).map((member) => ({ position, member })))
      .filter(({ member }) => matches(member, filters))
      .toSorted((a, b) => inOrder(a.position, b.position));
    return { rows, read: Math.max(0, ...pages.map((page) => page.read)), last };
  };
}

/**
 * Finds the members whose id, or whose user's id, is the text, then reads the tokens that start with the text. Returns a
 * member only once, at the smallest of its matching tokens.
 */
function searched({ table, communityId, filters, read }: Source, text: string): Step {
  const prefix = searchToken(text);
  if (prefix === "") return async () => ({ rows: [], read: 0, last: undefined });
  const { pk } = keys.memberSearch(communityId, prefix, 0);
  const id = /^\d+$/.test(prefix) && v.is(Id, Number(prefix)) ? Number(prefix) : undefined;
  // Sorts before the positions of all tokens.
  const positionOf = (member: StoredMember) => keys.memberSearch(communityId, "", member.id).sk;

  return async (after, limit, missing) => {
    const isAtIds = after === undefined || after < prefix;
    const named = isAtIds && id !== undefined ? await withId({ table, communityId, read }, id) : [];
    const { items, last, ...page } = await table.query({
      pk,
      prefix,
      after: isAtIds ? undefined : { pk, sk: after },
      limit,
    });
    const smallest = items
      .map(searchRow)
      .filter(({ token, tokens }) => token === tokens.find((t) => t.startsWith(prefix)));
    const hits = isFiltered(filters) ? smallest : smallest.slice(0, missing);
    const found = await table.getAll(hits.map(({ member_id }) => keys.member(communityId, member_id)));
    const byId = new Map(read(found).map((member) => [member.id, member]));
    const rows = hits.flatMap(({ sk, member_id }) => {
      const member = byId.get(member_id);
      const isHit = member && member.erased_at === undefined && member.id !== id && member.user.id !== id;
      return isHit ? [{ position: sk, member }] : [];
    });
    const first = named
      .map((member) => ({ position: positionOf(member), member }))
      .filter(({ position }) => after === undefined || position > after);
    const isCut = hits.length < smallest.length;
    return {
      rows: [...first, ...rows].filter(({ member }) => matches(member, filters)),
      read: page.read,
      last: isCut ? hits.at(-1)?.sk : last?.sk,
    };
  };
}

/** The members with an id, or of the user with it, by their ids. An erased member is found by its own id only. */
async function withId({ table, communityId, read }: Omit<Source, "filters">, id: number): Promise<StoredMember[]> {
  const membership = await memberships.find(table, id, communityId);
  const ids = new Set([id, membership?.member_id ?? id]);
  const items = await table.getAll([...ids].map((memberId) => keys.member(communityId, memberId)));
  return read(items)
    .filter((member) => member.id === id || (member.user.id === id && member.erased_at === undefined))
    .toSorted((a, b) => a.id - b.id);
}
