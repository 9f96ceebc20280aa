import { columnsOf, type Entry, prune } from "#lib/discovery/columns.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import * as snapshot from "#lib/discovery/snapshot.ts";
import { moveRow } from "#lib/store/directory-rows.ts";
import { membershipOf } from "#lib/store/members/item.ts";
import { connectBucket } from "#lib/store/objects.ts";
import { write } from "#lib/store/write.ts";
import { exploring } from "../../functions/discovery/explore.ts";
import { memberOf } from "../../test/support/given.ts";
import { seeded } from "../../test/support/listing.ts";
import { type BenchTable, putAll, type Taken } from "./table.ts";

const syllables = "ma ri zcal ol pe at gin ba rrel ca sk ru mb te qui la".split(" ");
const common = ["club", "circle", "society", "house", "friends of", "the", "spirits", "whisky", "mezcal", "réserve"];
/** Every fiftieth name has letters of another script. */
const scripts = ["威士忌", "виски", "ουίσκι", "위스키"];

/** Number of communities that the caller is a member of. */
const memberships = 10;
export const callerId = 1;

/** Generates communities with names of 19 characters on average. Deterministic. */
export function communitiesOf(size: number): Entry[] {
  const random = seeded(size);
  const word = () => Array.from({ length: 2 + random.below(2) }, () => random.pick(syllables)).join("");
  const hex = (digits: number) =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  return Array.from({ length: size }, (_, n): Entry => {
    const last = random.below(50) === 0 ? random.pick(scripts) : word();
    const name = `${random.pick(common)} ${word()} ${last}`;
    const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
    const tier = 100_000_000_000 + n * 4096 + random.below(4096);
    return {
      id: n + 1,
      uuid,
      name,
      slug: name.replaceAll(" ", "-"),
      avatar_url: n % 2 === 0 ? `https://images.example.com/avatars/${uuid}.webp` : null,
      member_count: Math.floor(5000 * random.next() ** 4),
      trend_score: random.pick([null, 2900 + 70 * random.next()]),
      joiners: random.below(500),
      trending_pin: null,
      badges: { [tier]: "Friend", [tier + 1]: "Patron" },
      // Old changes, a minute apart, so that a warm request reads only one or two rows of the tail.
      changed: n * 60_000,
    };
  });
}

/**
 * Fills a table with a directory: only rows if there are few communities, otherwise a snapshot and a few changed rows.
 */
export async function fillDirectory(bench: BenchTable, entries: readonly Entry[]): Promise<void> {
  const now = new Date();
  const rows = entries.length < 10_000 ? entries : entries.slice(0, 5);
  if (rows !== entries) {
    const columns = columnsOf(entries);
    prune(columns, now.getTime(), now);
    await snapshot.add({ table: bench.table, objects: connectBucket("SNAPSHOTS_BUCKET") }, columns, [], now.getTime());
  }
  await writeRows(bench, rows === entries ? entries : rows.map((row) => ({ ...row, changed: now.getTime() })));
  const user = { id: callerId };
  for (const { id, badges } of entries.slice(0, memberships)) {
    const tier = { id: Number(Object.keys(badges)[0]) };
    await write(bench.table, [{ put: membershipOf(memberOf({ id, owner: user, tier } as never, { user })) }]);
  }
}

/** Writes directory rows with the times of change of their communities. */
export async function writeRows(bench: BenchTable, entries: readonly Entry[]): Promise<void> {
  const rows = entries.flatMap(({ changed, ...row }) =>
    moveRow(undefined, { ...row, badges: { ...row.badges }, is_listed: true }, new Date(changed)).flatMap((change) =>
      "put" in change ? [change.put] : [],
    ),
  );
  await putAll(bench, rows.length, (n) => rows[n] ?? {});
}

/** Measures a search after the directory is loaded. */
export async function warmSearch({ measure }: BenchTable): Promise<Taken> {
  const explore = exploring(directoryCache());
  const search = () => measure(explore, { query: "query=club", as: { id: callerId } });
  let isLoaded = false;
  // On a busy machine, loading the directory can take more than one request.
  for (let tried = 0; tried < 10 && !isLoaded; tried++) isLoaded = await search().then(Boolean, () => false);
  return search();
}

/** The searches: an empty one, and texts in most names, in some, in few and in none, with common and rare letters. */
export const searches = [
  "",
  "a",
  "ri",
  "club",
  "mezcal",
  "reserve",
  "quila",
  "виски",
  "club gin",
  "rrelte",
  "nowhere",
] as const;
