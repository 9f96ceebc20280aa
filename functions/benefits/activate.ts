import { activate } from "#lib/contract/benefits.ts";
import { managesBenefit } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { once } from "#lib/http/idempotency.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(
  activate,
  managesBenefit,
  async ({ record, parent, table, now }) =>
    benefits.present(await benefits.setStatus(table, await record, "active", now), await parent),
  { once },
);
