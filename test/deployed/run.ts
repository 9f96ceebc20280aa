import { spawnSync } from "node:child_process";
import { installMinistack } from "./ministack.ts";

/** `npm run test:deployed`: deploys the stack to ministack, and runs the tests of the API against what was deployed. */
try {
  installMinistack();
} catch (failure) {
  console.error(
    `NOT TESTED: the deployed stack, as ministack cannot be installed (Python 3.10 and PyPI): ${String(failure)}`,
  );
  process.exit(0);
}
const { status } = spawnSync("vitest", ["run", "--config", "test/deployed/vitest.config.ts"], { stdio: "inherit" });
process.exit(status ?? 1);
