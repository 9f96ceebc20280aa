import * as v from "valibot";
import { columnsOf, type Entries } from "./columns.ts";
import { type Row, readRows } from "./csv.ts";
import { type Counts, type Outcome, openJournal } from "./journal.ts";
import type { Progress } from "./progress.ts";

/** A kind of record to import, and its target. */
export type Kind = {
  /** Schema of a row. Its fields are the columns of a CSV file. */
  readonly schema: v.GenericSchema & { readonly entries: Entries };
  /** The community or producer. An import of the same file to another target starts from the first row. */
  readonly target: string;
  /** Sends at most 25 rows. Must be idempotent, because rows may be sent again after a crash. */
  readonly send: (rows: readonly Row[]) => Promise<readonly Outcome[]>;
};

type Options = { readonly isDryRun: boolean; readonly isFresh: boolean; readonly concurrency: number };

/** Maximum rows and bytes of a request. The bytes leave room for the rest of the 64 KiB body. */
const [mostRows, mostBytes] = [25, 60 * 1024];

/**
 * Imports a file with concurrent requests. Rows are recorded as done in file order. After a crash, the rows that were being
 * sent are sent again. Refused rows are written to a report and do not stop the import.
 */
export async function importFile(file: string, kind: Kind, options: Options, progress: Progress): Promise<Counts> {
  const { isDryRun, isFresh, concurrency } = options;
  const journal = await openJournal(file, kind.target, { isFresh, isDryRun });
  const { rows: skipped, counts } = journal.state;
  const columns = columnsOf(kind.schema.entries);
  progress.start(await count(readRows(file, columns)), skipped);

  const batches = batchesOf(readRows(file, columns), skipped);
  let noted: Promise<unknown> = Promise.resolve();
  /** Records outcomes in the order of the file, not of the responses. */
  const note = async (before: Promise<unknown>, rows: readonly Row[]) => {
    const [outcomes] = await Promise.all([outcomesOf(kind, rows, isDryRun), before]);
    await journal.note(rows, outcomes);
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

async function outcomesOf(
  { schema, send }: Kind,
  rows: readonly Row[],
  isDryRun: boolean,
): Promise<readonly Outcome[]> {
  const checked = rows.map((row) => refusalOf(row, schema));
  const good = rows.filter((_, n) => checked[n] === undefined);
  const sent = (
    good.length === 0 || isDryRun ? good.map((): Outcome => ({ outcome: "created" })) : await send(good)
  ).values();
  return checked.map((refused) => refused ?? sent.next().value ?? { outcome: "refused" });
}

/** Returns why a row is refused before it is sent, or undefined. */
function refusalOf({ record, error }: Row, schema: v.GenericSchema): Outcome | undefined {
  if (error !== undefined) return { outcome: "refused", errors: [{ code: "unreadable", message: error }] };
  const { issues } = v.safeParse(schema, record);
  const errors = issues?.map((issue) => ({ pointer: `/${v.getDotPath(issue) ?? ""}`, message: issue.message }));
  return errors && { outcome: "refused", errors };
}

async function count(rows: AsyncIterable<Row>): Promise<number> {
  let found = 0;
  for await (const _ of rows) found += 1;
  return found;
}

async function* batchesOf(rows: AsyncIterable<Row>, skipped: number): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  let place = 0;
  for await (const row of rows) {
    if (place++ < skipped) continue;
    const size = Buffer.byteLength(JSON.stringify(row.record) ?? "") + 1;
    if (batch.length === mostRows || (batch.length > 0 && bytes + size > mostBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
