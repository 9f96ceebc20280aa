import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { is } from "valibot";
import { type Placed, problemsOf, routes } from "#lib/contract/index.ts";
import { problems } from "#lib/problem.ts";
import packageJson from "../package.json" with { type: "json" };
import { answerSchema, bodySchema, queryParameters, recordSchemas } from "./openapi-schemas.ts";

/** The contract as an OpenAPI 3.1 document. */
function openapi() {
  const paths: Record<string, Record<string, unknown>> = {};
  const served = routes.filter(({ path }) => path !== "$default");
  for (const route of served) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);

  return {
    openapi: "3.1.0",
    info: { title: "Odis", version: packageJson.version, description: packageJson.description },
    servers: [{ url: "/" }],
    tags: [...new Set(served.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...recordsIn(JSON.stringify(paths)), Problem: problemSchema },
      responses: Object.fromEntries(
        served.flatMap((route) =>
          Array.from(refusals(route).values(), (alike) => [refusalName(alike), refusal(alike)]),
        ),
      ),
      headers: {
        RequestId: { description: "Names the request in the logs", schema: { type: "string" } },
        ETag: { description: "Changes when the record does", schema: { type: "string" } },
        Replayed: {
          description: "The answer is the one that the same request was given before",
          schema: { type: "string", enum: ["true"] },
        },
        Location: { description: "Where the new record is", schema: { type: "string", format: "uri-reference" } },
      },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A Cognito access token",
        },
      },
    },
  };
}

function operation(route: Placed) {
  const { id, area, summary, access, query, body } = route;
  return {
    operationId: id,
    tags: [area],
    summary,
    security: access === "public" ? [] : access === "optional" ? [{}, { bearer: [] }] : [{ bearer: [] }],
    "x-access": access,
    parameters: [...pathParameters(route), ...(query ? queryParameters(query) : []), ...preconditions(route)],
    ...(body && {
      requestBody: {
        required: body === "raw" || !is(body, {}),
        content: { "application/json": { schema: body === "raw" ? { type: "object" } : bodySchema(body) } },
      },
    }),
    responses: {
      ...answers(route),
      ...Object.fromEntries(
        Array.from(refusals(route), ([status, alike]) => [
          status,
          { $ref: `#/components/responses/${refusalName(alike)}` },
        ]),
      ),
    },
  };
}

function pathParameters({ path, ids }: Placed) {
  const schema =
    ids === "uuid"
      ? { type: "string", format: "uuid" }
      : { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, in: "path", required: true, schema }));
}

function preconditions({ etag, removes, method, access }: Placed) {
  if (method === "POST") return access === "public" ? [] : [idempotencyKey];
  if (!etag && !removes) return [];
  const name = method === "GET" ? "If-None-Match" : "If-Match";
  return [{ name, in: "header", required: false, schema: { type: "string" } }];
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Makes the request safe to repeat: within 24 hours it has one effect and one answer",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
};

const requestId = { "x-request-id": { $ref: "#/components/headers/RequestId" } };

function answers({ summary, method, access, etag, location, status = 200, output }: Placed) {
  const headers = {
    ...requestId,
    ...(method === "POST" &&
      access !== "public" && { "idempotency-replayed": { $ref: "#/components/headers/Replayed" } }),
    ...(etag && { etag: { $ref: "#/components/headers/ETag" } }),
    ...(location && { location: { $ref: "#/components/headers/Location" } }),
  };
  return {
    [status]: {
      description: summary,
      headers,
      ...(output && { content: { "application/json": { schema: answerSchema(output) } } }),
    },
    ...(etag && method === "GET" && { 304: { description: "The caller has this representation already", headers } }),
  };
}

/** The problems of a route by status: those that share one share a response. */
function refusals(route: Placed) {
  const possible = problemsOf(route);
  return Map.groupBy(
    problems.filter(({ code }) => possible.has(code)),
    ({ status }) => status,
  );
}

const refusalName = (alike: typeof problems) => alike.map(({ code }) => code).join(".");

const refusal = (alike: typeof problems) => ({
  description: alike.map(({ code, title }) => `\`${code}\`: ${title}`).join("; "),
  headers: requestId,
  content: {
    "application/problem+json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Problem" },
          { properties: { code: { enum: alike.map(({ code }) => code) } } },
        ],
      },
    },
  },
});

/** RFC 9457, with what `api.md`, section 1 adds. */
const problemSchema = {
  type: "object",
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string" },
    detail: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          pointer: { type: "string", format: "json-pointer" },
          parameter: { type: "string" },
          code: { type: "string" },
          message: { type: "string" },
        },
        required: ["code", "message"],
      },
    },
  },
  required: ["type", "title", "status", "code", "detail", "request_id"],
};

/** The records that a text refers to, and those that they refer to. */
function recordsIn(text: string, found: Record<string, unknown> = {}): Record<string, unknown> {
  for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (name in found || !(name in recordSchemas)) continue;
    found[name] = recordSchemas[name];
    recordsIn(JSON.stringify(found[name]), found);
  }
  return found;
}

const file = join(import.meta.dirname, "../openapi.json");
const document = `${JSON.stringify(openapi(), null, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, document);
else if (!existsSync(file) || readFileSync(file, "utf8") !== document) {
  console.error("openapi.json is not what the contract says: run `npm run openapi` and commit it");
  process.exitCode = 1;
}
