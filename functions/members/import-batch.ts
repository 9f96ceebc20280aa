import { isKeyCaller } from "#lib/auth/caller.ts";
import { assertMayImport, mayManage } from "#lib/auth/policy.ts";
import { lookUpSubscriptions } from "#lib/billing/import-lookup.ts";
import { importBatch } from "#lib/contract/members.ts";
import { type ImportedMember, MemberImport } from "#lib/domain/member-import.ts";
import { parentCommunity } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { validateOne } from "#lib/http/validation.ts";
import { Problem } from "#lib/problem.ts";
import type { ImportOrder } from "#lib/store/members/import-decision.ts";
import { importAll } from "#lib/store/members/imports.ts";
import { patchMetadata } from "#lib/values/metadata.ts";

export const handler = endpoint(
  importBatch,
  parentCommunity,
  async ({ caller, body, parent, table, billing, actor, operation }) => {
    const read = body.members.map(readRecord);
    const valid = read.filter((result) => "record" in result);
    assertMayImport(
      caller,
      valid.map(({ record }) => record),
    );
    const orders = await lookUpSubscriptions(billing, parent, valid);
    const isOfTeam = !isKeyCaller(caller) && !mayManage(caller, parent);
    const excludedId = isOfTeam ? (actor.id ?? undefined) : undefined;
    const request = { ...operation, actor, excludedId, size: read.length };
    const refused = read.filter((result) => "outcome" in result);
    const data = [...refused, ...(await importAll(table, parent, orders, request))];
    return { total: data.length, data: data.toSorted((a, b) => a.index - b.index) };
  },
  { writesInSteps: true },
);

function readRecord(input: object, index: number): ImportOrder | ImportedMember {
  const at = `/members/${index}`;
  const { output: record, errors } = validateOne(at, MemberImport, input);
  if (!record) return { index, id: null, outcome: "refused", errors: [...errors] };
  try {
    return { index, record, metadata: patchMetadata({ notes: "", custom: {} }, record.metadata, `${at}/metadata`) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { index, id: null, outcome: "refused", errors: error.errors?.filter((issue) => "pointer" in issue) };
  }
}
