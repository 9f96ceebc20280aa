import { type GenericSchema } from "valibot";
import { eventSummaries } from "#lib/contract/event-docs.ts";
import { EventEnvelope, type EventType, events, subjectOf } from "#lib/contract/events.ts";
import { areas, routes } from "#lib/contract/index.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { exampleOf } from "./docs.ts";
import { withNamedEnums } from "./enums.ts";
import { changedRecord } from "./event-examples.ts";
import { operation } from "./operation.ts";
import { headers, namedResponses, problemResponse, problemSchema } from "./responses.ts";
import { components, reference } from "./schemas.ts";
import { apiKeys, introduction, signIn } from "./texts.ts";

const { EventEnvelope: envelope = {} } = components([EventEnvelope], "output");

/** The contract as an OpenAPI 3.1 document. */
export function openapi() {
  const served = routes.filter(({ path }) => path !== "$default");
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of served) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);

  return withNamedEnums({
    openapi: "3.1.0",
    info: { title: "Odis", version: packageJson.version, description: introduction },
    servers: [{ url: "/", description: "The API that serves this document" }],
    tags: [...new Set(served.map(({ area }) => area))].map((name) => ({
      name,
      description: areas[name as keyof typeof areas],
    })),
    paths,
    webhooks: Object.fromEntries(
      Object.entries(events).map(([type, event]) => [type, webhook(type as EventType, event)]),
    ),
    components: {
      schemas: {
        ...components(schemasOf(served.map(({ output }) => output)), "output"),
        ...components(
          Object.values(events).map(({ data }) => data),
          "output",
        ),
        ...components(schemasOf(served.map(({ body }) => body)), "input"),
        Problem: problemSchema,
      },
      responses: Object.fromEntries(
        Array.from(namedResponses, ([, { name, alike }]) => [name, problemResponse(alike)]),
      ),
      headers,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: signIn,
        },
        apiKey: { type: "http", scheme: "bearer", description: apiKeys },
      },
    },
  });
}

const onBus = "to the EventBridge bus, with the `source` `odis`, the type as `detail-type` and the body as `detail`.";

/**
 * Describes how an event is delivered. Events of brands have no destinations, because brands belong to no community.
 */
function deliveryOf(type: EventType, record: string) {
  if (record === "brand")
    return { description: `Sent ${onBus}`, response: "Not used, because EventBridge delivers the event." };
  if (type === "ping")
    return {
      description: "Posted to the tested event destination as a signed webhook (Standard Webhooks 1.0).",
      response: "Any 2xx response within 5 seconds. A ping is sent once.",
    };
  return {
    description: `Posted to the community's event destinations as a signed webhook (Standard Webhooks 1.0), and sent ${onBus}`,
    response: "Any 2xx response within 15 seconds. After any other response, the event is sent again.",
  };
}

/** An event as the body of a webhook and as `detail` on the EventBridge bus. */
const webhook = (type: EventType, { record, data }: (typeof events)[keyof typeof events]) => ({
  post: {
    operationId: type,
    summary: eventSummaries[type],
    description: deliveryOf(type, record).description,
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
              ...(type === "member.updated" && { changed: changedSchema }),
            },
            required: [
              "type",
              ...(envelope.required ?? []),
              "data",
              "previous",
              ...(type === "member.updated" ? ["changed"] : []),
            ],
          },
          example: exampleOfEvent(type, record, data),
        },
      },
    },
    responses: { 200: { description: deliveryOf(type, record).response } },
  },
});

const changedSchema = {
  type: "array",
  items: { type: "string" },
  description:
    "Names of the fields that changed: those in `previous`, and `shipping_address`, whose values no event contains.",
};

function exampleOfEvent(type: EventType, record: string, schema: GenericSchema) {
  const usual = exampleOf(schema, type) as Readonly<Record<string, { readonly id: number | string }>>;
  const { record: changed, previous } = changedRecord(type, usual[record] ?? {});
  const data = { ...usual, [record]: changed };
  const common = { ...(exampleOf(EventEnvelope, "EventEnvelope") as object), type, data, previous };
  if (type === "member.updated") Object.assign(common, { changed: [...Object.keys(previous), "shipping_address"] });
  const kind = (["community", "tier", "benefit", "event_destination", "brand"] as const).find(
    (name) => name === record,
  );
  if (!kind) return common;
  const subject = subjectOf(kind, usual[kind]?.id ?? "");
  return { ...common, subject, ...(kind === "brand" && { community_id: null }) };
}

const schemasOf = (schemas: readonly (GenericSchema | "raw" | undefined)[]): GenericSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== "raw");
