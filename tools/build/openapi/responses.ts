import { type PlacedRoute, problemsOf } from "#lib/contract/index.ts";
import { blockerCodes } from "#lib/domain/erasure.ts";
import { issueCodes, problems } from "#lib/problem.ts";
import { problemTexts } from "./problem-texts.ts";

const text = { type: "string" } as const;
const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of answers, by the name of their component. */
export const headers = {
  RequestId: { description: "Names the request in our logs.", required: true, schema: text },
  ETag: {
    description: "A strong entity tag: it changes exactly when what is shown changes. For `If-Match`, `If-None-Match`.",
    required: true,
    schema: { ...text, pattern: '^".+"$' },
  },
  IdempotencyReplayed: {
    description: "The answer is the one that the same request was given before.",
    schema: { ...text, enum: ["true"] },
  },
  Location: { description: "Where the new record is.", required: true, schema: { ...text, format: "uri-reference" } },
  RetryAfter: {
    description: "In how many seconds to ask again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  WWWAuthenticate: {
    description: "The challenge (RFC 6750), with an `error` where a token was given.",
    required: true,
    schema: { ...text, pattern: "^Bearer " },
  },
  Link: { description: 'The next page: `<…>; rel="next"` (RFC 8288).', schema: text },
  TotalCount: { description: "How many records match the filters, where it is known.", schema: { type: "integer" } },
};

const always = { "x-request-id": header("RequestId") };

/** The headers of what a route answers when it does what it is asked. */
export const headersOf = ({ method, access, etag, location, csv }: PlacedRoute) => ({
  ...always,
  ...(method === "POST" && access !== "public" && { "idempotency-replayed": header("IdempotencyReplayed") }),
  ...(etag && { etag: header("ETag") }),
  ...(location && { location: header("Location") }),
  ...(csv && { link: header("Link"), "x-total-count": header("TotalCount") }),
});

type Alike = readonly (typeof problems)[number][];

/** The problems of a route by status: those that share one share a response. */
export function problemsByStatus(route: PlacedRoute): Map<number, Alike> {
  const possible = problemsOf(route);
  return Map.groupBy(
    problems.filter(({ code }) => possible.has(code)),
    ({ status }) => status,
  );
}

/** The name of the component that answers with one of these: `not_found`. */
export const responseName = (alike: Alike): string => alike.map(({ code }) => code).join(".");

const asksToWait = [409, 429, 502, 503, 504];

export function problemResponse(alike: Alike) {
  const [{ status }] = alike as [Alike[number]];
  return {
    description: alike.map(({ code, title }) => `\`${code}\`: ${title}.`).join("\n\n"),
    headers: {
      ...always,
      ...(status === 401 && { "www-authenticate": header("WWWAuthenticate") }),
      ...(asksToWait.includes(status) && { "retry-after": waitOf(alike) }),
    },
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Problem" },
            { properties: { code: { enum: alike.map(({ code }) => code) } } },
          ],
        },
        examples: Object.fromEntries(alike.map((problem) => [problem.code, exampleOf(problem)])),
      },
    },
  };
}

/** Of what the state forbids, only some passes by itself. */
const waitOf = (alike: Alike) =>
  alike.every(({ code, status }) => status !== 409 || code === "request_in_progress")
    ? header("RetryAfter")
    : { ...headers.RetryAfter, required: false };

const exampleOf = ({ code, status, title }: Alike[number]) => ({
  summary: title,
  value: {
    type: `/docs/problems#${code}`,
    title,
    status,
    code,
    detail: problemTexts[code].happened,
    request_id: "FiX2xhRSFiAEMgw=",
    ...(code === "validation_failed" && {
      errors: [{ parameter: "per", code: "too_small", message: "must be at least 1" }],
    }),
    ...(code === "amount_exceeds_refundable" && { refundable_cents: 2000 }),
    ...(code === "payment_processor_refused" && { processor_code: "balance_insufficient" }),
    ...(code === "erasure_blocked" && {
      blockers: [{ code: "live_subscription", community_id: 1, member_id: 6312 }],
    }),
  },
});

/** RFC 9457, with what `code`, `request_id` and `errors` add. */
export const problemSchema = {
  type: "object",
  properties: {
    type: { type: "string", format: "uri-reference", description: "URL of the page that explains the problem." },
    title: { type: "string", description: "Kind of problem, in words." },
    status: { type: "integer", description: "HTTP status code." },
    code: { type: "string", description: "Kind of problem, for programs: the one to act on." },
    detail: { type: "string", description: "What happened this time." },
    request_id: { type: "string", description: "Identifies the request in our logs, like `x-request-id`." },
    errors: {
      type: "array",
      description: "What is wrong with each field of the body or parameter of the query.",
      items: {
        type: "object",
        properties: {
          pointer: {
            type: "string",
            format: "json-pointer",
            description: "Field of the body, as a JSON Pointer (RFC 6901).",
          },
          parameter: { type: "string", description: "Query parameter or header." },
          code: { type: "string", enum: issueCodes, description: "What is wrong, for programs." },
          message: { type: "string", description: "What is wrong, in words." },
        },
        required: ["code", "message"],
      },
    },
    refundable_cents: {
      type: "integer",
      format: "int64",
      description: "With `amount_exceeds_refundable`: the amount that can still be refunded, in US cents.",
    },
    processor_code: {
      type: ["string", "null"],
      description: "With `payment_processor_refused`: Stripe's error code. `null` if Stripe gives none.",
    },
    blockers: {
      type: "array",
      description: "With `erasure_blocked`: what stands in the way.",
      items: {
        type: "object",
        properties: {
          code: { type: "string", enum: blockerCodes, description: "What it is." },
          community_id: { type: "integer", format: "int64", description: "Community that it belongs to." },
          member_id: {
            type: ["integer", "null"],
            format: "int64",
            description: "Member that it belongs to. `null` for an owned community.",
          },
        },
        required: ["code", "community_id", "member_id"],
      },
    },
  },
  required: ["type", "title", "status", "code", "detail", "request_id"],
} as const;
