import { command, integer, run } from "../command.ts";
import { runningStack } from "./running-stack.ts";

type TokenOptions = {
  readonly user: number;
  readonly groups: readonly string[];
  readonly expiresIn: number;
  readonly folder: string;
};

const day = 24 * 60 * 60;

const program = command("npm run token --", "Prints an access token for the running local stack.")
  .requiredOption("--user <id>", "Id of the user, who is created if necessary", integer(1))
  .option(
    "--groups <names>",
    "Groups of the user, separated by commas",
    (names) => names.split(",").filter(Boolean),
    [],
  )
  .option("--expires-in <seconds>", "Lifetime of the token. If negative, the token has already expired", integer(), day)
  .option("--folder <folder>", "Folder of the stack's data", ".odis")
  .action(async ({ user, groups, expiresIn: expires_in, folder }: TokenOptions) => {
    const { control_url } = await runningStack(folder);
    const response = await fetch(`${control_url}/tokens`, {
      method: "POST",
      body: JSON.stringify({ user, groups, expires_in }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The local stack refused the request: ${text}`);
    console.log(text);
  });

await run(program);
