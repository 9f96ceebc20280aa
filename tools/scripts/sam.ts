import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { eventsFolder, writeEvents } from "./sam/write.ts";

/**
 * `npm run sam -- MembersList`: runs a function as it is synthesised with `sam local invoke`, against the running stack,
 * and prints the command.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: "string", default: ".odis" } },
});

const ids = await writeEvents(options.folder);
const [id = ""] = positionals;
if (!ids.includes(id)) {
  console.error(`Usage: npm run sam -- <function>, which is one of ${ids.join(", ")}`);
  process.exit(2);
}
run(["cdk", "synth", "--quiet", "-c", "stage=sandbox"]);
// The stack listens to this machine only, which a container of a network of its own would not be.
const network = process.platform === "linux" ? ["--docker-network", "host"] : [];
const template = "cdk.out/odis-sandbox.template.json";
const event = join(eventsFolder, `${id}.json`);
const variables = join(options.folder, "env.json");
const { AWS_REGION: region = "" } = process.env;
const given = ["--template", template, "--event", event, "--env-vars", variables, "--region", region];
const invocation = ["sam", "local", "invoke", id, ...given, ...network];
console.error(invocation.join(" "));
run(invocation);

function run([command = "", ...rest]: readonly string[]): void {
  const { error, status } = spawnSync(command, rest, { stdio: "inherit" });
  if (error) console.error(`There is no ${command} here: pip install aws-sam-cli==1.170.0. It needs Docker, too.`);
  if (error || status !== 0) process.exit(status || 1);
}
