import type { Column } from "./columns.ts";
import { type Row, readRows } from "./csv.ts";
import { type Counts, openJournal, type Refusal } from "./journal.ts";
import type { Progress } from "./progress.ts";

/** What became of a row. */
export type Outcome = { readonly outcome: keyof Counts; readonly errors?: readonly object[] };

/** What is imported: how its rows are read, checked without sending them, and sent. */
export type Kind = {
  readonly columns: readonly Column[];
  /** Where they go: a file that goes somewhere else begins anew. */
  readonly target: string;
  /** How many rows are sent together at most. */
  readonly most: number;
  readonly check: (row: Row) => Outcome | undefined;
  /** Repeating it must change nothing: rows may be sent again after a crash. */
  readonly send: (rows: readonly Row[]) => Promise<readonly Outcome[]>;
};

type Options = { readonly isDryRun: boolean; readonly isFresh: boolean; readonly concurrency: number };

/** What leaves room for the rest of a body, which may have 64 KiB. */
const mostBytes = 60 * 1024;

/**
 * Imports a file, several requests at a time. Rows are noted as done in their order; after a crash those that were under
 * way are sent again. A row that is refused goes to a report, and stands in nobody's way.
 */
export async function importFile(file: string, kind: Kind, options: Options, progress: Progress): Promise<Counts> {
  const { isDryRun, isFresh, concurrency } = options;
  const journal = isDryRun ? undefined : await openJournal(file, kind.target, { isFresh });
  const { rows: skipped, counts } = journal?.state ?? { rows: 0, counts: none() };
  const total = await count(readRows(file, kind.columns));
  progress.start(total, skipped);

  const batches = batchesOf(readRows(file, kind.columns), kind, skipped);
  let noted: Promise<unknown> = Promise.resolve();
  /** In the order of the file, whichever is answered first. */
  const note = async (before: Promise<unknown>, rows: readonly Row[]) => {
    const [outcomes] = await Promise.all([outcomesOf(kind, rows, isDryRun), before]);
    const { sums, refusals } = summed(rows, outcomes);
    if (journal) await journal.note(rows.length, sums, refusals);
    else for (const outcome of Object.keys(counts) as (keyof Counts)[]) counts[outcome] += sums[outcome];
    progress.add(rows.length);
  };
  const work = async () => {
    for await (const rows of batches) {
      noted = note(noted, rows);
      await noted;
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    progress.stop();
  }
  return counts;
}

const none = (): Counts => ({ created: 0, updated: 0, unchanged: 0, refused: 0 });

async function outcomesOf({ check, send }: Kind, rows: readonly Row[], isDryRun: boolean): Promise<readonly Outcome[]> {
  const checked = rows.map((row): Outcome | undefined =>
    row.error === undefined ? check(row) : { outcome: "refused", errors: [{ code: "unreadable", message: row.error }] },
  );
  const good = rows.filter((_, n) => checked[n] === undefined);
  const sent = (
    good.length === 0 || isDryRun ? good.map((): Outcome => ({ outcome: "created" })) : await send(good)
  ).values();
  return checked.map((refused) => refused ?? sent.next().value ?? { outcome: "refused" });
}

function summed(rows: readonly Row[], outcomes: readonly Outcome[]) {
  const sums = none();
  for (const { outcome } of outcomes) sums[outcome] += 1;
  const refusals = rows.flatMap(({ line, record }, n): Refusal[] => {
    const { outcome, errors = [] } = outcomes[n] ?? { outcome: "refused" };
    return outcome === "refused" ? [{ line, errors, record }] : [];
  });
  return { sums, refusals };
}

async function count(rows: AsyncIterable<Row>): Promise<number> {
  let found = 0;
  for await (const _ of rows) found += 1;
  return found;
}

async function* batchesOf(rows: AsyncIterable<Row>, { most }: Kind, skipped: number): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  let place = 0;
  for await (const row of rows) {
    if (place++ < skipped) continue;
    const size = Buffer.byteLength(JSON.stringify(row.record) ?? "") + 1;
    if (batch.length === most || (batch.length > 0 && bytes + size > mostBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
