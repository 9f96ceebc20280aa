import { spawnSync } from "node:child_process";
import { command, run } from "../../tools/command.ts";
import { installMinistack } from "./ministack.ts";

const program = command(
  "npm run test:deployed",
  "Runs each function in Lambda's runtime emulator, deploys the stack to ministack, and runs the API tests against it. The first run requires Python 3.10 and access to PyPI.",
)
  .option(
    "--project <names...>",
    "Run only the tests of these projects: sam, api, permissions, restore, doctor, game-day, lifecycle",
  )
  .action(({ project: projects }: { readonly project?: readonly string[] }) => {
    if (!projects || projects.includes("sam")) runTests("sam");
    const deployed = projects?.filter((name) => name !== "sam") ?? [];
    if (projects && deployed.length === 0) return;
    try {
      installMinistack();
    } catch (failure) {
      console.error(
        `NOT TESTED: the deployed stack, as ministack cannot be installed (Python 3.10 and PyPI): ${String(failure)}`,
      );
      return;
    }
    runTests(
      "deployed",
      deployed.flatMap((name) => ["--project", name]),
    );
  });

function runTests(folder: "deployed" | "sam", args: readonly string[] = []): void {
  const { status } = spawnSync("vitest", ["run", "--config", `test/${folder}/vitest.config.ts`, ...args], {
    stdio: "inherit",
  });
  process.exitCode ||= status ?? 1;
}

await run(program);
