import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Columns, CursorPage } from "../contract/route.ts";
import { csvLine } from "../domain/csv.ts";

/**
 * A page of a cursor list as CSV (RFC 4180). Nested objects become separate columns: `user.email` is `user_email`. The
 * header `Link` holds the URL of the next page (RFC 8288), and `X-Total-Count` the total if it is known.
 */
export function csvOf(
  { entries }: Columns,
  { data, total, next_cursor }: CursorPage<object>,
  { rawPath, rawQueryString }: APIGatewayProxyEventV2,
): { readonly headers: Record<string, string>; readonly body: string } {
  const columns = Object.entries(entries).flatMap(([name, schema]) => {
    const value = "wrapped" in schema ? schema.wrapped : schema;
    return "entries" in value ? Object.keys(value.entries).map((inner) => [name, inner]) : [[name]];
  });
  const header = columns.map((path) => path.join("_"));
  const rows = data.map((record) => columns.map((path) => valueAt(record, path)));
  const next = new URLSearchParams(rawQueryString);
  if (next_cursor) next.set("cursor", next_cursor);
  return {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      ...(next_cursor && { link: `<${rawPath}?${next.toString()}>; rel="next"` }),
      ...(typeof total === "number" && { "x-total-count": String(total) }),
    },
    body: [`${header.join(",")}\r\n`, ...rows.map(csvLine)].join(""),
  };
}

function valueAt(record: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], record);
}
