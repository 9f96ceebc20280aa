import { spawnSync } from "node:child_process";
import { command, run } from "../../../../tools/command.ts";

const program = command(
  "STRIPE_LIVE_TESTS=1 STRIPE_TEST_KEY=sk_test_… npm run test:live",
  "Runs the contract tests of the Stripe stand-in against Stripe's test mode.",
).action(() => {
  const { STRIPE_LIVE_TESTS, STRIPE_TEST_KEY = "" } = process.env;
  if (STRIPE_LIVE_TESTS !== "1" || STRIPE_TEST_KEY === "") {
    console.error("NOT RUN: set STRIPE_LIVE_TESTS=1 and STRIPE_TEST_KEY to a key of Stripe's test mode");
    return;
  }
  if (!/^[sr]k_test_\w+$/.test(STRIPE_TEST_KEY)) throw new Error("REFUSED: STRIPE_TEST_KEY is not a key of test mode");
  const { status } = spawnSync("vitest", ["run", "test/tools/local/stripe/contract"], {
    stdio: "inherit",
    env: { ...process.env, STRIPE_LIVE_TEST_KEY: STRIPE_TEST_KEY },
  });
  process.exitCode = status ?? 1;
});

await run(program);
