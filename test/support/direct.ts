import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { afterAll, beforeAll } from "vitest";
import type { Route } from "#lib/contract/route.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import { machine } from "#lib/runtime.ts";
import { connect, type WholeTable } from "#lib/store/table.ts";
import { type As, pathOf } from "./api.ts";
import { mountOn } from "./mount.ts";
import { openTable } from "./table.ts";

/** A table for a test file, with a client that the test may inspect or break. */
export function startTable({ stream = false } = {}) {
  let opened: Awaited<ReturnType<typeof openTable>>;
  beforeAll(async () => {
    opened = await openTable("odis-test", { stream });
  });
  afterAll(() => opened.close());
  return {
    get client(): DynamoDBDocumentClient {
      return opened.client;
    },
    get name(): string {
      return opened.name;
    },
    get table(): WholeTable {
      return opened.table;
    },
    /** Creates a platform with this table and a stopped clock. The test chooses the caller. */
    platform: (over: Partial<Mount> = {}): Mount => {
      const stopped = { ...machine, now: () => new Date("2026-11-21T12:00:00.000Z"), ...over };
      // The table uses the same clock. Otherwise items that expire within a day would be missing.
      return mountOn({ table: connect(opened.client, opened.name, stopped), identify, ...stopped });
    },
  };
}

/** Reads the unsigned tokens that `invoke` creates. */
export const identify: Mount["identify"] = async (token) =>
  JSON.parse(Buffer.from(token, "base64url").toString()) as never;

/** A request to an endpoint. */
export type Call = {
  params?: Record<string, unknown>;
  query?: string;
  body?: unknown;
  /** A body that is sent without conversion to JSON. */
  raw?: string;
  as?: As;
  headers?: Record<string, string>;
};

/** Calls an endpoint on a platform without a gateway. */
export async function invoke(endpoint: Endpoint, mount: Mount, { params = {}, query, body, raw, as, headers }: Call) {
  const route: Route = endpoint.route;
  const caller = as && { groups: [], sub: `sub of ${as.id}`, username: "", ...as };
  const token = caller && Buffer.from(JSON.stringify(caller)).toString("base64url");
  const {
    statusCode,
    headers: answered,
    body: answer,
  } = await endpoint.on(mount)(
    {
      version: "2.0",
      routeKey: `${route.method} ${route.path}`,
      rawPath: pathOf(route, params),
      rawQueryString: query ?? "",
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      pathParameters: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)])),
      requestContext: { requestId: "test", http: { method: route.method } },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
      isBase64Encoded: false,
    } as never,
    { getRemainingTimeInMillis: () => 60_000 } as Context,
  );
  return {
    status: statusCode,
    headers: answered ?? {},
    body: answer?.startsWith("{") ? (JSON.parse(answer) as Record<string, unknown>) : undefined,
  };
}
