import { STATUS_CODES } from "node:http";
import { type PlacedRoute, problemsOf, routes } from "#lib/contract/index.ts";
import { blockerCodes } from "#lib/domain/erasure.ts";
import { issueCodes, problems } from "#lib/problem.ts";
import { problemTexts } from "./problem-texts.ts";

const text = { type: "string" } as const;
const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Response headers by component name. */
export const headers = {
  RequestId: { description: "Identifier of the request.", required: true, schema: text },
  ETag: {
    description: "Strong entity tag for `If-Match` and `If-None-Match`. It changes only if the shown record changes.",
    required: true,
    schema: { ...text, pattern: '^".+"$' },
  },
  IdempotencyReplayed: {
    description: "`true` if this is the stored response to an earlier request with the same key.",
    schema: { ...text, enum: ["true"] },
  },
  Location: { description: "Path of the new record.", required: true, schema: { ...text, format: "uri-reference" } },
  RetryAfter: {
    description: "Number of seconds to wait before retrying.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  WWWAuthenticate: {
    description:
      "Challenge (RFC 6750), with an `error` if a token was sent. API Gateway renames the header to `x-amzn-remapped-www-authenticate`.",
    schema: { ...text, pattern: "^Bearer " },
  },
  Link: { description: 'Link to the next page: `<…>; rel="next"` (RFC 8288).', schema: text },
  TotalCount: { description: "Number of records that match the filters, if known.", schema: { type: "integer" } },
};

const always = { "x-request-id": header("RequestId") };

/** The headers of a route's successful response. */
export const headersOf = ({ method, access, etag, location, csv, output }: PlacedRoute) => ({
  ...always,
  ...(method === "POST" && access !== "public" && { "idempotency-replayed": header("IdempotencyReplayed") }),
  ...(etag && { etag: header("ETag") }),
  ...(location && { location: header("Location") }),
  ...(csv && { link: header("Link") }),
  ...(csv && output && hasTotal(output) && { "x-total-count": header("TotalCount") }),
});

const hasTotal = (page: object): boolean => "entries" in page && "total" in (page.entries as object);

type Alike = readonly (typeof problems)[number][];

/** The problems of a route by status. Problems with the same status share a response. */
export function problemsByStatus(route: PlacedRoute): Map<number, Alike> {
  const possible = problemsOf(route);
  return Map.groupBy(
    problems.filter(({ code }) => possible.has(code)),
    ({ status }) => status,
  );
}

const keyOf = (alike: Alike): string => alike.map(({ code }) => code).join();
const statusOf = ([first]: Alike): number => first?.status ?? 0;

type NamedResponse = { readonly name: string; readonly alike: Alike };

/** The response components, by the codes of their problems. */
export const namedResponses: ReadonlyMap<string, NamedResponse> = new Map(
  [
    ...Map.groupBy(
      routes
        .filter(({ path }) => path !== "$default")
        .flatMap((route) => Array.from(problemsByStatus(route).values(), (alike) => ({ id: route.id, alike }))),
      ({ alike }) => statusOf(alike),
    ),
  ].flatMap(([status, uses]) => responsesWith(status, uses)),
);

/**
 * Names the responses with a status. The most frequent one has the name of the status, such as `Conflict`, and the others
 * also that of the first operation that returns them, such as `CheckoutCreateSessionConflict`.
 */
function responsesWith(status: number, uses: readonly { readonly id: string; readonly alike: Alike }[]) {
  const word = (STATUS_CODES[status] ?? "").replaceAll(/\W/g, "");
  const responses = [...Map.groupBy(uses, ({ alike }) => keyOf(alike))];
  const [frequent] = responses.toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  return responses.map(([key, [{ id, alike } = { id: "", alike: [] }]]): [string, NamedResponse] => [
    key,
    { name: key === frequent ? word : `${id}${word}`, alike },
  ]);
}

/** The name of the response component for some problems. @throws Error for problems that no route returns together */
export function responseName(alike: Alike): string {
  const response = namedResponses.get(keyOf(alike));
  if (!response) throw new Error(`No route returns ${keyOf(alike)}`);
  return response.name;
}

const asksToWait = [409, 429, 502, 503, 504];

export function problemResponse(alike: Alike) {
  const status = statusOf(alike);
  const codes = alike.map(({ code }) => code);
  return {
    "x-codes": codes,
    description: alike.map(({ code, title }) => `\`${code}\`: ${title}.`).join("\n\n"),
    headers: {
      ...always,
      ...(status === 401 && {
        "www-authenticate": header("WWWAuthenticate"),
        "x-amzn-remapped-www-authenticate": header("WWWAuthenticate"),
      }),
      ...(asksToWait.includes(status) && { "retry-after": waitOf(alike) }),
    },
    content: {
      "application/problem+json": {
        // All responses use the same schema, because generators would create a class for each set of codes.
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(alike.map((problem) => [problem.code, exampleOf(problem)])),
      },
    },
  };
}

/** Only some of the problems with status 409 have a `Retry-After` header. */
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

/** A problem of RFC 9457 with the extensions `code`, `request_id` and `errors`. */
export const problemSchema = {
  type: "object",
  properties: {
    type: { type: "string", format: "uri-reference", description: "URL of the page that explains the problem." },
    title: { type: "string", description: "Short description of the type of problem." },
    status: { type: "integer", description: "HTTP status code." },
    code: {
      type: "string",
      description: "Code of the type of problem, for programs to act on. Later versions can add codes.",
      "x-extensible-enum": problems.map(({ code }) => code),
    },
    detail: { type: "string", description: "Description of this occurrence of the problem." },
    request_id: { type: "string", description: "Identifier of the request, the same as `x-request-id`." },
    errors: {
      type: "array",
      description: "Error for each invalid field or parameter.",
      items: {
        type: "object",
        properties: {
          pointer: {
            type: "string",
            format: "json-pointer",
            description: "JSON Pointer (RFC 6901) to the invalid field of the body.",
          },
          parameter: { type: "string", description: "Name of the invalid query parameter or header." },
          code: { type: "string", enum: issueCodes, description: "Error code, for programs." },
          message: { type: "string", description: "Error message, for people." },
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
      description: "With `erasure_blocked`: what prevents the erasure.",
      items: {
        type: "object",
        properties: {
          code: { type: "string", enum: blockerCodes, description: "Type of blocker." },
          community_id: { type: "integer", format: "int64", description: "Identifier of the community." },
          member_id: {
            type: ["integer", "null"],
            format: "int64",
            description: "Identifier of the member. `null` for an owned community.",
          },
        },
        required: ["code", "community_id", "member_id"],
      },
    },
  },
  required: ["type", "title", "status", "code", "detail", "request_id"],
} as const;
