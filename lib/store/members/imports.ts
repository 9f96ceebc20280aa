import type { ImportedMember } from "../../domain/member-import.ts";
import { backOff } from "../../runtime.ts";
import { comparableEmail } from "../../values/email.ts";
import { type ImportRequest, recordImport } from "../activity.ts";
import { Conflict } from "../failure.ts";
import { keys } from "../keys.ts";
import type { OpenCommunity } from "../open-community.ts";
import { whileAuthorized } from "../ownership.ts";
import type { Write, Writer } from "../table.ts";
import { use } from "../tiers.ts";
import { keyOf, write } from "../write.ts";
import { type Decision, decide, type ImportContext, type ImportOrder, isOwner } from "./import-decision.ts";
import { Refused } from "./refused.ts";
import { readStored, type StoredState } from "./stored-state.ts";

/** Maximum number of writes in a DynamoDB transaction. One is left for the check of the owner. */
const mostWrites = 100;

/** Maximum number of attempts per record. A record is decided again if another request writes data of the same person. */
const attempts = 5;

/**
 * Imports members. Idempotent: people are matched by user id or email address. A refused record does not affect the others.
 * If there is something to write, first adds an entry to the community's activity. Throws a `Conflict` if a tier has been
 * deleted since the community was read.
 *
 * @returns the outcome of each record, in no particular order
 */
export async function importAll(
  table: Writer,
  community: OpenCommunity,
  orders: readonly ImportOrder[],
  request: ImportRequest & Pick<ImportContext, "excludedId">,
): Promise<ImportedMember[]> {
  const done: ImportedMember[] = [];
  let left = orders;
  let isRecorded = false;
  for (let tried = 1; left.length > 0; tried++) {
    if (tried > attempts) throw new Conflict("Others write about the same people");
    if (tried > 1) await backOff(table.runtime, tried);
    const records = left.map(({ record }) => record);
    const stored = await readStored(table, community.id, records);
    const assertFirst = firstRecords(stored);
    const decided = left.map((order) => {
      const context = { community, stored, actor: request.actor, excludedId: request.excludedId, table };
      return decisionOn(order, () => {
        const decision = decide(context, order);
        assertFirst(order);
        return decision;
      });
    });
    const changes = decided.filter((result) => "writes" in result && result.writes.length > 0) as readonly Decided[];
    const isFirstWrite: boolean = !isRecorded && changes.length > 0;
    const used = new Set(changes.map(({ record }) => record.tier_id));
    const marks = stored.unusedTiers.filter((id) => used.has(id)).map((id) => use(community.id, id));
    if (isFirstWrite) await recordImport(whileAuthorized(table), community.id, request, marks);
    else if (marks.length > 0) await write(whileAuthorized(table), marks);
    isRecorded ||= isFirstWrite;
    const outcomes = await writeAll(table, community, decided);
    done.push(...outcomes.filter((outcome) => outcome !== undefined));
    left = left.filter((_, n) => outcomes[n] === undefined);
  }
  return done;
}

/**
 * The outcome of each record. Undefined if the record has to be decided again. Transactions that block people follow each
 * other, because each checks who owns the community.
 */
async function writeAll(table: Writer, community: OpenCommunity, decided: readonly (Decided | ImportedMember)[]) {
  const { blocking = [], other = [] } = Object.groupBy(
    decided.filter((result) => "writes" in result),
    ({ blocks }) => (blocks === undefined ? "other" : "blocking"),
  );
  const written = await Promise.all([
    writeInTurn(table, community, inTransactions(blocking)),
    ...inTransactions(other).map((group) => writeGroup(table, community, group)),
  ]);
  const outcomes = new Map(written.flat());
  return decided.map((result) => ("writes" in result ? outcomes.get(result) : result));
}

type Decided = ImportOrder & Decision;

/** Checks that no earlier valid record of the request has the same person, id or customer. Otherwise, chance would decide which of them remains. */
function firstRecords({ idOf }: StoredState): (order: ImportOrder) => void {
  const earlier = new Set<string>();
  return ({ record }) => {
    const { email } = record.user;
    const names = [
      ["/user", idOf(record.user)],
      ["/user", email === undefined ? undefined : comparableEmail(email)],
      ["/id", record.id],
      ["/stripe_customer_id", record.stripe_customer_id],
    ].flatMap(([pointer, name]) => (name == null ? [] : [{ pointer: String(pointer), name: `${pointer} ${name}` }]));
    const repeated = names.find(({ name }) => earlier.has(name));
    if (repeated)
      throw new Refused(repeated.pointer, "duplicate", "must not be that of an earlier record of this request too");
    for (const { name } of names) earlier.add(name);
  };
}

function decisionOn(order: ImportOrder, decideOn: () => Decision): Decided | ImportedMember {
  try {
    return { ...order, ...decideOn() };
  } catch (error) {
    return refused(order, error);
  }
}

/** Groups records into transactions, which may not write an item twice. */
function inTransactions(decisions: readonly Decided[]): Decided[][] {
  const groups: { readonly touched: Set<string>; readonly records: Decided[] }[] = [];
  for (const decision of decisions) {
    const names = decision.writes.map((each) => Object.values(keyOf(each)).join(" "));
    const fitting = groups.find(
      ({ touched }) => touched.size + names.length < mostWrites && !names.some((name) => touched.has(name)),
    );
    const group = fitting ?? { touched: new Set(), records: [] };
    if (!fitting) groups.push(group);
    for (const name of names) group.touched.add(name);
    group.records.push(decision);
  }
  return groups.map(({ records }) => records);
}

type Written = readonly (readonly [Decided, ImportedMember | undefined])[];

async function writeInTurn(
  table: Writer,
  community: OpenCommunity,
  groups: readonly (readonly Decided[])[],
): Promise<Written> {
  const written: Written[] = [];
  for (const group of groups) written.push(await writeGroup(table, community, group));
  return written.flat();
}

/** Writes records in one transaction. If it fails, writes each record separately, so that the others succeed. */
async function writeGroup(table: Writer, community: OpenCommunity, group: readonly Decided[]): Promise<Written> {
  const outcomeOf = ({ index, id, outcome }: Decided) => ({ index, id, outcome });
  try {
    const writes = group.flatMap((decision) => decision.writes);
    if (writes.length > 0) await write(table, [...writes, ...checksOf(community, group)]);
    return group.map((decision) => [decision, outcomeOf(decision)]);
  } catch (error) {
    if (!(error instanceof Conflict || error instanceof Refused)) throw error;
    const [first, second] = group;
    if (first && !second) return [[first, error instanceof Conflict ? undefined : refused(first, error)]];
    const separate = group.map((each) => [each]);
    return writeInTurn(table, community, separate);
  }
}

/** The condition that a transaction blocks no owner. It is one write, because a transaction may not have an item twice. */
function checksOf({ id, owner_id }: OpenCommunity, group: readonly Decided[]): Write[] {
  const check = keys.community(id);
  const [first, second] = group.flatMap(({ blocks }) => blocks ?? []);
  if (first === undefined) return [];
  if (second === undefined) return [{ check, when: { not: { owner_id: first } }, otherwise: isOwner() }];
  return [{ check, when: { is: { owner_id } } }];
}

function refused({ index }: ImportOrder, error: unknown): ImportedMember {
  if (!(error instanceof Refused)) throw error;
  const { pointer, code, message } = error;
  return { index, id: null, outcome: "refused", errors: [{ pointer: `/members/${index}${pointer}`, code, message }] };
}
