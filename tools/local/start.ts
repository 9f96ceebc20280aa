import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "../build/build.ts";
import { startControl } from "./control.ts";
import { listedCommunities, people, producers, seed } from "./demo/demo.ts";
import { explorePages, type Person } from "./pages.ts";
import { type Stack, startStack } from "./stack.ts";
import { password, subOf, tokenFor } from "./users.ts";

/** `npm start`: the whole system on this machine, with demo data. */
const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "3000" },
    folder: { type: "string", default: ".odis" },
    fresh: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    throttle: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log(`Usage: npm start -- [options]

  --port 3000      the port of the API; 0 takes a free one
  --folder .odis   where the data is kept
  --fresh          begin with nothing but the demo data
  --watch          build and load again whenever a source changes
  --throttle       limit callers to 20 refunds, cancellations, checkouts and blocks a minute, as on AWS
  --quiet          print nothing`);
  process.exit(0);
}

const { folder } = options;
const file = join(folder, "local.json");
if (options.fresh) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await rm(file, { force: true });

let running: Stack | undefined;
const { stop: stopBuilding } = await build(options.watch ? { onBuilt: () => running?.reload() } : {});
let signedIn: readonly Person[] = [];
const stack = await startStack({
  port: Number(options.port),
  folder,
  pages: explorePages(() => signedIn),
  throttle: options.throttle,
});
running = stack;
await seed(stack, new Date());
for (const { id, groups, ...person } of Object.values(people)) {
  const { username, first_name: given_name, last_name: family_name } = person;
  const email = `${username}@example.com`;
  await stack.cognito.addUser({
    sub: subOf(id),
    username,
    password,
    email,
    given_name,
    family_name,
    groups: [...groups],
  });
}
const control = await startControl(stack);

const day = 24 * 60 * 60;
const names = Object.keys(people) as (keyof typeof people)[];
const tokens = await Promise.all(
  names.map(async (name) => {
    const { id, username, groups } = people[name];
    return [name, await tokenFor(stack.cognito, { id, username, groups: [...groups], expiresIn: day })] as const;
  }),
);
signedIn = tokens.map(([name, token]) => ({ name, token }));
const local = {
  api_url: stack.url,
  docs_url: `${stack.url}/docs`,
  cognito_url: stack.cognito.url,
  control_url: control.url,
  events_url: `${stack.bus.url}/events`,
  ...(stack.stripe && { stripe_url: stack.stripe.url }),
  stand_ins: [process.env.DYNAMODB_ENDPOINT ? [] : ["dynamodb"], "cognito", stack.stripe ? ["stripe"] : []].flat(),
  tokens: Object.fromEntries(tokens),
  users: Object.fromEntries(names.map((name) => [name, people[name].id])),
  communities: listedCommunities,
  producers,
  /** What a function is told, for programs that stand beside the functions. */
  environment: stack.environment,
};
await writeFile(`${file}.new`, JSON.stringify(local, undefined, 2));
await rename(`${file}.new`, file);

if (!options.quiet) {
  console.log(`
  Odis is running on ${stack.url}      (loopback only, demo data in ${folder})
  Stand-ins: ${[...local.stand_ins, "eventbridge"].join(", ")}. Everything else is what is deployed.

  Try:
    curl -s ${stack.url}/odis/v1/communities/1/members?per=2 -H "Authorization: Bearer $(npm run -s token -- --user 3)"

  Read the reference and try calls as any of them: ${local.docs_url}
  Explore the communities as any of them: ${stack.url}/explore
  See what other systems are told: ${local.events_url}
  Tokens of ${names.join(", ")}: ${file}
  Sign in as any of them through ${stack.cognito.url} with the password ${password}
  Stop with Ctrl-C; start over with npm start -- --fresh
`);
}

async function stop(): Promise<void> {
  await rm(file, { force: true });
  await stopBuilding();
  await control.close();
  await stack.stop();
  process.exit(0);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
