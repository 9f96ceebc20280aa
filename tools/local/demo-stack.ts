import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, buildIfStale } from "../build/build.ts";
import { startControl } from "./control.ts";
import { listedCommunities } from "./demo/communities.ts";
import { producers, seed } from "./demo/demo.ts";
import { people } from "./demo/people.ts";
import { teamMembers } from "./demo/team.ts";
import { message } from "./gateway/answer.ts";
import { partsOf } from "./gateway/event.ts";
import { lock, lockName } from "./lock.ts";
import { serve } from "./loopback.ts";
import { type Person, sitePages } from "./pages.ts";
import { portsFrom, type Stack, startStack, tableFile } from "./stack.ts";
import { addSeenApp, adminTotpSecret, password, subOf, tokenFor } from "./users.ts";

type DemoOptions = {
  readonly port: number;
  readonly folder: string;
  readonly fresh?: boolean;
  readonly watch?: boolean;
  readonly throttle?: boolean;
  /** Origins of apps on other machines. */
  readonly origins?: readonly string[];
  /** Whether the functions have a Stripe secret. The demo data is always created with one. */
  readonly stripe?: boolean;
  /** Called once all checks before the start have passed. */
  readonly onBegin?: () => void;
};

const day = 24 * 60 * 60;
const names = Object.keys(people) as (keyof typeof people)[];

/**
 * Starts the local stack with the demo's data, users and tokens. `local.json` in its folder has its addresses while it
 * is ready.
 *
 * @throws Error, before anything is changed, if the port is taken or a stack is running with the folder
 */
export async function startDemoStack({
  port,
  folder,
  fresh = false,
  watch = false,
  throttle = false,
  origins = [],
  stripe: hasStripe = true,
  onBegin = () => {},
}: DemoOptions) {
  const file = join(folder, "local.json");
  for (const each of Object.values(portsFrom(port))) await assertFree(each);
  await mkdir(folder, { recursive: true });
  const release = await lock(folder);
  onBegin();
  // Exists while a first start writes the demo data. If one was interrupted, the next one begins again.
  const unfinished = join(folder, "unfinished");
  for (const name of fresh || existsSync(unfinished) ? await readdir(folder) : ["local.json"])
    if (name !== lockName) await rm(join(folder, name), { recursive: true, force: true });
  if (!process.env.DYNAMODB_ENDPOINT && !existsSync(join(folder, tableFile))) await writeFile(unfinished, "");

  let running: Stack | undefined;
  const building = watch ? await build({ onBuilt: () => running?.reload() }) : await buildIfStale();
  let signedIn: readonly Person[] = [];
  let isSeeded = false;
  const site = sitePages({ people: () => signedIn, deployment: () => running?.info });
  /** The stack reports that it is healthy once its data exists. */
  const pages: typeof site = (request) =>
    !isSeeded && partsOf(request.target).path === "/health" ? message(503, "Service Unavailable") : site(request);
  const stack = await startStack({ port, folder, pages, throttle, origins });
  running = stack;
  await seed(stack, new Date());
  if (!hasStripe) stack.forgetStripe();
  const standIn = hasStripe ? stack.stripe : undefined;
  await addUsers(stack);
  const control = await startControl(stack, portsFrom(port).control);
  const tokens = await tokensFor(stack);
  signedIn = tokens.map(([name, token]) => ({ name, token }));

  const local = {
    api_url: stack.url,
    docs_url: `${stack.url}/docs`,
    cognito_url: stack.cognito.url,
    control_url: control.url,
    events_url: `${stack.bus.url}/events`,
    ...(standIn && { stripe_url: standIn.url }),
    stand_ins: [process.env.DYNAMODB_ENDPOINT ? [] : ["dynamodb"], "cognito", standIn ? ["stripe"] : []].flat(),
    tokens: Object.fromEntries(tokens),
    users: Object.fromEntries(names.map((name) => [name, people[name].id])),
    communities: listedCommunities,
    producers,
    /** The environment variables of a function, for programs that use the stack as functions do. */
    environment: stack.environment,
  };
  // The tokens in the file let its readers act as these people.
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, JSON.stringify(local, undefined, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
  await rm(unfinished, { force: true });
  isSeeded = true;

  return {
    file,
    local,
    async stop(): Promise<void> {
      await rm(file, { force: true });
      await building?.stop();
      await control.close();
      await stack.stop();
      await release();
    },
  };
}

async function addUsers({ cognito, table }: Stack): Promise<void> {
  await addSeenApp(table, subOf(people.admin.id));
  const everybody = [...Object.values(people), ...teamMembers.map((person) => ({ ...person, groups: [] }))];
  for (const { id, groups, ...person } of everybody) {
    const { username, first_name: given_name, last_name: family_name } = person;
    const email = `${username}@example.com`;
    await cognito.addUser({
      sub: subOf(id),
      username,
      password,
      email,
      given_name,
      family_name,
      groups: [...groups],
      // A token has the group admin only if the user has an authenticator app.
      ...(id === people.admin.id && { totp_secret: adminTotpSecret }),
    });
  }
}

const tokensFor = ({ cognito }: Stack) =>
  Promise.all(
    names.map(async (name) => {
      const { id, username, groups } = people[name];
      return [name, await tokenFor(cognito, { id, username, groups: [...groups], expiresIn: day })] as const;
    }),
  );

async function assertFree(port: number): Promise<void> {
  const { close } = await serve({ port, maxBodyBytes: 0 }, async () => ({ status: 503, headers: [], body: "" }));
  await close();
}
