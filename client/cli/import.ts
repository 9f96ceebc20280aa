import { stat } from "node:fs/promises";
import type * as v from "valibot";
import { validateOne } from "#lib/http/validation.ts";
import { OdisProblem } from "../odis.ts";
import type { Column } from "./columns.ts";
import { type Row, readRows } from "./csv.ts";
import { UsageError } from "./failures.ts";
import { type Counts, type Outcome, openJournal, placesOf, type RowError } from "./journal.ts";
import { lockOf } from "./lock.ts";
import type { Progress } from "./progress.ts";

/** A kind of record to import, and its target. */
export type Kind = {
  /** Columns of a CSV file. */
  readonly columns: readonly Column[];
  /** Converts the record of a row to the form that the API accepts. */
  readonly prepare?: (record: unknown) => unknown;
  /** What only one record of a file may have: JSON Pointers, each with a space and a value. */
  readonly claimsOf?: (record: unknown) => readonly string[];
  /**
   * The group that a record is counted in, or undefined if it cannot be read. `nth` is the number of a row among those of its
   * group that can be sent.
   */
  readonly countedBy?: (record: unknown) => string | undefined;
  /** Schema of a prepared record. */
  readonly schema: v.GenericSchema;
  /** The API, the community or producer, and the tiers. An import of a file to another target starts from the first row. */
  readonly target: string;
  /** Sends at most 25 rows with prepared records. Must be idempotent, because rows may be sent again after a crash. */
  readonly send: (rows: readonly CountedRow[]) => Promise<readonly Outcome[]>;
};

/** `nth` counts from 1. It is 0 for a row that is not counted. */
type CountedRow = Row & { readonly nth: number };

type Options = Parameters<typeof openJournal>[2] & { readonly concurrency: number };

/** Maximum rows and KiB of a request. The latter leaves room for the rest of the 64 KiB body. */
const [mostRows, mostKiB] = [25, 63];

/** How an import ended. */
type Imported = {
  readonly counts: Counts;
  /** Number of rows that an earlier run had done. */
  readonly resumedAfter: number;
  /** The first refused rows of this run, at most ten. */
  readonly refused: readonly { readonly line: number; readonly errors: readonly RowError[] }[];
};

/**
 * Imports a file with concurrent requests. Rows are recorded as done in file order. After a crash, the rows that were being
 * sent are sent again. Refused rows are written to a report and do not stop the import.
 *
 * @throws UsageError for a pipe, a file without rows, one that cannot be read to its end, or one that another process imports: then
 *   nothing is sent
 */
export async function importFile(file: string, kind: Kind, options: Options, progress: Progress): Promise<Imported> {
  const { isDryRun, concurrency } = options;
  // A pipe would be empty when it is read for the second time.
  if (!(await stat(file)).isFile()) throw new UsageError(`${file} is not a file. Save the rows in a file first`);
  const read = () => readRows(file, kind.columns);
  const { total, sizes } = await survey(read(), kind);
  if (total === 0) throw new UsageError(`${file} has no rows`);
  await using _ = isDryRun ? undefined : await lockOf(placesOf(file).lock, `An import of ${file}`);
  const journal = await openJournal(file, kind.target, options);
  const { rows: skipped, counts } = journal.state;
  progress.start(total, skipped);

  const batches = batchesOf(checked(read(), kind, sizes), skipped);
  const refused: { line: number; errors: readonly RowError[] }[] = [];
  let noted: Promise<unknown> = Promise.resolve();
  /** Records outcomes in the order of the file, not of the responses. */
  const note = async (before: Promise<unknown>, rows: readonly Checked[]) => {
    const [outcomes] = await Promise.all([outcomesOf(kind, rows, isDryRun), before]);
    await journal.note(rows, outcomes);
    for (const [n, { outcome, errors = [] }] of outcomes.entries())
      if (outcome === "refused" && refused.length < 10) refused.push({ line: rows[n]?.line ?? 0, errors });
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
  return { counts, resumedAfter: skipped, refused };
}

async function outcomesOf(
  { prepare = same, send }: Kind,
  rows: readonly Checked[],
  isDryRun: boolean,
): Promise<readonly Outcome[]> {
  const good = rows
    .filter(({ refusal }) => refusal === undefined)
    .map((row) => ({ ...row, record: prepare(row.record) }));
  const sent = (
    good.length === 0 || isDryRun ? good.map((): Outcome => ({ outcome: "created" })) : await accepted(() => send(good))
  ).values();
  return rows.map(({ refusal }) => refusal ?? sent.next().value ?? { outcome: "refused" });
}

/**
 * Repeats rows until the API accepts them. All concurrent requests share a rate limit, so one may wait longer than the client
 * does. If the API is slow, the client may also stop waiting while the first attempt of the request is still running.
 */
async function accepted<T>(sendRows: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await sendRows();
    } catch (error) {
      if (!(error instanceof OdisProblem && (error.status === 429 || error.code === "request_in_progress")))
        throw error;
      await new Promise((resume) => setTimeout(resume, 1000));
    }
}

