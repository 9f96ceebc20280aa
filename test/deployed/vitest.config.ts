import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import type { Reporter } from "vitest/node";
import shared from "../../vitest.config.ts";

/** Tests of `test/functions` that are irrelevant for a deployed stack, or cannot run on one. */
const localOnly = {
  "test/functions/admin-sessions.test.ts": "its clock moves, and it signs in at the local pool",
  "test/functions/brand-list.test.ts": "it reads hundreds of pages, as brands.test.ts reads a few",
  "test/functions/canary.test.ts": "its site is one of its own, and it takes the table away",
  "test/functions/encoding.test.ts": "the emulator makes text of every body, also of one that is none",
  "test/functions/erasure.test.ts": "it signs in at the local pool, and looks into the local bucket of erasures",
  "test/functions/events.test.ts": "it listens on the local event bus",
  "test/functions/explore.test.ts": "its clock stands still, and it looks into the environments of one function",
  "test/functions/health.test.ts": "it sets a variable of the functions",
  "test/functions/limit.test.ts": "its clock stands still, and it breaks the connection to the table",
  "test/functions/logs.test.ts": "it reads what the functions write in its own process",
  "test/functions/member-list-access.test.ts": "it reads a thousand pages, as other tests read a few",
  "test/functions/plan-change.test.ts": "it acts at Stripe, in its own process",
  "test/functions/rights.test.ts":
    "the functions decide about rights, and every-route.test.ts asks each route without its token or group",
  "test/functions/roles.test.ts":
    "the functions decide about roles, and every-route.test.ts asks each route without its token or group",
  "test/functions/rotation.test.ts": "its clock moves, and its Secrets Manager is one of its own",
  "test/functions/tokens.test.ts": "it signs wrong tokens, for which it needs the pool's private key",
};

/** Reports how many tests of the API ran, so that an empty list is not taken for success. */
const counting: Reporter = {
  onTestRunEnd(modules) {
    const ofApi = modules.filter(({ moduleId }) => moduleId.includes("/test/functions/"));
    const count = ofApi.flatMap(({ children }) => [...children.allTests("passed")]).length;
    console.log(`${count} tests of the API passed against the deployed stack`);
    const isOfApi = !process.argv.includes("--project") || process.argv.includes("api");
    if (count < 150 && isOfApi) process.exitCode = 1;
  },
};

/** Groups of files that run together. Files of a later group change state that earlier groups need. */
const group = (name: string, groupOrder: number, include: string[]): TestProjectInlineConfiguration => ({
  ...shared,
  test: {
    ...shared.test,
    name,
    include,
    exclude: Object.keys(localOnly),
    globalSetup: [],
    // A deployment runs in one test, and takes minutes on a busy machine.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  test: {
    globalSetup: "test/deployed/setup.ts",
    watch: false,
    maxWorkers: 2,
    silent: "passed-only",
    teardownTimeout: 300_000,
    reporters: ["default", counting],
    projects: [
      group("api", 0, ["test/functions/**/*.test.ts", "test/deployed/{sign-in,first-admin}.test.ts"]),
      group("permissions", 1, ["test/deployed/permissions.test.ts"]),
      group("restore", 2, ["test/deployed/restore.test.ts"]),
      group("doctor", 3, ["test/deployed/doctor.test.ts"]),
      group("game-day", 4, ["test/deployed/game-day.test.ts"]),
      group("lifecycle", 5, ["test/deployed/{lifecycle,try-on-aws}.test.ts"]),
    ],
  },
});
