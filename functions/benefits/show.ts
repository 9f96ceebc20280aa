import { show } from "#lib/contract/benefits.ts";
import { benefitInPath } from "#lib/guards/benefits.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/benefits.ts";

export const handler = endpoint(show, benefitInPath, ({ record, parent }) => toResponse(record, parent));
