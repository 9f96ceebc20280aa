import type { ImportedMember } from "../../domain/member-import.ts";
import { backOff } from "../../runtime.ts";
import { comparableEmail } from "../../values/email.ts";
import { type ImportRequest, recordImport } from "../activity.ts";
import { Conflict } from "../failure.ts";
import type { OpenCommunity } from "../open-community.ts";
import { whileAuthorized } from "../ownership.ts";
import type { Writer } from "../table.ts";
import { use } from "../tiers.ts";
import { keyOf, write } from "../write.ts";
import { type Decision, decide, type ImportContext, type ImportOrder } from "./import-decision.ts";
import { Refused } from "./refused.ts";
import { readStored, type StoredState } from "./stored-state.ts";

/** Maximum number of writes in a DynamoDB transaction. */
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
    const unused = community.tiers.filter(({ id }) => stored.unusedTiers.includes(id));
    const isFirstWrite: boolean =
      !isRecorded && decided.some((result) => "writes" in result && result.writes.length > 0);
    const marks = unused.map(({ id }) => use(community.id, id));
    if (isFirstWrite) await recordImport(whileAuthorized(table), community.id, request, marks);
    else if (marks.length > 0) await write(whileAuthorized(table), marks);
    isRecorded ||= isFirstWrite;
    const outcomes = await writeAll(table, decided);
    done.push(...outcomes.filter((outcome) => outcome !== undefined));
    left = left.filter((_, n) => outcomes[n] === undefined);
  }
  return done;
}

/** The outcome of each record. Undefined if the record has to be decided again. */
async function writeAll(table: Writer, decided: readonly (Decided | ImportedMember)[]) {
  const groups = inTransactions(decided.filter((result) => "writes" in result));
  const written = new Map((await Promise.all(groups.map((group) => writeGroup(table, group)))).flat());
  return decided.map((result) => ("writes" in result ? written.get(result) : result));
}

type Decided = ImportOrder & Decision;

/** Checks that no earlier valid record of the request is of the same person. Otherwise, chance would decide which of them remains. */
function firstRecords({ ownerOf }: StoredState): (order: ImportOrder) => void {
  const earlier = new Set<string | number>();
  return ({ record }) => {
    const { email, id = email === undefined ? undefined : ownerOf(email) } = record.user;
    const names = [...(id === undefined ? [] : [id]), ...(email === undefined ? [] : [comparableEmail(email)])];
    if (names.some((name) => earlier.has(name)))
      throw new Refused("/user", "duplicate", "must not be the person of an earlier record of this request too");
    for (const name of names) earlier.add(name);
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
      ({ touched }) => touched.size + names.length <= mostWrites && !names.some((name) => touched.has(name)),
    );
    const group = fitting ?? { touched: new Set(), records: [] };
    if (!fitting) groups.push(group);
    for (const name of names) group.touched.add(name);
    group.records.push(decision);
  }
  return groups.map(({ records }) => records);
}

/** Writes records in one transaction. If it fails, writes each record separately, so that the others succeed. */
async function writeGroup(
  table: Writer,
  group: readonly Decided[],
): Promise<(readonly [Decided, ImportedMember | undefined])[]> {
  const outcomeOf = ({ index, id, outcome }: Decided) => ({ index, id, outcome });
  try {
    const writes = group.flatMap((decision) => decision.writes);
    if (writes.length > 0) await write(table, writes);
    return group.map((decision) => [decision, outcomeOf(decision)]);
  } catch (error) {
    if (!(error instanceof Conflict || error instanceof Refused)) throw error;
    const [first, second] = group;
    if (first && !second) return [[first, error instanceof Conflict ? undefined : refused(first, error)]];
    return (await Promise.all(group.map((each) => writeGroup(table, [each])))).flat();
  }
}

function refused({ index }: ImportOrder, error: unknown): ImportedMember {
  if (!(error instanceof Refused)) throw error;
  const { pointer, code, message } = error;
  return { index, id: null, outcome: "refused", errors: [{ pointer: `/members/${index}${pointer}`, code, message }] };
}
