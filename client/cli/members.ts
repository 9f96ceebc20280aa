import { once } from "node:events";
import { open } from "node:fs/promises";
import type { Member } from "#lib/domain/member.ts";
import { MemberImport } from "#lib/domain/member-import.ts";
import type { Odis } from "../odis.ts";
import { writerOf } from "./csv.ts";
import type { Kind } from "./import.ts";
import { memberColumns, recordOf } from "./member-records.ts";
import type { Progress } from "./progress.ts";

const members = "/odis/v1/communities/{community_id}/members";

export type MemberPath = { readonly community_id: number; readonly id: number };
type Filter = {
  readonly community: number;
  readonly status?: Member["status"];
  readonly tier?: number;
  readonly blocked?: true;
  readonly query?: string;
  readonly limit: number;
};
type Refund = {
  readonly amountCents?: number;
  readonly charge?: string;
  readonly reason?: "requested_by_customer" | "duplicate" | "fraudulent";
  readonly note?: string;
  readonly key?: string;
};

type Cancellation = { readonly immediately?: true; readonly comment?: string };

/** One function per command. */
export const actions = {
  async *list(odis: Odis, { community, status, tier, blocked, query, limit }: Filter): AsyncGenerator<Member> {
    const filters = { status, tier_id: tier, is_blocked: blocked, query };
    let left = limit;
    for await (const member of odis.iterate(members, {
      params: { path: { community_id: community }, query: filters },
    })) {
      if (left-- <= 0) return;
      yield member;
    }
  },
  show: (odis: Odis, path: MemberPath) => odis.get(`${members}/{id}`, { params: { path } }),
  block: (odis: Odis, path: MemberPath, { reason }: { readonly reason?: string }) =>
    odis.post(`${members}/{id}/block`, { params: { path }, body: { reason } }),
  unblock: (odis: Odis, path: MemberPath) => odis.delete(`${members}/{id}/unblock`, { params: { path } }),
  refund: (odis: Odis, path: MemberPath, { amountCents: amount_cents, charge, reason, note, key }: Refund) => {
    const params = { path, ...(key !== undefined && { header: { "Idempotency-Key": key } }) };
    const body = { amount_cents, reason, note };
    return charge === undefined
      ? odis.post(`${members}/{id}/issue_refund`, { params, body })
      : odis.post(`${members}/{id}/refund_charge`, { params, body: { ...body, charge_id: charge } });
  },
  cancel: (odis: Odis, path: MemberPath, { immediately, comment }: Cancellation) => {
    const mode = immediately ? "immediately" : "at_period_end";
    return odis.post(`${members}/{id}/cancel_subscription`, { params: { path }, body: { mode, comment } });
  },
  async *brands(odis: Odis, producer_id: string) {
    for (let page = 1, more = true; more; page++) {
      const params = { path: { producer_id }, query: { page, per: 100 } };
      const { data, has_more } = await odis.get("/odis/v1/producers/{producer_id}/brands", { params });
      yield* data;
      more = has_more;
    }
  },
};

/** Imports members of a community. Members that are already imported do not change, so rows can be sent again. */
export function memberImport(odis: Odis, community_id: number): Kind {
  return {
    schema: MemberImport,
    target: `community ${community_id}`,
    async send(rows) {
      const body = { members: rows.map(({ record }) => record as Record<string, unknown>) };
      const { data } = await odis.post(`${members}/import`, { params: { path: { community_id } }, body });
      return data;
    },
  };
}

/** Writes all members of a community to a file or to standard output, oldest first. Returns how many. */
export async function exportMembers(
  odis: Odis,
  community_id: number,
  { file, progress }: { readonly file: string | undefined; readonly progress: Progress },
): Promise<number> {
  const out = file === undefined ? process.stdout : (await open(file, "w")).createWriteStream();
  const { header, lineOf } = writerOf(file, memberColumns);
  let count = 0;
  const query = { sort: "created_at" as const };
  out.write(header);
  for await (const page of odis.pages(members, { params: { path: { community_id }, query } })) {
    if (count === 0) progress.start(page.total);
    count += page.data.length;
    progress.add(page.data.length, page.total);
    if (!out.write(page.data.map((member) => lineOf(recordOf(member))).join(""))) await once(out, "drain");
  }
  progress.stop();
  if (file !== undefined) {
    out.end();
    await once(out, "finish");
  }
  return count;
}
