import { activate } from "#lib/contract/benefits.ts";
import { benefitInPath } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(activate, benefitInPath, async ({ record, parent, table, actor }) =>
  benefits.toResponse(await benefits.update(table, record, { status: "active" }, actor), parent),
);
