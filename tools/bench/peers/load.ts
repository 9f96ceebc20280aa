import { setTimeout as wait } from "node:timers/promises";
import autocannon from "autocannon";
import * as v from "valibot";
import { Member } from "../../../lib/domain/member.ts";
import { MemberPage } from "../../../lib/domain/member-list.ts";
import { PaymentHistoryPage } from "../../../lib/domain/payment.ts";
import { startLocalStack } from "../local-stack.ts";
import type { Result } from "../result.ts";

const concurrencies = [4, 16, 48] as const;
const seconds = 10;
const community = "/odis/v1/communities/1";

type Stack = Awaited<ReturnType<typeof startLocalStack>>;
/** A successful write: the member, and the value that must be found afterwards. */
type Written = { readonly member: number; readonly mark: string };

/** The responses that the load generator received. */
type Seen = { readonly edits: Written[]; readonly refunds: Written[]; readonly problems: string[] };

/** Sends mixed traffic and checks that no successful write is lost. */
export async function run(): Promise<Result> {
  const stack = await startLocalStack();
  try {
    const payers = await payersOf(stack);
    const seen: Seen = { edits: [], refunds: [], problems: [] };
    const steps: autocannon.Result[] = [];
    for (const connections of concurrencies) {
      const requests = mixOf(stack, payers, seen);
      steps.push(await autocannon({ url: stack.url, connections, duration: seconds, requests, timeout: 20 }));
      // The generator disconnects during its last requests. The stack finishes them.
      await wait(2000);
    }
    return report(steps, seen, await lookBack(stack, payers, seen));
  } finally {
    await stack.stop();
  }
}

async function payersOf({ get, tokens }: Stack): Promise<number[]> {
  const { data } = v.parse(MemberPage, await get(`${community}/members?status=active&per=100`, tokens.owner));
  return data.filter((member) => member.lifetime_spend_cents >= 1000 && !member.is_blocked).map(({ id }) => id);
}

/** The requests that each connection repeats: nine reads per write. Every second write refunds a cent. */
function mixOf({ tokens }: Stack, payers: readonly number[], seen: Seen): autocannon.Request[] {
  const headers = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });
  /** Members with a refund in progress. Another refund of the same charge would be refused. */
  const underWay = new Set<number>();
  let turn = 0;
  const next = () => payers[turn++ % payers.length] ?? 0;
  const answered = (done: number, status: number, body: string): boolean => {
    if (status !== done) seen.problems.push(`${status} ${body}`);
    return status === done;
  };
  const read = (path: string | (() => string), token = tokens.owner): autocannon.Request => ({
    method: "GET",
    headers: headers(token),
    setupRequest: (request) => ({ ...request, path: typeof path === "string" ? path : path() }),
    onResponse: (status, body) => void answered(200, status, body),
  });
  const show = read(() => `${community}/members/${next()}`);
  const reads = [
    read(`${community}/members`),
    show,
    read("/api/v1/communities/explore?query=mezcal", tokens.member),
    show,
    read(`${community}/benefits`),
    read(`${community}/members?status=active`),
    show,
    read(`${community}/membership`, tokens.member),
    read(`${community}/stats`),
  ];
  const edit: autocannon.Request = {
    method: "PATCH",
    headers: headers(tokens.owner),
    setupRequest(request, context) {
      // A separate metadata key per edit, because the activity has the names of edited fields and not their values.
      const written: Written = { member: next(), mark: `seat_${crypto.randomUUID().slice(0, 8)}` };
      Object.assign(context, { written });
      const body = JSON.stringify({ member: { metadata: { [written.mark]: true } } });
      return { ...request, path: `${community}/members/${written.member}`, body };
    },
    onResponse(status, body, context) {
      if (answered(200, status, body)) seen.edits.push((context as { written: Written }).written);
    },
  };
  const refund: autocannon.Request = {
    method: "POST",
    headers: headers(tokens.owner),
    setupRequest(request, context) {
      let member = next();
      while (underWay.has(member) && underWay.size < payers.length) member = next();
      underWay.add(member);
      Object.assign(context, { member });
      return { ...request, path: `${community}/members/${member}/issue_refund`, body: '{"amount_cents":1}' };
    },
    onResponse(status, body, context) {
      const { member } = context as { member: number };
      underWay.delete(member);
      if (!answered(201, status, body)) return;
      const answer = JSON.parse(body) as { refund: { refund_id: string } };
      seen.refunds.push({ member, mark: answer.refund.refund_id });
    },
  };
  return [...reads, edit, ...reads, refund];
}

/** Finds successful writes that are lost, and members whose sums differ from their charges. */
async function lookBack({ get, tokens }: Stack, payers: readonly number[], { edits, refunds }: Seen) {
  const storedMarks = new Set<string>();
  let wrongSums = 0;
  for (const id of payers) {
    const path = `${community}/members/${id}`;
    const member = v.parse(Member, await get(path, tokens.owner));
    const invoices = await readPages(`${path}/payment_history`, PaymentHistoryPage);
    const paid = invoices.flatMap(({ charges }) => charges).filter(({ status }) => status === "succeeded");
    const refunded = paid.reduce((sum, charge) => sum + charge.amount_refunded_cents, 0);
    const spent = paid.reduce((sum, charge) => sum + charge.amount_cents, 0) - refunded;
    if (member.total_refunded_cents !== refunded || member.lifetime_spend_cents !== spent) wrongSums++;
    for (const { refund_id } of member.metadata.refunds) storedMarks.add(refund_id);
    for (const key of Object.keys(member.metadata)) storedMarks.add(key);
  }
  return { lost: [...edits, ...refunds].filter(({ mark }) => !storedMarks.has(mark)).length, wrongSums };

  async function readPages<T>(path: string, schema: v.GenericSchema<unknown, Page<T>>): Promise<T[]> {
    const records: T[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: unknown = await get(`${path}?per=100${cursor && `&cursor=${cursor}`}`, tokens.owner);
      const { data, next_cursor } = v.parse(schema, page);
      records.push(...data);
      cursor = next_cursor;
    }
    return records;
  }
}

type Page<T> = { readonly next_cursor: string | null; readonly data: readonly T[] };

function report(
  steps: readonly autocannon.Result[],
  { edits, refunds, problems }: Seen,
  { lost, wrongSums }: { readonly lost: number; readonly wrongSums: number },
): Result {
  const failed = (step: autocannon.Result) => step.errors + step.timeouts + step.non2xx;
  const errors = steps.reduce((sum, step) => sum + failed(step), 0);
  return {
    method:
      `${seconds * steps.length} s of mixed traffic against npm start, which runs as one process next to the engine's, with the load ` +
      "generator on the same machine: nine reads per write, every second write a refund of one cent, with increasing numbers of " +
      "connections. Afterwards, every acknowledged edit and refund is looked up in its member, and each member's sums are " +
      "compared with Stripe's charges.",
    rows: steps.map((step) => ({
      connections: step.connections,
      "requests per second": step.requests.average,
      requests: step.requests.total,
      "p50 ms": step.latency.p50,
      "p99 ms": step.latency.p99,
      errors: failed(step),
    })),
    claims: [
      {
        claim: "No request fails",
        measured: [`${errors} failed`, ...new Set(problems)].slice(0, 3).join("; "),
        holds: errors === 0,
      },
      {
        claim: "No acknowledged write is lost",
        measured: `${lost} of ${edits.length} edits and ${refunds.length} refunds`,
        holds: lost === 0 && edits.length > 0 && refunds.length > 0,
      },
      { claim: "All sums match the charges", measured: `${wrongSums} members differ`, holds: wrongSums === 0 },
    ],
  };
}
