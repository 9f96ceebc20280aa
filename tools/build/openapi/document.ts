import { type GenericSchema } from "valibot";
import { EventEnvelope, events, subjectOf } from "#lib/contract/events.ts";
import { areas, routes } from "#lib/contract/index.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { exampleOf } from "./docs.ts";
import { operation } from "./operation.ts";
import { headers, problemResponse, problemSchema, problemsByStatus, responseName } from "./responses.ts";
import { components, reference } from "./schemas.ts";
import { introduction } from "./texts.ts";

const { EventEnvelope: envelope = {} } = components([EventEnvelope], "output");

/** The contract as an OpenAPI 3.1 document. */
export function openapi() {
  const served = routes.filter(({ path }) => path !== "$default");
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of served) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  const refusals = served.flatMap((route) => [...problemsByStatus(route).values()]);

  return {
    openapi: "3.1.0",
    info: { title: "Odis", version: packageJson.version, description: introduction },
    servers: [{ url: "/", description: "The API that serves this document" }],
    tags: [...new Set(served.map(({ area }) => area))].map((name) => ({
      name,
      description: areas[name as keyof typeof areas],
    })),
    paths,
    webhooks: Object.fromEntries(Object.entries(events).map(([type, event]) => [type, webhook(type, event)])),
    components: {
      schemas: {
        ...components(given(served.map(({ output }) => output)), "output"),
        ...components(
          Object.values(events).map(({ data }) => data),
          "output",
        ),
        ...components(given(served.map(({ body }) => body)), "input"),
        Problem: problemSchema,
      },
      responses: Object.fromEntries(refusals.map((alike) => [responseName(alike), problemResponse(alike)])),
      headers,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description:
            "Access token from the Cognito user pool. The groups `admin` and `editor` give access to more routes.",
        },
      },
    },
  };
}

/** An event as other systems get it: its `detail` on the EventBridge bus. */
const webhook = (type: string, { summary, record, data }: (typeof events)[keyof typeof events]) => ({
  post: {
    operationId: type,
    summary,
    description: "Sent to the EventBridge bus: `source` is `odis`, `detail-type` is the type, `detail` is the body.",
    security: [],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              type: { const: type, description: "Type of the event." },
              ...envelope.properties,
              data: { ...reference(data), description: "State after the change." },
              previous: {
                type: "object",
                additionalProperties: true,
                description: `Former values of the fields of \`data.${record}\` that changed. Empty for a new record.`,
              },
            },
            required: ["type", ...(envelope.required ?? []), "data", "previous"],
          },
          example: exampleOfEvent(type, data),
        },
      },
    },
    responses: { 200: { description: "Not used, because EventBridge delivers the event." } },
  },
});

function exampleOfEvent(type: string, schema: GenericSchema) {
  const data = exampleOf(schema, type) as Readonly<Record<string, { readonly id: number | string }>>;
  const common = { ...(exampleOf(EventEnvelope, "EventEnvelope") as object), type, data, previous: {} };
  const kind = (["community", "tier", "benefit", "brand"] as const).find((one) => one in data);
  if (!kind) return common;
  const subject = subjectOf(kind, data[kind]?.id ?? "");
  return { ...common, subject, ...(kind === "brand" && { community_id: null }) };
}

const given = (schemas: readonly (GenericSchema | "raw" | undefined)[]): GenericSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== "raw");
