/** Code that must not compile. `tsc` fails if any of it compiles. */

import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import * as system from "#lib/contract/system.ts";
import { memberInPath, parentCommunity } from "#lib/guards/communities.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import type { Write } from "#lib/store/table.ts";
import { type SweepingWrite, sweepItem, write } from "#lib/store/write.ts";

const never = (): Promise<never> => Promise.reject(new Error());

declare const sweeping: SweepingWrite;
declare const editing: Write;

/** A versioned record, such as a tier. */
declare const record: { readonly pk: string; readonly sk: string; readonly version: number };
export const creation: Write = { put: record, when: "absent" };
// @ts-expect-error an existing versioned record must be updated: a put would drop attributes of later versions
export const replacement: Write = { put: record, when: { is: { version: record.version } } };
// @ts-expect-error a put without a condition would drop them too
export const overwriting: Write = { put: record };

export const impossible = [
  // @ts-expect-error a route that declares `table: "read"` cannot write
  endpoint(members.show, memberInPath, async ({ table }) => write(table, []).then(never)),
  // @ts-expect-error only an erasure's sweep may write without the condition that the item is not marked as erased
  endpoint(members.update, memberInPath, async ({ table }) => write(table, [sweeping]).then(never)),
  // @ts-expect-error a sweep must not write with that condition
  endpoint(members.update, memberInPath, async ({ table }) => sweepItem(table, editing).then(never)),
  // @ts-expect-error a route that does not declare `indexes: true` cannot read an index
  endpoint(members.show, memberInPath, async ({ table }) => table.query({ pk: "", index: "by_tier" }).then(never)),
  // @ts-expect-error a route that declares no table has no `table`
  endpoint(system.health, everyone, async ({ table }) => table.get({ pk: "", sk: "" }).then(never)),
  // @ts-expect-error the path does not have the parameter
  endpoint(members.list, parentCommunity, async ({ params }) => Promise.reject(params.id)),
  // @ts-expect-error a guard must not require parameters that the path does not have
  endpoint(members.list, memberInPath, never),
  // @ts-expect-error a route without a query schema has no `query`
  endpoint(members.show, memberInPath, async ({ query }) => Promise.reject(query.per)),
  // @ts-expect-error a public route has no `caller`
  endpoint(system.health, everyone, async ({ caller }) => Promise.reject(caller.id)),
  // @ts-expect-error the response must match the route's output schema
  endpoint(members.show, memberInPath, async () => ({ id: 3 })),
  // @ts-expect-error the guard of a route for owners must declare what the caller must own
  endpoint(communities.stats, everyone, never),
];
