import { type GenericSchema } from "valibot";
import { routes } from "#lib/contract/index.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { operation } from "./operation.ts";
import { headers, problemResponse, problemSchema, problemsByStatus, responseName } from "./responses.ts";
import { components } from "./schemas.ts";
import { introduction, tagTexts } from "./texts.ts";

/** The contract as an OpenAPI 3.1 document. */
export function openapi() {
  const served = routes.filter(({ path }) => path !== "$default");
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of served) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  const refusals = served.flatMap((route) => [...problemsByStatus(route).values()]);

  return {
    openapi: "3.1.0",
    info: { title: "Odis", version: packageJson.version, description: introduction },
    servers: [{ url: "/", description: "Where this document comes from" }],
    tags: [...new Set(served.map(({ area }) => area))].map((name) => ({ name, description: tagTexts[name] })),
    paths,
    components: {
      schemas: {
        ...components(given(served.map(({ output }) => output)), "output"),
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
          description: "An access token of the Cognito user pool. Its groups `admin` and `editor` open more routes.",
        },
      },
    },
  };
}

const given = (schemas: readonly (GenericSchema | "raw" | undefined)[]): GenericSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== "raw");
