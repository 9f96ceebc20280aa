import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { serve } from "../../../tools/local/loopback.ts";
import { useRunningStack } from "../../../tools/scripts/running-stack.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();

it("a command without --stage prints that it works on the local stack, before it begins", async () => {
  const control = await serve({ port: 0, maxBodyBytes: 0 }, async () => ({ status: 200, headers: [], body: "" }));
  const { url } = control;
  const local = { api_url: url, cognito_url: url, control_url: url, environment: {} };
  await writeFile(join(folder, "local.json"), JSON.stringify(local));
  vi.stubEnv("TABLE_NAME", "");
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  await useRunningStack({ folder });
  expect(printed.mock.calls).toEqual([[`Target: local stack in ${folder}`]]);
  printed.mockRestore();
  vi.unstubAllEnvs();
  await control.close();
});
