import type { ImportedMember } from "../domain/member-import.ts";
import type { OpenCommunity } from "./communities.ts";
import { backOff, Conflict } from "./failure.ts";
import { type Around, decide, type Order, Refused } from "./import-decision.ts";
import { factsOf } from "./import-facts.ts";
import { keys } from "./keys.ts";
import type { Act } from "./members.ts";
import type { Writer } from "./table.ts";
import { write } from "./write.ts";

/** How often a record is decided on again, where someone else writes about the same person. */
const attempts = 5;

/**
 * Imports members, each in a transaction of its own: one that is refused stands in nobody's way. Who somebody is is told
 * by the community and their user id or e-mail address, so that importing the same again changes nothing.
 *
 * @returns what became of each record, in no order
 */
export async function importAll(
  table: Writer,
  community: OpenCommunity,
  orders: readonly Order[],
  act: Act,
): Promise<ImportedMember[]> {
  const done: ImportedMember[] = [];
  let left = orders;
  for (let tried = 1; left.length > 0; tried++) {
    if (tried > attempts) throw new Conflict("Others write about the same people");
    if (tried > 1) await backOff(tried);
    const records = left.map(({ record }) => record);
    const facts = await factsOf(table, community.id, records);
    await Promise.all(facts.unusedTiers.map((id) => use(table, community.id, id)));
    const outcomes = await Promise.all(left.map((order) => importOne(table, { community, facts, act }, order)));
    done.push(...outcomes.filter((outcome) => outcome !== undefined));
    left = left.filter((_, n) => outcomes[n] === undefined);
  }
  return done;
}

/** Keeps a tier from being deleted from now on. Throws a `Conflict` where it just was. */
const use = (table: Writer, communityId: number, tierId: number): Promise<void> =>
  write(table, [{ update: keys.tier(communityId, tierId), set: { in_use: true }, when: "exists" }]);

/** What became of a record; undefined where it has to be decided on again. */
async function importOne(table: Writer, around: Around, order: Order): Promise<ImportedMember | undefined> {
  const { index } = order;
  try {
    const { id, outcome, writes } = decide(around, order);
    if (writes.length > 0) await write(table, writes);
    return { index, id, outcome };
  } catch (error) {
    if (error instanceof Conflict) return undefined;
    if (!(error instanceof Refused)) throw error;
    const { pointer, code, message } = error;
    return { index, id: null, outcome: "refused", errors: [{ pointer: `/members/${index}${pointer}`, code, message }] };
  }
}
