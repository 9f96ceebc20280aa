import { csvLine } from "../../../../../lib/domain/csv.ts";
import type { ImportedMembers, Odis } from "../odis.ts";
import { type Plan, rowsOf } from "./plan.ts";
import { type CheckedRow, labelAt } from "./records.ts";

/** A row that was not imported, by its position among the rows that were sent, and why. */
type FailedRow = { readonly index: number; readonly reason: string };

/** How far an import is. */
export type Progress = {
  /** Identifier of the import. The `Idempotency-Key` of each request is made of it, so that none takes effect twice. */
  readonly id: string;
  /** Number of requests that are done. */
  readonly requests: number;
  /** Number of rows that are done. */
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: readonly FailedRow[];
};

export const noProgress = (): Progress => ({
  id: crypto.randomUUID(),
  requests: 0,
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: [],
});

/** Maximum rows and bytes of a request. The bytes leave room for the rest of the body of 64 KiB. */
const [mostRows, mostBytes] = [25, 60 * 1024];

/** The rows of each request. */
export function requestsOf(rows: readonly CheckedRow[]): readonly (readonly CheckedRow[])[] {
  const requests: CheckedRow[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = new TextEncoder().encode(JSON.stringify(row.record)).length + 1;
    const request = requests.at(-1);
    const isFull = !request || request.length === mostRows || bytes + size > mostBytes;
    if (isFull) requests.push([row]);
    else request.push(row);
    bytes = isFull ? size : bytes + size;
  }
  return requests;
}

type Sending = {
  readonly odis: Odis;
  readonly communityId: number;
  readonly rows: readonly CheckedRow[];
  readonly signal: AbortSignal;
  /** Called after each request, to keep the progress. */
  readonly onProgress: (progress: Progress) => void;
};

/**
 * Sends the rows that are left, one request after another.
 *
 * @throws OdisProblem, TypeError if a request fails. It can be sent again: it has the same `Idempotency-Key`
 */
export async function sendRows(
  { odis, communityId, rows, signal, onProgress }: Sending,
  from: Progress,
): Promise<void> {
  let progress = from;
  for (const request of requestsOf(rows).slice(from.requests)) {
    const params = {
      path: { community_id: communityId },
      header: { "Idempotency-Key": `${progress.id}-${progress.requests}` },
    };
    const body = { members: request.map(({ record }) => record) };
    const { data } = await odis.post("/odis/v1/communities/{community_id}/members/import", { params, body, signal });
    if (signal.aborted) return;
    progress = after(progress, data);
    onProgress(progress);
  }
}

type Outcomes = ImportedMembers["data"];

function after(progress: Progress, outcomes: Outcomes): Progress {
  const countOf = (name: Outcomes[number]["outcome"]): number =>
    outcomes.filter(({ outcome }) => outcome === name).length;
  const failed = outcomes.flatMap(({ index, outcome, errors = [] }) =>
    outcome === "refused" ? [{ index: progress.rows + index, reason: errors.map(sentenceOf).join(" ") }] : [],
  );
  return {
    ...progress,
    requests: progress.requests + 1,
    rows: progress.rows + outcomes.length,
    created: progress.created + countOf("created"),
    updated: progress.updated + countOf("updated"),
    unchanged: progress.unchanged + countOf("unchanged"),
    failed: [...progress.failed, ...failed],
  };
}

const sentences: Readonly<Record<string, string>> = {
  already_a_member: "This person is a member already, and has changed since or was never imported.",
  cannot_block_owner: "The owner of a community cannot be blocked.",
  not_allowed: "This is you. Ask the owner to import you.",
  other_customer: "The Stripe customer belongs to another member.",
  person_erased: "This person was erased.",
  unknown_customer: "There is no such customer in Stripe.",
};

function sentenceOf({ pointer, code, message }: NonNullable<Outcomes[number]["errors"]>[number]): string {
  const label = labelAt(pointer.replace(/^\/members\/\d+/, ""));
  return sentences[code] ?? `${label || "The row"} ${message}.`;
}

/** Rows that were not imported, in the columns of their file, with their lines and the reasons. */
export function reportOf(
  plan: Plan,
  rows: readonly (Pick<CheckedRow, "line" | "cells"> & { readonly reason: string })[],
) {
  const { headers } = rowsOf(plan);
  const lines = rows.map(({ line, cells, reason }) =>
    csvLine([...headers.map((_, n) => cells[n] ?? ""), line, reason]),
  );
  return new Blob(["\uFEFF", csvLine([...headers, "Line", "Reason"]), ...lines], { type: "text/csv" });
}
