import { spawnSync } from "node:child_process";

/** `STRIPE_LIVE_TESTS=1 STRIPE_TEST_KEY=sk_test_… npm run test:live`: holds Stripe itself to the contract's tests. */
const { STRIPE_LIVE_TESTS, STRIPE_TEST_KEY = "" } = process.env;
if (STRIPE_LIVE_TESTS !== "1" || STRIPE_TEST_KEY === "") {
  console.error("NOT RUN: set STRIPE_LIVE_TESTS=1 and STRIPE_TEST_KEY to a key of Stripe's test mode");
  process.exit(0);
}
if (!/^[sr]k_test_\w+$/.test(STRIPE_TEST_KEY)) {
  console.error("REFUSED: STRIPE_TEST_KEY is not a key of test mode");
  process.exit(1);
}
const { status } = spawnSync("vitest", ["run", "test/tools/local/stripe/contract"], {
  stdio: "inherit",
  env: { ...process.env, STRIPE_LIVE_TEST_KEY: STRIPE_TEST_KEY },
});
process.exit(status ?? 1);