/** A row, the size of its group, and why it is refused before it is sent. */
type Checked = CountedRow & { readonly groupSize: number | undefined; readonly refusal?: Outcome | undefined };

const same = (record: unknown): unknown => record;
const refusedFor = (...errors: readonly RowError[]): Outcome => ({ outcome: "refused", errors });

/** Checks rows. Of several valid ones with one claim, only the first is sent: in concurrent requests, one would remain by chance. */
async function* checked(rows: AsyncIterable<Row>, kind: Kind, sizes: Sizes): AsyncGenerator<Checked> {
  const { claimsOf = () => [], countedBy } = kind;
  const lines = new Map<string, number>();
  const counts = new Map<string, number>();
  for await (const row of rows) {
    const refusal = refusalOf(row, kind);
    const claims = refusal === undefined ? claimsOf(row.record) : [];
    const taken = claims.find((claim) => lines.has(claim));
    const first = taken === undefined ? undefined : lines.get(taken);
    for (const claim of claims) lines.set(claim, first ?? row.line);
    const group = countedBy?.(row.record);
    const isCounted = group !== undefined && refusal === undefined && row.nth === undefined;
    const nth = isCounted ? (counts.get(group) ?? 0) + 1 : (row.nth ?? 0);
    if (isCounted) counts.set(group, nth);
    const groupSize = group === undefined ? undefined : sizes.get(group);
    yield { ...row, nth, groupSize, refusal: first === undefined ? refusal : repetitionOf(taken, first) };
  }
}

const repetitionOf = (claim = "", line: number): Outcome =>
  refusedFor({
    pointer: claim.split(" ", 1).join(),
    code: "duplicate",
    message: `must not be that of line ${line} too`,
  });

/** Returns why a row is refused by itself, in the words of the API, or undefined. */
function refusalOf({ record, error }: Row, { schema, prepare = same }: Kind): Outcome | undefined {
  if (error !== undefined) return refusedFor({ code: "unreadable", message: error });
  const prepared = prepare(record);
  const { errors } = validateOne("", schema, prepared);
  if (errors) return refusedFor(...errors);
  if (bytesOf(prepared) <= mostKiB * 1024) return undefined;
  return refusedFor({ code: "body_too_large", message: `must have at most ${mostKiB} KiB as JSON` });
}

/** Size of a record in a list, in bytes. */
const bytesOf = (record: unknown): number => Buffer.byteLength(JSON.stringify(record) ?? "") + 1;

/** Numbers of rows of the groups of a file. A group with rows of a report is as large as in the file of the report. */
type Sizes = ReadonlyMap<string, number>;

async function survey(rows: AsyncIterable<Row>, { countedBy }: Kind) {
  let total = 0;
  const sizes = new Map<string, number>();
  for await (const { record, nth } of rows) {
    total += 1;
    const group = countedBy?.(record);
    if (group === undefined) continue;
    const size = sizes.get(group) ?? 0;
    sizes.set(group, nth === undefined ? size + 1 : Math.max(size, nth));
  }
  return { total, sizes };
}

async function* batchesOf(rows: AsyncIterable<Checked>, skipped: number): AsyncGenerator<Checked[]> {
  let batch: Checked[] = [];
  let bytes = 0;
  let place = 0;
  for await (const row of rows) {
    if (place++ < skipped) continue;
    const size = bytesOf(row.record);
    if (batch.length === mostRows || (batch.length > 0 && bytes + size > mostKiB * 1024)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
