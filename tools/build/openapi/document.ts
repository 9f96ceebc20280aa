import { type GenericSchema } from "valibot";
import { events } from "#lib/contract/events.ts";
import { areas, routes } from "#lib/contract/index.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { operation } from "./operation.ts";
import { headers, problemResponse, problemSchema, problemsByStatus, responseName } from "./responses.ts";
import { components, reference } from "./schemas.ts";
import { introduction } from "./texts.ts";

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
const webhook = (type: string, { summary, data }: (typeof events)[keyof typeof events]) => ({
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
              id: { type: "string", description: "Unique identifier of the event, the same in every delivery." },
              type: { const: type, description: "Type of the event." },
              at: { type: "string", format: "date-time", description: "Time of the change." },
              sequence: {
                type: "integer",
                format: "int64",
                description:
                  "Increases with each event of the same record. Ignore an event whose number is lower than the last one you processed.",
              },
              data: { ...reference(data), description: "The record after the change." },
              previous: {
                type: "object",
                additionalProperties: true,
                description: "The former values of the fields that changed.",
              },
            },
            required: ["id", "type", "at", "sequence", "data", "previous"],
          },
        },
      },
    },
    responses: { 200: { description: "Not used, because EventBridge delivers the event." } },
  },
});

const given = (schemas: readonly (GenericSchema | "raw" | undefined)[]): GenericSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== "raw");
