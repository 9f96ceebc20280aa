import { importBatch } from "#lib/contract/members.ts";
import { type ImportedMember, MemberImport } from "#lib/domain/member-import.ts";
import { patchMetadata } from "#lib/domain/metadata.ts";
import { managesCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import { validateOne } from "#lib/http/validation.ts";
import { Problem } from "#lib/problem.ts";
import type { Order } from "#lib/store/members/import-decision.ts";
import { importAll } from "#lib/store/members/imports.ts";
import * as users from "#lib/store/users.ts";

export const handler = endpoint(
  importBatch,
  managesCommunity,
  async ({ body, caller, parent, table, now, requestId }) => {
    const read = body.members.map(readRecord);
    const orders = read.filter((one) => "record" in one);
    const refused = read.filter((one) => "outcome" in one);
    const act = { by: await users.ensure(table, caller, now), requestId, now };
    const data = [...refused, ...(await importAll(table, await parent, orders, act))];
    return { total: data.length, data: data.toSorted((a, b) => a.index - b.index) };
  },
  { once, writesInSteps: true },
);

function readRecord(given: object, index: number): Order | ImportedMember {
  const at = `/members/${index}`;
  const { output: record, errors } = validateOne(at, MemberImport, given);
  if (!record) return { index, id: null, outcome: "refused", errors };
  try {
    return { index, record, metadata: patchMetadata({ notes: "", custom: {} }, record.metadata, `${at}/metadata`) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { index, id: null, outcome: "refused", errors: error.errors?.filter((issue) => "pointer" in issue) };
  }
}
