import { remove } from "#lib/contract/benefits.ts";
import { benefitInPath } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as benefits from "#lib/store/benefits.ts";

export const handler = endpoint(remove, benefitInPath, ({ record, table, actor }) =>
  benefits.remove(table, record, actor),
);
