import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Runs the contract tests against Stripe's test mode. */
const { STRIPE_LIVE_TESTS, STRIPE_TEST_KEY = "" } = process.env;
if (STRIPE_LIVE_TESTS !== "1" || STRIPE_TEST_KEY === "")
  console.error("NOT RUN: set STRIPE_LIVE_TESTS=1 and STRIPE_TEST_KEY to a key of Stripe's test mode");
else if (!/^[sr]k_test_\w+$/.test(STRIPE_TEST_KEY)) {
  console.error("REFUSED: STRIPE_TEST_KEY is not a key of test mode");
  process.exitCode = 1;
} else {
  const { status } = spawnSync("vitest", ["run", "contract"], {
    cwd: join(import.meta.dirname, ".."),
    stdio: "inherit",
    env: { ...process.env, STRIPE_LIVE_TEST_KEY: STRIPE_TEST_KEY },
  });
  process.exitCode = status ?? 1;
}
