import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { type Odis, OdisProblem } from "../odis.ts";
import { brandImport } from "./brands.ts";
import { importFile, type Kind } from "./import.ts";
import { placesOf } from "./journal.ts";
import { actions, exportMembers, type MemberPath, memberImport } from "./members.ts";
import { erasePerson, exportPerson } from "./people.ts";
import { progressOf } from "./progress.ts";
import { openOdis, type Place, signOut } from "./session.ts";
import { setUpTotp, signIn } from "./sign-in.ts";

/** `npm run odis -- …`: what operators and scripts do, through the API and with no right but the caller's. */
const program = new Command("odis")
  .description("Operate Odis through its API")
  .option("--api-url <url>", "where the API is (or ODIS_API_URL; else the session's, else the stack that runs here)")
  .option("--folder <folder>", "where a stack that runs here keeps its data", ".odis")
  .option("--as <name>", "on a stack that runs here: admin, editor, owner, other_owner, member or stranger", "admin")
  .option("--quiet", "show no progress", false)
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: true });

type Global = Place & { readonly quiet: boolean };
const given = (): Global => program.opts<Global>();
const open = () => openOdis(given());

const print = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

function integer(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError("must be a positive integer");
  return Number(text);
}

program
  .command("sign-in")
  .description("sign in, and keep the session for this user only; asks for the password unless ODIS_PASSWORD is set")
  .requiredOption("--username <name>", "e-mail address, or the name of a user of the local stack")
  .option("--user-pool-id <id>", "of the user pool, where it is on AWS (output UserPoolId)")
  .option("--client-id <id>", "of the pool's client (output ClientId)")
  .action(async (options: { username: string; userPoolId?: string; clientId?: string }) => {
    console.log(`Signed in. The session is kept in ${await signIn({ ...given(), ...options })}`);
  });

program
  .command("totp")
  .description("set up an authenticator app (TOTP) for whoever is signed in; admins need one")
  .action(async () => {
    await setUpTotp();
    console.log("The authenticator app is set up. From now on, signing in asks for a code of it.");
  });

program.command("sign-out").description("forget the session").action(signOut);

const members = program.command("members").description("members of a community");
type OfCommunity = { readonly community: number };
const ofCommunity = (name: string, description: string) =>
  members.command(name).description(description).requiredOption("--community <id>", "id of the community", integer);

ofCommunity("list", "print members, one line of JSON each")
  .option("--status <status>")
  .option("--tier <id>", "id of a tier", integer)
  .option("--blocked", "only those who are blocked")
  .option("--query <text>", "start of an e-mail address or a name")
  .option("--limit <count>", "how many at most", integer, 100)
  .action(async (options: Parameters<typeof actions.list>[1]) => {
    for await (const member of actions.list(await open(), options)) console.log(JSON.stringify(member));
  });

/** A command about one member, which prints what the API answers. */
const ofMember = (
  name: string,
  description: string,
  act: (odis: Odis, path: MemberPath, options: object) => Promise<unknown>,
) =>
  ofCommunity(name, description)
    .argument("<id>", "id of the member", integer)
    .action(async (id: number, options: OfCommunity) =>
      print(await act(await open(), { community_id: options.community, id }, options)),
    );

ofMember("show", "print a member", actions.show);
ofMember("block", "end a member's access; the subscription is kept", actions.block).option("--reason <text>");
ofMember("unblock", "give a member's access back", actions.unblock);
ofMember("refund", "refund the latest charge that has something left, or the one that is named", actions.refund)
  .option("--amount-cents <cents>", "all that is left where it is not given", integer)
  .option("--charge <id>")
  .option("--reason <reason>", "requested_by_customer, duplicate or fraudulent")
  .option("--note <text>")
  .option("--key <key>", "refunds with the same key are one refund");
ofMember("cancel", "cancel a subscription at the end of its period", actions.cancel)
  .option("--immediately", "end it now")
  .option("--comment <text>");

ofCommunity("export", "write all members as JSON Lines, or as CSV where the file's name ends so")
  .option("--out <file>", "the terminal where it is not given")
  .action(async ({ community, out }: OfCommunity & { readonly out?: string }) => {
    const progress = progressOf("members", given().quiet || out === undefined);
    const count = await exportMembers(await open(), community, { file: out, progress });
    console.error(`${count} members`);
  });

type Import = { readonly dryRun: boolean; readonly fresh: boolean; readonly concurrency: number };
const importing = (command: Command) =>
  command
    .argument("<file>", "JSON Lines, or CSV where its name ends so")
    .option("--dry-run", "only check the rows, and send nothing", false)
    .option("--fresh", "begin with the first row, whatever an earlier run has done", false)
    .option("--concurrency <count>", "how many requests at the same time", integer, 4);

importing(ofCommunity("import", "import members; run again, it goes on where it was")).action(
  async (file: string, options: Import & OfCommunity) =>
    run(file, memberImport(await open(), options.community), options),
);

const people = program.command("people").description("a person's data: export and erasure, for admins");

people
  .command("export")
  .description("write everything that is stored about a person as JSON")
  .argument("<id>", "id of the user", integer)
  .option("--out <file>", "the terminal where it is not given")
  .action(async (id: number, { out }: { readonly out?: string }) => {
    const text = `${JSON.stringify(await exportPerson(await open(), id), null, 2)}\n`;
    if (out === undefined) process.stdout.write(text);
    else await writeFile(out, text, { mode: 0o600 });
  });

people
  .command("erase")
  .description("erase a person; this cannot be undone")
  .argument("<id>", "id of the user", integer)
  .option("--dry-run", "only print what would be erased and what stands in the way", false)
  .action(async (id: number, { dryRun }: { readonly dryRun: boolean }) =>
    print(await erasePerson(await open(), id, dryRun)),
  );

const brands = program.command("brands").description("brands of a producer");
const ofProducer = (name: string, description: string) =>
  brands.command(name).description(description).requiredOption("--producer <uuid>", "id of the producer");

ofProducer("list", "print brands, one line of JSON each").action(async ({ producer }: { producer: string }) => {
  for await (const brand of actions.brands(await open(), producer)) console.log(JSON.stringify(brand));
});

importing(ofProducer("import", "import brands; run again, it goes on where it was")).action(
  async (file: string, options: Import & { producer: string }) =>
    run(file, brandImport(await open(), options.producer), options),
);

/** Imports a file and says what came of it; fails where rows were refused. */
async function run(file: string, kind: Kind, { dryRun: isDryRun, fresh: isFresh, concurrency }: Import): Promise<void> {
  const begun = performance.now();
  const progress = progressOf("rows", given().quiet);
  const counts = await importFile(file, kind, { isDryRun, isFresh, concurrency }, progress);
  const seconds = (performance.now() - begun) / 1000;
  const { created, updated, unchanged, refused } = counts;
  const told = isDryRun
    ? `${created} would be sent, ${refused} would be refused`
    : `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
  console.log(`${told} (${seconds.toFixed(1)} s)`);
  if (refused === 0) return;
  if (!isDryRun) console.log(`The refused rows are in ${placesOf(file).report}`);
  process.exitCode = 1;
}

try {
  await program.parseAsync();
} catch (error) {
  const { message } = error as Error;
  const told =
    error instanceof OdisProblem ? `${error.code}: ${message} (request ${error.requestId ?? "unknown"})` : message;
  console.error(told);
  for (const { pointer, parameter, message: why } of error instanceof OdisProblem ? error.errors : [])
    console.error(`  ${pointer ?? parameter}: ${why}`);
  process.exitCode = 1;
}
