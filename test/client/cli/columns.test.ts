import * as v from "valibot";
import { expect, it } from "vitest";
import { columnsOf } from "../../../client/cli/columns.ts";

const text = (isKept = false) => ({ as: "text", isKept });
const json = { as: "json", isKept: false };

it("columnsOf keeps the schema's order, and gives each field of a strict object a column of its own", () => {
  const schema = v.pipe(
    v.strictObject({
      id: v.optional(v.number()),
      address: v.optional(v.nullable(v.strictObject({ line1: v.string(), line2: v.optional(v.string(), "") })), null),
      status: v.optional(v.nullable(v.picklist(["active"])), null),
      tags: v.array(v.string()),
      metadata: v.record(v.string(), v.string()),
    }),
    v.check(() => true),
  );
  expect(columnsOf(schema.entries)).toEqual([
    { name: "id", path: ["id"], ...json },
    { name: "address_line1", path: ["address", "line1"], ...text(true) },
    { name: "address_line2", path: ["address", "line2"], ...text() },
    { name: "status", path: ["status"], ...text() },
    { name: "tags", path: ["tags"], ...json },
    { name: "metadata", path: ["metadata"], ...json },
  ]);
});
