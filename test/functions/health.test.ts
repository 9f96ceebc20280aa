import { expect, it, vi } from "vitest";
import { health } from "#lib/contract/system.ts";
import { startApi } from "../support/api.ts";

const api = startApi();

it.each([
  ["odis-prod", "prod"],
  ["odis-sandbox-anna", "sandbox-anna"],
  ["", "local"],
])("GET /health with the metrics namespace %o returns the stage %s", async (namespace, stage) => {
  vi.stubEnv("METRICS_NAMESPACE", namespace);
  expect((await api.call(health, {})).body).toMatchObject({ status: "ok", stage });
  vi.unstubAllEnvs();
});
