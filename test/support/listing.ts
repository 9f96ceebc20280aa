import type { Entry } from "#lib/discovery/columns.ts";
import type { SearchQuery } from "#lib/discovery/directory-index.ts";
import { allocateNames, fillNames, type Names } from "#lib/discovery/names.ts";
import { fold } from "#lib/domain/fold.ts";
import { heatOf } from "#lib/domain/trend.ts";
import { type DirectoryRow, moveRow, rowKey } from "#lib/store/directory-rows.ts";
import type { Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";

const folds = new Map<string, { readonly text: string; readonly bytes: Buffer }>();

function foldOf(name: string) {
  const known = folds.get(name);
  if (known) return known;
  const text = fold(name);
  const made = { text, bytes: Buffer.from(text) };
  folds.set(name, made);
  return made;
}

/** A naive implementation of the listing: filters, folds and sorts all communities, then cuts the page. */
export function listed(communities: readonly Entry[], { query, filter, page, per }: SearchQuery) {
  const part = fold(query);
  const isByHeat = filter !== "all" && "trendingAt" in filter;
  const found = communities
    .filter(({ name }) => foldOf(name).text.includes(part))
    .filter(({ id, trend_score, joiners, trending_pin }) => {
      if (filter === "all") return true;
      if ("ids" in filter) return filter.ids.has(id);
      if (trending_pin) return trending_pin === "on";
      return joiners >= 3 && heatOf(trend_score, filter.trendingAt) >= 1 / 8;
    })
    .toSorted((a, b) => {
      const heat = isByHeat ? (b.trend_score ?? -1e9) - (a.trend_score ?? -1e9) : 0;
      if (heat !== 0) return heat;
      if (a.member_count !== b.member_count) return b.member_count - a.member_count;
      return Buffer.compare(foldOf(a.name).bytes, foldOf(b.name).bytes) || (a.uuid < b.uuid ? -1 : 1);
    });
  const start = (page - 1) * per;
  return { total: found.length, has_more: start + per < found.length, data: found.slice(start, start + per) };
}

/** Names that can be searched. */
export function namesOf(texts: readonly string[]): Names {
  const names = allocateNames(
    texts.length,
    texts.reduce((sum, text) => sum + text.length + 1, 0),
  );
  fillNames(names, texts);
  return names;
}

const words = [
  "Mezcal",
  "mezcál",
  "Club",
  "CLUB",
  "Straße",
  "Ötzi",
  "Ñandú",
  "İstanbul",
  "Ωμέγα",
  "Виски",
  "威士忌",
  "ウイスキー",
  "위스키",
  "شاي",
  "चाय",
  "🥃",
  "𝔚𝔥𝔦𝔰𝔨𝔶",
  "ﬁne",
  "\uff37\uff28\uff29\uff33\uff2b\uff39",
  "\ue000",
  "a",
  "Ab",
  "& Co.",
  "№ 5",
  "é",
  "e\u0301",
];

/** A seeded generator of numbers from 0 to 1 (Mulberry32). */
export function seeded(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  return {
    next,
    below,
    pick,
    /** Names that share words, in many scripts. */
    name: () => Array.from({ length: 1 + below(3) }, () => pick(words)).join(pick([" ", "  ", "-"])),
    /** Parts of such names, sometimes in another case, and texts that no name contains. */
    query() {
      const word = pick([...words, "", "", "nowhere", "b c", "\n"]);
      const characters = Array.from(word);
      const from = below(characters.length + 1);
      const part = pick([word, characters.slice(from, from + 1 + below(3)).join("")]);
      return pick([part, part.toUpperCase(), ` ${part} `]);
    },
  };
}

export type Random = ReturnType<typeof seeded>;

/** A row with its key. */
export type GivenRow = { readonly row: DirectoryRow; readonly key: string };

/** A community's row. Defaults: a name and a UUID that are derived from the id. */
export const rowOf = ({ id, ...over }: Partial<DirectoryRow> & { readonly id: number }): DirectoryRow => ({
  id,
  uuid: `00000000-0000-4000-8000-${id.toString(16).padStart(12, "0")}`,
  name: "Club",
  slug: `club-${id}`,
  avatar_url: null,
  member_count: 0,
  trend_score: null,
  joiners: 0,
  trending_pin: null,
  is_listed: true,
  badges: {},
  ...over,
});

/** Moves a row to the end of the directory. */
export async function writeRow(
  table: Writer,
  row: DirectoryRow,
  now: Date,
  before: readonly GivenRow[] = [],
): Promise<GivenRow> {
  const previous = before.find((given) => given.row.id === row.id)?.key;
  await write(table, moveRow(previous, row, now));
  return { row, key: rowKey(previous, row.id, now) };
}
