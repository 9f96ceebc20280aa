import { spawnSync } from "node:child_process";
import { command, run } from "../../tools/command.ts";
import { installMinistack } from "./ministack.ts";

const program = command(
  "npm run test:deployed",
  "Deploys the stack to ministack, and runs the API tests against it. The first run requires Python 3.10 and access to PyPI.",
)
  .option("--project <name>", "Run only the tests of one project: api, permissions, restore or lifecycle")
  .action(({ project }: { readonly project?: string }) => {
    try {
      installMinistack();
    } catch (failure) {
      console.error(
        `NOT TESTED: the deployed stack, as ministack cannot be installed (Python 3.10 and PyPI): ${String(failure)}`,
      );
      return;
    }
    const { status } = spawnSync(
      "vitest",
      ["run", "--config", "test/deployed/vitest.config.ts", ...(project === undefined ? [] : ["--project", project])],
      { stdio: "inherit" },
    );
    process.exitCode = status ?? 1;
  });

await run(program);
