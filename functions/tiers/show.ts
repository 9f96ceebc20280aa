import { show } from "#lib/contract/tiers.ts";
import { forPublic } from "#lib/domain/tier.ts";
import { tierInPath } from "#lib/guards/tiers.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { toResponse } from "#lib/store/tiers.ts";

export const handler = endpoint(show, tierInPath, ({ record, parent, caller, table }) =>
  toResponse(caller ? record : forPublic(record), parent, { epoch: table.runtime.epoch, isDescribed: true }),
);
