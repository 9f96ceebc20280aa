import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { command, run, UsageError } from "../command.ts";

const program = command(
  "npm run sam --",
  "Runs a synthesized function with `sam local invoke` against the running local stack. Requires Docker.",
)
  .argument("<function>", "Logical id of the function, for example MembersList")
  .option("--folder <folder>", "Folder of the stack's data", ".odis")
  .action(async (id: string, { folder }: { readonly folder: string }) => {
    const { writeEvents } = await import("./sam/write.ts");
    const into = join(folder, "events");
    const ids = await writeEvents(folder, into);
    if (!ids.includes(id)) throw new UsageError(`Unknown function ${id}. The functions are ${ids.join(", ")}`);
    start("cdk", ["synth", "--quiet", "-c", "stage=sandbox"]);
    invoke(id, { event: join(into, `${id}.json`), variables: join(folder, "env.json") });
  });

function invoke(id: string, { event, variables }: { readonly event: string; readonly variables: string }): void {
  const template = "cdk.out/odis-sandbox.template.json";
  const { AWS_REGION: region = "" } = process.env;
  // A container can reach the stack's loopback address only if it shares the host's network.
  const network = process.platform === "linux" ? ["--docker-network", "host"] : [];
  const given = ["--template", template, "--event", event, "--env-vars", variables, "--region", region];
  const invocation = ["local", "invoke", id, ...given, ...network];
  console.error(["sam", ...invocation].join(" "));
  start("sam", invocation);
}

/** Runs a program, and exits with its code if it fails. */
function start(name: string, args: readonly string[]): void {
  const { error, status } = spawnSync(name, args, { stdio: "inherit" });
  if (error) throw new Error(`Cannot start ${name}: pip install aws-sam-cli==1.170.0`, { cause: error });
  if (status !== 0) process.exit(status ?? 1);
}

await run(program);
