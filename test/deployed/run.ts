import { spawnSync } from "node:child_process";
import { command, run } from "../../tools/command.ts";
import { installMinistack } from "./ministack.ts";

const program = command(
  "npm run test:deployed",
  "Deploys the stack to ministack, and runs the tests of the API against it. Needs Python 3.10 and PyPI once.",
).action(() => {
  try {
    installMinistack();
  } catch (failure) {
    console.error(
      `NOT TESTED: the deployed stack, as ministack cannot be installed (Python 3.10 and PyPI): ${String(failure)}`,
    );
    return;
  }
  const { status } = spawnSync("vitest", ["run", "--config", "test/deployed/vitest.config.ts"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
});

await run(program);
