import { show } from "#lib/contract/benefits.ts";
import { managesBenefit } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { present } from "#lib/store/benefits.ts";

export const handler = endpoint(show, managesBenefit, async ({ record, parent }) =>
  present(await record, await parent),
);
