import { spawnSync } from "node:child_process";
import { command, run } from "../../tools/command.ts";
import { installMinistack } from "./ministack.ts";

const program = command(
  "npm run test:deployed",
  "Runs each function in Lambda's runtime emulator, deploys the stack to ministack, and runs the API tests against it. The first run requires Python 3.10 and access to PyPI.",
)
  .option(
    "--project <name>",
    "Run only the tests of one project: sam, api, permissions, restore, doctor, game-day or lifecycle",
  )
  .action(({ project }: { readonly project?: string }) => {
    if (project === undefined || project === "sam") runTests("sam");
    if (project === "sam") return;
    try {
      installMinistack();
    } catch (failure) {
      console.error(
        `NOT TESTED: the deployed stack, as ministack cannot be installed (Python 3.10 and PyPI): ${String(failure)}`,
      );
      return;
    }
    runTests("deployed", project === undefined ? [] : ["--project", project]);
  });

function runTests(folder: "deployed" | "sam", args: readonly string[] = []): void {
  const { status } = spawnSync("vitest", ["run", "--config", `test/${folder}/vitest.config.ts`, ...args], {
    stdio: "inherit",
  });
  process.exitCode ||= status ?? 1;
}

await run(program);
