import { health } from "#lib/contract/system.ts";
import { stage } from "#lib/env.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";

/** The version in package.json. Inserted by the build. */
declare const VERSION: string;

export const handler = endpoint(health, everyone, async () => ({
  status: "ok" as const,
  version: VERSION,
  stage: stage(),
}));
