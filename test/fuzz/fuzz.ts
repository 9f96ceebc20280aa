import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pythonEnvironment } from "../../tools/build/python.ts";
import { command, integer, run } from "../../tools/command.ts";

const version = "4.32.5";
const root = join(import.meta.dirname, "../..");

const program = command(
  "npm run test:fuzz --",
  "Sends schemathesis' requests to a new local stack, and compares each answer with openapi.json. Needs Python 3 once.",
)
  .option(
    "--examples <count>",
    "Requests per operation (or FUZZ_EXAMPLES)",
    integer(1),
    Number(process.env.FUZZ_EXAMPLES ?? 10),
  )
  .argument("[options...]", "Options of schemathesis, after another --")
  .action(fuzz);

async function fuzz(given: readonly string[], { examples }: { readonly examples: number }): Promise<void> {
  let schemathesis: string;
  try {
    schemathesis = join(pythonEnvironment({ schemathesis: version }), "bin/schemathesis");
  } catch (error) {
    console.warn(`NOT TESTED: the whole document, as schemathesis cannot be installed (${(error as Error).message})`);
    return;
  }

  const folder = await mkdtemp(join(tmpdir(), "odis-fuzz-"));
  const local = join(folder, "local.json");
  const stack = spawn(process.execPath, ["tools/local/start.ts", "--port", "0", "--folder", folder, "--quiet"], {
    cwd: root,
    stdio: "inherit",
  });
  try {
    while (!existsSync(local) && stack.exitCode === null) await setTimeout(100);
    const { api_url, tokens } = JSON.parse(await readFile(local, "utf8")) as {
      readonly api_url: string;
      readonly tokens: { readonly admin: string };
    };
    const fuzzing = spawn(
      schemathesis,
      ["--config-file", "test/fuzz/schemathesis.toml", "run", `${api_url}/openapi.json`]
        .concat(["--max-examples", String(examples), "--workers", "1", "--no-color"])
        .concat(given),
      { cwd: root, stdio: "inherit", env: { ...process.env, ODIS_URL: api_url, ODIS_TOKEN: tokens.admin } },
    );
    const [code] = (await once(fuzzing, "exit")) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    // It may have ended by itself.
    if (stack.exitCode === null) {
      stack.kill();
      await once(stack, "exit");
    }
    await rm(folder, { recursive: true });
  }
}

await run(program);
