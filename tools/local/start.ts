import { command, integer, run } from "../command.ts";

type Options = {
  readonly port: number;
  readonly folder: string;
  readonly fresh?: true;
  readonly watch?: true;
  readonly throttle?: true;
  readonly stripe: boolean;
  readonly quiet?: true;
};

const program = command("npm start --", "Runs the whole system on this machine, with demo data.")
  .option("--port <port>", "Port of the API (0 picks a free one)", integer(0, 65_535), 3000)
  .option("--folder <folder>", "Folder to keep the data in", ".odis")
  .option("--fresh", "Delete the folder first, and start with the demo data only")
  .option("--watch", "Build and load the functions again whenever a source file changes")
  .option("--throttle", "Limit how often a caller may move money and ask Stripe, as on AWS")
  .option("--no-stripe", "Start without a Stripe secret, as a new deployment does")
  .option("--quiet", "Print nothing")
  .action(async ({ quiet, ...options }: Options) => {
    const { startDemoStack } = await import("./demo-stack.ts");
    const { password } = await import("./users.ts");
    const stack = await startDemoStack(options);
    const { file, local } = stack;
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => void stack.stop().then(() => process.exit(0)));
    if (quiet) return;
    console.log(`
  Odis is running on ${local.api_url}      (loopback only, demo data in ${options.folder})
  Stand-ins: ${[...local.stand_ins, "eventbridge"].join(", ")}. Everything else is what is deployed.

  Try:
    curl -s ${local.api_url}/odis/v1/communities/1/members?per=2 -H "Authorization: Bearer $(npm run -s token -- --user 3)"

  Read the reference and try calls as any of them: ${local.docs_url}
  Explore the communities as any of them: ${local.api_url}/explore
  See what other systems are told: ${local.events_url}
  Tokens of ${Object.keys(local.tokens).join(", ")}: ${file}
  Sign in as any of them through ${local.cognito_url} with the password ${password}
  Stop with Ctrl-C; start over with npm start -- --fresh
`);
  });

await run(program);
