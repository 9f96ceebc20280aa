import { stopSignal } from "../../client/cli/stop-signal.ts";
import { command, integer, origins, run } from "../command.ts";

type StartOptions = {
  readonly port: number;
  readonly folder: string;
  readonly fresh?: true;
  readonly watch?: true;
  readonly throttle?: true;
  readonly origin: readonly string[];
  readonly stripe: boolean;
  readonly quiet?: true;
};

const program = command("npm start --", "Runs the whole system on this machine, with demo data.")
  .option(
    "--port <port>",
    "Port of the API. The stand-ins use the next four (0 picks free ones)",
    integer(0, 65_531),
    3000,
  )
  .option("--folder <folder>", "Folder for the data", ".odis")
  .option("--fresh", "Delete the folder first, so that only the demo data remains")
  .option("--watch", "Rebuild and reload the functions when a source file changes")
  .option(
    "--origin <origin>",
    "Origin of your app, if it is not on this machine: its pages may call the API and sign-in, and checkout returns to it (repeatable)",
    origins,
    [],
  )
  .option("--throttle", "Turn on the rate limits for money and Stripe, as on AWS")
  .option("--no-stripe", "Start without a Stripe secret, like a new deployment")
  .option("--quiet", "Print nothing")
  .action(async ({ quiet, origin, ...options }: StartOptions) => {
    const { startDemoStack } = await import("./demo-stack.ts");
    const { password } = await import("./users.ts");
    const onBegin = () => console.log("Building the functions and starting the stack. This can take a minute.");
    const stack = await startDemoStack({ ...options, origins: origin, ...(!quiet && { onBegin }) });
    const { file, local } = stack;
    if (!quiet)
      console.log(`
  Odis is running on ${local.api_url} (loopback only, demo data in ${options.folder}).
  Local stand-ins replace ${[...local.stand_ins, "eventbridge"].join(", ")}. The functions are the same bundles that get deployed.

  Try it in another terminal:
    curl -s "${local.api_url}/odis/v1/communities/1/members?per=2" -H "Authorization: Bearer $(npm run -s token -- --user 3)"

  Guide to building a front end: ${local.docs_url}/guide
  API reference, where you can call the API as a demo user: ${local.docs_url}
  Page for browsing communities as a demo user: ${local.api_url}/explore
  Console for owners, editors and admins (sign in as owner, manager or support@example.com): ${local.api_url}/console
  Events sent to other systems: ${local.events_url}
  Tokens of the demo users (${Object.keys(local.tokens).join(", ")}): ${file}
  Sign-in for the demo users, with the password ${password}: ${local.cognito_url}
  Stop with Ctrl-C. Start over with npm start -- --fresh
`);
    await stopSignal();
    await stack.stop();
    process.exit(0);
  });

await run(program);
